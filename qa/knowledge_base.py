"""`KnowledgeBase`: the door through which an ingested knowledge base is asked, searched and talked to."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from pipelines.core.concurrent import run_to_end
from pipelines.core.errors import SettingsError, SourceError, StoreUnavailable, StrataError
from pipelines.llm.chat import Chat
from pipelines.llm.ledger import cost
from pipelines.llm.stack import open_chat
from pipelines.resources import Stores, open_graph, open_stores
from pipelines.retrieve.filters import describe_filter
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.stored_knowledge import LiveKnowledge, StoredKnowledge
from pipelines.settings import load
from pipelines.store.facts import Completeness, being_written, incompleteness, remedy
from pipelines.store.vector import Filter
from qa.answer import Answer, Ending, Step
from qa.conversation import Conversation, Exchange
from qa.model_calls import ModelCalls, question_terms
from qa.settings import AnswerSettings, QaSettings
from qa.strategies.registry import Strategy, strategy_named


class KnowledgeBase:
    """A knowledge base that was ingested, opened for questions; nothing is written to it.

    It may be asked from any thread, also where an event loop is running, and every question sees what an ingest has
    written meanwhile. Close it, or use it in a `with` statement:

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
            settings: all settings; without them those of its strata.toml and the environment.
            chat: a language model in place of the one that the settings name.

        Raises:
            KnowledgeBaseNotFound: there is none at `kb`.
            StoreMismatch: its vectors were made by another embedder than the settings name.
            SettingsError: a setting cannot be, or has to be confirmed first (`strata config trust`).
            CallFailed: an endpoint that embeds does not answer.

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
            tries = min(settings.llm.tries, settings.qa.answer.tries)  # somebody waits for the answer
            impatient = settings.llm.model_copy(update={"tries": tries})
            chat = open_chat(impatient, stores.folder.replies, stores.folder.trace)
            closing.callback(run_to_end, chat.close)
            endpoint = settings.llm.endpoint
        return cls(stores, settings, chat, endpoint, closing)

    def ask(self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None) -> Answer:
        """Answer a question from the documents.

        Args:
            question: in any language.
            strategy: a name of the registry, or your own as `module:function`; empty for the settings' choice.
            where: which documents, pages, tags and dates are looked at.
            limit: how many chunks are looked at, 1 or more; without it as many as the settings say.

        Returns:
            The answer with its citations, or that the documents do not say. Where it is not known what they say, its
            `ending` tells why: the model failed, nothing fits the filter, the knowledge base is empty.

        Raises:
            SettingsError: an unknown strategy or one that lacks its model, a date that is none, a limit below 1.
            NotFound: a document, folder, type, tag or page that the knowledge base does not have.
            SourceError: the question is empty.
            BudgetExceeded: the calls would cost more than is allowed.
            CallFailed: an endpoint that embeds the question does not answer.

        Example:
            answer = knowledge.ask("What does the pump weigh?", where=Filter(folders=("pumps",)))
            print(answer.text, [citation.place for citation in answer.citations])
        """
        return run_to_end(lambda: self.answer(question, strategy=strategy, where=where, limit=limit))

    async def answer(
        self, question: str, *, strategy: str = "", where: Filter = Filter(), limit: int | None = None
    ) -> Answer:
        """Do what `ask` does, for callers that are asynchronous themselves.

        Where an ingest has written what the answer was made of meanwhile, half of it may be from before: it is looked
        for again.
        """
        question = " ".join(question.split())
        if not question:
            raise SourceError("the question is empty")
        settings = _limited(self._settings.qa.answer, limit)
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
            query: a question, or the words to look for.
            limit: how many chunks at most.
            where: which documents, pages, tags and dates are looked at.

        Returns:
            The chunks that score best, best first, each with the shares of its score by layer and edge.

        Raises:
            NotFound, SettingsError: for a filter, as `ask` does.

        Example:
            for hit in knowledge.retrieve("shaft seal", limit=3):
                print(hit.score, hit.uri, hit.chunk.text)
        """
        knowledge = self._live.now()
        found = knowledge.within(where).retrieve(query, limit)
        return found if self._live.now() is knowledge else self.confined(where).retrieve(query, limit)

    def conversation(
        self, *, strategy: str = "", where: Filter = Filter(), before: Sequence[Exchange] = ()
    ) -> Conversation:
        """Begin a conversation, in which a follow-up question is understood from what was said before.

        Args:
            strategy: as for `ask`.
            where: as for `ask`.
            before: what was said in an earlier conversation that this one goes on with.

        Returns:
            The conversation, with nothing new said yet.

        Raises:
            NotFound, SettingsError: at once, as `ask` does.

        Example:
            talk = knowledge.conversation()
            answer = await talk.say("And of the K80-250?")
        """
        self._strategy(strategy)
        self.confined(where)
        ask = partial(self.answer, strategy=strategy, where=where)
        return Conversation(ask, self.model_calls, self._settings.qa.answer.history, before)

    def confined(self, where: Filter = Filter()) -> StoredKnowledge:
        """Return the searches that strategies make, confined to a filter. Raises `NotFound`, `SettingsError`."""
        return self._live.now().within(where)

    def model_calls(self) -> ModelCalls | None:
        """Return the language model with a new account, None where none is configured."""
        if self._chat is None:
            return None
        return ModelCalls(self._chat, self._stores.folder.prompts, self._settings.llm.reply_tries, self._endpoint)

    @property
    def default_strategy(self) -> str:
        """The name of the strategy that answers where none is named. Raises `SettingsError` where it cannot."""
        return self._strategy("").name

    @property
    def stores(self) -> Stores:
        """The open stores, to be read from: catalog, graph, artifacts."""
        return self._stores

    def over(self, stores: Stores) -> Self:
        """Return the same settings and model over other stores, which are the caller's to close."""
        return type(self)(stores, self._settings, self._chat, self._endpoint)

    def close(self) -> None:
        """Close stores and model; twice is allowed."""
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
        """The answer of a strategy, with what it cost and what it may lack; or that there is nothing to look at."""
        knowledge = whole.within(where)
        if not knowledge.size:
            return self._nothing(question, strategy.name, where)
        model, began = self.model_calls(), time.perf_counter()
        asks = model if settings.terms and strategy.uses_terms else None
        terms = await question_terms(question, knowledge, asks) if asks else ()
        answer = await strategy.answer(question, knowledge.with_terms(terms), model, settings)
        prices = self._settings.llm.prices.get(self._settings.llm.model_of("answer"))
        return replace(
            answer,
            trace=(*(Step("term", f"{pair.query_term}: {pair.corpus_tag}") for pair in terms), *answer.trace),
            warnings=(*answer.warnings, *self._warnings(answer, model, knowledge)),
            failed_calls=len(model.failed) if model else 0,
            dollars=cost(model.spent, prices) if model else 0.0,
            seconds=round(time.perf_counter() - began, 3),
        )

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

    def _nothing(self, question: str, strategy: str, where: Filter) -> Answer:
        """The answer where there is no chunk to look at, within the filter or at all."""
        if self.confined().size:
            text = "No passage fits all parts of the filter."
            return Answer(question, text, strategy, ending=Ending.NOTHING_MATCHES, hint=describe_filter(where))
        there = self._completeness.look()
        text, hint = incompleteness(there), remedy(there)
        if not text:
            text = "The knowledge base is empty: its documents hold no text."
            if self._stores.copy is not None:
                name = self._settings.store.graph.replace("neo4j", "Neo4j")
                text, hint = f"{name} holds nothing of this knowledge base.", "`strata graph sync` brings it there"
        return Answer(question, text, strategy, ending=Ending.EMPTY, hint=hint)

    def _warnings(self, answer: Answer, model: ModelCalls | None, knowledge: StoredKnowledge) -> list[str]:
        """What the answer may lack: a language, calls that failed while the rest sufficed, an ingest's rest."""
        warnings = []
        if answer.ending is Ending.NOT_IN_DOCUMENTS and (unread := knowledge.unread_language(answer.question)):
            told = f"The question's language ({unread}) is none of the documents' ({', '.join(knowledge.languages)})"
            warnings.append(f"{told}: `strata reindex --embedder e5` finds across languages.")
        if model and model.failed and answer.ending is not Ending.MODEL_FAILED:
            count = f"{len(model.failed)} call{'s' if len(model.failed) > 1 else ''} of the language model failed"
            warnings.append(f"{count}; the answer rests on the others: {model.failed[0].reason}.")
        there = self._completeness.look()
        if there.begun and not there.whole:
            warnings.append(f"{incompleteness(there)} To complete it, {remedy(there)}.")
        return warnings


def _limited(settings: AnswerSettings, limit: int | None) -> AnswerSettings:
    """The settings with so many chunks for every search."""
    if limit is None:
        return settings
    if limit < 1:
        raise SettingsError(f"limit: {limit} passages are none", hint="1 or more")
    return settings.model_copy(update=dict.fromkeys(("hits", "chunks", "flat_chunks", "beside"), limit))
