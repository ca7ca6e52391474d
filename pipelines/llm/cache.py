"""Asking once: replies from a store, and one call for equal requests at the same time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pipelines.llm.chat import Chat, Reply, Request
from pipelines.llm.replies import read_reply
from pipelines.llm.reply_store import ReplyStore
from pipelines.llm.request_key import request_key


class CacheChat:
    """A chat that answers from `store` what it holds, and keeps what the inner one replies.

    Not kept are failures, and replies that do not read as their schema: a later run asks for those anew. Requests
    that are equal and under way together share one call; those that did not make it get its reply as cached.
    """

    def __init__(self, inner: Chat, store: ReplyStore) -> None:
        self._inner, self._store = inner, store
        self._under_way: dict[str, asyncio.Task[Reply]] = {}

    async def complete(self, request: Request) -> Reply:
        key = request_key(request)
        if (task := self._under_way.get(key)) is not None:
            reply = _shared(await asyncio.shield(task))
            self._store.shown(key, request.document)
            return reply
        if (kept := self._store.get(key)) is not None:
            self._store.shown(key, request.document)
            return kept
        # A task of its own: when the one who asked first is cancelled, the others still get their reply.
        task = asyncio.create_task(self._ask(key, request))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self._inner.close()
        self._store.close()

    async def _ask(self, key: str, request: Request) -> Reply:
        reply = await self._inner.complete(request)
        if request.schema is None or read_reply(reply.text, request.schema).value is not None:
            self._store.put(key, request.role, reply, request.document)
        return reply

    def _finish(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # seen, so that asyncio does not report it where nobody waits any more


def _shared(reply: Reply) -> Reply:
    return replace(reply, usage=replace(reply.usage, calls=0), cached=True)
