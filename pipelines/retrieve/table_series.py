"""The series of a table that a question may compare, for an extreme or with a bound, and how well each fits it.

A series is what can be compared: the cells of one column, one for each row, or, in tables with a column for each thing,
the cells of one row. The property asked for is that whose words are nearest to the comparison in the question, or the
kind of value that the comparison itself names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from pipelines.core.provenance import Span
from pipelines.lang.comparisons import Comparison, comparison_asked
from pipelines.lang.magnitudes import Magnitude, magnitude
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import is_paired
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms, term_places, terms_at
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.tables import column_names, is_total, rows_by_table, table_of, terms_of, whole_table
from pipelines.retrieve.term_cover import ABOVE, OWN

_UNCLEAR = frozenset({Kind.NUMBER, Kind.PERSON, Kind.REASON, Kind.PHONE, Kind.MAIL})
"""Kinds that do not tell which column is asked for."""
_INFORMATIVE = 0.5
"""Minimum information content of the word for a property: less than 0.5 have the 53 most frequent words of a language,
such as "has" before a superlative."""
_KIND = 0.25
"""Fit of a property whose values have the kind asked for, and of one whose name tells it, less than that of a word."""

_INITIAL = re.compile(r"(?<!\S)[A-Z]$")
"""A name by its initial at the end of a column's name: "R" for the risk in a risk assessment, "Before R"."""
_TIE = 0.1
"""Factor for the words of a name if the comparison names the property: "the most expensive repair" decides between two
columns with amounts."""


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """A cell of a series: its row, and its place in the row."""

    item: ScoredUnit
    place: int

    @property
    def column(self) -> str:
        """The name of its column."""
        return self.item.unit.fields[self.place][0]

    @property
    def text(self) -> str:
        return self.item.unit.fields[self.place][1]

    @property
    def key(self) -> tuple[str, Span, int]:
        """Its place in the order of reading, which identifies it."""
        return (self.item.unit.hit.document, self.item.unit.span, self.place)


@dataclass(frozen=True, slots=True)
class Series:
    """Cells with the same property `name`, of a row (`in_row`) or a column.

    `names` are those of all properties of a table with a row for each thing, else the name alone.
    """

    name: str
    names: Sequence[str]
    cells: tuple[ScoredCell, ...]
    in_row: bool = False

    @classmethod
    def of_column(cls, rows: Iterable[ScoredUnit], place: int) -> Self:
        """Return the cells at a place of rows with the same columns."""
        cells = tuple(ScoredCell(item, place) for item in rows)
        names = column_names(cells[0].item)
        return cls(names[place], names, cells)

    @classmethod
    def of_row(cls, row: ScoredUnit) -> Self:
        """Return the cells of a row behind the first, which names their property."""
        name = row.unit.fields[0][1]
        return cls(name, [name], tuple(ScoredCell(row, place) for place in range(1, len(row.unit.fields))), in_row=True)

    @property
    def table(self) -> str:
        """The key of its table."""
        return table_of(self.cells[0].item)

    def own_terms(self, cell: ScoredCell) -> frozenset[str]:
        """Return the terms of the thing that a cell belongs to: of its column name, or of its row."""
        unit = cell.item.unit
        texts = [cell.column] if self.in_row else [unit.group, *(text for _, text in unit.fields)]
        return terms_of(texts, cell.item.language)


