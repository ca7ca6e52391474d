"""A knowledge base to ask: stores, retrieval and the model put together, read-only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pipelines.core.errors import SettingsError, SourceError, StoreUnavailable, StrataError
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import cost
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat
from pipelines.resources import Stores, open_graph, open_stores
from pipelines.retrieve.filters import told
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.view import StoredKnowledge
from pipelines.settings import load
from pipelines.store.facts import LINKED_FACT
from pipelines.store.vector import Filter
from qa.answer import Answer, Ending
from qa.chat import Conversation
from qa.completeness import Completeness, amiss, being_written, remedy
from qa.language import Language, Trouble
from qa.settings import QaSettings
from qa.strategies.registry import strategy_named
from qa.strategies.settings import AnswerSettings

T = TypeVar("T")


class KnowledgeBase:
    """A knowledge base that has been ingested. Close it, or use it in a `with` statement.

    It may be asked from any thread, also where an event loop is running.
    """

    def __init__(self, stores: Stores, settings: QaSettings, chat: Chat | None = None) -> None:
        self._stores, self._settings, self._chat = stores, settings, chat
        self._moment: tuple[str | None, bool] | None = None
        self._closing = ExitStack()
        self._endpoint = ""
        self._completeness = Completeness(stores.catalog)

    @classmethod
    def open(cls, kb: Path | str, settings: QaSettings | None = None, chat: Chat | None = None) -> Self:
        """Open the knowledge base at `kb`. `chat` takes the place of the model that the settings name.

        Raises `KnowledgeBaseNotFound`, `StoreMismatch`, `SettingsError`, `CallFailed` where an endpoint that embeds
        does not answer.
        """
        settings = settings or load(Path(kb), None, QaSettings).settings
        closing, endpoint = ExitStack(), ""
        stores = closing.enter_context(open_stores(Path(kb), settings))
        if settings.store.graph != "embedded":
            stores = replace(stores, copy=closing.enter_context(open_graph(settings.store.graph, settings, Path(kb))))
        if chat is None and settings.llm.configured:
            chat = open_chat(_impatient(settings), stores.folder.replies, stores.folder.trace)
            closing.callback(_run, chat.close)
            endpoint = settings.llm.endpoint
        opened = cls(stores, settings, chat)
        opened._endpoint = endpoint
        opened._closing = closing
        return opened

    def ask(self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None) -> Answer:
        """Return the answer to `question` with its citations, or that the documents do not say.

        Where it is not known what they say, the answer's `ending` tells why: the model failed, nothing fits the
        filter, the knowledge base is empty. `strategy` is a name of the registry, empty for the settings' choice;
        `where` confines what is looked at, `limit` (1 or more) the chunks.

        Raises `SettingsError` for an unknown strategy, one that lacks its model, a date that is none, a limit below 1;
        `NotFound` for a document, folder, type, tag or page that the knowledge base has not; `SourceError` for an
        empty question; `BudgetExceeded`; `CallFailed` where an endpoint that embeds the question fails.
        """
        return _run(lambda: self.answer(question, strategy=strategy, where=where, limit=limit))

    async def answer(
        self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None
    ) -> Answer:
        """The same as `ask`, for those who are asynchronous themselves."""
        question = " ".join(question.split())
        if not question:
            raise SourceError("the question is empty")
        self._read_anew()
        try:
            answer = await self._answer_now(question, strategy, where, limit)
        except Exception:
            if not self._read_anew():
                raise
        else:
            if not self._read_anew():
                return answer
        return await self._answer_again(question, strategy, where, limit)

    async def _answer_again(self, question: str, strategy: str, where: Filter, limit: int | None) -> Answer:
        """The answer once more, for an ingest wrote while it was looked for: half of it may be from before."""
        try:
            return await self._answer_now(question, strategy, where, limit)
        except StrataError:
            raise
        except Exception as error:
            if not self._read_anew() and not being_written(self._stores.catalog):
                raise
            raise StoreUnavailable("an ingest is writing the knowledge base; ask again") from error

    async def _answer_now(self, question: str, strategy: str, where: Filter, limit: int | None) -> Answer:
        settings = self._answer_settings(limit)
        chosen = strategy_named(strategy or settings.strategy, self._chat is not None)
        knowledge = self.confined(where)
        if not knowledge.size:
            return self._nothing(question, chosen.name, where)
        language = self.language()
        began = time.perf_counter()
        answer = await chosen.run(question, knowledge, language, settings)
        dollars = self._dollars(language) if language else 0.0
        answer = replace(answer, dollars=dollars, seconds=round(time.perf_counter() - began, 3))
        return self._with_warnings(answer, language.troubles if language else ())

    def retrieve(self, query: str, limit: int = 10, where: Filter = Filter()) -> tuple[Hit, ...]:
        """Return the chunks that answer `query` best, each with its shares by layer and edge.

        Raises `NotFound` and `SettingsError` for a filter as `ask` does.
        """
        return self.confined(where).retrieve(query, limit)

    def conversation(self, *, strategy: str = "", where: Filter = Filter()) -> Conversation:
        """Return a conversation over this knowledge base, with nothing said yet. Raises what `ask` does at once."""
        strategy_named(strategy or self._settings.qa.answer.strategy, self._chat is not None)
        self.confined(where)

        async def ask(question: str) -> Answer:
            return await self.answer(question, strategy=strategy, where=where)

        return Conversation(ask, self.language, self._settings.qa.answer.history)

    def confined(self, where: Filter = Filter()) -> StoredKnowledge:
        """Return what strategies see of it, within a filter. Raises `NotFound`, `SettingsError`."""
        return self._knowledge.within(where)

    def language(self) -> Language | None:
        """Return the model with an account of its own, None where none is configured."""
        if self._chat is None:
            return None
        return Language(self._chat, self._stores.folder.prompts, self._settings.llm.reply_tries, self._endpoint)

    @property
    def default_strategy(self) -> str:
        """The strategy that answers where none is named."""
        return strategy_named(self._settings.qa.answer.strategy, self._chat is not None).name

    def close(self) -> None:
        """Close stores and model; twice is allowed."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_anew(self) -> bool:
        """Drop what was read of the stores where an ingest has written since, and return whether one has."""
        catalog = self._stores.catalog
        moment = (catalog.fact(LINKED_FACT), being_written(catalog))
        before, self._moment = self._moment, moment
        if moment == before:
            return False
        self.__dict__.pop("_knowledge", None)
        self._stores.vectors.close()
        return True

    @cached_property
    def _knowledge(self) -> StoredKnowledge:
        return StoredKnowledge.of(self._stores, self._settings)

    def _answer_settings(self, limit: int | None) -> AnswerSettings:
        settings = self._settings.qa.answer
        if limit is None:
            return settings
        if limit < 1:
            raise SettingsError(f"limit: {limit} passages are none", hint="1 or more")
        return settings.model_copy(update=dict.fromkeys(("hits", "chunks", "flat_chunks", "beside"), limit))

    def _nothing(self, question: str, strategy: str, where: Filter) -> Answer:
        """Return that there is nothing to look at: in the whole knowledge base, or within the filter."""
        if self.confined().size:
            text = "No passage fits all parts of the filter."
            return Answer(question, text, strategy, ending=Ending.NOTHING_MATCHES, hint=told(where))
        there = self._completeness.look()
        text, hint = amiss(there), remedy(there)
        if not text:
            text = "The knowledge base is empty: its documents hold no text."
            if self._stores.copy is not None:
                name = self._settings.store.graph.replace("neo4j", "Neo4j")
                text, hint = f"{name} holds nothing of this knowledge base.", "`strata graph sync` brings it there"
        return Answer(question, text, strategy, ending=Ending.EMPTY, hint=hint)

    def _with_warnings(self, answer: Answer, troubles: Sequence[Trouble]) -> Answer:
        """The answer with what it may lack."""
        warnings = list(answer.warnings)
        if troubles and answer.ending is not Ending.MODEL_FAILED:
            count = f"{len(troubles)} call{'s' if len(troubles) > 1 else ''} of the language model failed"
            warnings.append(f"{count}; the answer rests on the others: {troubles[0].reason}.")
        there = self._completeness.look()
        if there.begun and not there.whole:
            warnings.append(f"{amiss(there)} To complete it, {remedy(there)}.")
        return replace(answer, warnings=tuple(warnings), failed_calls=len(troubles))

    def _dollars(self, language: Language) -> float:
        model = self._settings.llm.model_of("answer")
        return cost(language.spent, self._settings.llm.prices.get(model))


def _impatient(settings: QaSettings) -> LlmSettings:
    """The model's settings with fewer tries, for somebody waits for the answer."""
    return settings.llm.model_copy(update={"tries": min(settings.llm.tries, settings.qa.answer.tries)})


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, in a thread of its own where this one has a running loop."""
    if not _loop_runs():
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(copy_context().run, lambda: asyncio.run(work())).result()


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
