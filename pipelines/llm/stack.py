"""Creation of a chat from the settings: the client and its wrappers, in the correct order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pipelines.core.errors import SettingsError
from pipelines.llm.budget import Budget, BudgetChat
from pipelines.llm.cache import CacheChat, ReplyStore
from pipelines.llm.chat import Chat, Reply, Request
from pipelines.llm.ledger import Ledger, RecordingChat, TraceChat
from pipelines.llm.local_model import check_gguf
from pipelines.llm.rate_limit import RateLimitChat, Rates
from pipelines.llm.retry import RetryChat, RetryPolicy
from pipelines.llm.settings import LlmSettings, Price


def open_chat(
    settings: LlmSettings,
    cache_path: Path | None = None,
    trace_path: Path | None = None,
    budget: Budget = Budget(),
    ledger: Ledger | None = None,
) -> Chat:
    """Return the chat that `settings` describe; the client or server is created with the first call.

    From the outside in: thread bridge, route, trace, recording, cache, budget, retry, rate limit, client. Replies are
    cached in the file at `cache_path`, calls recorded in the file at `trace_path` and summed in `ledger`. Raises
    `SettingsError` if no model is configured, `MissingExtra` for a GGUF file without the extra `local`.
    """
    if not settings.configured:
        raise SettingsError("no language model is configured", hint="set OPENAI_API_KEY, or [llm] base_url or gguf")
    if settings.gguf:
        check_gguf(settings)
    return OwnLoopChat(wrap(LazyChat(lambda: _client(settings)), settings, cache_path, trace_path, budget, ledger))


def wrap(
    client: Chat,
    settings: LlmSettings,
    cache_path: Path | None = None,
    trace_path: Path | None = None,
    budget: Budget = Budget(),
    ledger: Ledger | None = None,
) -> Chat:
    """Return `client` inside all wrappers, for use in one event loop."""
    concurrency = settings.gguf_parallel if settings.gguf else settings.concurrency
    rates = Rates(concurrency, settings.requests_per_minute, settings.tokens_per_minute)
    chat: Chat = RateLimitChat(client, rates)
    chat = RetryChat(chat, RetryPolicy(settings.tries, longest=settings.max_wait))
    if budget.limited:
        chat = BudgetChat(chat, budget, _prices(settings))
    if cache_path is not None and settings.cache:
        chat = CacheChat(chat, ReplyStore(cache_path))
    if settings.record:
        chat = RecordingChat(chat, Path(settings.record))
    chat = TraceChat(chat, ledger or Ledger(settings.prices), trace_path)
    return RouteChat(chat, settings.model_of)


def _prices(settings: LlmSettings) -> dict[str, Price]:
    """Return the prices of the models; a local model costs nothing."""
    return {settings.model_of(""): Price(), **settings.prices} if settings.gguf else dict(settings.prices)


def _client(settings: LlmSettings) -> Chat:
    if settings.gguf:
        from pipelines.llm.local_model import LocalChat

        return LocalChat(settings)
    from pipelines.llm.openai_chat import OpenAIChat

    return OpenAIChat(settings)


class RouteChat:
    """A chat that sets the model of requests that name none, by their role."""

    def __init__(self, inner: Chat, model_of: Callable[[str], str]) -> None:
        self._inner, self._model_of = inner, model_of

    async def complete(self, request: Request) -> Reply:
        named = request if request.model else replace(request, model=self._model_of(request.role))
        return await self._inner.complete(named)

    async def close(self) -> None:
        await self._inner.close()


class LazyChat:
    """A chat that is created with its first call: a run with all replies cached imports no client and starts no server.

    `open_chat` runs in a thread, because it may take seconds; every `complete` raises its errors.
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


class OwnLoopChat:
    """A chat that can be called from any thread and event loop, also from successive `asyncio.run` calls.

    Connections, limits and the sharing of equal calls are bound to one event loop, so all calls run in one thread with
    a loop of its own, which starts with the first call.
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