class SeriesSearch:
    """Finds the series for one question with a comparison; `said` are the terms of the comparison."""

    def __init__(self, question: QuestionTerms, asked: Comparison) -> None:
        self.question, self.asked = question, asked
        self.said = terms_at(question, asked.span.start, asked.span.end)
        self._near = _nearness(question, asked, self.said)
        self._nearest = max(self._near, key=lambda term: self._near[term], default="")
        self._kinds = asked.kinds or (question.wants - _UNCLEAR)
        self._needed = tuple(self._near) if asked.kinds == {Kind.DATE} else (self._nearest,)

    def is_stated_in(self, best: ScoredUnit) -> bool:
        """Whether a unit is a sentence with the bound, or with such a superlative and the word next to it."""
        if best.unit.is_row:
            return False
        if self.asked.bound:
            return self.asked.bound in best.unit.text and all(best.covers.get(term, 0.0) >= OWN for term in self.said)
        said = comparison_asked(best.unit.text, best.language)
        return said is not None and said.highest == self.asked.highest and best.covers.get(self._nearest, 0.0) >= OWN

    def ranked(self, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> Iterator[Series]:
        """Yield the series of all tables whose names fit the question, best first.

        A column has all rows of its table, and those of tables with a column that fits as well.
        """
        dated = self.asked.kinds == {Kind.DATE}  # a log begins with the date
        fitting = ((series, self._fit(series)) for series in _all_series(scored, 0 if dated else 1))
        order = [(self._rank(series, fit), series) for series, fit in fitting if fit]
        order.sort(key=lambda one: one[0], reverse=True)
        found = [series for _, series in order if self._is_about(series, scored)]
        for series in found:
            alike = [series, *(other for other in found if self._is_alike(series, other))]
            whole = (cell for one in alike for cell in whole_column(one, self.question, retrieval))
            yield series if series.in_row else replace(series, cells=tuple(whole))

    def values(self, series: Series, cells: Sequence[ScoredCell]) -> list[tuple[Magnitude, ScoredCell]]:
        """Return the cells of a series that have a comparable value, with this value."""
        read = (magnitude(one.column or series.name, one.text, one.item.language, self.asked) for one in cells)
        return [(value, cell) for value, cell in zip(read, cells, strict=True) if value is not None]

    def _context(self, series: Series) -> frozenset[str]:
        """Return the terms of the question in the headings, names and cells of a series."""
        rest = self.question.weights.keys() - self.said
        return frozenset(term for term in rest if any(cell.item.covers[term] >= ABOVE for cell in series.cells))

    def _is_alike(self, series: Series, other: Series) -> bool:
        """Whether a column of another table has the same name, as many words of the question, and is not superseded."""
        return (
            other.table != series.table
            and (other.in_row, other.name) == (False, series.name)
            and self._context(other) >= self._context(series)
            and self._measures(other) == self._measures(series)
            and not other.cells[0].item.unit.hit.superseded_by
        )

    def _measures(self, series: Series) -> set[tuple[Kind, str]]:
        return {(value.kind, value.measure) for value, _ in self.values(series, series.cells)}

    def _fit(self, series: Series) -> float:
        """Return how well a property name fits: by its words, less by the kind of its values; 0 if it does not.

        The word nearest to the comparison must be in the name or elsewhere in the table, or name the kind of value. For
        dates, which words such as "first" ask for, any word in the table is enough: "serviced" is seldom in a log.
        A word that no passage has need not be there if the comparison names the kind: "the cheapest article".
        """
        language = series.cells[0].item.language
        each = [name_terms(one, language) for one in series.names]
        distinct = name_terms(series.name, language) - (each[0].intersection(*each[1:]) if each[1:] else frozenset())
        initial = series.name[-1:].lower() if _INITIAL.search(series.name) else ""
        forms = {term: self.question.form(term, language) for term in self._near}
        named = (term for term, form in forms.items() if form in distinct or (initial and form.startswith(initial)))
        said = {term: self._near[term] for term in named}
        if self.asked.bound and any(self.question.form(term, language) in distinct for term in self.said):
            said[self._nearest] = 1.0  # "less than 3000 operating hours" names the column "Operating hours"
        kinds = {value.kind for value, _ in self.values(series, series.cells)}
        of_kind = not self._kinds.isdisjoint(kinds)
        itself = len(self.asked.kinds) == 1 and not self.asked.bound  # "the cheapest" names the property
        known = (
            self._nearest in said
            or (of_kind and (not self._nearest or self._nearest in self.question.asking))
            or (of_kind and itself and self._nearest in self.question.unknown)
            or any(cell.item.covers.get(term, 0.0) >= ABOVE for cell in series.cells for term in self._needed)
        )
        if not known or not kinds or (self.asked.kinds and not of_kind):
            return 0.0
        if series.in_row and not of_kind and self._nearest not in said:
            return 0.0  # the row of the belt is no property that belts have
        fit = sum(said.values()) * (_TIE if itself else 1.0)
        fit += sum(self.question.form(code, language) in distinct for code in self.question.codes)  # "in 2026"
        tells = not self._kinds.isdisjoint(value_kinds(series.name, language))  # "Weight", not "Payload", is a mass
        return fit + _KIND * (of_kind + tells)

    def _is_about(self, series: Series, scored: Sequence[ScoredUnit]) -> bool:
        """Whether a series has the names and codes of the question that any unit has."""
        names = (self.question.names | self.question.codes) - self.said - self._context(series)
        return not any(item.covers[term] >= ABOVE for term in names for item in scored)

    def _rank(self, series: Series, fit: float) -> tuple[float, float, float]:
        """Return the order of a series: by the fit of its name and by the words of the question in its table."""
        best = max((cell.item for cell in series.cells), key=lambda item: item.score)
        covered = self.question.share(dict.fromkeys(self._context(series), 1.0))
        return (fit + covered - bool(best.unit.hit.superseded_by), best.score, -series.cells[0].place)


def asked_cells(question: QuestionTerms, series: Series, said: Collection[str]) -> list[ScoredCell]:
    """Return the cells of the things that the question names by other terms than those `said`, of all if it names none.

    Words of the question that are in the heading or the names of a table name all its things.
    """
    named = [sum(question.weights[term] for term in _names(question, series, cell, said)) for cell in series.cells]
    return [cell for weight, cell in zip(named, series.cells, strict=True) if weight >= max(named)]


def _names(question: QuestionTerms, series: Series, cell: ScoredCell, said: Collection[str]) -> Iterator[str]:
    """Yield the terms of the question that distinguish a thing within its table."""
    language = cell.item.language
    own = series.own_terms(cell) - cell.item.unit.above - terms_of(series.names, language)
    yield from (term for term in question.weights.keys() - said if question.form(term, language) in own)


def _all_series(scored: Sequence[ScoredUnit], first: int) -> Iterator[Series]:
    """Yield the columns of each table from the `first` on, and the rows with a different name for each cell."""
    for rows in rows_by_table(scored).values():
        names = column_names(rows[0])
        same = [item for item in rows if column_names(item) == names and not is_total(item)]
        if not same:
            continue
        yield from (Series.of_column(same, place) for place in range(first, len(names)))
        if len(names) > 1 and len(set(names[1:])) == len(names) - 1:
            yield from map(Series.of_row, same)


def _nearness(question: QuestionTerms, asked: Comparison, said: frozenset[str]) -> Mapping[str, float]:
    """Return for each informative term of the question 1 for the nearest to the comparison, then 1/2, 1/3.

    Of two that are as near, the one behind it is nearer: "hizo más piezas" asks for pieces.
    """
    distance = {
        term: (max(asked.span.start - end, start - asked.span.end, 0), start < asked.span.start)
        for term, start, end in term_places(question)
        if term not in said and _names_property(question, term)
    }
    order = sorted(distance, key=lambda term: distance[term])
    return {term: 1 / place for place, term in enumerate(order, 1)}


def _names_property(question: QuestionTerms, term: str) -> bool:
    """Whether a term may name a property or a thing: a word that is not too frequent, and not a number."""
    word = question.words[term]
    return is_paired(word) or (question.information[term] >= _INFORMATIVE and any(map(str.isalpha, word)))


def name_terms(name: str, language: str) -> frozenset[str]:
    """Return the terms of a property's name, which may be an identifier ("lead_time_days")."""
    return terms_of([name.replace("_", " ")], language)


def whole_column(series: Series, question: QuestionTerms, retrieval: Retrieval) -> list[ScoredCell]:
    """Return the cells of a column in all rows of its table."""
    rows = whole_rows([cell.item for cell in series.cells], question, retrieval)
    return [ScoredCell(row, series.cells[0].place) for row in rows]


def whole_rows(known: Sequence[ScoredUnit], question: QuestionTerms, retrieval: Retrieval) -> list[ScoredUnit]:
    """Return all rows of the table of `known` rows that have the columns of the first, without rows of totals."""
    first = known[0]
    rows = rows_by_table([*known, *whole_table(question, first, retrieval)])[table_of(first)]
    same = [row for row in rows if column_names(row) == column_names(first) and not is_total(row)]
    return list({(row.unit.hit.document, row.unit.span): row for row in reversed(same)}.values())[::-1]
