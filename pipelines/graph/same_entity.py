"""A language model's word on whether two names are of one thing, where the rules are silent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from pydantic import BaseModel, Field

from pipelines.graph.entities import Profile
from pipelines.graph.resolve import Pair
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat
from pipelines.llm.prompt import Prompt, fence

ROLE = "same_entity"
PAIRS_AT_ONCE = 10
_SURE = 0.8
"""The score of a merge that a model decided: below every rule's."""


class SameReply(BaseModel):
    """The numbers, from 1, of the pairs that are of one thing."""

    same: list[int] = Field(default_factory=list)


class ModelJudge:
    """Asks about some pairs at a time. A reply that cannot be used merges nothing."""

    def __init__(self, chat: Chat, prompt: Prompt | None = None) -> None:
        self._chat = chat
        self._prompt = prompt or Prompt.load("pipelines.graph", "same")

    def decide(self, pairs: Sequence[Pair]) -> list[float]:
        """See `Decide`. Callable from inside a running event loop too. Raises `BudgetExceeded`."""
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, self.judge(pairs)).result()

    async def judge(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a score for each pair, 0 where the model does not call the two one. Raises `BudgetExceeded`."""
        groups = [pairs[start : start + PAIRS_AT_ONCE] for start in range(0, len(pairs), PAIRS_AT_ONCE)]
        found = await asyncio.gather(*(self._same(group) for group in groups))
        return [
            _SURE if number in same else 0.0
            for group, same in zip(groups, found, strict=True)
            for number in range(1, len(group) + 1)
        ]

    async def _same(self, group: Sequence[Pair]) -> set[int]:
        lines = (f"{number}. {_told(pair.one)} | {_told(pair.two)}" for number, pair in enumerate(group, 1))
        messages = self._prompt.messages(pairs=fence("\n".join(lines), "pairs"))
        asked = await ask(self._chat, messages, SameReply, role=ROLE, max_tokens=128)
        return set(asked.value.same) if asked.value else set()


def _told(profile: Profile) -> str:
    name = " ".join(profile.name.split())
    return f"{name} ({profile.type})" if profile.type else name
