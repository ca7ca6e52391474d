"""Answers questions that select rows of a table by comparing cells: "the cheapest part", "flows above 60 m³/h"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from pipelines.lang.comparisons import Comparison
from pipelines.lang.magnitudes import Magnitude, magnitude
from pipelines.lang.quantities import Kind
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval
from qa.quoting.evidence_score import OWN, ScoredUnit
from qa.quoting.list_items import item_at
from qa.quoting.lists import table_of, terms_of
from qa.quoting.quote_text import quote_cells, quote_text
from qa.quoting.table_series import Cell, Series, SeriesSearch, reading_order, whole_column

_LEAST = 2
"""Minimum cells that are compared."""
_COMPARABLE = 2 / 3
"""Minimum share of the filled cells of a series that are values in the same unit; others may be "on request"."""
_SHOWN = 10
"""Maximum quoted rows; the number of others is stated."""
_WIDE = 6
"""A row with at most this many cells is quoted whole, of others the first two cells and the value."""


@dataclass(frozen=True, slots=True)
class SelectedRow:
    """A row that the question selects, and its text to quote."""

    item: ScoredUnit
    text: str


@dataclass(frozen=True, slots=True)
class RowSelection:
    """The selected rows out of `compared` values of the property `name`; none if no value is beyond the bound.

    Extremes come with the most extreme first, others in reading order. `left` selected rows, which are `alike`, are not
    quoted; `unread` cells are no comparable values. `counted` is true if the number of rows is asked for.
    """

    rows: tuple[SelectedRow, ...]
    name: str
    compared: int
    left: int = 0
    unread: int = 0
    alike: str = ""
    counted: bool = False

    @classmethod
    def of(
        cls,
        question: QuestionTerms,
        series: Series,
        chosen: Sequence[Cell],
        said: Collection[str],
        *,
        compared: int,
        alike: str,
        unread: int = 0,
    ) -> Self:
        """Return the selection of the rows of the `chosen` cells of a series.

        The terms `said` by the words of the selection are covered by each row.
        """
        rows = tuple(_selected_row(question, series, cell, said) for cell in chosen[:_SHOWN])
        return cls(rows, series.name, compared, len(chosen) - len(rows), unread, alike, question.counts)

    @property
    def count(self) -> str:
        """The number of selected rows, if it is asked for."""
        return f"{len(self.rows) + self.left} of {self.compared} rows" if self.counted else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about rows that are not quoted or do not exist, and about cells that could not be compared."""
        if not self.rows:
            return (f"None of {self.compared} values of {self.name} is in the range that is asked for.",)
        more = (f"{self.left} more rows {self.alike}.",) if self.left else ()
        cells = "1 cell has" if self.unread == 1 else f"{self.unread} cells have"
        return (*more, f"{cells} no value that could be compared.") if self.unread else more


