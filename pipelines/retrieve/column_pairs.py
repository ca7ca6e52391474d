"""Two columns of a table that a question compares with one another: "Which items are below the minimum stock?"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipelines.lang.characters import fold
from pipelines.lang.comparisons import Comparison, limits_asked
from pipelines.lang.magnitudes import magnitude
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms, terms_at
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import Cell, Series, whole_column
from pipelines.retrieve.tables import column_names, rows_by_table

_SEARCHED = 12
"""Number of best units whose tables are searched for the columns."""
_ARTICLE = 6
"""Maximum characters between the word of the limit and the name of the column: an article."""


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """The compared column, its cells beyond those of the other column, the number of comparable rows, and the terms
    of the question that name the comparison."""

    series: Series
    chosen: tuple[Cell, ...]
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
    columns = {
        place: {cell.item.unit.span: cell for cell in whole_column(Series.of_column([row], place), question, retrieval)}
        for place in range(1, len(names))
    }
    figures = {place: dict(_figures(cells.values(), asked)) for place, cells in columns.items()}
    measures = {place: {one[1:] for one in known.values()} for place, known in figures.items()}
    alike = [place for place, own in measures.items() if place != limit and own and own <= measures[limit]]
    before = fold(question.text[: asked.span.start])
    named = [place for place in alike if names[place] in before]
    within = [place for place in alike if names[place] in names[limit]]
    chosen = next((some[0] for some in (named, alike, within) if len(some) == 1), 0)
    if not chosen:
        return None
    both = [span for span in columns[chosen] if span in figures[chosen] and span in figures[limit]]
    beyond = [span for span in both if asked.admits(figures[chosen][span][0], figures[limit][span][0])]
    start = fold(question.text).find(names[limit], asked.span.end)
    said = terms_at(question, asked.span.start, start + len(names[limit]))
    series = Series.of_column([row], chosen)
    return ColumnPair(series, tuple(columns[chosen][span] for span in beyond), len(both), said)


def _figures(cells: Iterable[Cell], asked: Comparison) -> Iterator[tuple[object, tuple[float, str, str]]]:
    """Yield the place of each row with a comparable value, and its figure, kind and measure."""
    for cell in cells:
        value = magnitude(cell.column, cell.text, cell.item.language, asked)
        if value is not None:
            yield cell.item.unit.span, (value.figure, value.kind, value.measure)
