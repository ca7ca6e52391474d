"""A chat for every thread: its work runs in one event loop of its own."""

from __future__ import annotations

import asyncio
import threading

from pipelines.llm.chat import Chat, Reply, Request


class OwnLoopChat:
    """A chat that may be asked from any thread and any event loop, also from one `asyncio.run` after another.

    Connections, limits and the cache's single flight belong to one loop; so all calls meet in a thread that has it.
    The thread starts with the first call.
    """

    def __init__(self, inner: Chat) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def complete(self, request: Request) -> Reply:
        call = asyncio.run_coroutine_threadsafe(self._inner.complete(request), self._started())
        return await asyncio.wrap_future(call)

    async def close(self) -> None:
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            await self._inner.close()
            return
        try:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._inner.close(), loop))
        finally:
            loop.call_soon_threadsafe(loop.stop)
            await asyncio.to_thread(thread.join)
            loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
                self._thread.start()
            return self._loop
