"""The series of a table that a question may compare, for an extreme or with a bound, and how well each fits it.

A series is what can be compared: the cells of one column, one for each row, or, in tables with a column for each thing,
the cells of one row. The property asked for is that whose words are nearest to the comparison in the question, or the
kind of value that the comparison itself names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.provenance import Span
from pipelines.lang.comparisons import Comparison, comparison_asked
from pipelines.lang.magnitudes import Magnitude, magnitude
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import is_paired
from pipelines.retrieve.question_terms import QuestionTerms, term_places, terms_at
from pipelines.retrieve.searches import Retrieval, WholeCorpus
from qa.quoting.evidence_score import ABOVE, OWN, ScoredUnit, score_units
from qa.quoting.lists import table_of, terms_of

_UNCLEAR = frozenset({Kind.NUMBER, Kind.PERSON, Kind.REASON, Kind.PHONE, Kind.MAIL})
"""Kinds that do not tell which column is asked for."""
_INFORMATIVE = 0.5
"""Minimum information content of the word for a property: less than 0.5 have the 53 most frequent words of a language,
such as "has" before a superlative."""
_KIND = 0.25
"""Fit of a property whose values have the kind asked for, and of one whose name tells it, less than that of a word."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a series: its row, its place in the row, and the thing that it belongs to."""

    item: ScoredUnit
    place: int
    thing: str

    @property
    def column(self) -> str:
        """The name of its column."""
        return self.item.unit.fields[self.place][0]

    @property
    def text(self) -> str:
        return self.item.unit.fields[self.place][1]

    @property
    def language(self) -> str:
        """The language of its text (ISO 639-1)."""
        return self.item.unit.hit.chunk.language


@dataclass(frozen=True, slots=True)
class Series:
    """Cells with the same property `name`, of a row (`in_row`) or a column; `fit` is how well the name fits."""

    name: str
    cells: tuple[Cell, ...]
    in_row: bool
    fit: float

    @property
    def names(self) -> list[str]:
        """The column names of its table."""
        return [name for name, _ in self.cells[0].item.unit.fields]


