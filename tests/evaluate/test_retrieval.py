from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from typer.testing import CliRunner

from evaluate.passages import open_corpus
from evaluate.places import document_recall, first_document, page_recall
from evaluate.questions import Place, Question, read_passages, read_questions
from evaluate.report import page
from evaluate.retrieval import Ranked, evaluate_retrieval, score
from flows.cli.evaluate import app
from pipelines.core.errors import SourceError, StoreMismatch
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from qa.settings import QaSettings
from tests.qa.corpus import PASSAGES, QUESTIONS, documents_at, passages_at


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    with passages_at(tmp_path_factory.mktemp("passages")) as retriever:
        yield retriever


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    corpus.write_bytes(b"\n".join(msgspec.json.encode(passage) for passage in PASSAGES))
    questions.write_bytes(b"\n".join(msgspec.json.encode(question) for question in QUESTIONS))
    return corpus, questions


def test_all_layers_stand_beside_the_baselines(passages: Retriever) -> None:
    report = evaluate_retrieval(passages, QUESTIONS, "wordllama")
    assert (report.questions, report.passages) == (2, 8)
    assert report.graph.recall["recall@5"] == 100.0
    assert report.graph.all_gold == 100.0
    assert list(report.baselines) == ["bm25", "dense", "hybrid"]
    assert report.baselines["bm25"].recall["recall@2"] < 100
    assert len(report.each) == 8


def test_the_same_run_gives_the_same_ranks(passages: Retriever) -> None:
    first, second = (evaluate_retrieval(passages, QUESTIONS, "wordllama") for _ in range(2))
    assert [one.ranked for one in first.each] == [one.ranked for one in second.each]


def test_figures_are_means_in_percent() -> None:
    each = [Ranked("a", "graph", ("x", "y"), ("x",), 0.002), Ranked("b", "graph", ("x",), ("y", "z"), 0.004)]
    scores = score(each)
    assert scores.recall == {"recall@2": 50.0, "recall@5": 50.0, "recall@10": 50.0, "recall@20": 50.0}
    assert (scores.all_gold, scores.milliseconds) == (50.0, 4.0)


def test_the_page_names_every_question_and_fetches_nothing(passages: Retriever) -> None:
    odd = [replace(QUESTIONS[0], question="What <b>is</b> & why?"), QUESTIONS[1]]
    html = page(evaluate_retrieval(passages, odd, "wordllama"), odd)
    assert "What &lt;b&gt;is&lt;/b&gt; &amp; why?" in html
    assert "hybrid" in html
    assert "://" not in html


def test_a_kept_knowledge_base_is_used_again(tmp_path: Path) -> None:
    settings = load(None, {}, QaSettings).settings
    with open_corpus(PASSAGES, settings, tmp_path / "kb"):
        written = (tmp_path / "kb" / "strata.db").stat().st_ino
    with open_corpus(PASSAGES, settings, tmp_path / "kb") as again:
        assert again.atlas.size == len(PASSAGES)
    assert (tmp_path / "kb" / "strata.db").stat().st_ino == written
    with pytest.raises(StoreMismatch), open_corpus(PASSAGES[:3], settings, tmp_path / "kb"):
        pass


@pytest.mark.parametrize("text", ["{", '{"id": 1, "question": "q"}', '{"id": "a"}'])
def test_a_broken_line_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "a", "question": "q"}\n\n' + text)
    with pytest.raises(SourceError, match="line 3"):
        read_questions(path)
    with pytest.raises(SourceError, match="cannot read"):
        read_passages(tmp_path / "none.jsonl")


def test_the_command_prints_all_figures_as_json(files: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, questions = files
    out, html, png = (tmp_path / name for name in ("out.jsonl", "page.html", "chart.png"))
    arguments = ["retrieval", "--corpus", str(corpus), "--questions", str(questions), "--json"]
    written = ["--out", str(out), "--html", str(html), "--png", str(png)]
    done = CliRunner().invoke(app, [*arguments, *written], catch_exceptions=False)
    printed = json.loads(done.stdout)
    figures = {"recall@2", "recall@5", "recall@10", "recall@20", "all_gold@5"}
    assert figures <= printed.keys()
    assert printed["recall@5"] == printed["self_recall@5"] == 100.0
    assert all(figures <= printed["baselines"][name].keys() for name in ("bm25", "dense", "hybrid"))
    assert len(out.read_text().splitlines()) == 8
    assert html.read_text().startswith("<!doctype html>")
    with Image.open(png) as picture:
        colours = {colour for _, colour in picture.getcolors(1 << 20) or []}
    assert (0x25, 0x63, 0xEB) in colours


def test_the_command_prints_a_table(files: tuple[Path, Path]) -> None:
    corpus, questions = files
    done = CliRunner().invoke(
        app, ["retrieval", "--corpus", str(corpus), "--questions", str(questions)], catch_exceptions=False
    )
    assert "all layers" in done.stdout
    assert "hybrid" in done.stdout


def test_two_runs_are_compared(files: tuple[Path, Path], tmp_path: Path, passages: Retriever) -> None:
    from evaluate.results import write_results

    report = evaluate_retrieval(passages, QUESTIONS, "wordllama")
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    write_results(one, [replace(result, ranked=()) for result in report.each])
    write_results(two, report.each)
    done = CliRunner().invoke(app, ["compare", str(one), str(two), "--samples", "100"], catch_exceptions=False)
    assert "graph recall@5" in done.stdout.replace("\n", " ")


def hit(template: Hit, uri: str, page: int | None = None, label: str = "", boxes: tuple[Box, ...] = ()) -> Hit:
    provenance = Provenance(template.document, Span(0, 1), page, label, "", boxes)
    return replace(template, uri=uri, chunk=replace(template.chunk, provenance=provenance))


def test_places_are_told_apart_by_file_and_page(tmp_path: Path) -> None:
    with documents_at(tmp_path / "kb") as retriever:
        found = retriever.retrieve("seal", 1)[0]
    boxes = tuple(Box(page, 0, 0, 1, 1) for page in (3, 4))
    hits = [hit(found, "a/one.pdf", 3, "3", boxes), hit(found, "b.xlsx", 1, "Prices"), hit(found, "c.md")]
    question = Question("q", "?", sources=(Place("one.pdf", 4), Place("b.xlsx", "Prices"), Place("c.md"), Place("d")))
    assert first_document(hits, question) == 1.0
    assert document_recall(hits, question, 5) == 0.75
    assert page_recall(hits, question, 5) == 0.75
    assert page_recall(hits, question, 1) == 0.25
    assert page_recall(hits, Question("q", "?", sources=(Place("one.pdf", 5),)), 5) == 0.0
    assert first_document([], question) == 0.0
