"""Tests of a real knowledge base: the Python interface, the commands and the evaluation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from evaluate.answers import evaluate_answers, read_results, summarized
from evaluate.questions import read_questions
from evaluate.report import HEIGHT, WIDTH
from flows.cli import ask
from flows.cli.evaluate_answers import answers
from pipelines.core.errors import KnowledgeBaseNotFound, SettingsError
from pipelines.ingest.build import build
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.store.vector import Filter
from qa import NOT_IN_DOCUMENTS, KnowledgeBase

FILES = {
    "pumps/sheet.md": "# Data sheet DS-1\n\n## Performance\n\n| Quantity | K65 | K80 |\n|---|---|---|\n"
    "| Efficiency, % | 74 | 79 |\n| Mass, kg | 148 | 395 |\n",
    "pumps/manual.md": "# Manual\n\n## Storage\n\nEPDM rings may be stored for 7 years. See data sheet DS-1.\n",
    "office/report.txt": "Report on the leak\n\nThe seal of pump B-03 leaked because the wrong ring was fitted.\n",
}
EFFICIENCY = "What is the efficiency of the K80?"
runner = CliRunner()


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path = tmp_path_factory.mktemp("kb") / "kb"
    build(folder, path)
    return path


@pytest.fixture(scope="module")
def knowledge(kb: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    app = typer.Typer()
    ask.register(app)
    app.command("answers")(answers)
    return app


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    lines = [
        {"id": "1", "question": EFFICIENCY, "answer": "79 %", "type": "table", "sources": [{"file": "sheet.md"}]},
        {"id": "2", "question": "How loud is the K80 in decibels?", "type": "unanswerable", "sources": []},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_question_is_answered_with_file_and_section(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask(EFFICIENCY)
    citation = answer.citations[0]
    assert "79" in answer.claims[0].text
    assert citation.uri == "pumps/sheet.md"
    assert "Performance" in citation.heading_path
    assert answer.found[0].uri == "pumps/sheet.md"
    assert answer.seconds > 0


def test_a_quoted_sentence_is_shown_between_its_neighbours_and_a_row_below_its_header(
    knowledge: KnowledgeBase, app: typer.Typer, kb: Path
) -> None:
    question = "How long may EPDM rings be stored?"
    sentence, row = knowledge.ask(question).citations[0], knowledge.ask(EFFICIENCY).citations[0]
    assert (sentence.before, sentence.quote) == ("", "EPDM rings may be stored for 7 years.")
    assert sentence.after == "See data sheet DS-1."
    assert (row.before, row.context, row.after) == ("", "Quantity | K65 | K80", "")
    printed = " ".join(runner.invoke(app, ["ask", question, "--kb", str(kb)]).stdout.split())
    assert "“EPDM rings may be stored for 7 years.” See data sheet DS-1." in printed


async def test_ask_works_inside_a_running_event_loop(knowledge: KnowledgeBase) -> None:
    assert knowledge.ask(EFFICIENCY).text == (await knowledge.answer(EFFICIENCY)).text


def test_the_same_question_has_the_same_answer(knowledge: KnowledgeBase) -> None:
    first, second = knowledge.ask(EFFICIENCY), knowledge.ask(EFFICIENCY)
    assert (first.text, first.citations, first.trace) == (second.text, second.citations, second.trace)


def test_a_filter_restricts_the_citations(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask(EFFICIENCY, where=Filter(folders=("office",)))
    assert {citation.uri for citation in answer.citations} == {"office/report.txt"}


def test_a_model_answers_and_its_calls_are_counted(kb: Path) -> None:
    reply = {
        "claims": [{"text": "It is 79 %.", "passage": 1, "quote": "Efficiency, % | 74 | 79"}],
        "found": True,
        "answer": "79 %",
    }
    with KnowledgeBase.open(kb, chat=ScriptedChat([json.dumps(reply)])) as knowledge:
        answer = knowledge.ask(EFFICIENCY, strategy="naive")
    assert (answer.short, answer.usage.calls) == ("79 %", 1)
    assert answer.citations[0].quote == "Efficiency, % | 74 | 79"


def test_a_strategy_that_needs_a_model_is_refused_without_one(knowledge: KnowledgeBase) -> None:
    with pytest.raises(SettingsError):
        knowledge.ask(EFFICIENCY, strategy="naive")


def test_opening_a_missing_knowledge_base_fails(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseNotFound):
        KnowledgeBase.open(tmp_path / "none")


def test_ask_prints_quotes_with_numbered_citations(app: typer.Typer, kb: Path) -> None:
    result = runner.invoke(app, ["ask", EFFICIENCY, "--kb", str(kb)])
    assert result.exit_code == 0
    assert "Quoted from the documents" in result.stdout
    assert "[1] pumps/sheet.md" in result.stdout


def test_ask_prints_the_whole_answer_as_json(app: typer.Typer, kb: Path) -> None:
    result = runner.invoke(app, ["ask", EFFICIENCY, "--kb", str(kb), "--json", "--k", "2"])
    printed = json.loads(result.stdout)
    assert printed["citations"][0]["uri"] == "pumps/sheet.md"
    assert len(printed["found"]) <= 2
    assert printed["abstained"] is False


def test_ask_prints_a_refusal_in_one_line_and_exits_with_0(app: typer.Typer, kb: Path) -> None:
    result = runner.invoke(app, ["ask", "How loud is the K80 in decibels?", "--kb", str(kb)])
    assert result.exit_code == 0
    assert result.stdout.startswith(NOT_IN_DOCUMENTS)


def test_ask_writes_an_html_page_and_prints_the_trace(app: typer.Typer, kb: Path, tmp_path: Path) -> None:
    page = tmp_path / "answer.html"
    result = runner.invoke(app, ["ask", EFFICIENCY, "--kb", str(kb), "--trace", "--html", str(page)])
    assert "confidence" in result.stdout
    text = page.read_text(encoding="utf-8")
    assert "<blockquote>" in text
    assert "pumps/sheet.md" in text


def test_ask_applies_its_filter_options(app: typer.Typer, kb: Path) -> None:
    options = ["--folder", "office", "--type", "txt", "--json"]
    printed = json.loads(runner.invoke(app, ["ask", "Why did the seal leak?", "--kb", str(kb), *options]).stdout)
    assert {citation["uri"] for citation in printed["citations"]} == {"office/report.txt"}


def test_chat_resolves_a_follow_up(app: typer.Typer, kb: Path) -> None:
    said = "What is the efficiency of the K80?\nAnd its mass?\n\n"
    result = runner.invoke(app, ["chat", "--kb", str(kb)], input=said)
    assert result.exit_code == 0
    assert "Efficiency" in result.stdout
    assert "Mass" in result.stdout


def test_evaluation_counts_documents_and_refusals(app: typer.Typer, kb: Path, questions: Path) -> None:
    result = runner.invoke(app, ["answers", "--kb", str(kb), "--questions", str(questions), "--json"])
    printed = json.loads(result.stdout)
    wanted = ("first_document", "document_recall@5", "page_recall@5", "refused_right", "refused_wrong")
    assert [printed[name] for name in wanted] == [100.0, 100.0, 100.0, 1, 0]
    assert printed["strategies"]["extractive"]["answerable"] == 1


def test_evaluation_writes_a_page_and_a_chart(app: typer.Typer, kb: Path, questions: Path, tmp_path: Path) -> None:
    html, png = tmp_path / "page.html", tmp_path / "chart.png"
    written = ["--html", str(html), "--png", str(png)]
    result = runner.invoke(app, ["answers", "--kb", str(kb), "--questions", str(questions), *written])
    assert "abstention_recall" in result.stdout
    page = html.read_text(encoding="utf-8")
    assert page.count(EFFICIENCY) == 1
    assert NOT_IN_DOCUMENTS in page
    assert "http:" not in page
    assert "https:" not in page
    with Image.open(png) as picture:
        assert picture.size == (WIDTH, HEIGHT)


def test_an_evaluation_names_the_sources_that_are_no_documents(app: typer.Typer, kb: Path, tmp_path: Path) -> None:
    asked = '{"id": "1", "question": "What is it?", "answer": "x", "sources": [{"file": "old/name.pdf", "quote": "x"}]}'
    (tmp_path / "questions.jsonl").write_text(asked)
    result = runner.invoke(app, ["answers", "--kb", str(kb), "--questions", str(tmp_path / "questions.jsonl")])
    assert "1 source is no document of the knowledge base: old/name.pdf" in " ".join(result.stderr.split())


def test_an_interrupted_evaluation_is_resumed(knowledge: KnowledgeBase, questions: Path, tmp_path: Path) -> None:
    out, told = tmp_path / "results.jsonl", []
    asked = read_questions(questions)
    asyncio.run(evaluate_answers(knowledge, asked[:1], ["extractive"], out=out))
    out.write_bytes(out.read_bytes() + b'{"id": "2", "strat')
    report = asyncio.run(evaluate_answers(knowledge, asked, ["extractive"], out=out, tell=told.append))
    assert [answered.id for answered in told] == ["2"]
    assert list(report.each) == list(read_results(out).values())
    assert report.flat()["questions"] == 2


def test_a_judge_yields_accuracy_and_its_calls_are_not_counted(kb: Path, questions: Path) -> None:
    reply = {"claims": [{"text": "79", "passage": 1, "quote": "74 | 79"}], "found": True, "answer": "79 %"}
    script = [json.dumps(reply), '{"thinking": "same", "correct": true}']
    with KnowledgeBase.open(kb, chat=ScriptedChat(script)) as judged:
        work = evaluate_answers(judged, read_questions(questions)[:1], ["naive"], judged=True, concurrency=1)
        figures = summarized(asyncio.run(work).each)
    assert (figures["acc"], figures["em"], figures["calls"]) == (100.0, 100.0, 1)
