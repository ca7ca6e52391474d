from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from typer.testing import CliRunner

from evaluate.questions import Passage, Question, passage_id, read_passages, read_questions, write_lines
from evaluate.report import retrieval_page
from evaluate.retrieval import Ranked, evaluate_retrieval, score
from evaluate.sets import open_passages
from flows.cli.evaluate import app
from pipelines.core.errors import SourceError, StoreMismatch
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from qa.settings import QaSettings
from tests.qa.corpus import PASSAGES, QUESTIONS, passages_at


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("passages")


@pytest.fixture(scope="module")
def passages(kb: Path) -> Iterator[Retriever]:
    with passages_at(kb) as retriever:
        yield retriever


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    corpus.write_bytes(b"\n".join(msgspec.json.encode(passage) for passage in PASSAGES))
    questions.write_bytes(b"\n".join(msgspec.json.encode(question) for question in QUESTIONS))
    return corpus, questions


def test_all_layers_are_compared_with_the_baselines(passages: Retriever) -> None:
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


def test_the_page_lists_every_question_and_loads_nothing(passages: Retriever) -> None:
    odd = [replace(QUESTIONS[0], question="What <b>is</b> & why?"), QUESTIONS[1]]
    html = retrieval_page(evaluate_retrieval(passages, odd, "wordllama"), odd)
    assert "What &lt;b&gt;is&lt;/b&gt; &amp; why?" in html
    assert "hybrid" in html
    assert "://" not in html


def test_a_kept_knowledge_base_is_reused(tmp_path: Path) -> None:
    settings = load(None, {}, QaSettings).settings
    with open_passages(PASSAGES, settings, tmp_path / "kb"):
        written = (tmp_path / "kb" / "strata.db").stat().st_ino
    with open_passages(PASSAGES, settings, tmp_path / "kb") as again:
        assert again.index.size == len(PASSAGES)
    assert (tmp_path / "kb" / "strata.db").stat().st_ino == written
    with pytest.raises(StoreMismatch), open_passages(PASSAGES[:3], settings, tmp_path / "kb"):
        pass


def test_passages_are_ingested_without_changes_to_their_text(tmp_path: Path) -> None:
    odd = Passage("a/b", "1. *Title* <b> & [x](y)", "# No heading &amp; no _emphasis_ <i>at</i> all. Nor `code`.")
    with open_passages([odd], load(None, {}, QaSettings).settings, tmp_path / "kb") as retriever:
        (hit,) = retriever.retrieve("emphasis", 3)
    assert (hit.title, hit.chunk.text) == (odd.title, odd.text)
    assert passage_id(hit.uri) == "a_b"
    assert Question("q", "?", gold_passages=("a/b",)).gold_uris == (hit.uri,)


def test_passages_with_the_same_file_name_are_refused(tmp_path: Path) -> None:
    twice = [Passage("a/b", "One", "One."), Passage("a?b", "Two", "Two.")]
    with (
        pytest.raises(SourceError, match="same id"),
        open_passages(twice, load(None, {}, QaSettings).settings, tmp_path),
    ):
        pass


def test_passages_are_ingested_without_a_model_or_a_server(tmp_path: Path) -> None:
    named = {"llm.base_url": "http://127.0.0.1:9", "llm.model": "m", "store.neo4j_uri": "bolt://127.0.0.1:9"}
    with open_passages(PASSAGES[:1], load(None, named, QaSettings).settings, tmp_path / "kb") as retriever:
        assert retriever.index.size == 1


@pytest.mark.parametrize("text", ["{", '{"id": 1, "question": "q"}', '{"id": "a"}'])
def test_an_invalid_line_is_reported_with_its_number(tmp_path: Path, text: str) -> None:
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


def test_the_command_prints_a_table(files: tuple[Path, Path], kb: Path) -> None:
    corpus, questions = files
    arguments = ["retrieval", "--corpus", str(corpus), "--questions", str(questions), "--kb", str(kb)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "all layers" in done.stdout
    assert "hybrid" in done.stdout


def test_two_runs_can_be_compared(files: tuple[Path, Path], tmp_path: Path, passages: Retriever) -> None:
    report = evaluate_retrieval(passages, QUESTIONS, "wordllama")
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    write_lines(one, [replace(result, ranked=()) for result in report.each])
    write_lines(two, report.each)
    done = CliRunner().invoke(app, ["compare", str(one), str(two), "--samples", "100"], catch_exceptions=False)
    assert "graph recall@5" in done.stdout.replace("\n", " ")