def select_rows(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> RowSelection | None:
    """Return the rows with the highest or lowest values, or those beyond a bound, if a question asks for them.

    None for other questions, if no table has the property, if its cells are not comparable, or if the best unit is a
    sentence that states the extreme itself.
    """
    asked = None if question.sides else question.comparison
    if asked is None or not scored:
        return None
    search = SeriesSearch(question, asked)
    ranked = [] if search.is_stated_in(scored[0]) else search.ranked(scored)
    comparison = _Comparison(question, asked, search)
    wholes = (one if one.in_row else comparison.whole(one, ranked, retrieval) for one in ranked)
    return next(filter(None, map(comparison.selection, wholes)), None)


def numbered_item(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> RowSelection | None:
    """Return the item of a list at the place that a question asks for, as a selection of one row."""
    found = item_at(question, scored)
    return found and RowSelection((SelectedRow(found[0], quote_text(found[0].unit, question)),), "the list", found[1])


class _Comparison:
    """Compares the values of a series for one question."""

    def __init__(self, question: QuestionTerms, asked: Comparison, search: SeriesSearch) -> None:
        self._question, self._asked, self._search = question, asked, search

    def whole(self, series: Series, others: Sequence[Series], retrieval: Retrieval) -> Series:
        """Return a column with all rows of its table, and those of tables that fit as well."""
        alike = (other for other in others if self._is_alike(series, other))
        cells = (cell for one in (series, *alike) for cell in whole_column(one, self._question, retrieval))
        return replace(series, cells=tuple(cells))

    def _is_alike(self, series: Series, other: Series) -> bool:
        """Whether a column of another table has the same name, as many words of the question, and is not superseded."""
        return (
            table_of(other.cells[0].item) != table_of(series.cells[0].item)
            and (other.in_row, other.name) == (False, series.name)
            and self._search.context(other) >= self._search.context(series)
            and self._measures(other) == self._measures(series)
            and not other.cells[0].item.unit.hit.superseded_by
        )

    def _measures(self, series: Series) -> set[tuple[Kind, str]]:
        values = self._search.values(series.name, series.cells)
        return {(value.kind, value.measure) for value in values if value is not None}

    def selection(self, series: Series) -> RowSelection | None:
        """Return the selected rows of a series; None if its cells are not comparable, or no row differs."""
        needed = str.isdigit if series.in_row else str.isalnum  # a row also has its unit of measure
        cells = [cell for cell in asked_cells(self._question, series, self._search.said) if any(map(needed, cell.text))]
        values = self._search.values(series.name, cells)
        known = [(value, cell) for value, cell in zip(values, cells, strict=True) if value is not None]
        measures = {(value.kind, value.measure) for value, _ in known}
        if len(known) < max(_LEAST, _COMPARABLE * len(cells)) or len(measures) > 1:
            return None
        chosen = self._beyond(series, known) if self._asked.bound else self._extreme(known)
        if chosen is None:
            return None
        alike = "are in the range as well" if self._asked.bound else "have the same value"
        return RowSelection.of(
            self._question,
            series,
            chosen,
            self._search.said,
            compared=len(known),
            alike=alike,
            unread=len(cells) - len(known),
        )

    def _beyond(self, series: Series, known: Sequence[tuple[Magnitude, Cell]]) -> list[Cell] | None:
        """Return the cells beyond the bound, which is read as a cell of the same column; None if it cannot be."""
        first, asked = known[0][1], self._asked
        bounds = [
            magnitude(first.column or series.name, bound, self._question.language, asked)
            for bound in filter(None, (asked.bound, asked.upper))
        ]
        measure = (known[0][0].kind, known[0][0].measure)
        figures = [bound.figure for bound in bounds if bound and (bound.kind, bound.measure) == measure]
        if len(figures) < len(bounds):
            return None
        beyond = (cell for value, cell in known if asked.admits(value.figure, *figures))
        return sorted(beyond, key=reading_order)

    def _extreme(self, known: Sequence[tuple[Magnitude, Cell]]) -> list[Cell] | None:
        """Return the cells with the extreme values, or with the values of the rank asked for; None if all are equal."""
        asked = self._asked
        figures = sorted((value.figure for value, _ in known), reverse=asked.highest)
        if len(distinct := list(dict.fromkeys(figures))) < max(asked.rank, 1 + (asked.count == 1)):
            return None
        if asked.rank > 1:
            return [cell for value, cell in known if value.figure == distinct[asked.rank - 1]]
        last = figures[min(asked.count, len(figures)) - 1]
        best = sorted(known, key=lambda one: one[0].figure, reverse=asked.highest)
        return [cell for value, cell in best if not _is_before(last, value, asked)]


def asked_cells(question: QuestionTerms, series: Series, said: Collection[str]) -> list[Cell]:
    """Return the cells of the things that the question names by other terms than those `said`, of all if it names none.

    Words of the question that are in the heading or the names of a table name all its things.
    """
    named = [sum(question.weights[term] for term in _names(question, series, cell, said)) for cell in series.cells]
    return [cell for weight, cell in zip(named, series.cells, strict=True) if weight >= max(named)]


def _names(question: QuestionTerms, series: Series, cell: Cell, said: Collection[str]) -> Iterator[str]:
    """Yield the terms of the question that distinguish a thing within its table."""
    unit = cell.item.unit
    common = unit.above | terms_of([series.name] if series.in_row else series.names, cell.language)
    own = terms_of([cell.thing] if series.in_row else [unit.group, *(text for _, text in unit.fields)], cell.language)
    for term in question.weights.keys() - said:
        if question.form(term, cell.language) in own - common:
            yield term


def _selected_row(question: QuestionTerms, series: Series, cell: Cell, said: Collection[str]) -> SelectedRow:
    """Return the row of a cell with its text; the terms `said` by the words of the selection are covered by it."""
    unit, few = cell.item.unit, {cell.place} if series.in_row else {1, cell.place}
    narrow = not series.in_row and sum(bool(text) for _, text in unit.fields) <= _WIDE
    covers = {**cell.item.covers, **dict.fromkeys(said, OWN)}
    item = replace(cell.item, covers=covers, coverage=question.share(covers), gives=True)
    return SelectedRow(item, quote_cells(unit, set(range(len(unit.fields))) if narrow else few))


def _is_before(figure: float, value: Magnitude, asked: Comparison) -> bool:
    """Whether a figure is nearer to the extreme than a value."""
    return figure > value.figure if asked.highest else figure < value.figure
