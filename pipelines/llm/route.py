"""Each role its model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pipelines.llm.chat import Chat, Reply, Request


class RouteChat:
    """A chat that names the model of a request that names none."""

    def __init__(self, inner: Chat, model_of: Callable[[str], str]) -> None:
        self._inner, self._model_of = inner, model_of

    async def complete(self, request: Request) -> Reply:
        named = request if request.model else replace(request, model=self._model_of(request.role))
        return await self._inner.complete(named)

    async def close(self) -> None:
        await self._inner.close()
