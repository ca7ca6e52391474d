"""Answers questions for an extreme ("the cheapest spare part", "the highest flow") by comparing cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipelines.lang.magnitudes import Extreme, Magnitude, extreme_asked
from pipelines.lang.quantities import Kind
from pipelines.lang.terms import terms
from pipelines.retrieve.searches import Retrieval, WholeCorpus
from qa.quoting.evidence_score import OWN, ScoredUnit, score_units
from qa.quoting.lists import table_of
from qa.quoting.question_terms import QuestionTerms
from qa.quoting.quote_text import quote_cells
from qa.quoting.table_series import Cell, Series, SeriesSearch

_LEAST = 2
"""Minimum cells that are compared."""
_COMPARABLE = 2 / 3
"""Minimum share of the filled cells of a series that are values in the same unit; others may be "on request"."""
_SHOWN = 10
"""Maximum quoted rows with the same extreme value; the number of others is stated."""
_WIDE = 6
"""A row with at most this many cells is quoted whole, of others the first two cells and the value."""


@dataclass(frozen=True, slots=True)
class Winner:
    """A row with the extreme value, and its text to quote."""

    item: ScoredUnit
    text: str


@dataclass(frozen=True, slots=True)
class Winners:
    """The rows with the extreme of `compared` values of the property `name`, the most extreme first.

    If the question asks for several, rows with the next values follow. `left` rows with the same value are not quoted,
    `unread` cells are no comparable values.
    """

    rows: tuple[Winner, ...]
    name: str
    compared: int
    left: int = 0
    unread: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about rows that are not quoted, and about cells that could not be compared."""
        more = (f"{self.left} more rows have the same value.",) if self.left else ()
        cells = "1 cell has" if self.unread == 1 else f"{self.unread} cells have"
        return (*more, f"{cells} no value that could be compared.") if self.unread else more


def extreme_rows(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> Winners | None:
    """Return the rows with the highest or lowest value, if a question asks for it and a table among `scored` has it.

    None for other questions, if no table has the property, if its cells are not comparable, or if the best unit is a
    sentence that states the extreme itself.
    """
    asked = None if question.sides else extreme_asked(question.text, question.language)
    if asked is None or not scored:
        return None
    search = SeriesSearch(question, asked)
    ranked = [] if search.is_stated_in(scored[0]) else search.ranked(scored)
    comparison = _Comparison(question, asked, search)
    for one in ranked:
        whole = one if one.in_row else comparison.whole(one, ranked, retrieval)
        if winners := comparison.winners(whole):
            return winners
    return None


class _Comparison:
    """Compares the values of a series for one question."""

    def __init__(self, question: QuestionTerms, asked: Extreme, search: SeriesSearch) -> None:
        self._question, self._asked, self._search = question, asked, search

    def whole(self, series: Series, others: Sequence[Series], retrieval: Retrieval) -> Series:
        """Return a column with all rows of its table, and those of tables that fit as well."""
        if not isinstance(retrieval, WholeCorpus):
            return series
        found: dict[tuple[str, int], Cell] = {}
        for one in (series, *(other for other in others if self._is_alike(series, other))):
            table = one.cells[0].item.unit
            hits = retrieval.whole_tables(table.hit.chunk.id) if table.table else ()
            hits = tuple(replace(hit, score=table.hit.score) for hit in hits)
            for cell in _all_rows(one, score_units(self._question, hits, retrieval.lexicon)):
                found.setdefault((cell.item.unit.hit.document, cell.item.unit.span.start), cell)
        return replace(series, cells=tuple(found.values()))

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

    def winners(self, series: Series) -> Winners | None:
        """Return the rows with the extreme values of a series; None if its cells are not comparable, or all equal."""
        needed = str.isdigit if series.in_row else str.isalnum  # a row also has its unit of measure
        cells = [cell for cell in self._asked_cells(series) if any(map(needed, cell.text))]
        values = self._search.values(series.name, cells)
        known = [(value, cell) for value, cell in zip(values, cells, strict=True) if value is not None]
        measures = {(value.kind, value.measure) for value, _ in known}
        if len(known) < max(_LEAST, _COMPARABLE * len(cells)) or len(measures) > 1:
            return None
        known.sort(key=lambda one: one[0].figure, reverse=self._asked.highest)
        last = known[min(self._asked.count, len(known)) - 1][0].figure
        rows = [self._winner(series, cell) for value, cell in known if not _is_before(last, value, self._asked)]
        if len(rows) == len(known) and self._asked.count == 1:
            return None
        left, unread = max(0, len(rows) - _SHOWN), len(cells) - len(known)
        return Winners(tuple(rows[:_SHOWN]), series.name, len(known), left, unread)

    def _asked_cells(self, series: Series) -> list[Cell]:
        """Return the cells of the things that the question names, of all if it names none.

        Words of the question that are in the heading or the names of a table name all its things.
        """
        named = [sum(self._question.weights[term] for term in self._names(series, cell)) for cell in series.cells]
        return [cell for weight, cell in zip(named, series.cells, strict=True) if weight >= max(named)]

    def _names(self, series: Series, cell: Cell) -> Iterator[str]:
        """Yield the terms of the question that distinguish a thing within its table."""
        unit = cell.item.unit
        common = unit.above | _terms_of([series.name] if series.in_row else series.names, cell.language)
        own = _terms_of(
            [cell.thing] if series.in_row else [unit.group, *(text for _, text in unit.fields)], cell.language
        )
        for term in self._question.weights.keys() - self._search.said:
            if self._question.form(term, cell.language) in own - common:
                yield term

    def _winner(self, series: Series, cell: Cell) -> Winner:
        unit, few = cell.item.unit, {cell.place} if series.in_row else {1, cell.place}
        narrow = not series.in_row and sum(bool(text) for _, text in unit.fields) <= _WIDE
        covers = {**cell.item.covers, **dict.fromkeys(self._search.said, OWN)}
        covered = sum(self._question.weights[term] * cover for term, cover in covers.items())
        coverage = covered / (self._question.total or 1.0)
        item = replace(cell.item, covers=covers, coverage=coverage, gives=True)
        return Winner(item, quote_cells(unit, set(range(len(unit.fields))) if narrow else few))


def _is_before(figure: float, value: Magnitude, asked: Extreme) -> bool:
    """Whether a figure is nearer to the extreme than a value."""
    return figure > value.figure if asked.highest else figure < value.figure


def _all_rows(series: Series, scored: Sequence[ScoredUnit]) -> Iterator[Cell]:
    """Yield the cells of a column, then those of the other rows of its table among `scored`."""
    first = series.cells[0]
    yield from series.cells
    for item in scored:
        fields = item.unit.fields
        of_table = table_of(item) == table_of(first.item) and not item.unit.label
        if of_table and [name for name, _ in fields] == series.names:
            yield Cell(item, first.place, fields[0][1])


def _terms_of(texts: Sequence[str], language: str) -> frozenset[str]:
    return frozenset(terms(" ".join(texts), language, stop=False))
