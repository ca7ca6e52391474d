"""Tests that a failure is never reported as "not in the documents": endpoints, filters, unfinished ingests."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluate.answers import evaluate_answers, summarized
from evaluate.questions import Question
from pipelines.core.errors import CallFailed, NotFound, SettingsError, SourceError
from pipelines.ingest.build import build
from pipelines.llm.testing.fakes import ScriptedChat
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.resources import open_stores
from pipelines.settings import load
from pipelines.store.facts import INGEST, Ingest
from pipelines.store.vector import Filter
from qa import NOT_IN_DOCUMENTS, Answer, Ending, KnowledgeBase
from qa.conversation import Conversation
from qa.model_calls import ModelCalls
from qa.settings import AnswerSettings, QaSettings
from qa.strategies.registry import STRATEGIES
from tests.conftest import Strata
from tests.qa.endpoints import GARBLED, NO_CHOICES, NO_MODEL, PAGE, REFUSED, Sent, completion, endpoint, error
from tests.qa.memory import MemoryRetrieval

FILES = {
    "pumps/sheet.md": "# Data sheet\n\nThe efficiency of the K80 is 79 %.\n",
    "office/report.txt": "Report on the leak\n\nThe seal of pump B-03 leaked because the wrong ring was fitted.\n",
}
QUESTION = "What is the efficiency of the K80?"
READ = {"claims": [{"text": "It is 79 %.", "passage": 1, "quote": "K80 is 79 %"}], "found": True, "answer": "79 %"}
FAILURES = {
    "a refused key": (REFUSED, "refuses the key (HTTP 401)"),
    "no such model": (NO_MODEL, "no such address or model (HTTP 404)"),
    "HTML instead of JSON": (PAGE, "no choices"),
    "empty choices": (NO_CHOICES, "no choices"),
    "garbled JSON": (GARBLED, "broken"),
    "an internal error": (error(500, "out of memory"), "failed (HTTP 500): out of memory"),
    "HTML with status 404": (Sent(404, "<html>nginx</html>", "text/html"), "(HTTP 404) ("),
    "text instead of a reply": (completion("Hello!"), "no usable reply"),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    path = tmp_path_factory.mktemp("kb") / "kb"
    build(folder, path)
    return path


@pytest.fixture(scope="module")
def knowledge(kb: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(kb) as opened:
        yield opened


def settings(kb: Path, url: str, **more: object) -> QaSettings:
    options = {"llm.base_url": url, "llm.model": "m", "llm.cache": False, "llm.tries": 1, "llm.reply_tries": 2}
    return load(kb, options | {name.replace("__", "."): value for name, value in more.items()}, QaSettings).settings


def ask(kb: Path, url: str, strategy: str = "naive", **more: object) -> Answer:
    with KnowledgeBase.open(kb, settings(kb, url, **more)) as knowledge:
        return knowledge.ask(QUESTION, strategy=strategy)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failing_endpoint_is_reported_with_its_address_and_error(failure: str, kb: Path) -> None:
    sent, words = FAILURES[failure]
    with endpoint(sent) as server:
        answer = ask(kb, server.url)
    assert answer.ending is Ending.MODEL_FAILED
    assert not answer.abstained
    assert words in answer.text
    assert server.url in answer.text
    assert "html" not in answer.text
    assert "strata doctor" in answer.hint
    assert answer.found
    assert answer.trace[-1].kind == "failed"
    assert answer.failed_calls == 1


@pytest.mark.parametrize("strategy", [name for name, entry in STRATEGIES.items() if entry.needs_model])
def test_every_strategy_with_a_model_reports_its_failure(strategy: str, kb: Path) -> None:
    with endpoint(REFUSED) as server:
        answer = ask(kb, server.url, strategy)
    assert answer.ending is Ending.MODEL_FAILED
    assert len(server.paths) <= 3


def test_a_closed_port_is_reported_as_unreachable(kb: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        answer = ask(kb, f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
    assert answer.ending is Ending.MODEL_FAILED
    assert "cannot be reached" in answer.text


def test_an_endpoint_that_hangs_times_out_and_the_hint_names_the_setting(kb: Path) -> None:
    hold = threading.Event()
    with endpoint(Sent(hold=hold)) as server:
        answer = ask(kb, server.url, llm__timeout=0.2)
        hold.set()
    assert "did not reply in time" in answer.text
    assert "timeout" in answer.hint


def test_redirects_of_an_endpoint_are_not_followed(kb: Path) -> None:
    with endpoint(completion(json.dumps(READ))) as other:
        elsewhere = Sent(307, headers={"Location": f"{other.url}/chat/completions"})
        with endpoint(elsewhere) as server:
            answer = ask(kb, server.url)
    assert other.paths == []
    assert answer.ending is Ending.MODEL_FAILED
    assert "redirects to" in answer.text


@pytest.mark.parametrize("url", ["http://[x", "nowhere", "http://127.0.0.1:99999999/v1", "file:///etc/passwd"])
def test_an_invalid_endpoint_address_is_a_settings_error(url: str, kb: Path) -> None:
    with pytest.raises(SettingsError, match="is no address of an endpoint"):
        ask(kb, url)


def test_failed_calls_are_a_warning_if_the_others_suffice_for_an_answer(kb: Path) -> None:
    with endpoint(error(500, "busy"), completion(json.dumps(READ))) as server:
        answer = ask(kb, server.url, "pike-graph", **{"qa.answer.terms": False})
    assert (answer.ending, answer.short, answer.failed_calls) == (Ending.ANSWERED, "79 %", 1)
    assert "1 call of the language model failed" in answer.warnings[0]
    assert "busy" in answer.warnings[0]


def test_a_refusal_after_a_failed_call_is_reported_as_a_failure(kb: Path) -> None:
    nothing = completion(json.dumps({"claims": [], "found": False, "answer": ""}))
    with endpoint(error(500, "busy"), nothing) as server:
        assert ask(kb, server.url, "pike").ending is Ending.MODEL_FAILED
    with endpoint(nothing) as server:
        assert ask(kb, server.url, "naive").ending is Ending.NOT_IN_DOCUMENTS


def test_a_failing_embedding_endpoint_is_an_error(tmp_path: Path, strata: Strata) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "sheet.md").write_text(FILES["pumps/sheet.md"], encoding="utf-8")
    with LoopbackServer(lambda call: "") as server:
        chosen = {"embed.name": "openai", "embed.model": "m", "embed.base_url": server.url, "embed.tries": 1}
        embedding = load(None, chosen, QaSettings).settings
        build(tmp_path / "folder", tmp_path / "kb", embedding)
    with pytest.raises(CallFailed, match="reached"), KnowledgeBase.open(tmp_path / "kb", embedding) as knowledge:
        knowledge.ask(QUESTION)
    pairs = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    code, out, err = strata("ask", QUESTION, "--kb", tmp_path / "kb", *pairs)
    assert (code, out) == (6, "")
    assert "cannot be reached" in err


async def test_a_failed_follow_up_answer_is_not_passed_on_as_unknown() -> None:
    chat = ScriptedChat(['{"question": "Who built it?"}', CallFailed("refused")])
    language = ModelCalls(chat)
    answer = await STRATEGIES["self-ask"].answer("Where?", MemoryRetrieval({}), language, AnswerSettings())
    assert answer.ending is Ending.MODEL_FAILED
    assert "unknown" not in chat.requests[-1].messages[-1].content


async def test_a_short_answer_with_a_number_of_no_claim_is_dropped() -> None:
    reply = {"claims": [{"text": "It takes 68 N·m.", "passage": 1, "quote": "takes 68"}], "found": True}
    texts = MemoryRetrieval({"a.txt": "The bolt takes 68 N·m."})
    for short, kept in (("86 N·m", ""), ("68 N·m", "68 N·m"), ("1", "1")):
        chat = ScriptedChat([json.dumps({**reply, "answer": short})])
        run = STRATEGIES["naive"].answer
        answer = await run("What does it take?", texts, ModelCalls(chat), AnswerSettings(flat_threshold=0.0))
        assert answer.short == kept
        assert answer.text.endswith("It takes 68 N·m.")
        assert bool(answer.dropped) is not bool(kept)


async def test_a_conversation_warns_that_a_follow_up_was_not_rewritten() -> None:
    async def ask_anything(question: str) -> Answer:
        return Answer(question, "Leeds", "extractive")

    talk = Conversation(ask_anything, lambda: ModelCalls(ScriptedChat([CallFailed("refused")])))
    await talk.say("Who built the oven of line 3?")
    assert "refused" in (await talk.say("And when?")).warnings[0]


async def test_failures_are_counted_separately_from_refusals(kb: Path) -> None:
    question = Question("1", QUESTION, ("79 %",))
    with endpoint(REFUSED) as server, KnowledgeBase.open(kb, settings(kb, server.url)) as knowledge:
        report = await evaluate_answers(knowledge, [question], ["naive"])
    figures = summarized(report.each)
    assert (figures["failed"], figures["refused_wrong"]) == (1, 0)
    assert "refuses the key" in report.each[0].error


def test_the_ask_command_prints_one_line_and_exits_with_6_on_a_model_failure(kb: Path, strata: Strata) -> None:
    with endpoint(REFUSED) as server:
        options = ["--set", f"llm.base_url={server.url}", "--set", "llm.model=m", "--set", "llm.cache=false"]
        code, out, err = strata("ask", QUESTION, "--kb", kb, *options)
        as_json = strata("ask", QUESTION, "--kb", kb, "--json", *options)
    assert (code, err.count("\n")) == (6, 1)
    assert err.startswith("strata: The language model failed: the endpoint refuses the key (HTTP 401)")
    assert server.url in err
    assert "`strata doctor`" in err
    assert NOT_IN_DOCUMENTS not in out
    assert as_json[0] == 6
    printed = json.loads(as_json[1])
    assert (printed["ending"], printed["abstained"]) == ("model_failed", False)


def test_control_characters_of_an_endpoint_error_are_escaped_in_the_terminal(kb: Path, strata: Strata) -> None:
    with endpoint(error(400, "\x1b]0;owned\x07[link=http://e.example]x\u202e")) as server:
        options = ["--set", f"llm.base_url={server.url}", "--set", "llm.model=m", "--set", "llm.cache=false"]
        _, out, err = strata("ask", QUESTION, "--kb", kb, "--trace", *options)
    for text in (out, err):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
        assert "<U+001B>" in text
        assert "[link=" in text


def test_the_chat_command_reports_a_model_failure_and_continues(
    kb: Path, strata: Strata, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter([QUESTION, "Why did the seal of pump B-03 leak?", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    with endpoint(REFUSED) as server:
        code, _, err = strata(
            "chat",
            "--kb",
            kb,
            "--set",
            f"llm.base_url={server.url}",
            "--set",
            "llm.model=m",
            "--set",
            "llm.cache=false",
        )
    assert code == 0
    assert err.count("The language model failed") >= 2


@pytest.mark.parametrize(
    ("where", "problem", "hint"),
    [
        (Filter(documents=("pumps/shet.md",)), "no document pumps/shet.md", "did you mean pumps/sheet.md?"),
        (Filter(documents=("sheet.md",)), "no document sheet.md", "did you mean pumps/sheet.md?"),
        (Filter(documents=("broken.pdf",)), "nothing of broken.pdf can be found (malformed", "strata status"),
        (Filter(folders=("pump",)), "no folder pump", "did you mean pumps?"),
        (Filter(media_types=("docxx",)), "no document of the type docxx", "there are: md, txt"),
        (Filter(media_types=("text/plane",)), "no document of the type text/plane", "did you mean text/plain"),
        (Filter(tags=("no such tag at all",)), "no tag no such tag at all", ""),
        (Filter(documents=("pumps/sheet.md",), pages=(9999,)), "no page 9999", "pumps/sheet.md: no pages"),
    ],
)
def test_a_filter_without_matches_is_reported_with_a_suggestion(
    where: Filter, problem: str, hint: str, knowledge: KnowledgeBase
) -> None:
    for work in (lambda: knowledge.ask(QUESTION, where=where), lambda: knowledge.retrieve(QUESTION, 3, where)):
        with pytest.raises(NotFound) as raised:
            work()
        assert problem in raised.value.message
        assert hint in raised.value.hint
        assert raised.value.exit_code == 4


@pytest.mark.parametrize(
    "where", [Filter(since="lastweek"), Filter(until="31.05.2024"), Filter(since="2024-13"), Filter(since="2024-02-31")]
)
def test_an_invalid_date_is_refused_with_the_expected_format(where: Filter, knowledge: KnowledgeBase) -> None:
    with pytest.raises(SettingsError) as raised:
        knowledge.ask(QUESTION, where=where)
    assert "2024-05-31" in raised.value.hint


def test_contradicting_dates_are_refused(knowledge: KnowledgeBase) -> None:
    with pytest.raises(SettingsError, match="before"):
        knowledge.ask(QUESTION, where=Filter(since="2024-05", until="2024-04-30"))
    assert knowledge.ask(QUESTION, where=Filter(since="2024-05-02", until="2024-05")).ending is Ending.NOTHING_MATCHES


@pytest.mark.parametrize("question", ["Wie heißt der Verkehrsminister von Frankreich?", "谁写了这首诗?"])
def test_a_question_in_a_foreign_language_is_refused_with_a_hint_at_a_multilingual_embedder(
    question: str, knowledge: KnowledgeBase
) -> None:
    answer = knowledge.ask(question)
    assert answer.abstained
    assert any("not one of the documents' (en)" in line and "--embedder e5" in line for line in answer.warnings)


@pytest.mark.parametrize("question", ["Who is the minister of transport of France?", "ministre transport"])
def test_a_question_in_a_document_language_or_an_undetected_one_gets_no_embedder_hint(
    question: str, knowledge: KnowledgeBase
) -> None:
    answer = knowledge.ask(question)
    assert answer.abstained
    assert not any("--embedder" in line for line in answer.warnings)


def test_a_filter_whose_combined_parts_match_nothing_is_reported(
    kb: Path, knowledge: KnowledgeBase, strata: Strata
) -> None:
    answer = knowledge.ask(QUESTION, where=Filter(folders=("pumps",), media_types=("text/plain",)))
    assert answer.ending is Ending.NOTHING_MATCHES
    assert answer.hint == "folder pumps; type text/plain"
    code, out, err = strata("ask", QUESTION, "--kb", kb, "--folder", "pumps", "--type", "txt")
    assert (code, out) == (4, "")
    assert err == "strata: No passage fits all parts of the filter. (folder pumps; type text/plain)\n"


def test_a_folder_filter_accepts_different_spellings_of_the_path(knowledge: KnowledgeBase) -> None:
    for folder in ("pumps", "./pumps/", "pumps/", "."):
        assert knowledge.ask(QUESTION, where=Filter(folders=(folder,))).citations[0].uri == "pumps/sheet.md"


def test_an_empty_question_is_refused(knowledge: KnowledgeBase, kb: Path, strata: Strata) -> None:
    with pytest.raises(SourceError):
        knowledge.ask(" \n ")
    assert strata("ask", "  ", "--kb", kb) == (4, "", "strata: the question is empty\n")


def test_a_limit_below_one_is_refused(knowledge: KnowledgeBase) -> None:
    with pytest.raises(SettingsError, match="limit"):
        knowledge.ask(QUESTION, limit=0)
    with pytest.raises(SettingsError, match="limit: 0 is too small"):
        knowledge.retrieve(QUESTION, limit=0)


def test_a_strategy_without_its_model_reports_how_to_configure_one(
    kb: Path, knowledge: KnowledgeBase, strata: Strata
) -> None:
    with pytest.raises(SettingsError, match="pike needs a language model"):
        knowledge.conversation(strategy="pike")
    code, out, err = strata("ask", QUESTION, "--kb", kb, "--strategy", "pike")
    assert (code, out) == (2, "")
    assert "OPENAI_API_KEY" in err
    assert knowledge.ask(QUESTION, strategy="pike-graph").ending is Ending.ANSWERED


def test_an_unknown_strategy_suggests_the_nearest_name(kb: Path, strata: Strata) -> None:
    code, _, err = strata("ask", QUESTION, "--kb", kb, "--strategy", "pik")
    assert code == 2
    assert "did you mean pike?" in err


def test_an_empty_knowledge_base_is_reported_as_empty(tmp_path: Path, strata: Strata) -> None:
    with open_stores(tmp_path / "kb", load(None).settings, create=True) as stores:
        INGEST.write(stores.catalog, Ingest(7))
    code, out, err = strata("ask", QUESTION, "--kb", tmp_path / "kb")
    assert (code, out) == (5, "")
    assert err.startswith(
        "strata: The knowledge base is empty: an ingest was started and has not finished. Loaded: 0 of 7 documents."
    )
    assert "`strata ingest`" in err


def test_a_knowledge_base_of_unreadable_files_is_reported_as_empty(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    build(tmp_path / "folder", tmp_path / "kb")
    with KnowledgeBase.open(tmp_path / "kb") as knowledge:
        answer = knowledge.ask(QUESTION)
    assert answer.ending is Ending.EMPTY
    assert "of its 1 files none could be read" in answer.text


def test_an_unfinished_knowledge_base_answers_with_a_warning(kb: Path, strata: Strata) -> None:
    with open_stores(kb, load(kb).settings) as stores:
        INGEST.write(stores.catalog, Ingest(5))
    try:
        with KnowledgeBase.open(kb) as knowledge:
            answer = knowledge.ask(QUESTION)
        code, out, err = strata("ask", QUESTION, "--kb", kb)
    finally:
        with open_stores(kb, load(kb).settings) as stores:
            INGEST.write(stores.catalog, Ingest(3, finished=True))
    assert answer.ending is Ending.ANSWERED
    assert "has not finished; the answer rests on what is loaded. Loaded: 2 of 5 documents." in answer.warnings[0]
    assert code == 0
    assert "79 %" in out
    assert "has not finished" in err


def test_each_ending_has_its_exit_code() -> None:
    answered = Answer("?", "", "naive")
    assert [replace(answered, ending=one).ending.exit_code for one in Ending] == [0, 0, 6, 4, 5]
