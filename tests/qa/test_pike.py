"""Tests of Algorithm 1 of PIKE-RAG with a scripted model: the trace, each stop condition, invalid replies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pipelines.core.errors import BudgetExceeded, CallFailed
from pipelines.llm.testing.fakes import ScriptedChat
from qa.answer import Answer, Ending, Step
from qa.model_calls import ModelCalls
from qa.settings import AnswerSettings
from qa.strategies.pike import Stop
from qa.strategies.pike_graph import pike_graph
from qa.strategies.registry import STRATEGIES
from tests.qa.memory import MemoryRetrieval

TEXTS = {
    "oven.txt": "The oven of line 3 was built by Merton. It bakes bread.",
    "merton.txt": "Merton has its seat in Leeds. It was founded in 1901.",
    "crane.txt": "The crane lifts 5 t.",
}
QUESTION = "In which city does the builder of the oven of line 3 have its seat?"
SETTINGS = AnswerSettings(delta=0.2, threshold=0.1, beside=0)
ANSWER = {
    "claims": [
        {"text": "Merton built the oven.", "passage": 1, "quote": "The oven of line 3 was built by Merton"},
        {"text": "Merton sits in Leeds.", "passage": 2, "quote": "Merton has its seat in Leeds"},
    ],
    "found": True,
    "answer": "Leeds",
}
NO_ANSWER = {"claims": [], "found": False, "answer": ""}


def propose(*questions: str, sufficient: bool = False) -> dict[str, Any]:
    return {"thinking": "", "sufficient": sufficient, "questions": list(questions)}


def select(number: int) -> dict[str, Any]:
    return {"thinking": "", "number": number}


async def solve(
    *replies: Any, settings: AnswerSettings = SETTINGS, strategy: str = "pike"
) -> tuple[Answer, ScriptedChat, MemoryRetrieval]:
    answers = [reply if isinstance(reply, str | Exception) else json.dumps(reply) for reply in replies]
    chat, knowledge = ScriptedChat(answers), MemoryRetrieval(TEXTS)  # type: ignore[arg-type]
    return await STRATEGIES[strategy].answer(QUESTION, knowledge, ModelCalls(chat), settings), chat, knowledge


def stop_of(answer: Answer) -> str:
    return next(step.text for step in answer.trace if step.kind == "stop")


def steps(answer: Answer, kind: str) -> list[Step]:
    def walk(step: Step) -> list[Step]:
        return ([step] if step.kind == kind else []) + [found for inner in step.steps for found in walk(inner)]

    return [found for step in answer.trace for found in walk(step)]


def roles(chat: ScriptedChat) -> list[str]:
    return [request.role for request in chat.requests]


async def test_two_rounds_retrieve_both_chunks_and_the_answer_cites_them() -> None:
    answer, chat, knowledge = await solve(
        propose("Who built the oven of line 3?"),
        select(1),
        propose("In which city does Merton have its seat?"),
        select(1),
        propose(sufficient=True),
        ANSWER,
    )
    assert roles(chat) == ["propose", "select", "propose", "select", "propose", "answer"]
    assert knowledge.queries == ["Who built the oven of line 3?", "In which city does Merton have its seat?"]
    assert [citation.uri for citation in answer.citations] == ["oven.txt", "merton.txt"]
    assert [found.uri for found in answer.found] == ["oven.txt", "merton.txt"]
    assert answer.short == "Leeds"
    assert answer.usage.calls == 6


async def test_the_chunk_of_the_selected_atom_is_added_to_the_context() -> None:
    _, chat, _ = await solve(propose("Who built the oven of line 3?"), select(1), propose(sufficient=True), ANSWER)
    first, second = (request.messages[-1].content for request in (chat.requests[0], chat.requests[2]))
    assert "Merton" not in first
    assert "The oven of line 3 was built by Merton. It bakes bread." in second


async def test_candidates_are_shown_with_their_document_title() -> None:
    _, chat, _ = await solve(propose("Who built the oven of line 3?"), select(1), propose(), propose(), NO_ANSWER)
    assert "1. (oven) The oven of line 3 was built by Merton." in chat.requests[1].messages[-1].content


async def test_a_chunk_is_one_candidate_and_none_after_it_was_read() -> None:
    answer, _, _ = await solve(
        propose("oven of line 3 built by Merton", "oven bakes bread"), select(1),
        propose("oven of line 3 built by Merton"), select(0), propose(), ANSWER,
    )  # fmt: skip
    first, second = steps(answer, "candidates")
    assert [step.text.endswith("(oven)") for step in first.steps].count(True) == 1
    assert not any(step.text.endswith("(oven)") for step in second.steps)


async def test_only_atoms_with_a_score_of_at_least_delta_are_candidates() -> None:
    answer, _, _ = await solve(propose("Who built the oven of line 3?"), select(1), propose(), propose(), ANSWER)
    scores = [step.score or 0 for step in steps(answer, "candidate")]
    assert scores
    assert min(scores) >= SETTINGS.delta


async def test_the_published_algorithm_reads_only_selected_chunks() -> None:
    wide = SETTINGS.model_copy(update={"beside": 3, "nearest": 3})
    answer, chat, _ = await solve(
        propose("What lifts 5 t?"), select(1), propose(sufficient=True), NO_ANSWER, settings=wide
    )
    assert [found.uri for found in answer.found] == ["crane.txt"]
    assert "Leeds" not in chat.requests[-1].messages[-1].content


async def test_sufficient_is_ignored_before_any_chunk_was_read() -> None:
    enough = propose(sufficient=True)
    answer, chat, _ = await solve(enough, propose("Who built the oven of line 3?"), select(1), enough, ANSWER)
    assert roles(chat) == ["propose", "propose", "select", "propose", "answer"]
    assert answer.claims[0].text == "Merton built the oven."


async def test_it_stops_when_the_model_replies_sufficient() -> None:
    answer, _, _ = await solve(propose("Who built the oven?"), select(1), propose(sufficient=True), ANSWER)
    assert stop_of(answer) == Stop.SUFFICIENT


async def test_a_reply_that_is_sufficient_but_proposes_a_new_question_is_looked_up() -> None:
    both = propose("In which city does Merton have its seat?", sufficient=True)
    answer, chat, _ = await solve(propose("Who built the oven?"), select(1), both, select(1), both, ANSWER)
    assert roles(chat) == ["propose", "select"] * 2 + ["propose", "answer"]
    assert [found.uri for found in answer.found] == ["oven.txt", "merton.txt"]
    assert stop_of(answer) == Stop.SUFFICIENT


async def test_a_retrieved_chunk_is_a_candidate_by_its_nearest_atom() -> None:
    knowledge = MemoryRetrieval(TEXTS)
    crane = replace(knowledge.hits[2], score=0.8, atoms=("It lifts 5 t.",))
    knowledge.retrieve = lambda query, limit: (crane,)[:limit]  # type: ignore[method-assign]
    replies = (propose("xyzzy"), select(1), propose(), propose(), NO_ANSWER)
    chat = ScriptedChat([json.dumps(reply) for reply in replies])
    answer = await pike_graph(QUESTION, knowledge, ModelCalls(chat), SETTINGS)
    assert steps(answer, "selected")[0].text == "It lifts 5 t. (crane)"
    assert steps(answer, "selected")[0].score == 0.8


async def test_without_proposals_the_model_is_asked_once_more_before_it_stops() -> None:
    answer, chat, _ = await solve(propose("Who built the oven?"), select(1), propose(), propose(), ANSWER)
    assert stop_of(answer) == Stop.NO_PROPOSALS
    assert roles(chat) == ["propose", "select", "propose", "propose", "answer"]
    again = chat.requests[3].messages[-1].content
    assert "- Who built the oven? (read passage 1)" in again


async def test_without_a_selection_the_model_proposes_once_more_and_sees_what_was_rejected() -> None:
    answer, chat, _ = await solve(
        propose("What lifts 5 t?"), select(0),
        propose("In which city does Merton have its seat?"), select(1),
        propose(sufficient=True), ANSWER,
    )  # fmt: skip
    again = chat.requests[2].messages[-1].content
    assert "- What lifts 5 t? (nothing found that helps)" in again
    assert "(crane) The crane lifts 5 t." in again
    assert "(crane)" not in chat.requests[3].messages[-1].content
    assert [found.uri for found in answer.found] == ["merton.txt"]
    assert "(crane)" not in chat.requests[4].messages[-1].content


async def test_it_stops_when_nothing_was_selected_twice() -> None:
    answer, chat, _ = await solve(
        propose("What lifts 5 t?"), select(0), propose("In which city does Merton have its seat?"), select(0)
    )
    assert stop_of(answer) == Stop.NOTHING_SELECTED
    assert roles(chat) == ["propose", "select"] * 2
    assert answer.abstained


async def test_the_selection_prompt_shows_the_open_questions() -> None:
    _, chat, _ = await solve(
        propose("Who built the oven of line 3?", "What lifts 9 t?"), select(1), propose("Where?"), select(0),
        propose(), NO_ANSWER,
    )  # fmt: skip
    first, second = (chat.requests[number].messages[-1].content for number in (1, 3))
    assert "Looked for:\n- Who built the oven of line 3?\n- What lifts 9 t?" in first
    assert "Looked for:\n- What lifts 9 t?\n- Where?" in second


async def test_it_stops_when_no_fallback_yields_a_candidate() -> None:
    strict = AnswerSettings(delta=1.0, threshold=1.0, beside=0)
    answer, chat, knowledge = await solve(propose("Who is quick?"), settings=strict)
    assert stop_of(answer) == Stop.NO_CANDIDATES
    assert roles(chat) == ["propose"]
    assert knowledge.queries == ["Who is quick?", QUESTION]


async def test_it_stops_at_the_round_limit() -> None:
    one = AnswerSettings(delta=0.2, threshold=0.1, rounds=1)
    answer, _, _ = await solve(propose("Who built the oven of line 3?"), select(1), ANSWER, settings=one)
    assert stop_of(answer) == Stop.ROUND_LIMIT


async def test_proposals_without_results_fall_back_to_the_question_and_then_to_chunks() -> None:
    answer, _, _ = await solve(propose("xyzzy"), select(1), propose(sufficient=True), ANSWER)
    assert "atoms near the question" in steps(answer, "candidates")[0].text
    high = AnswerSettings(delta=1.0, threshold=0.1)
    answer, _, _ = await solve(propose("xyzzy"), select(1), propose(sufficient=True), ANSWER, settings=high)
    assert "chunks near the question" in steps(answer, "candidates")[0].text


async def test_chunks_found_by_the_question_are_read_beside_the_selected_ones() -> None:
    two = SETTINGS.model_copy(update={"beside": 2})
    replies = (propose("What lifts 5 t?"), select(1), propose(sufficient=True), ANSWER)
    answer, chat, _ = await solve(*replies, settings=two, strategy="pike-graph")
    assert [found.uri for found in answer.found] == ["oven.txt", "merton.txt", "crane.txt"]
    assert "Merton has its seat in Leeds" in chat.requests[-1].messages[-1].content
    assert not any("Leeds" in request.messages[-1].content for request in chat.requests[:-1])


async def test_chunks_found_by_the_question_are_read_if_none_was_selected() -> None:
    two = SETTINGS.model_copy(update={"beside": 2})
    replies = (propose("What lifts 5 t?"), select(0), propose(), ANSWER)
    answer, _, _ = await solve(*replies, settings=two, strategy="pike-graph")
    assert answer.short == "Leeds"
    assert "no chunk was chosen" in steps(answer, "beside")[0].text


async def test_an_unusable_proposal_is_retried_and_does_not_stop_the_rounds() -> None:
    answer, chat, _ = await solve(
        "?", propose("Who built the oven of line 3?"), select(1), propose(), propose(), ANSWER
    )
    assert roles(chat)[:2] == ["propose", "propose"]
    assert stop_of(answer) == Stop.NO_PROPOSALS
    assert steps(answer, "selected")


async def test_if_proposals_stay_unusable_the_question_itself_is_looked_up() -> None:
    answer, _, knowledge = await solve("?", "?", "?", select(1), propose(sufficient=True), ANSWER)
    assert knowledge.queries[0] == QUESTION
    assert steps(answer, "unusable")


async def test_a_selection_out_of_range_is_retried() -> None:
    answer, chat, _ = await solve(propose("Who built the oven?"), select(99), select(1), propose(), propose(), ANSWER)
    assert roles(chat)[:3] == ["propose", "select", "select"]
    assert steps(answer, "selected")[0].text.endswith("(oven)")


async def test_if_the_selection_stays_unusable_the_nearest_candidate_is_read() -> None:
    answer, _, _ = await solve(propose("Who built the oven of line 3?"), "?", "?", "?", propose(), propose(), ANSWER)
    assert steps(answer, "selected")[0].text.endswith("(oven)")
    assert "nearest candidate" in steps(answer, "unusable")[0].text


async def test_a_failing_endpoint_ends_in_an_answer_that_reports_it() -> None:
    answer, _, _ = await solve(CallFailed("the key was refused"))
    assert answer.ending is Ending.MODEL_FAILED
    assert stop_of(answer) == Stop.MODEL_FAILED
    assert "the key was refused" in answer.text
    assert "the key was refused" in steps(answer, "failed")[0].text


async def test_a_refusal_reports_partial_claims_and_what_is_missing() -> None:
    partial = {
        "claims": [ANSWER["claims"][0]],  # type: ignore[index]
        "found": False,
        "answer": "",
        "missing": "The seat of Merton is not named.",
    }
    answer, _, _ = await solve(propose("Who built the oven of line 3?"), select(1), propose(sufficient=True), partial)
    assert answer.abstained
    assert answer.text == "The documents do not say. The seat of Merton is not named. Merton built the oven."
    assert answer.missing == "The seat of Merton is not named."
    assert [claim.citations for claim in answer.claims] == [(1,)]
    assert answer.citations[0].uri == "oven.txt"


async def test_an_exceeded_budget_is_raised() -> None:
    with pytest.raises(BudgetExceeded):
        await solve(BudgetExceeded("the budget is used up"))


async def test_without_a_model_it_follows_the_edges_and_reports_so() -> None:
    links = {"oven.txt": ["merton.txt"], "crane.txt": ["merton.txt"]}
    knowledge = MemoryRetrieval(TEXTS, links)
    answer = await pike_graph(QUESTION, knowledge, None, AnswerSettings(hits=1, refuse_below=0.0))
    assert "no model" in answer.trace[0].text
    assert {citation.uri for citation in answer.citations} == {"oven.txt", "merton.txt"}
    assert "REFERENCES" in steps(answer, "selected")[0].text


async def test_without_a_model_it_follows_a_code_that_a_sentence_refers_to() -> None:
    texts = {
        "oven.txt": "The oven of line 3 is cleaned as clause M20 of the handbook says.",
        "clause.txt": "M20: Let it cool, then wipe it with vinegar.",
        "crane.txt": "The crane carries 5 t.",
    }
    knowledge = MemoryRetrieval(texts, {"oven.txt": ["crane.txt", "clause.txt"]})
    settings = AnswerSettings(hits=1, refuse_below=0.0)
    answer = await pike_graph("How is the oven of line 3 cleaned with steam?", knowledge, None, settings)
    assert [citation.uri for citation in answer.citations] == ["oven.txt", "clause.txt"]
