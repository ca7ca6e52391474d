from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from evaluate.compare import compare_results, read_figures
from evaluate.matrix_report import MatrixReport, Measured
from evaluate.metrics import proportion
from evaluate.retrieval import FlatText, TermSearch, pieces_of
from evaluate.sets import read_sets
from flows.cli.evaluate import app
from pipelines.core.errors import SettingsError, SourceError
from pipelines.retrieve.flat_search import fuse
from tests.qa.corpus import PASSAGES, QUESTIONS

SETS = """
[[set]]
name = "towns"
language = "en"
passages = "towns.jsonl"
questions = "towns-questions.jsonl"

[[set]]
name = "rules-de"
corpus = "rules"
language = "de"
documents = "rules"
questions = "rules-questions.jsonl"
tags = ["contract"]

[[set]]
name = "lost"
documents = "nowhere"
questions = "rules-questions.jsonl"
"""
RULES = {
    "probezeit.md": "# Anstellung\n\nDie Probezeit dauert sechs Monate. Danach gilt der Vertrag unbefristet.\n",
    "urlaub.md": "# Urlaub\n\nJeder Angestellte hat dreißig Tage Urlaub. Er ist bis März zu nehmen.\n",
}
RULES_ASKED = [
    {
        "id": "r1",
        "question": "Wie lange dauert die Probezeit?",
        "answers": ["sechs Monate"],
        "sources": [{"file": "probezeit.md", "quote": "Die Probezeit dauert sechs Monate."}],
    },
    {"id": "r2", "question": "Wie viele Tage Urlaub gibt es?", "sources": [{"file": "urlaub.md"}]},
    {"id": "r3", "question": "Welche Farbe hat der Mond über Lissabon?", "type": "unanswerable"},
]


