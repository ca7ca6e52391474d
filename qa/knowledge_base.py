"""`KnowledgeBase`: the interface for questions, searches and conversations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from pipelines.core.concurrent import run_to_end
from pipelines.core.errors import SourceError, StoreUnavailable, StrataError
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import cost
from pipelines.llm.stack import open_chat
from pipelines.resources import Stores, open_graph, open_stores
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.stored_knowledge import LiveKnowledge, StoredKnowledge
from pipelines.settings import load
from pipelines.store.facts import Completeness, being_written
from pipelines.store.vector import Filter
from qa.answer import Answer, Step
from qa.conversation import Conversation, Exchange
from qa.knowledge_state import no_passages, nothing_matches, warnings_about
from qa.model_calls import ModelCalls, question_terms
from qa.settings import AnswerSettings, QaSettings
from qa.strategies.registry import Strategy, strategy_named


class KnowledgeBase:
    """An ingested knowledge base, opened read-only for questions.

    It is thread-safe, can be used inside a running event loop, and sees the results of concurrent ingests. Close it, or
    use it in a `with` statement:

        with KnowledgeBase.open("kb") as knowledge:
            print(knowledge.ask("Which torque do the casing bolts need?").text)
    """

    def __init__(
        self, stores: Stores, settings: QaSettings, chat: Chat | None = None, endpoint: str = "", closing: Any = None
    ) -> None:
        self._stores, self._settings, self._chat, self._endpoint = stores, settings, chat, endpoint
        self._closing = closing or ExitStack()
        self._completeness = Completeness(stores.catalog)
        self._live = LiveKnowledge(stores, settings)

    @classmethod
    def open(cls, kb: Path | str, settings: QaSettings | None = None, chat: Chat | None = None) -> Self:
        """Open a knowledge base.

        Args:
            kb: its folder.
            settings: all settings; by default those of its strata.toml and the environment.
            chat: a language model to use instead of the one in the settings.

        Raises:
            KnowledgeBaseNotFound: there is no knowledge base at `kb`.
            StoreMismatch: its vectors were made by another embedder than that of the settings.
            SettingsError: a setting is invalid, or must be confirmed first (`strata config trust`).
            CallFailed: the endpoint of the embedder does not answer.

        Example:
            knowledge = KnowledgeBase.open("kb", chat=my_chat)
            knowledge.close()
        """
        settings = settings or load(Path(kb), None, QaSettings).settings
        closing, endpoint = ExitStack(), ""
        stores = closing.enter_context(open_stores(Path(kb), settings))
        if settings.store.graph != "embedded":
            stores = replace(stores, copy=closing.enter_context(open_graph(settings.store.graph, settings, Path(kb))))
        if chat is None and settings.llm.configured:
            impatient = settings.llm.model_copy(update={"tries": min(settings.llm.tries, settings.qa.answer.tries)})
            chat = open_chat(impatient, stores.folder.replies, stores.folder.trace)
            closing.callback(run_to_end, chat.close)
            endpoint = settings.llm.endpoint
        return cls(stores, settings, chat, endpoint, closing)

    def ask(self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None) -> Answer:
        """Answer a question from the documents.

        Args:
            question: in any language.
            strategy: a name of the registry, or your own as `module:function`; empty for that of the settings.
            where: a filter for documents, pages, tags and dates.
            limit: maximum chunks of each search, 1 or more; by default that of the settings.

        Returns:
            The answer with its citations, or that the documents do not say. `ending` also tells if the model failed, if
            nothing passes the filter, or if the knowledge base is empty.

        Raises:
            SettingsError: an unknown strategy, a strategy without its model, an invalid date, or a limit below 1.
            NotFound: a document, folder, type, tag or page that is not in the knowledge base.
            SourceError: the question is empty.
            BudgetExceeded: the calls would exceed the budget.
            CallFailed: the endpoint of the embedder does not answer.

        Example:
            answer = knowledge.ask("What does the pump weigh?", where=Filter(folders=("pumps",)))
            print(answer.text, [citation.place for citation in answer.citations])
        """
        return run_to_end(lambda: self.answer(question, strategy=strategy, where=where, limit=limit))

    async def answer(
        self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None
    ) -> Answer:
        """The asynchronous form of `ask`.

        If an ingest has changed the stores in the meantime, the answer may be inconsistent, and is computed again.
        """
        question = " ".join(question.split())
        if not question:
            raise SourceError("the question is empty")
        settings = self._settings.qa.answer.limited(limit)
        chosen = self._strategy(strategy)
        knowledge = self._live.now()
        try:
            answer = await self._solve(knowledge, chosen, question, where, settings)
        except Exception:
            if self._live.now() is knowledge:
                raise
        else:
            if self._live.now() is knowledge:
                return answer
        return await self._solve_again(chosen, question, where, settings)

    def retrieve(self, query: str, limit: int = 10, where: Filter = Filter()) -> tuple[Hit, ...]:
        """Search without answering.

        Args:
            query: a question or search words.
            limit: maximum chunks, 1 or more.
            where: a filter for documents, pages, tags and dates.

        Returns:
            The chunks with the best scores, best first, each with the components of its score by layer and edge.

        Raises:
            NotFound, SettingsError: for an invalid filter or limit, as in `ask`.

        Example:
            for hit in knowledge.retrieve("shaft seal", limit=3):
                print(hit.score, hit.uri, hit.chunk.text)
        """
        self._settings.qa.answer.limited(limit)
        knowledge = self._live.now()
        found = knowledge.within(where).retrieve(query, limit)
        return found if self._live.now() is knowledge else self.confined(where).retrieve(query, limit)

    def conversation(
        self, *, strategy: str = "", where: Filter = Filter(), before: Sequence[Exchange] = ()
    ) -> Conversation:
        """Begin a conversation, in which follow-up questions are resolved with the preceding exchanges.

        Args:
            strategy: as for `ask`.
            where: as for `ask`.
            before: the exchanges of an earlier conversation to continue.

        Returns:
            The conversation.

        Raises:
            NotFound, SettingsError: as in `ask`.

        Example:
            talk = knowledge.conversation()
            answer = await talk.say("And of the K80-250?")
        """
        self._strategy(strategy)
        languages = self.confined(where).languages
        ask = partial(self.answer, strategy=strategy, where=where)
        return Conversation(ask, self.model_calls, self._settings.qa.answer.history, before, languages)

    def confined(self, where: Filter = Filter()) -> StoredKnowledge:
        """Return the searches for strategies, restricted by a filter. Raises `NotFound`, `SettingsError`."""
        return self._live.now().within(where)

    def model_calls(self) -> ModelCalls | None:
        """Return the language model with new counters, or None if none is configured."""
        if self._chat is None:
            return None
        return ModelCalls(self._chat, self._stores.folder.prompts, self._settings.llm.reply_tries, self._endpoint)

    @property
    def default_strategy(self) -> str:
        """The name of the default strategy. Raises `SettingsError` if it cannot be used."""
        return self._strategy("").name

    @property
    def stores(self) -> Stores:
        """The open stores, for reading only."""
        return self._stores

    def over(self, stores: Stores) -> Self:
        """Return a knowledge base with the same settings and model over other stores, which the caller closes."""
        return type(self)(stores, self._settings, self._chat, self._endpoint)

    def close(self) -> None:
        """Close stores and model; may be called twice."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _strategy(self, name: str) -> Strategy:
        return strategy_named(name or self._settings.qa.answer.strategy, self._chat is not None)

    async def _solve(
        self, whole: StoredKnowledge, strategy: Strategy, question: str, where: Filter, settings: AnswerSettings
    ) -> Answer:
        """Return the answer of a strategy with cost and warnings, or that there is no chunk that passes the filter."""
        knowledge = whole.within(where)
        if not knowledge.size:
            return replace(self._without_passages(question, where), strategy=strategy.name)
        model, began = self.model_calls(), time.perf_counter()
        asks = model if settings.terms and strategy.uses_terms else None
        terms = await question_terms(question, knowledge, asks) if asks else ()
        answer = await strategy.answer(question, knowledge.with_terms(terms), model, settings)
        prices = self._settings.llm.prices.get(self._settings.llm.model_of("answer"))
        return replace(
            answer,
            trace=(*(Step("term", f"{pair.query_term}: {pair.corpus_tag}") for pair in terms), *answer.trace),
            warnings=(*answer.warnings, *warnings_about(answer, model, knowledge, self._completeness.look())),
            failed_calls=len(model.failed) if model else 0,
            dollars=cost(model.spent, prices) if model else 0.0,
            seconds=round(time.perf_counter() - began, 3),
        )

    def _without_passages(self, question: str, where: Filter) -> Answer:
        if self.confined().size:
            return nothing_matches(question, where)
        return no_passages(question, self._completeness.look(), self._settings.store.graph if self._stores.copy else "")

    async def _solve_again(self, strategy: Strategy, question: str, where: Filter, settings: AnswerSettings) -> Answer:
        knowledge = self._live.now()
        try:
            return await self._solve(knowledge, strategy, question, where, settings)
        except StrataError:
            raise
        except Exception as error:
            if self._live.now() is knowledge and not being_written(self._stores.catalog):
                raise
            raise StoreUnavailable("an ingest is writing the knowledge base; ask again") from error
