"""What the recurrent splitter would ask, without asking: for telling the cost before the first call."""

from __future__ import annotations

from pipelines.chunk.model_splitter import ModelSplitter
from pipelines.chunk.splitter import Cut, Splitter, Window
from pipelines.llm.chat import Request

REPLY_TOKENS = 90
"""Tokens of a usual reply: a number and two sentences."""


class Rehearsal:
    """Cuts as `stand_in` does and notes the `requests` that `splitter` would have made.

    The first window of each section is exactly the one that will be asked about, so its reply may be in the cache
    already; the ones after it begin where the stand-in cut.
    """

    def __init__(self, splitter: ModelSplitter, stand_in: Splitter) -> None:
        self._splitter = splitter
        self._stand_in = stand_in
        self.requests: list[Request] = []

    async def cut(self, window: Window) -> Cut:
        request = self._splitter.request(window)
        if request is not None:
            self.requests.append(request)
        return await self._stand_in.cut(window)
