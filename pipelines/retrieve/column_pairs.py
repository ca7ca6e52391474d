"""Two columns of a table that a question compares with one another: "Which items are below the minimum stock?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.lang.characters import fold
from pipelines.lang.comparisons import Comparison, limits_asked
from pipelines.lang.magnitudes import magnitude
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms, terms_at
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import ScoredCell, Series, whole_rows
from pipelines.retrieve.tables import column_names, rows_by_table

_SEARCHED = 12
"""Number of best units whose tables are searched for the columns."""
_ARTICLE = 6
"""Maximum characters between the word of the limit and the name of the column: an article."""


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A comparison of two columns.

    - `series`: the compared column.
    - `chosen`: its cells beyond those in the column that is the limit.
    - `compared`: the number of rows with comparable cells in both.
    - `said`: the terms of the question that name the limit.
    """

    series: Series
    chosen: tuple[ScoredCell, ...]
    compared: int
    said: frozenset[str]


def column_pair(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> ColumnPair | None:
    """Return what a question selects by a column as the limit of another one; None for other questions and tables.

    The other column is the one that the question names before the limit, else the only one with comparable values, else
    that whose name is a part of the limit's ("stock" and "minimum stock").
    """
    if question.comparison is not None and question.comparison.bound:
        return None
    for asked in limits_asked(question.text, question.language):
        for rows in rows_by_table(scored[:_SEARCHED]).values():
            names = [_bare(name) for name in column_names(rows[0])]
            behind = [place for place, name in enumerate(names) if place and _follows(question, asked, name)]
            limit = max(behind, key=lambda place: len(names[place]), default=0)  # "stock minimum", not "stock"
            found = _selected(question, asked, rows[0], names, limit, retrieval) if limit else None
            if found is not None:
                return found
    return None


def _bare(name: str) -> str:
    """Return a column name, folded, without the unit in brackets behind it."""
    return fold(name.partition("(")[0].partition("[")[0]).strip()


def _follows(question: QuestionTerms, asked: Comparison, name: str) -> bool:
    """Whether the name of a column is directly behind the word of a limit."""
    place = fold(question.text).find(name, asked.span.end) if name else -1
    return 0 <= place <= asked.span.end + _ARTICLE


def _selected(
    question: QuestionTerms, asked: Comparison, row: ScoredUnit, names: Sequence[str], limit: int, retrieval: Retrieval
) -> ColumnPair | None:
    """Return the rows whose cell is beyond that in the column `limit`; None if it is unclear which cell."""
    rows = whole_rows([row], question, retrieval)
    figures = {place: _figures(rows, place, asked) for place in range(1, len(names))}
    measures = {place: {one[1:] for one in known.values()} for place, known in figures.items()}
    alike = [place for place, own in measures.items() if place != limit and own and own <= measures[limit]]
    before = fold(question.text[: asked.span.start])
    named = [place for place in alike if names[place] in before]
    within = [place for place in alike if names[place] in names[limit]]
    chosen = next((some[0] for some in (named, alike, within) if len(some) == 1), 0)
    if not chosen:
        return None
    both = [place for place in figures[chosen] if place in figures[limit]]
    beyond = [place for place in both if asked.admits(figures[chosen][place][0], figures[limit][place][0])]
    start = fold(question.text).find(names[limit], asked.span.end)
    said = terms_at(question, asked.span.start, start + len(names[limit]))
    cells = tuple(ScoredCell(rows[place], chosen) for place in beyond)
    return ColumnPair(Series.of_column([row], chosen), cells, len(both), said)


def _figures(rows: Sequence[ScoredUnit], column: int, asked: Comparison) -> dict[int, tuple[float, str, str]]:
    """Return figure, kind and measure of the comparable values in a column, by the place of their row in `rows`."""
    found: dict[int, tuple[float, str, str]] = {}
    for place, row in enumerate(rows):
        name, cell = row.unit.fields[column]
        if (value := magnitude(name, cell, row.language, asked)) is not None:
            found[place] = (value.figure, value.kind, value.measure)
    return found
