"""The sum of a column that a question asks for, where the table has no row of totals: "in total by Acme?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.provenance import Span
from pipelines.lang.comparisons import Comparison
from pipelines.lang.magnitudes import Magnitude
from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import ScoredCell, Series, SeriesSearch, asked_cells, name_terms

_SEARCHED = 6
"""Number of best units of which one must be a row of the table."""
_ADDED = frozenset({Kind.NUMBER, Kind.MONEY, Kind.TIME, Kind.MASS, Kind.VOLUME, Kind.AREA, Kind.ENERGY, Kind.DATA})
"""Kinds of values whose sum means something; temperatures, shares and dates are not added."""
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class ColumnSum:
    """The cells of a column that are added, in reading order, with their sum and its unit as text, "20000 kg".

    `said` are the terms of the question that ask for the sum.
    """

    series: Series
    cells: tuple[ScoredCell, ...]
    said: frozenset[str]
    figure: str


def column_sum(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> ColumnSum | None:
    """Return the sum of the best column over the rows that the question names, over all rows if it names none.

    None for other questions, and if fewer than two cells are numbers in one unit, or any of them is none. The name of
    the column must be in the question, without a word for a sum: "total head" is a property of each pump.
    """
    total = cue("asks_total", question.language).search(question.text)
    if total is None or question.comparison or not any(item.has_cells for item in scored[:_SEARCHED]):
        return None
    search = SeriesSearch(question, Comparison(highest=True, kinds=frozenset(), span=Span(*total.span())))
    for series in search.ranked(scored, retrieval):
        name = name_terms(series.name, series.cells[0].item.language)
        if series.in_row or name & search.said or not name & question.forms(series.cells[0].item.language):
            continue
        cells = [cell for cell in asked_cells(question, series, search.said) if cell.text.strip()]
        known = search.values(series, cells)
        if len(known) > 1 and len(known) == len(cells) and (figure := _sum([value for value, _ in known])):
            return ColumnSum(series, tuple(sorted(cells, key=lambda cell: cell.key)), search.said, figure)
    return None


def _sum(values: Sequence[Magnitude]) -> str:
    """Return the sum of values with its unit; "" if they have different units, or a kind that is not added."""
    first = values[0]
    if first.kind not in _ADDED or len({(one.kind, one.measure) for one in values}) > 1:
        return ""
    figure = round(sum(one.figure for one in values), _DECIMALS)
    factors: dict[str, float] = read_table("unit_factors").get(first.kind, {})
    base = next((unit for unit, factor in factors.items() if factor == 1), "")
    unit = base if first.measure == first.kind else first.measure
    return f"{int(figure) if figure.is_integer() else figure} {unit}".strip() if unit or not factors else ""
