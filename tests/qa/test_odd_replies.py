"""Tests with arbitrary model replies: none raises, and the claims of every answer are cited from the sources."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.llm.chat import Request
from pipelines.llm.testing.fakes import FunctionChat
from qa.answer import Answer
from qa.conversation import Conversation
from qa.model_calls import ModelCalls
from qa.settings import AnswerSettings
from qa.strategies.registry import STRATEGIES
from tests.qa.memory import MemoryRetrieval

KNOWLEDGE = MemoryRetrieval({"a.txt": "The oven was built by Merton in 1998.", "b.txt": "Merton sits in Leeds."})
SETTINGS = AnswerSettings(delta=0.1, threshold=0.1, rounds=2)
QUESTION = "Where does the builder of the oven sit?"

scalars = st.none() | st.booleans() | st.integers(-5, 99) | st.floats(allow_nan=False) | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=6,
)
claims = st.lists(
    st.fixed_dictionaries({}, optional={"text": values, "passage": values, "quote": st.just("Merton sits") | values}),
    max_size=3,
)
objects = st.fixed_dictionaries(
    {},
    optional={
        "thinking": values, "sufficient": values, "questions": values, "number": values, "question": values,
        "found": st.booleans() | values, "answer": values, "claims": claims | values, "correct": values,
    },
)  # fmt: skip
replies = st.one_of(objects.map(json.dumps), values.map(json.dumps), st.text(max_size=60))


def cited(answer: Answer) -> bool:
    """Whether each claim is cited and each quote equals its span of the source."""
    sources = {hit.uri: hit.chunk.text for hit in KNOWLEDGE.hits}
    exact = all(citation.quote == citation.span.slice(sources[citation.uri]) for citation in answer.citations)
    return exact and all(claim.citations for claim in answer.claims)


@pytest.mark.parametrize("name", STRATEGIES)
@given(said=st.lists(replies, min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_arbitrary_replies_yield_an_answer(name: str, said: list[str]) -> None:
    pending = iter(said * 40)
    language = ModelCalls(FunctionChat(lambda request: next(pending)))
    answer = asyncio.run(STRATEGIES[name].answer(QUESTION, KNOWLEDGE, language, SETTINGS))
    assert answer.text
    assert name in ("cot", "self-ask") or cited(answer)


@given(said=replies)
@settings(max_examples=25, deadline=None)
def test_an_arbitrary_rewrite_leaves_a_question_to_ask(said: str) -> None:
    asked: list[str] = []

    async def ask(question: str) -> Answer:
        asked.append(question)
        return Answer(question, "Leeds", "extractive")

    def reply(request: Request) -> str:
        return said

    conversation = Conversation(ask, lambda: ModelCalls(FunctionChat(reply)))
    asyncio.run(conversation.say(QUESTION))
    asyncio.run(conversation.say("And since when?"))
    assert len(asked) == 2
    assert all(question.strip() for question in asked)