class SeriesSearch:
    """Finds the series for one question with a comparison."""

    def __init__(self, question: QuestionTerms, asked: Comparison) -> None:
        self._question, self._asked = question, asked
        self.said = terms_at(question, asked.span.start, asked.span.end)
        self._near = _nearness(question, asked, self.said)
        self._nearest = max(self._near, key=lambda term: self._near[term], default="")
        self._kinds = asked.kinds or (question.wants - _UNCLEAR)

    def is_stated_in(self, best: ScoredUnit) -> bool:
        """Whether a unit is a sentence with a superlative in the same direction and the word next to it."""
        if self._asked.bound or best.unit.is_row:
            return False
        said = comparison_asked(best.unit.text, best.unit.hit.chunk.language)
        return said is not None and said.highest == self._asked.highest and best.covers.get(self._nearest, 0.0) >= OWN

    def ranked(self, scored: Sequence[ScoredUnit]) -> list[Series]:
        """Return the series of all tables whose names fit the question, best first."""
        rows = [item for item in scored if item.unit.fields and not item.unit.label]
        found = sorted(self._series(rows), key=self._rank, reverse=True)
        return [one for one in found if self._is_about(one, scored)]

    def values(self, name: str, cells: Sequence[Cell]) -> list[Magnitude | None]:
        """Return the comparable values of the cells of a property."""
        return [magnitude(cell.column or name, cell.text, cell.language, self._asked) for cell in cells]

    def context(self, series: Series) -> frozenset[str]:
        """Return the terms of the question in the headings, names and cells of a series."""
        rest = self._question.weights.keys() - self.said
        return frozenset(term for term in rest if any(cell.item.covers[term] >= ABOVE for cell in series.cells))

    def _series(self, rows: Sequence[ScoredUnit]) -> Iterator[Series]:
        for table in dict.fromkeys(map(table_of, rows)):
            own = [item for item in rows if table_of(item) == table]
            names = [name for name, _ in own[0].unit.fields]
            same = [item for item in own if [name for name, _ in item.unit.fields] == names]
            yield from self._columns(same, names)
            yield from (series for item in same if (series := self._row(item)))

    def _columns(self, rows: Sequence[ScoredUnit], names: Sequence[str]) -> Iterator[Series]:
        for place, name in list(enumerate(names))[1:]:
            cells = tuple(Cell(item, place, item.unit.fields[0][1]) for item in rows)
            if fit := self._fit(name, names, cells):
                yield Series(name, cells, in_row=False, fit=fit)

    def _row(self, item: ScoredUnit) -> Series | None:
        """Return the cells of a row as a series, if they are values of the property in its first cell."""
        (_, name), *fields = item.unit.fields
        cells = tuple(Cell(item, place, thing) for place, (thing, _) in enumerate(fields, 1))
        distinct = len({cell.thing for cell in cells}) == len(cells)
        fit = self._fit(name, [name], cells) if cells and distinct else 0.0
        return Series(name, cells, in_row=True, fit=fit) if fit else None

    def _fit(self, name: str, names: Sequence[str], cells: Sequence[Cell]) -> float:
        """Return how well a property name fits: by its words, less by the kind of its values; 0 if it does not.

        The word nearest to the comparison must be in the name or elsewhere in the table, or name the kind of value.
        """
        language = cells[0].language
        each = [name_terms(one, language) for one in names]
        distinct = name_terms(name, language) - (each[0].intersection(*each[1:]) if len(each) > 1 else frozenset())
        said = {term: near for term, near in self._near.items() if self._question.form(term, language) in distinct}
        kinds = {value.kind for value in self.values(name, cells) if value is not None}
        of_kind = not self._kinds.isdisjoint(kinds)
        known = (
            self._nearest in said
            or (of_kind and (not self._nearest or self._nearest in self._question.asking))
            or any(cell.item.covers.get(self._nearest, 0.0) >= ABOVE for cell in cells)
        )
        if not known or not kinds or (self._asked.kinds and not of_kind):
            return 0.0
        itself = len(self._asked.kinds) == 1 and not self._asked.bound  # "the cheapest" names the property
        named = 0.0 if itself else sum(said.values())
        tells = not self._kinds.isdisjoint(value_kinds(name, language))  # "Weight" rather than "Payload" is a mass
        return named + _KIND * (of_kind + tells)

    def _is_about(self, series: Series, scored: Sequence[ScoredUnit]) -> bool:
        """Whether a series has the names and codes of the question that any unit has."""
        names = (self._question.names | self._question.codes) - self.said - self.context(series)
        return not any(item.covers[term] >= ABOVE for term in names for item in scored)

    def _rank(self, series: Series) -> tuple[float, float, float]:
        """Return the order of a series: by its name and by the words of the question in its table."""
        best = max((cell.item for cell in series.cells), key=lambda item: item.score)
        covered = self._question.share(dict.fromkeys(self.context(series), 1.0))
        return (series.fit + covered - bool(best.unit.hit.superseded_by), best.score, -series.cells[0].place)


def _nearness(question: QuestionTerms, asked: Comparison, said: frozenset[str]) -> Mapping[str, float]:
    """Return for each informative term of the question 1 for the nearest to the comparison, then 1/2, 1/3."""
    distance = {
        term: max(asked.span.start - end, start - asked.span.end, 0)
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


def units_of_table(question: QuestionTerms, row: ScoredUnit, retrieval: Retrieval) -> list[ScoredUnit]:
    """Return the scored units of all chunks with a row's table; none if the table or its chunks are unknown."""
    if not row.unit.table or not isinstance(retrieval, WholeCorpus):
        return []
    hits = [replace(hit, score=row.unit.hit.score) for hit in retrieval.whole_tables(row.unit.hit.chunk.id)]
    return score_units(question, hits, retrieval.lexicon)


def whole_column(series: Series, question: QuestionTerms, retrieval: Retrieval) -> Iterator[Cell]:
    """Yield the cells of a column in all rows of its table."""
    found: dict[tuple[str, int], Cell] = {}
    for cell in _all_rows(series, units_of_table(question, series.cells[0].item, retrieval)):
        found.setdefault((cell.item.unit.hit.document, cell.item.unit.span.start), cell)
    yield from found.values()


def _all_rows(series: Series, scored: Sequence[ScoredUnit]) -> Iterator[Cell]:
    """Yield the cells of a column, then those of the other rows of its table among `scored`."""
    first = series.cells[0]
    yield from series.cells
    for item in scored:
        fields = item.unit.fields
        of_table = table_of(item) == table_of(first.item) and not item.unit.label
        if of_table and [name for name, _ in fields] == series.names:
            yield Cell(item, first.place, fields[0][1])


def reading_order(cell: Cell) -> tuple[str, Span, int]:
    """Return the key by which cells are sorted in the order of reading."""
    return (cell.item.unit.hit.document, cell.item.unit.span, cell.place)
