"""Every set in one run: all layers beside the flat searches, and the strategies, question by question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate.answers import DEPTH, AnswerResult, evaluate_answers
from evaluate.flat import FUSED_DEPTH, FlatText, TermSearch, VectorSearch, fuse, pieces_of, whole_texts
from evaluate.matrix_report import ALL_LAYERS, HELD_OUT, Measured
from evaluate.metrics import document_recall, first_document, page_recall
from evaluate.passages import build_passages, without_model
from evaluate.questions import Question, read_passages, read_questions
from evaluate.retrieval import BASELINES
from evaluate.sets import DeclaredSet
from evaluate.tune import QuestionSet, tune
from pipelines.core.file_access import private_folder
from pipelines.ingest.build import build
from pipelines.ingest.report import Progress, silent
from pipelines.llm.embedder import Embedder
from pipelines.llm.embedders import open_embedder
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from qa.answer import Found
from qa.check.citations import found as found_of
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

Search = Callable[[str], Sequence[Found]]
"""A question to what is found for it, `DEPTH` at most, best first."""


@dataclass(frozen=True, slots=True)
class BuiltSet:
    """A set under one embedder: its knowledge base, its questions, and the settings that opened it."""

    declared: DeclaredSet
    kb: Path
    settings: QaSettings
    questions: tuple[Question, ...]

    @property
    def answerable(self) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.answerable)


def build_set(declared: DeclaredSet, settings: QaSettings, keep: Path, progress: Progress = silent) -> BuiltSet:
    """Bring the set's knowledge base in `keep` up to its documents, without a language model, as an ingest does.

    `settings` name the embedder. Documents that fail are left out of the knowledge base, and count as not found.
    Raises `SourceError` for files that cannot be read, `DocumentsFailed` for passages, and as `build` does.
    """
    private_folder(keep)
    kb = keep / f"{declared.name}-{settings.embed.name.replace(':', '.')}"
    if declared.passages is not None:
        build_passages(read_passages(declared.passages), settings, kb, progress)
    elif declared.documents is not None:
        build(declared.documents, kb, without_model(settings), progress=progress)
    return BuiltSet(declared, kb, settings, read_questions(declared.questions))


def measure_searches(built: BuiltSet) -> list[Measured]:
    """Return how well all layers and each flat search find what the answerable questions ask for."""
    with open_stores(built.kb, built.settings) as stores, _flat_embedder(built) as embedder:
        retriever = Retriever.of(stores, built.settings.retrieve)
        searches = _layers(retriever) | _flat(stores, built.declared.language, embedder)
        return [one for method, search in searches.items() for one in _each(built, method, search)]


def measure_answers(built: BuiltSet, strategies: Sequence[str]) -> list[Measured]:
    """Return how each strategy answers each question; without any, the one that the settings choose.

    Raises `SettingsError` for an unknown strategy or one that lacks its model.
    """
    with KnowledgeBase.open(built.kb, built.settings) as knowledge:
        names = strategies or [knowledge.default_strategy]
        report = asyncio.run(evaluate_answers(knowledge, built.questions, names))
    return [_answered(built, one) for one in report.each]


def measure_held_out(sets: Sequence[BuiltSet], trials: int) -> tuple[list[Measured], dict[str, RetrieveSettings]]:
    """Return how well all layers do on each corpus under weights that were fitted on the other corpora alone.

    All sets have the same embedder. Also returned are the weights by the corpus left out; of a single corpus, nothing.
    """
    if len({one.declared.family for one in sets}) < 2:
        return [], {}
    with ExitStack() as stack:
        opened = {one.declared.name: stack.enter_context(_retriever(one)) for one in sets}
        asked = [
            QuestionSet(one.declared.name, opened[one.declared.name], one.answerable, one.declared.family)
            for one in sets
            if one.answerable
        ]
        folds = {one.name: one.settings for one in tune(asked, sets[0].settings.retrieve, trials).folds}
        found: list[Measured] = []
        for one in sets:
            retriever = opened[one.declared.name]
            retriever.settings = folds[one.declared.family]
            found += _each(one, HELD_OUT, _search_by(retriever))
    return found, folds


def _layers(retriever: Retriever) -> dict[str, Search]:
    modes = {mode.value: _search_by(retriever, mode=mode) for mode in BASELINES}
    return {ALL_LAYERS: _search_by(retriever), **modes}


def _search_by(retriever: Retriever, **how: Any) -> Search:
    return lambda query: found_of(retriever.retrieve(query, DEPTH, **how))


def _flat(stores: Stores, language: str, embedder: Embedder) -> dict[str, Search]:
    whole = whole_texts(stores)
    pieces = pieces_of(whole)
    pages, by_terms = TermSearch(whole, language), TermSearch(pieces, language)
    by_vector = VectorSearch(pieces, embedder)

    def fused(query: str) -> list[Found]:
        return _found(pieces, fuse([one.rank(query, FUSED_DEPTH) for one in (by_terms, by_vector)], DEPTH))

    return {"bm25 pages": lambda query: _found(whole, pages.rank(query, DEPTH)), "fused pieces": fused}


def _found(texts: Sequence[FlatText], numbers: Sequence[int]) -> list[Found]:
    return [texts[number].found for number in numbers]


def _each(built: BuiltSet, method: str, search: Search) -> Iterator[Measured]:
    for question in built.answerable:
        found, gold = search(question.question), question.gold_sources
        yield Measured(
            built.declared.name,
            built.settings.embed.name,
            method,
            question.id,
            True,
            first_document(found, gold),
            document_recall(found, gold, DEPTH),
            page_recall(found, gold, DEPTH),
        )


def _answered(built: BuiltSet, one: AnswerResult) -> Measured:
    return Measured(
        built.declared.name,
        built.settings.embed.name,
        one.strategy,
        one.id,
        one.answerable,
        one.first_document,
        one.document_recall,
        one.page_recall,
        one.answer_cited,
        one.abstained,
        one.error,
    )


@contextmanager
def _retriever(built: BuiltSet) -> Iterator[Retriever]:
    with open_stores(built.kb, built.settings) as stores:
        yield Retriever.of(stores, built.settings.retrieve)


@contextmanager
def _flat_embedder(built: BuiltSet) -> Iterator[Embedder]:
    """The set's embedder with a cache of its own, beside the knowledge base: nothing but an ingest writes to that."""
    chosen = built.settings.embed.at_endpoint_of(built.settings.llm)
    embedder = open_embedder(chosen, built.kb.with_name(f"{built.kb.name}-flat.db"))
    try:
        yield embedder
    finally:
        embedder.close()
