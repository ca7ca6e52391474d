"""Evaluation of several sets in one run: retrieval over all layers, flat searches, and strategies, by question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate.answers import DEPTH, AnswerResult, evaluate_answers
from evaluate.matrix_report import ALL_LAYERS, HELD_OUT, MatrixReport, Measured
from evaluate.metrics import document_recall, first_document, page_recall
from evaluate.questions import Question, read_passages, read_questions
from evaluate.retrieval import BASELINES, FUSED_DEPTH, FlatText, TermSearch, VectorSearch, pieces_of, whole_texts
from evaluate.sets import DeclaredSet, build_passages, without_model
from evaluate.tune import QuestionSet, tune
from pipelines.core.errors import SettingsError
from pipelines.core.file_access import private_folder
from pipelines.ingest.build import build
from pipelines.ingest.report import Progress, silent
from pipelines.llm.embedder import Embedder
from pipelines.llm.embedders import open_embedder
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.flat_search import fuse
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from qa.answer import Found
from qa.citations import found as found_of
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

Search = Callable[[str], Sequence[Found]]
"""Returns at most `DEPTH` passages for a question, best first."""


@dataclass(frozen=True, slots=True)
class BuiltSet:
    """A set with one embedder: its knowledge base, its settings and its questions.

    `failed` are the documents that could not be ingested, with the reasons.
    """

    declared: DeclaredSet
    kb: Path
    settings: QaSettings
    questions: tuple[Question, ...]
    failed: tuple[str, ...] = ()

    @property
    def answerable(self) -> tuple[Question, ...]:
        return tuple(question for question in self.questions if question.answerable)


def measure_matrix(
    declared: Sequence[DeclaredSet],
    settings: Sequence[QaSettings],
    keep: Path,
    strategies: Sequence[str] | None = (),
    trials: int = 0,
    watch: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(silent),
) -> MatrixReport:
    """Return the results of searches and strategies on all sets, with each of `settings` (one for each embedder).

    Sets with missing paths are listed as left out. `strategies` are those to evaluate, by default that of the settings;
    None evaluates searches only. With `trials`, each corpus is also evaluated with weights fitted in as many trials on
    the others. `watch` is entered for each ingest. Raises `SettingsError` for `trials` with a single corpus, and the
    errors of `build_set` and `measure_answers`.
    """
    present = [one for one in declared if not one.missing]
    if trials and len({one.family for one in present}) < 2:
        raise SettingsError("weights are fitted on the other corpora, and there is one alone")
    left_out = [f"{one.name}: no {one.missing[0]}" for one in declared if one.missing]
    each: list[Measured] = []
    fitted: dict[str, dict[str, RetrieveSettings]] = {}
    for one in settings:
        built = []
        for declared_set in present:
            with watch() as progress:
                built.append(build_set(declared_set, one, keep, progress))
            left_out += [failure for failure in built[-1].failed if failure not in left_out]
            each += measure_searches(built[-1])
            each += [] if strategies is None else measure_answers(built[-1], strategies)
        if trials:
            held_out, fitted[one.embed.name] = measure_held_out(built, trials)
            each += held_out
    return MatrixReport(tuple(present), tuple(each), tuple(left_out), fitted)


def build_set(declared: DeclaredSet, settings: QaSettings, keep: Path, progress: Progress = silent) -> BuiltSet:
    """Create or update the set's knowledge base in `keep`, without a language model.

    Documents that fail are omitted and count as not found. Raises `SourceError` for files that cannot be read,
    `DocumentsFailed` for passages, and the errors of `build`.
    """
    private_folder(keep)
    failed: tuple[str, ...] = ()
    kb = keep / f"{declared.name}-{settings.embed.name.replace(':', '.')}"
    if declared.passages is not None:
        build_passages(read_passages(declared.passages), settings, kb, progress)
    elif declared.documents is not None:
        report = build(declared.documents, kb, without_model(settings), progress=progress)
        failed = tuple(f"{declared.name}: {one.subject}: {one.reason}" for one in report.failures)
    return BuiltSet(declared, kb, settings, read_questions(declared.questions), failed)


def measure_searches(built: BuiltSet) -> list[Measured]:
    """Return the results of retrieval over all layers and of each flat search for the answerable questions."""
    with open_stores(built.kb, built.settings) as stores, _flat_embedder(built) as embedder:
        retriever = Retriever.of(stores, built.settings.retrieve)
        searches = _layers(retriever) | _flat(stores, built.declared.language, embedder)
        return [one for method, search in searches.items() for one in _each(built, method, search)]


def measure_answers(built: BuiltSet, strategies: Sequence[str]) -> list[Measured]:
    """Return the results of each strategy (default: that of the settings) for each question.

    Raises `SettingsError` for an unknown strategy or one without its model.
    """
    with KnowledgeBase.open(built.kb, built.settings) as knowledge:
        names = strategies or [knowledge.default_strategy]
        report = asyncio.run(evaluate_answers(knowledge, built.questions, names))
    return [_answered(built, one) for one in report.each]


def measure_held_out(sets: Sequence[BuiltSet], trials: int) -> tuple[list[Measured], dict[str, RetrieveSettings]]:
    """Return the results on each corpus with weights fitted on the other corpora, and the weights by corpus.

    All sets have the same embedder, and there are at least two corpora.
    """
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
        return _found(pieces, list(fuse([one.rank(query, FUSED_DEPTH) for one in (by_terms, by_vector)]))[:DEPTH])

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
    """Yield the set's embedder with a separate cache, since only an ingest may write to the knowledge base."""
    chosen = built.settings.embed.at_endpoint_of(built.settings.llm)
    embedder = open_embedder(chosen, built.kb.with_name(f"{built.kb.name}-flat.db"))
    try:
        yield embedder
    finally:
        embedder.close()
