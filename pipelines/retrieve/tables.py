"""The rows of tables among scored units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipelines.lang.terms import terms
from pipelines.retrieve.evidence_score import ScoredUnit, score_units
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval, WholeCorpus


def table_of(item: ScoredUnit) -> str:
    """Return the id of a row's table, or if it is unknown, document and header."""
    return item.unit.table or f"{item.unit.hit.document} {item.unit.header}"


def rows_by_table(scored: Iterable[ScoredUnit]) -> dict[str, list[ScoredUnit]]:
    """Return the rows with cells by their table, in the order of `scored`."""
    found: dict[str, list[ScoredUnit]] = {}
    for item in scored:
        if item.has_cells:
            found.setdefault(table_of(item), []).append(item)
    return found


def whole_table(question: QuestionTerms, row: ScoredUnit, retrieval: Retrieval) -> list[ScoredUnit]:
    """Return the scored units of all chunks with a row's table; none if the table or its chunks are unknown."""
    if not row.unit.table or not isinstance(retrieval, WholeCorpus):
        return []
    hits = [replace(hit, score=row.unit.hit.score) for hit in retrieval.whole_tables(row.unit.hit.chunk.id)]
    return score_units(question, hits, retrieval.lexicon)


def in_reading_order(items: Iterable[ScoredUnit]) -> list[ScoredUnit]:
    """Return units of one document by their place in it."""
    return sorted(items, key=lambda item: item.unit.span)


def terms_of(texts: Iterable[str], language: str) -> frozenset[str]:
    """Return the terms of texts in a language, stop words included."""
    return frozenset(terms(" ".join(texts), language, stop=False))


def column_names(row: ScoredUnit) -> Sequence[str]:
    """Return the names of a row's columns."""
    return [name for name, _ in row.unit.fields]
