"""Tests of markup languages that are read with pandoc, and of the result without pandoc."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.conftest import ParseBytes

Read = Callable[..., Document]
LATEX = r"""% of a plant
\documentclass{article}
\newcommand{\pump}{P-7}
\title{Care of \pump}\author{Ann Example}
\begin{document}\maketitle
\section{Torque}\label{sec:t}
Close V-12\footnote{The red one.}, see Section~\ref{sec:t} and \cite{iso}.
\begin{equation} Q = c_v \sqrt{p} \end{equation}
\begin{itemize}\item One \begin{itemize}\item Deeper\end{itemize}\end{itemize}
\begin{table}\caption{Bolts}
\begin{tabular}{lrr} Bolt & \multicolumn{2}{c}{Nm} \\ \hline M8 & 25 & 26 \end{tabular}\end{table}
\input{other}
\end{document}
"""
WIKI = """= Pump =
{{Infobox|name=P-7|flow={{convert|20|m3}}}}
See [[Valve|the valve]]<ref>The red one.</ref>.
{| class="wikitext"
! Model !! Flow
|-
| P-7 || 20
|}
"""


def test_latex_is_read_with_all_its_elements(document_of: Read) -> None:
    document = document_of("a.tex", LATEX)
    kinds = ("table", "caption")
    shown = [(block.kind.value, block.text) for block in document.blocks]
    assert [one for one in shown if one[0] not in kinds and "Ann" not in one[1]] == [
        ("title", "Care of P-7"),
        ("heading", "Torque"),
        ("paragraph", "Close V-12[1], see Section 1 and [iso]."),
        ("formula", r"\begin{equation} Q = c_v \sqrt{p} \end{equation}"),
        ("list_item", "One"),
        ("list_item", "Deeper"),
        ("footnote", "[1] The red one."),
    ]
    assert document.metadata["author"] == "Ann Example"
    assert document.tables[0].grid() == [["Bolt", "Nm", ""], ["M8", "25", "26"]]
    assert document.tables[0].caption == "Bolts"
    assert any("other.tex" in note for note in document.notes)


def test_a_wiki_page_keeps_the_arguments_of_its_templates(document_of: Read) -> None:
    document = document_of("a.mediawiki", WIKI)
    assert "name: P-7, flow: 20, m3" in document.text
    assert document.tables[0].grid() == [["Model", "Flow"], ["P-7", "20"]]
    assert "the valve[1]." in document.text
    assert [one.target for one in document.references if one.kind is ReferenceKind.HYPERLINK] == ["Valve"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.typ", "= Pump\nSome *bold* text.\n#table(columns: 2, [A], [B], [1], [2])"),
        ("a.textile", "h1. Pump\n\nSome *bold* text.\n\n|A|B|\n|1|2|"),
        ("a.dokuwiki", "====== Pump ======\nSome **bold** text.\n\n| A | B |\n| 1 | 2 |\n"),
        ("a.jira", "h1. Pump\n\nSome *bold* text.\n\n|A|B|\n|1|2|\n"),
        ("a.creole", "= Pump\nSome **bold** text.\n\n|A|B|\n|1|2|\n"),
    ],
)
def test_each_language_gives_headings_text_and_tables(document_of: Read, name: str, text: str) -> None:
    document = document_of(name, text)
    assert document.text.splitlines()[:3:2] == ["Pump", "Some bold text."]
    assert document.tables[0].grid() == [["A", "B"], ["1", "2"]]


def test_latex_is_detected_by_its_first_command(document_of: Read) -> None:
    assert document_of("paper.txt", LATEX).source.media_type == "text/x-tex"
    assert document_of("notes.txt", "How \\documentclass{article} works.\n").source.media_type == "text/plain"


def test_without_pandoc_the_plain_text_is_read_with_a_hint(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    monkeypatch.setenv("PATH", "")
    parsed = parse_bytes("a.textile", "h1. Pump\n\nText.")
    assert (parsed.status, parsed.again) == (Status.PARTIAL, True)
    assert "pip install 'strata-kb[pandoc]'" in parsed.reason
    assert parsed.document is not None
    assert parsed.document.text == "h1. Pump\n\nText."


def test_text_that_pandoc_cannot_read_is_plain_text(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.tex", r"\documentclass{article}\begin{document}\begin{tabular}{ll a & b \end{document}")
    assert (parsed.status, parsed.again) == (Status.PARTIAL, False)
    assert "pandoc cannot read it" in parsed.reason
    assert parsed.document is not None
    assert "a & b" in parsed.document.text


def test_pandoc_reads_no_other_file(parse_bytes: ParseBytes) -> None:
    stolen = parse_bytes("a.tex", r"\documentclass{article}\begin{document}x \input{/etc/hostname}\end{document}")
    assert stolen.document is not None
    assert stolen.document.text == "x"


def test_pandoc_is_limited_to_the_processor_seconds_of_the_file(
    parse_bytes: ParseBytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pandoc").write_text("#!/bin/sh\nwhile :; do :; done\n")
    (tmp_path / "pandoc").chmod(0o700)
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = parse_bytes("a.typ", "= Pump", ParseSettings(limits=Limits(cpu_s=1)))
    assert (ended.status, ended.reason) == (
        Status.TOO_LARGE,
        "pandoc took over 1 processor seconds (parse.limits.cpu_s)",
    )
