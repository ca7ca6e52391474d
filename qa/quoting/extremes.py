"""Answers questions for an extreme ("the cheapest spare part", "the highest flow") by comparing cells of a table.

A series is what can be compared: the cells of one column, one for each row, or, in tables with a column for each thing,
the cells of one row. The property asked for is that whose words are nearest to the superlative in the question, or the
kind of value that the superlative itself names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.lang.characters import fold
from pipelines.lang.magnitudes import Extreme, Magnitude, extreme_asked, magnitude
from pipelines.lang.quantities import Kind
from pipelines.lang.terms import terms
from pipelines.retrieve.searches import Retrieval, WholeCorpus
from qa.quoting.evidence_score import ABOVE, OWN, ScoredUnit, score_units
from qa.quoting.lists import table_of
from qa.quoting.question_terms import QuestionTerms
from qa.quoting.quote_text import quote_cells

_LEAST = 2
"""Minimum cells that are compared."""
_COMPARABLE = 2 / 3
"""Minimum share of the filled cells of a series that are values in the same unit; others may be "on request"."""
_SHOWN = 5
"""Maximum quoted rows with the same extreme value; the number of others is stated."""
_WIDE = 6
"""A row with at most this many cells is quoted whole, of others the first two cells and the value."""
_UNCLEAR = frozenset({Kind.NUMBER, Kind.PERSON, Kind.REASON, Kind.PHONE, Kind.MAIL})
"""Kinds that do not tell which column is asked for."""


_INFORMATIVE = 0.5
"""Minimum information content of the word for a property: less than 0.5 have the 53 most frequent words of a language,
such as "has" before a superlative."""
_KIND = 0.25
"""Fit of a property whose values have the kind asked for, less than that of a word."""


@dataclass(frozen=True, slots=True)
class Winner:
    """A row with the extreme value, and its text to quote."""

    item: ScoredUnit
    text: str


@dataclass(frozen=True, slots=True)
class Winners:
    """The rows with the extreme value in reading order; `compared` values of the property `name`.

    `left` rows with the same value are not quoted, `unread` cells are no comparable values.
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


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a series: its row, its place in the row, and the thing that it belongs to."""

    item: ScoredUnit
    place: int
    thing: str

    @property
    def text(self) -> str:
        return self.item.unit.fields[self.place][1]


@dataclass(frozen=True, slots=True)
class _Series:
    """Cells with the same property `name`; `fit` is how well the name fits the question."""

    name: str
    cells: tuple[_Cell, ...]
    in_row: bool
    fit: float


def extreme_rows(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> Winners | None:
    """Return the rows with the highest or lowest value, if a question asks for it and a table among `scored` has it.

    None for other questions, if no table has the property, if its cells are not comparable, or if a sentence that is
    better than all rows states the extreme itself.
    """
    asked = None if question.sides else extreme_asked(question.text, question.language)
    rows = [item for item in scored if item.unit.fields and not item.unit.label] if asked else []
    comparison = _Comparison(question, asked) if asked and rows else None
    if comparison is None or comparison.is_stated_in(scored[0]):
        return None
    found = sorted(comparison.series(rows), key=comparison.rank, reverse=True)
    for one in found:
        whole = one if one.in_row else comparison.whole(one, found, retrieval)
        if winners := comparison.winners(whole):
            return winners
    return None


class _Comparison:
    """Compares the values of tables for one question."""

    def __init__(self, question: QuestionTerms, asked: Extreme) -> None:
        self._question, self._asked = question, asked
        folded = fold(question.text)
        self._said = frozenset(
            term
            for term, word in question.words.items()
            if (place := folded.find(word)) < asked.span.end and asked.span.start < place + len(word)
        )
        self._near = _nearness(question, asked, self._said)
        self._kinds = asked.kinds or (question.wants - _UNCLEAR)

    def is_stated_in(self, best: ScoredUnit) -> bool:
        """Whether a unit is a sentence with a superlative in the same direction and the word next to it."""
        said = extreme_asked(best.unit.text, best.unit.hit.chunk.language) if not best.unit.is_row else None
        nearest = max(self._near, key=lambda term: self._near[term], default="")
        return said is not None and said.highest == self._asked.highest and best.covers.get(nearest, 0.0) >= OWN

    def series(self, rows: Sequence[ScoredUnit]) -> Iterator[_Series]:
        """Yield the series of all tables whose names fit the question."""
        for table in dict.fromkeys(map(table_of, rows)):
            own = [item for item in rows if table_of(item) == table]
            names = [name for name, _ in own[0].unit.fields]
            same = [item for item in own if [name for name, _ in item.unit.fields] == names]
            yield from self._columns(same, names)
            yield from (series for item in same if (series := self._row(item)))

    def _columns(self, rows: Sequence[ScoredUnit], names: Sequence[str]) -> Iterator[_Series]:
        for place, name in list(enumerate(names))[1:]:
            cells = tuple(_Cell(item, place, item.unit.fields[0][1]) for item in rows)
            if fit := self._fit(name, names, cells):
                yield _Series(name, cells, in_row=False, fit=fit)

    def _row(self, item: ScoredUnit) -> _Series | None:
        """Return the cells of a row as a series, if they are values of the property in its first cell."""
        (_, name), *fields = item.unit.fields
        cells = tuple(_Cell(item, place, thing) for place, (thing, _) in enumerate(fields, 1))
        fit = self._fit(name, [name], cells) if len({cell.thing for cell in cells}) == len(cells) else 0.0
        return _Series(name, cells, in_row=True, fit=fit) if fit else None

    def _fit(self, name: str, names: Sequence[str], cells: Sequence[_Cell]) -> float:
        """Return how well a property name fits: by its words, less by the kind of its values; 0 if it does not.

        The word nearest to the superlative must be in the name or elsewhere in the table, or name the kind of value.
        """
        language = cells[0].item.unit.hit.chunk.language if cells else ""
        each = [_name_terms(one, language) for one in names]
        distinct = _name_terms(name, language) - (each[0].intersection(*each[1:]) if len(each) > 1 else frozenset())
        said = {term: near for term, near in self._near.items() if self._question.form(term, language) in distinct}
        kinds = {value.kind for value in self._values(name, cells) if value is not None}
        of_kind = not self._kinds.isdisjoint(kinds)
        nearest = max(self._near, key=lambda term: self._near[term], default="")
        known = (
            nearest in said
            or (of_kind and nearest in self._question.asking)
            or any(cell.item.covers.get(nearest, 0.0) >= ABOVE for cell in cells)
        )
        if not known or not kinds or (self._asked.kinds and not of_kind):
            return 0.0
        return sum(said.values()) + _KIND * of_kind

    def _values(self, name: str, cells: Sequence[_Cell]) -> list[Magnitude | None]:
        return [
            magnitude(cell.item.unit.fields[cell.place][0] if cell.place else name, cell.text, language, self._asked)
            for cell in cells
            for language in (cell.item.unit.hit.chunk.language,)
        ]

    def rank(self, series: _Series) -> tuple[float, float, float]:
        """Return the order of a series: by its name and by the words of the question in its table."""
        best = max((cell.item for cell in series.cells), key=lambda item: item.score)
        context = self._context(series)
        covered = sum(self._question.weights[term] for term in context) / (self._question.total or 1.0)
        return (series.fit + covered - bool(best.unit.hit.superseded_by), best.score, -series.cells[0].place)

    def _context(self, series: _Series) -> frozenset[str]:
        """Return the terms of the question in the headings, names and cells of a series."""
        return frozenset(
            term
            for term in self._question.weights.keys() - self._said
            if any(cell.item.covers[term] >= ABOVE for cell in series.cells)
        )

    def whole(self, series: _Series, others: Sequence[_Series], retrieval: Retrieval) -> _Series:
        """Return a column with all rows of its table, and of tables with the same header that fit as well."""
        if not isinstance(retrieval, WholeCorpus):
            return series
        first = series.cells[0].item.unit
        names = [name for name, _ in first.fields]
        alike = [
            one
            for one in others
            if not one.in_row
            and one.name == series.name
            and [name for name, _ in one.cells[0].item.unit.fields] == names
            and self._context(one) >= self._context(series)
            and not one.cells[0].item.unit.hit.superseded_by
        ]
        found: dict[tuple[str, int], _Cell] = {}
        for one in {table_of(each.cells[0].item): each for each in (series, *alike)}.values():
            table = one.cells[0].item.unit
            hits = retrieval.whole_tables(table.hit.chunk.id) if table.table else ()
            hits = tuple(replace(hit, score=table.hit.score) for hit in hits)
            for cell in self._all_rows(one, names, score_units(self._question, hits, retrieval.lexicon)):
                found.setdefault((cell.item.unit.hit.document, cell.item.unit.span.start), cell)
        return replace(series, cells=tuple(found.values()))

    def _all_rows(self, series: _Series, names: Sequence[str], scored: Sequence[ScoredUnit]) -> Iterator[_Cell]:
        first = series.cells[0]
        yield from series.cells
        for item in scored:
            fields = item.unit.fields
            if table_of(item) == table_of(first.item) and [name for name, _ in fields] == names and not item.unit.label:
                yield _Cell(item, first.place, fields[0][1])

    def winners(self, series: _Series) -> Winners | None:
        """Return the rows with the extreme value of a series; None if its cells are not comparable."""
        needed = str.isdigit if series.in_row else str.isalnum  # a row also has its unit of measure
        cells = [cell for cell in self._asked_cells(series) if any(map(needed, cell.text))]
        values = self._values(series.name, cells)
        known = [(value, cell) for value, cell in zip(values, cells, strict=True) if value is not None]
        measures = {(value.kind, value.measure) for value, _ in known}
        if len(known) < max(_LEAST, _COMPARABLE * len(cells)) or len(measures) > 1:
            return None
        choose = max if self._asked.highest else min
        best = choose(value.figure for value, _ in known)
        rows = [self._winner(series, cell) for value, cell in known if value.figure == best]
        if len(rows) == len(known):
            return None
        return Winners(
            tuple(rows[:_SHOWN]), series.name, len(known), max(0, len(rows) - _SHOWN), len(cells) - len(known)
        )

    def _asked_cells(self, series: _Series) -> list[_Cell]:
        """Return the cells of the things that the question names, of all if it names none.

        Words of the question that are in the heading or the names of a table name all its things.
        """
        named = [self._names(series, cell) for cell in series.cells]
        most = max((sum(self._question.weights[term] for term in one) for one in named), default=0.0)
        return [
            cell
            for one, cell in zip(named, series.cells, strict=True)
            if not most or sum(self._question.weights[term] for term in one) >= most
        ]

    def _names(self, series: _Series, cell: _Cell) -> frozenset[str]:
        """Return the terms of the question that distinguish a thing within its table."""
        unit, language = cell.item.unit, cell.item.unit.hit.chunk.language
        columns = " ".join(name for name, _ in unit.fields) if not series.in_row else series.name
        common = unit.above | frozenset(terms(columns, language, stop=False))
        texts = [cell.thing] if series.in_row else [unit.group, *(text for _, text in unit.fields)]
        own = frozenset(terms(" ".join(texts), language, stop=False)) - common
        return frozenset(
            term for term in self._question.weights.keys() - self._said if self._question.form(term, language) in own
        )

    def _winner(self, series: _Series, cell: _Cell) -> Winner:
        unit = cell.item.unit
        narrow = sum(bool(text) for _, text in unit.fields) <= _WIDE
        few = {cell.place} if series.in_row else {1, cell.place}
        wanted = few if series.in_row or not narrow else set(range(len(unit.fields)))
        covers = {**cell.item.covers, **dict.fromkeys(self._said, OWN)}
        covered = sum(self._question.weights[term] * cover for term, cover in covers.items())
        coverage = covered / (self._question.total or 1.0)
        item = replace(cell.item, covers=covers, coverage=coverage, gives=True)
        return Winner(item, quote_cells(unit, wanted))


def _nearness(question: QuestionTerms, asked: Extreme, said: frozenset[str]) -> Mapping[str, float]:
    """Return for each informative term of the question 1 for the nearest to the superlative, then 1/2, 1/3."""
    folded = fold(question.text)
    distance = {
        term: max(asked.span.start - place - len(word), place - asked.span.end, 0)
        for term, word in question.words.items()
        if term not in said and question.information[term] >= _INFORMATIVE and (place := folded.find(word)) >= 0
    }
    order = sorted(distance, key=lambda term: distance[term])
    return {term: 1 / place for place, term in enumerate(order, 1)}


def _name_terms(name: str, language: str) -> frozenset[str]:
    """Return the terms of a property's name, which may be an identifier ("lead_time_days")."""
    return frozenset(terms(name.replace("_", " "), language, stop=False))
