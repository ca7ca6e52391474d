"""Tests that of two revisions of a document the newer one answers unless the question names the older one."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import docx
import pytest
from rich.console import Console

from flows.cli.answer_page import answer_page
from flows.cli.answer_text import render_answer
from pipelines.ingest.build import build
from pipelines.retrieve.shown_passages import render
from qa import KnowledgeBase

OLD, NEW = "DS-77_rev_A.md", "DS-77_rev_B.md"
SHEET = """# DS-77 Dosing pump

Document no. DS-77, revision {}, {}

The seal of the dosing pump is of {}. The motor turns at {} rpm.
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("revisions")
    (folder / OLD).write_text(SHEET.format("A", "3 May 2019", "EPDM", 1400))
    (folder / NEW).write_text(SHEET.format("B", "9 June 2023", "FKM", 1450))
    kb: Path = tmp_path_factory.mktemp("kb") / "kb"
    build(folder, kb)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "text", "uri"),
    [
        ("Of what is the seal of the dosing pump?", "FKM", NEW),
        ("How fast does the motor of the dosing pump turn?", "1450", NEW),
        ("Of what was the seal of the dosing pump in revision A?", "EPDM", OLD),
        ("How fast does the motor turn in rev. A of DS-77?", "1400", OLD),
        ("How fast does the motor turn in rev. B of DS-77?", "1450", NEW),
    ],
)
def test_the_current_or_the_named_revision_answers(
    knowledge: KnowledgeBase, question: str, text: str, uri: str
) -> None:
    answer = knowledge.ask(question)
    assert text in answer.text
    assert answer.citations[0].uri == uri
    assert answer.citations[0].superseded_by == (NEW if uri == OLD else "")


def test_a_superseded_citation_is_marked_in_terminal_page_and_context(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Of what was the seal of the dosing pump in revision A?")
    shown = StringIO()
    Console(file=shown, width=120).print(render_answer(answer))
    assert f"superseded by {NEW}" in shown.getvalue()
    assert f"superseded by {NEW}" in answer_page(answer)
    hits = knowledge.retrieve("seal of the dosing pump", 5)
    assert f"(superseded by {NEW})" in render(hits, 2000, "seal")


def test_word_files_are_revisions_by_their_names_and_not_by_the_number_of_saves(tmp_path: Path) -> None:
    for name, months in (("A", 12), ("B", 6)):
        document = docx.Document()
        document.core_properties.revision = 7 if name == "A" else 3
        document.add_heading("WI-208 Regasketing of plate heat exchangers", 0)
        document.add_paragraph(f"Revision {name}")
        document.add_paragraph(f"The gaskets are inspected every {months} months.")
        (tmp_path / "files").mkdir(exist_ok=True)
        document.save(str(tmp_path / "files" / f"WI-208_rev_{name}.docx"))
    build(tmp_path / "files", tmp_path / "kb")
    with KnowledgeBase.open(tmp_path / "kb") as opened:
        answer = opened.ask("How often are the gaskets inspected?")
    assert answer.claims[0].text == "The gaskets are inspected every 6 months."
    assert not answer.conflicts
