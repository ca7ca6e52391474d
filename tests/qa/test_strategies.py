"""Tests of the strategy registry and of the baselines of PIKE-RAG's tables 4 to 6 with a scripted model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipelines.core.errors import SettingsError
from pipelines.llm.testing.fakes import ScriptedChat
from qa.answer import NOT_IN_DOCUMENTS, Answer
from qa.model_calls import ModelCalls
from qa.settings import AnswerSettings
from qa.strategies.registry import STRATEGIES, strategy_named
from tests.qa.memory import MemoryRetrieval

TEXTS = {
    "oven.txt": "The oven of line 3 was built by Merton. It bakes bread.",
    "merton.txt": "Merton has its seat in Leeds. It was founded in 1901.",
    "crane.txt": "The crane lifts 5 t.",
}
QUESTION = "In which city does the builder of the oven of line 3 have its seat?"
SETTINGS = AnswerSettings(delta=0.1, threshold=0.1, flat_threshold=0.05, rounds=3)
CLAIM = {"text": "Merton sits in Leeds.", "passage": 1, "quote": "seat in Leeds"}
LEEDS = {"claims": [CLAIM], "found": True, "answer": "Leeds"}


async def solve(name: str, *replies: Any) -> tuple[Answer, ScriptedChat]:
    chat = ScriptedChat([json.dumps(reply) for reply in replies])
    return await STRATEGIES[name].answer(QUESTION, MemoryRetrieval(TEXTS), ModelCalls(chat), SETTINGS), chat


def roles(chat: ScriptedChat) -> list[str]:
    return [request.role for request in chat.requests]


async def test_cot_answers_closed_book_without_citations() -> None:
    answer, chat = await solve("cot", {"thinking": "Merton, Leeds", "answer": "Leeds"})
    assert (answer.text, answer.citations, roles(chat)) == ("Leeds", (), ["cot"])
    assert "oven of line 3 was built" not in chat.requests[0].messages[-1].content


async def test_naive_makes_one_call_over_chunks() -> None:
    answer, chat = await solve("naive", LEEDS)
    assert roles(chat) == ["answer"]
    assert answer.short == "Leeds"
    assert answer.citations[0].uri == "merton.txt"
    assert answer.text == "Merton sits in Leeds."


async def test_naive_hr_reads_what_chunk_and_atom_retrieval_find() -> None:
    answer, _ = await solve("naive-hr", LEEDS)
    assert {found.uri for found in answer.found} >= {"oven.txt", "merton.txt"}


async def test_a_model_can_reply_that_the_passages_lack_the_answer() -> None:
    answer, _ = await solve("naive", {"claims": [], "found": False, "answer": ""})
    assert answer.abstained
    assert answer.text == NOT_IN_DOCUMENTS
    assert answer.found


async def test_an_answer_without_a_source_is_dropped() -> None:
    answer, _ = await solve("naive", {"claims": [], "found": True, "answer": "Torquay"})
    assert answer.abstained
    assert answer.dropped == ("no source for it: Torquay",)


async def test_conflicting_sources_are_reported_for_an_answer_of_a_model() -> None:
    texts = {
        "old.txt": "The required suction head of the K65-200 is 2.9 m.",
        "new.txt": "The required suction head of the K65-200 is 3.4 m.",
        "hall.txt": "The hall is 40 m long.",
    }
    claim = {"text": "The suction head is 3.4 m.", "passage": 1, "quote": "is 3.4 m"}
    chat = ScriptedChat([json.dumps({"claims": [claim], "found": True, "answer": "3.4 m"})])
    question = "How many metres of suction head are required for the K65-200?"
    answer = await STRATEGIES["naive"].answer(question, MemoryRetrieval(texts), ModelCalls(chat), SETTINGS)
    assert answer.short == "3.4 m"
    assert [("old.txt" in line, "new.txt" in line) for line in answer.conflicts] == [(True, True)]


async def test_self_ask_asks_follow_ups_until_there_are_none() -> None:
    answer, chat = await solve(
        "self-ask",
        {"question": "Who built the oven?"}, {"answer": "Merton"},
        {"question": "Where is Merton?"}, {"answer": "Leeds"},
        {"question": ""}, {"answer": "Leeds"},
    )  # fmt: skip
    assert roles(chat) == ["follow_up", "follow_up_answer"] * 2 + ["follow_up", "conclude"]
    assert "Who built the oven? - Merton" in chat.requests[-1].messages[-1].content
    assert (answer.text, answer.citations) == ("Leeds", ())


async def test_self_ask_stops_at_a_repeated_follow_up() -> None:
    answer, chat = await solve("self-ask", {"question": "Who?"}, {"answer": "x"}, {"question": "Who?"}, {"answer": "x"})
    assert roles(chat) == ["follow_up", "follow_up_answer", "follow_up", "conclude"]
    assert any(step.text.startswith("asked again") for step in answer.trace)


@pytest.mark.parametrize("name", ["self-ask-r", "self-ask-hr"])
async def test_self_ask_with_retrieval_answers_follow_ups_from_passages_and_cites(name: str) -> None:
    answer, chat = await solve(
        name, {"question": "Where does Merton have its seat?"}, {"answer": "Leeds"}, {"question": ""}, LEEDS
    )
    assert "Merton has its seat in Leeds" in chat.requests[1].messages[-1].content
    assert "Where does Merton have its seat? - Leeds" in chat.requests[-1].messages[-1].content
    assert answer.citations[0].uri == "merton.txt"


async def test_an_unusable_follow_up_is_not_taken_as_the_last() -> None:
    _, chat = await solve("self-ask-r", "?", "?", "?", {"answer": "Leeds"}, {"question": ""}, LEEDS)
    assert roles(chat) == ["follow_up"] * 3 + ["follow_up_answer", "follow_up", "answer"]
    assert QUESTION in chat.requests[3].messages[-1].content


async def test_passages_over_the_context_limit_are_cut_from_the_end_of_the_ranking() -> None:
    chat = ScriptedChat([json.dumps(LEEDS)])
    knowledge = MemoryRetrieval({f"{n}.txt": f"Merton seat Leeds {n}. " + "word " * 200 for n in range(9)})
    small = SETTINGS.model_copy(update={"context_tokens": 600, "flat_threshold": 0.0})
    await STRATEGIES["naive"].answer(QUESTION, knowledge, ModelCalls(chat), small)
    shown = chat.requests[0].messages[-1].content
    assert "[1]" in shown
    assert "[9]" not in shown


async def test_a_strategy_with_a_model_is_refused_without_one() -> None:
    with pytest.raises(SettingsError, match="naive needs a language model"):
        await STRATEGIES["naive"].answer(QUESTION, MemoryRetrieval(TEXTS), None, SETTINGS)


def test_the_default_strategy_depends_on_whether_there_is_a_model() -> None:
    assert strategy_named("", has_model=True).name == "pike-graph"
    assert strategy_named("", has_model=False).name == "extractive"


def test_an_unknown_strategy_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError) as raised:
        strategy_named("magic", has_model=True)
    assert "self-ask-hr" in raised.value.hint
