"""A chat that is opened when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pipelines.llm.chat import Chat, Reply, Request


class LazyChat:
    """A run that finds all its replies in the cache imports no client and starts no server.

    `open_chat` runs in a thread, as it may take seconds; what it raises is raised by every `complete`.
    """

    def __init__(self, open_chat: Callable[[], Chat]) -> None:
        self._open_chat = open_chat
        self._opening: asyncio.Task[Chat] | None = None

    async def complete(self, request: Request) -> Reply:
        if self._opening is None:
            self._opening = asyncio.create_task(asyncio.to_thread(self._open_chat))
        chat = await asyncio.shield(self._opening)
        return await chat.complete(request)

    async def close(self) -> None:
        opening, self._opening = self._opening, None
        if opening is None:
            return
        (opened,) = await asyncio.gather(opening, return_exceptions=True)
        if not isinstance(opened, BaseException):
            await opened.close()
