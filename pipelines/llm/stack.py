"""Settings to a chat: the client with all that is wrapped around it, in the one right order."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.errors import SettingsError
from pipelines.llm.budget import Budget, BudgetChat
from pipelines.llm.cache import CacheChat
from pipelines.llm.chat import Chat
from pipelines.llm.lazy import LazyChat
from pipelines.llm.ledger import Ledger
from pipelines.llm.local_server import check_gguf
from pipelines.llm.own_loop import OwnLoopChat
from pipelines.llm.rate_limit import RateLimitChat, Rates
from pipelines.llm.reply_store import ReplyStore
from pipelines.llm.retry import RetryChat, RetryPolicy
from pipelines.llm.route import RouteChat
from pipelines.llm.settings import LlmSettings, Price
from pipelines.llm.testing.replay import RecordingChat
from pipelines.llm.trace import TraceChat


def open_chat(
    settings: LlmSettings,
    cache_path: Path | None = None,
    trace_path: Path | None = None,
    budget: Budget = Budget(),
    ledger: Ledger | None = None,
) -> Chat:
    """Return the chat that `settings` describe; no client is made and no server started before it has to call.

    From outside in: any thread, route, trace, recording, cache, budget, retry, rate limit, client. Replies are kept in
    the file at `cache_path`, calls noted in the one at `trace_path` and summed in `ledger`. Raises `SettingsError`
    where no model is configured, `MissingExtra` for a GGUF file without the extra `local`.
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
    """Return `client` inside all the wrappers, for use in one event loop."""
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
    """What the models cost; one that runs on this machine costs nothing."""
    return {settings.model_of(""): Price(), **settings.prices} if settings.gguf else dict(settings.prices)


def _client(settings: LlmSettings) -> Chat:
    if settings.gguf:
        from pipelines.llm.local_chat import LocalChat

        return LocalChat(settings)
    from pipelines.llm.openai_chat import OpenAIChat

    return OpenAIChat(settings)
