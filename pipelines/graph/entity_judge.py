"""A language model decides whether two names denote the same entity, for pairs that no rule decides."""

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
"""Pairs in one request."""
_REPLY_TOKENS = 128
"""Maximum tokens of a reply: the numbers of ten pairs and a few words."""
_SURE = 0.8
"""Score of a merge decided by a model: lower than that of every rule."""


class SameReply(BaseModel):
    """The numbers, from 1, of the pairs that are the same entity."""

    same: list[int] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A model's verdicts on pairs of names, stored so that each pair is asked about only once.

    `maker` identifies the model and its prompt. `scores` maps a `pair_key` to the confidence (0 to 1) that both names
    denote the same entity; missing pairs count as different. `unjudged` is the number of pairs without a usable reply.
    """

    maker: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    unjudged: int = 0

    def decide(self, pairs: Sequence[Pair]) -> list[float]:
        """See `pipelines.graph.resolve.Decide`."""
        return [self.scores.get(pair_key(pair), 0.0) for pair in pairs]


def pair_key(pair: Pair) -> str:
    """Return a digest of the names and types of a pair."""
    named = (pair.one.name, pair.one.type, pair.two.name, pair.two.type)
    return content_id("pair", *named).partition(":")[2]


class ModelJudge:
    """Asks a model about pairs of names, ten per request."""

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._chat = chat
        self._prompt = prompt

    async def judge(self, pairs: Sequence[Pair], maker: str, known: Verdicts = Verdicts()) -> Verdicts:
        """Return the verdicts on these pairs; verdicts in `known` are reused if they are from the same `maker`.

        Pairs without a usable reply have no verdict. Raises `BudgetExceeded`.
        """
        before = known.scores if known.maker == maker else {}
        scores = {key: before[key] for pair in pairs if (key := pair_key(pair)) in before}
        new = [pair for pair in pairs if pair_key(pair) not in scores]
        groups = [new[start : start + PAIRS_AT_ONCE] for start in range(0, len(new), PAIRS_AT_ONCE)]
        for group, same in zip(groups, await asyncio.gather(*map(self._same, groups)), strict=True):
            for number, pair in enumerate(group, 1):
                if same is not None:
                    scores[pair_key(pair)] = _SURE if number in same else 0.0
        return Verdicts(maker, scores, len(pairs) - len({pair_key(pair) for pair in pairs} & scores.keys()))

    async def _same(self, group: Sequence[Pair]) -> set[int] | None:
        asked = await ask(self._chat, self._messages(group), SameReply, role=ROLE, max_tokens=_REPLY_TOKENS)
        return set(asked.value.same) if asked.value is not None else None

    def _messages(self, group: Sequence[Pair]) -> tuple[Message, ...]:
        lines = (f"{number}. {_described(pair.one)} | {_described(pair.two)}" for number, pair in enumerate(group, 1))
        return self._prompt.messages(pairs=fence("\n".join(lines), "pairs"))


def _described(profile: EntityProfile) -> str:
    name = " ".join(profile.name.split())
    return f"{name} ({profile.type})" if profile.type else name
