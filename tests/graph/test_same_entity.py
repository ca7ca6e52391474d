from __future__ import annotations

import asyncio

import pytest

from pipelines.core.errors import BudgetExceeded, CallTimedOut, StrataError
from pipelines.core.knowledge import Entity
from pipelines.graph.entities import Profile
from pipelines.graph.resolve import Pair, resolve
from pipelines.graph.same_entity import PAIRS_AT_ONCE, ModelJudge
from pipelines.graph.settings import GraphSettings
from pipelines.llm.fakes import ScriptedChat
from tests.graph.test_resolve import letters


def profile(name: str) -> Profile:
    return Profile(Entity.make_id(name), name)


PAIRS = [Pair(profile(f"seal {number}"), profile(f"gasket {number}"), 0.9) for number in "abcdefghijkl"]


def test_the_pairs_that_the_model_names_are_one_thing() -> None:
    chat = ScriptedChat(['{"same": [2, 99]}'])
    assert ModelJudge(chat).decide(PAIRS[:3]) == [0.0, 0.8, 0.0]
    assert "2. seal b | gasket b" in chat.requests[0].messages[-1].content


def test_many_pairs_are_asked_about_in_parts() -> None:
    chat = ScriptedChat(['{"same": [1]}'])
    scores = ModelJudge(chat).decide(PAIRS)
    assert len(chat.requests) == 2
    assert [i for i, score in enumerate(scores) if score] == [0, PAIRS_AT_ONCE]


@pytest.mark.parametrize("answer", ["no idea", CallTimedOut("too late")])
def test_without_a_usable_reply_nothing_is_merged(answer: str | StrataError) -> None:
    assert ModelJudge(ScriptedChat([answer])).decide(PAIRS[:2]) == [0.0, 0.0]


def test_an_exhausted_budget_is_not_taken_for_a_no() -> None:
    with pytest.raises(BudgetExceeded):
        ModelJudge(ScriptedChat([BudgetExceeded("enough")])).decide(PAIRS[:1])


async def test_it_can_be_asked_from_inside_an_event_loop() -> None:
    await asyncio.sleep(0)
    assert ModelJudge(ScriptedChat(['{"same": [1]}'])).decide(PAIRS[:1]) == [0.8]


def test_a_models_merge_tells_that_it_was_a_models() -> None:
    names = [profile("shaft seals ring"), profile("shaft seal rings")]
    (found,) = resolve(names, GraphSettings(), letters, ModelJudge(ScriptedChat(['{"same": [1]}'])).decide)
    assert (found.rule, found.score) == ("model", 0.8)


def test_only_the_most_alike_pairs_are_asked_about() -> None:
    names = [profile(f"shaft seal ring of kind {letter}") for letter in "abcdef"]
    chat = ScriptedChat(['{"same": []}'])
    resolve(names, GraphSettings(judged_pairs=3), letters, ModelJudge(chat).decide)
    assert chat.requests[0].messages[-1].content.count(" | ") == 3