def lines(values: object) -> bytes:
    return b"\n".join(map(msgspec.json.encode, values))  # type: ignore[call-overload]


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "rules").mkdir(parents=True)
    for name, text in RULES.items():
        (folder / "rules" / name).write_text(text, encoding="utf-8")
    (folder / "rules" / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    (folder / "towns.jsonl").write_bytes(lines(PASSAGES))
    (folder / "towns-questions.jsonl").write_bytes(lines(QUESTIONS))
    (folder / "rules-questions.jsonl").write_bytes(lines(RULES_ASKED))
    (folder / "sets.toml").write_text(SETS)
    return folder


def test_the_command_evaluates_every_set_and_reuses_its_knowledge_bases(declared: Path, tmp_path: Path) -> None:
    keep, html, out = tmp_path / "keep", tmp_path / "matrix.html", tmp_path / "matrix.jsonl"
    arguments = ["matrix", str(declared), "--keep", str(keep)]
    told = ["--held-out", "--trials", "2", "--json", "--html", str(html), "--out", str(out)]
    printed = json.loads(CliRunner().invoke(app, [*arguments, *told], catch_exceptions=False).stdout)
    rows = {(row["set"], row["method"]): row for row in printed["rows"]}
    searches = ["all layers", "held out", "bm25", "dense", "hybrid", "bm25 pages", "fused pieces"]
    for name in ("towns", "rules-de", "all questions"):
        assert {method for set, method in rows if set == name} == {*searches, "extractive"}
    assert rows["towns", "all layers"]["page_recall"]["value"] == 100
    assert rows["rules-de", "bm25 pages"]["first_document"] | {"low": 0} == {
        "value": 100, "low": 0, "high": 100, "count": 2,
    }  # fmt: skip
    answered = rows["rules-de", "extractive"]
    assert (answered["questions"], answered["answer_cited"]["count"], answered["failed"]) == (3, 1, 0)
    assert answered["unanswerable_recognized"]["count"] == 1
    lost, torn = printed["left_out"]
    assert lost.startswith("lost: no ")
    assert torn.startswith("rules-de: torn.pdf: ")
    assert printed["weights"]["wordllama"].keys() == {"towns", "rules"}
    assert "fused pieces" in html.read_text()
    assert "lost: no" in html.read_text()
    figures = read_figures(out)
    assert len(figures["wordllama all layers first_document"]) == 4
    assert all(line.difference == 0 for line in compare_results(figures, figures, 100))
    written = (keep / "towns-wordllama" / "strata.db").stat().st_ino
    again = CliRunner().invoke(app, [*arguments, "--only", "towns", "--no-answers"], catch_exceptions=False).stdout
    assert "first document" in again
    assert "extractive" not in again
    assert "rules-de" not in again
    assert (keep / "towns-wordllama" / "strata.db").stat().st_ino == written


def test_holding_out_needs_more_than_one_corpus(declared: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="one alone"):
        CliRunner().invoke(
            app,
            ["matrix", str(declared), "--only", "towns", "--held-out", "--keep", str(tmp_path)],
            catch_exceptions=False,
        )
    assert list(tmp_path.glob("towns*")) == []


def test_an_invalid_declaration_of_sets_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "sets.toml"
    for text, told in (
        ('[[set]]\nname = "a"\nquestions = "q"\nfolder = "d"', "no 'folder'"),
        ('[[set]]\nname = "a"\nquestions = "q"', "either documents or passages"),
        ('[[set]]\nname = "a"\ndocuments = "d"', "questions"),
        ("[[set]", "sets.toml"),
        ("", "declares no sets"),
        (2 * '[[set]]\nname = "a"\nquestions = "q"\ndocuments = "d"\n', "same name: a"),
    ):
        file.write_text(text)
        with pytest.raises(SourceError, match=told):
            read_sets(tmp_path)
    with pytest.raises(SourceError, match="cannot read"):
        read_sets(tmp_path / "none.toml")


def test_a_proportion_has_a_wilson_interval() -> None:
    found = proportion([1.0] * 9 + [0.0])
    assert found is not None
    assert (round(found.value, 1), round(found.low, 1), round(found.high, 1)) == (90.0, 59.6, 98.2)
    certain = proportion([1.0] * 10)
    assert certain is not None
    assert certain.low < 75
    assert proportion([]) is None


def test_texts_are_ranked_by_terms_of_their_language() -> None:
    texts = [FlatText("Der Verein hat drei Häuser.", "a.md"), FlatText("Die Pumpen werden gewartet.", "b.md", 2, "ii")]
    assert TermSearch(texts, "de").rank("Pumpe", 5) == [1]
    assert TermSearch(texts, "de").rank("Lokomotive", 5) == []
    assert (texts[1].found.uri, texts[1].found.pages, texts[1].found.label) == ("b.md", (2,), "ii")


def test_pieces_partition_the_text_and_keep_their_page() -> None:
    text = FlatText("Oil the bearing. " * 60, "a.pdf", 3)
    pieces = pieces_of([text, FlatText(" \n", "b.pdf")], tokens=50)
    assert "".join(piece.text for piece in pieces) == text.text
    assert len(pieces) > 3
    assert {(piece.uri, piece.page) for piece in pieces} == {("a.pdf", 3)}


def test_fusion_prefers_items_of_both_rankings() -> None:
    assert list(fuse([[1, 2, 3], [4, 3, 5]]))[:3] == [3, 1, 4]


def test_the_last_column_is_the_difference_from_the_best_flat_search() -> None:
    each = [
        Measured("s", "wordllama", method, str(number), True, value, value, value)
        for method, values in {"all layers": (1, 1, 0, 1), "bm25": (0, 0, 0, 0), "dense": (1, 0, 0, 1)}.items()
        for number, value in enumerate(values)
    ]
    first = MatrixReport((), tuple(each)).tables()[0]
    assert first.columns[3:] == ("all layers", "bm25", "dense", "all layers - best flat")
    assert first.rows[0][3].startswith("75.0 (")
    assert first.rows[0][-1] == "+25.0 (+0 to +75) dense"


def test_failures_are_counted_separately() -> None:
    each = [
        Measured("s", "e5", "pike", "1", True, 1, 1, 1, 1.0, False),
        Measured("s", "e5", "pike", "2", True, 0, 0, 0, None, False, "CallFailed: no reply"),
        Measured("s", "e5", "pike", "3", False, 0, 0, 0, None, True),
    ]
    report = MatrixReport((), tuple(each))
    (answers,) = report.tables()
    assert answers.rows[0][3] == "3"
    assert answers.rows[0][-1] == "1"
    (row,) = report.flat()["rows"]  # type: ignore[misc]
    assert (row["answered"].value, row["unanswerable_recognized"].value) == (100, 100)  # type: ignore[index]
    assert len(report.lines()) == 2
