"""A language model as judge of whether two names are of the same entity, where no rule decides."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from pipelines.core.ids import content_id
from pipelines.graph.entities import EntityProfile
from pipelines.graph.resolve import Pair
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.prompt import Prompt, fence

ROLE = "same_entity"
PAIRS_AT_ONCE = 10
_REPLY_TOKENS = 128
"""Tokens of a reply: a verdict and a few words."""
_SURE = 0.8
"""The score of a merge that a model decided: below every rule's."""


class SameReply(BaseModel):
    """The numbers, from 1, of the pairs that are the same entity."""

    same: list[int] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a model said of pairs of names, kept so that each is asked about once.

    `maker` stands for the model and its prompt. `scores` tell by `pair_key` how sure it is (0 to 1) that the two are
    one thing; a pair that is not in there stays apart. `unjudged` counts those for which no usable reply came.
    """

    maker: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    unjudged: int = 0

    def decide(self, pairs: Sequence[Pair]) -> list[float]:
        """See `pipelines.graph.resolve.Decide`."""
        return [self.scores.get(pair_key(pair), 0.0) for pair in pairs]


def pair_key(pair: Pair) -> str:
    """Return a digest of the names and types of a pair."""
    told = (pair.one.name, pair.one.type, pair.two.name, pair.two.type)
    return content_id("pair", *told).partition(":")[2]


class ModelJudge:
    """Asks a model about pairs of names, ten in a call."""

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._chat = chat
        self._prompt = prompt

    async def judge(self, pairs: Sequence[Pair], maker: str, known: Verdicts = Verdicts()) -> Verdicts:
        """Return the verdicts on these pairs, those of `known` as they are where `maker` gave them.

        A pair without a usable reply has none. Raises `BudgetExceeded`.
        """
        before = known.scores if known.maker == maker else {}
        scores = {key: before[key] for pair in pairs if (key := pair_key(pair)) in before}
        groups = _groups(pairs, scores)
        for group, same in zip(groups, await asyncio.gather(*map(self._same, groups)), strict=True):
            for number, pair in enumerate(group, 1):
                if same is not None:
                    scores[pair_key(pair)] = _SURE if number in same else 0.0
        return Verdicts(maker, scores, len(pairs) - len({pair_key(pair) for pair in pairs} & scores.keys()))

    async def _same(self, group: Sequence[Pair]) -> set[int] | None:
        asked = await ask(self._chat, self._messages(group), SameReply, role=ROLE, max_tokens=_REPLY_TOKENS)
        return set(asked.value.same) if asked.value is not None else None

    def _messages(self, group: Sequence[Pair]) -> tuple[Message, ...]:
        lines = (f"{number}. {_told(pair.one)} | {_told(pair.two)}" for number, pair in enumerate(group, 1))
        return self._prompt.messages(pairs=fence("\n".join(lines), "pairs"))


def _groups(pairs: Sequence[Pair], known: Mapping[str, float]) -> list[list[Pair]]:
    """Return the pairs without a verdict, in the groups in which they are asked about."""
    new = [pair for pair in pairs if pair_key(pair) not in known]
    return [new[start : start + PAIRS_AT_ONCE] for start in range(0, len(new), PAIRS_AT_ONCE)]


def _told(profile: EntityProfile) -> str:
    name = " ".join(profile.name.split())
    return f"{name} ({profile.type})" if profile.type else name
