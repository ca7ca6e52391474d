from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from pipelines.core.errors import BudgetExceeded, CallTimedOut, StrataError
from pipelines.core.knowledge import Entity
from pipelines.graph.entities import EntityProfile
from pipelines.graph.entity_judge import PAIRS_AT_ONCE, ModelJudge, Verdicts, pair_key
from pipelines.graph.resolve import Pair, open_pairs, resolve
from pipelines.graph.settings import GraphSettings
from pipelines.llm.prompt import Prompt
from pipelines.llm.testing.fakes import ScriptedChat
from tests.graph.test_resolve import letters


def profile(name: str) -> EntityProfile:
    return EntityProfile(Entity.make_id(name), name)


PAIRS = [Pair(profile(f"seal {number}"), profile(f"gasket {number}"), 0.9) for number in "abcdefghijkl"]


def judge(chat: ScriptedChat, pairs: Sequence[Pair], known: Verdicts = Verdicts()) -> Verdicts:
    return asyncio.run(ModelJudge(chat, Prompt.load("pipelines.graph", "same")).judge(pairs, "m", known))


def test_pairs_named_by_the_model_get_a_merge_score() -> None:
    chat = ScriptedChat(['{"same": [2, 99]}'])
    assert judge(chat, PAIRS[:3]).decide(PAIRS[:3]) == [0.0, 0.8, 0.0]
    assert "2. seal b | gasket b" in chat.requests[0].messages[-1].content


def test_many_pairs_are_judged_in_batches() -> None:
    chat = ScriptedChat(['{"same": [1]}'])
    scores = judge(chat, PAIRS).decide(PAIRS)
    assert len(chat.requests) == 2
    assert [i for i, score in enumerate(scores) if score] == [0, PAIRS_AT_ONCE]


@pytest.mark.parametrize("answer", ["no idea", CallTimedOut("too late")])
def test_without_a_usable_reply_pairs_are_counted_as_unjudged(answer: str | StrataError) -> None:
    verdicts = judge(ScriptedChat([answer]), PAIRS[:2])
    assert (verdicts.decide(PAIRS[:2]), verdicts.unjudged) == ([0.0, 0.0], 2)


def test_a_judged_pair_is_judged_again_only_by_another_model() -> None:
    first = judge(ScriptedChat(['{"same": [1]}']), PAIRS[:2])
    chat = ScriptedChat(['{"same": []}'])
    assert judge(chat, PAIRS[:3], first).decide(PAIRS[:3]) == [0.8, 0.0, 0.0]
    assert "gasket a" not in chat.requests[0].messages[-1].content
    other = judge(ScriptedChat(['{"same": []}']), PAIRS[:2], Verdicts("another", first.scores))
    assert other.decide(PAIRS[:2]) == [0.0, 0.0]


def test_verdicts_on_pairs_that_no_longer_exist_are_dropped() -> None:
    first = judge(ScriptedChat(['{"same": [1]}']), PAIRS[:3])
    assert set(judge(ScriptedChat([]), PAIRS[1:3], first).scores) == {pair_key(pair) for pair in PAIRS[1:3]}


def test_an_exceeded_budget_is_raised_and_not_a_negative_verdict() -> None:
    with pytest.raises(BudgetExceeded):
        judge(ScriptedChat([BudgetExceeded("enough")]), PAIRS[:1])


def test_a_merge_by_the_model_is_recorded_as_such_and_can_be_prevented() -> None:
    names = [profile("shaft seals ring"), profile("shaft seal rings")]
    verdicts = judge(ScriptedChat(['{"same": [1]}']), open_pairs(names, GraphSettings(), letters))
    (found,) = resolve(names, GraphSettings(), letters, verdicts.decide)
    assert (found.rule, found.score) == ("model", 0.8)
    apart = GraphSettings(keep_apart=(("shaft seals ring", "shaft seal rings"),))
    assert resolve(names, apart, letters, verdicts.decide) == ()


def test_only_the_most_similar_pairs_are_judged() -> None:
    names = [profile(f"shaft seal ring of kind {letter}") for letter in "abcdef"]
    assert len(open_pairs(names, GraphSettings(judged_pairs=3), letters)) == 3
