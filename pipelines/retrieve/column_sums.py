"""The sum or the average of a column that a question asks for, where the table does not state it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

from pipelines.core.provenance import Span
from pipelines.lang.comparisons import Comparison
from pipelines.lang.magnitudes import Magnitude
from pipelines.lang.numbers import decimal
from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import ScoredCell, Series, SeriesSearch, asked_cells, name_terms
from pipelines.retrieve.term_cover import ABOVE, OWN

_SEARCHED = 6
"""Number of best units of which one must be a row of the table."""
_ADDED = frozenset({Kind.NUMBER, Kind.MONEY, Kind.TIME, Kind.MASS, Kind.VOLUME, Kind.AREA, Kind.ENERGY, Kind.DATA})
"""Kinds of values whose sum means something; temperatures and shares have only an average."""
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class ColumnSum:
    """The cells of a column in reading order, with their sum or average as text, "20000 kg (sum of 2 rows)".

    `said` are the terms of the question that ask for it. `warnings` name the words of the question that no row has: the
    rows may be more than are asked for.
    """

    series: Series
    cells: tuple[ScoredCell, ...]
    said: frozenset[str]
    text: str
    warnings: tuple[str, ...] = ()


def asks_sum(question: QuestionTerms) -> Span | None:
    """Return the place of the word in a question that asks for a sum or an average, None if there is none."""
    words = (cue(name, question.language).search(question.text) for name in ("asks_average", "asks_total"))
    return next((Span(*word.span()) for word in words if word), None)


def column_sum(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> ColumnSum | None:
    """Return the sum or average of the best column over the rows that the question names, over all if it names none.

    None for other questions, if fewer than two cells are numbers in one unit, if any of them is none, and if the best
    unit is a sentence with the word for it. The name of the column must be in the question, without such a word: "total
    head" is a property of each pump.
    """
    place = asks_sum(question)
    if place is None or question.comparison or not any(item.has_cells for item in scored[:_SEARCHED]):
        return None
    search = SeriesSearch(question, Comparison(highest=True, kinds=frozenset(), span=place))
    if not scored[0].has_cells and any(scored[0].covers.get(term, 0.0) >= OWN for term in search.said):
        return None
    averages = cue("asks_average", question.language).search(question.text) is not None
    for series in search.ranked(scored, retrieval):
        name = name_terms(series.name, series.cells[0].item.language)
        if series.in_row or name & search.said or not name & question.forms(series.cells[0].item.language):
            continue
        cells = [cell for cell in asked_cells(question, series, search.said) if cell.text.strip()]
        known = [value for value, _ in search.values(series, cells)]
        if 1 < len(known) == len(cells) and (figure := _added(known, cells, averages)):
            text = f"{figure} ({'average' if averages else 'sum'} of {len(known)} rows)"
            ordered = tuple(sorted(cells, key=lambda cell: cell.key))
            return ColumnSum(series, ordered, search.said, text, _missing(question, ordered, search.said))
    return None


def _missing(question: QuestionTerms, cells: Sequence[ScoredCell], said: frozenset[str]) -> tuple[str, ...]:
    """Return a warning with the words of the question that are in no row, and in no name or heading above it."""
    rest = (term for term in question.weights if term not in said)
    words = [question.words[one] for one in rest if all(cell.item.covers.get(one, 0.0) < ABOVE for cell in cells)]
    return (f"No row has {' or '.join(words)}: the result may be that of other rows.",) if words else ()


def _added(values: Sequence[Magnitude], cells: Sequence[ScoredCell], averages: bool) -> str:
    """Return the sum or average of the values of cells in the unit of the first one that is not 0.

    "" if the units differ, or if the kind is not added.
    """
    first = values[0]
    if not (averages or first.kind in _ADDED) or len({(one.kind, one.measure) for one in values}) > 1:
        return ""
    total, unit = sum(one.figure for one in values) / (len(values) if averages else 1), str(first.measure)
    if first.measure == first.kind:  # in the basic unit of its kind, or a plain number
        factors: dict[str, float] = read_table("unit_factors").get(first.kind, {})
        plain = [decimal(cell.text, cell.item.language) for cell in cells]
        scales = [value.figure / figure for value, figure in zip(values, plain, strict=True) if figure]
        unit = next((name for name, factor in factors.items() if scales and isclose(factor, scales[0])), "")
        if factors and not unit:
            return ""
        total /= factors.get(unit, 1.0)
    total = round(total, _DECIMALS)
    return f"{int(total) if total.is_integer() else total} {unit}".strip()
