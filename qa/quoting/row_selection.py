"""Answers questions that select rows of a table by comparing cells: "the cheapest part", "flows above 60 m³/h"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pipelines.lang.magnitudes import Magnitude, magnitude
from pipelines.lang.word_lists import cue
from pipelines.retrieve.column_pairs import column_pair
from pipelines.retrieve.column_sums import column_sum
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.quote_text import quote_cells
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import ScoredCell, Series, SeriesSearch, asked_cells
from pipelines.retrieve.tables import total_row
from pipelines.retrieve.term_cover import OWN
from qa.quoting.quotes import Quotes, quote_units

_LEAST = 2
"""Minimum cells that are compared."""
_COMPARABLE = 2 / 3
"""Minimum share of the filled cells of a series that are values in the same unit; others may be "on request"."""
_SHOWN = 10
"""Maximum quoted rows; the number of others is stated."""
_WIDE = 6
"""A row with at most this many cells is quoted whole, of others the first two cells and the value."""


def select_rows(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> Quotes | None:
    """Return the row of totals, the rows of a sum, with extreme values or beyond a bound, if a question asks for them.

    The bound may be the cell in another column. Extremes come with the most extreme first, others in reading order.
    None for other questions, if no table has the property, if its cells are not comparable, or if the best unit is a
    sentence that states the extreme itself.
    """
    if (total := total_row(question, scored, retrieval)) is not None:
        said = [term for term, word in question.words.items() if cue("asks_total").search(word)]
        return replace(quote_units(question, [_covering(question, total, said)]), compared="the row of totals")
    if (pair := column_pair(question, scored, retrieval)) is not None:
        return quote_rows(question, pair.series, pair.chosen, pair.said, pair.compared, "are in the range as well")
    if (added := column_sum(question, scored, retrieval)) is not None:
        rows = quote_rows(question, added.series, added.cells, added.said, len(added.cells), "are added as well")
        return replace(rows, count=added.text, warnings=(*rows.warnings, *added.warnings))
    asked = None if question.sides else question.comparison
    if asked is None or not scored:
        return None
    search = SeriesSearch(question, asked)
    found = () if search.is_stated_in(scored[0]) else search.ranked(scored, retrieval)
    return next(filter(None, (_selection(search, series) for series in found)), None)


def quote_rows(
    question: QuestionTerms,
    series: Series,
    chosen: Sequence[ScoredCell],
    said: Collection[str],
    compared: int,
    alike: str,
) -> Quotes:
    """Return the rows of the `chosen` cells of a series as quotes.

    Args:
        question: the question.
        series: the series that was compared.
        chosen: its selected cells in the order of quoting; none if no value is in the range asked for.
        said: the terms of the words that select the rows: each row covers them.
        compared: the number of compared cells.
        alike: what the rows that are not quoted share with the others, for a warning.
    """
    items = tuple(_covering(question, cell.item, said) for cell in chosen[:_SHOWN])
    texts = tuple(_row_text(series, cell) for cell in chosen[:_SHOWN])
    count = f"{len(chosen)} of {compared} rows" if question.counts else ""
    left = len(chosen) - len(items)
    warnings = (f"{left} more rows {alike}.",) if left else ()
    if not chosen:
        warnings = (f"None of {compared} values of {series.name} is in the range that is asked for.",)
    return Quotes(items, texts, count, warnings, f"{compared} values of {series.name}")


def _selection(search: SeriesSearch, series: Series) -> Quotes | None:
    """Return the selected rows of a series; None if its cells are not comparable, or no row differs."""
    asked, needed = search.asked, str.isdigit if series.in_row else str.isalnum  # a row also has its unit of measure
    cells = [one for one in asked_cells(search.question, series, search.said) if any(map(needed, one.text))]
    known = search.values(series, cells)
    measures = {(value.kind, value.measure) for value, _ in known}
    if len(known) < max(_LEAST, _COMPARABLE * len(cells)) or len(measures) > 1:
        return None
    chosen = _beyond(search, series, known) if asked.bound else _extreme(search, known)
    if chosen is None:
        return None
    alike = "are in the range as well" if asked.bound else "have the same value"
    quotes = quote_rows(search.question, series, chosen, search.said, len(known), alike)
    unread = len(cells) - len(known)
    if not chosen or not unread:
        return quotes
    some = "1 cell has" if unread == 1 else f"{unread} cells have"
    return replace(quotes, warnings=(*quotes.warnings, f"{some} no value that could be compared."))


def _beyond(
    search: SeriesSearch, series: Series, known: Sequence[tuple[Magnitude, ScoredCell]]
) -> list[ScoredCell] | None:
    """Return the cells beyond the bound, which is read as a cell of the same column; None if it cannot be."""
    (value, first), asked = known[0], search.asked
    bounds = [
        magnitude(first.column or series.name, bound, search.question.language, asked)
        for bound in filter(None, (asked.bound, asked.upper))
    ]
    figures = [one.figure for one in bounds if one and (one.kind, one.measure) == (value.kind, value.measure)]
    if len(figures) < len(bounds):
        return None
    return sorted((cell for value, cell in known if asked.admits(value.figure, *figures)), key=lambda cell: cell.key)


def _extreme(search: SeriesSearch, known: Sequence[tuple[Magnitude, ScoredCell]]) -> list[ScoredCell] | None:
    """Return the cells with the extreme values, or with the values of the rank asked for; None if all are equal."""
    asked = search.asked
    best = sorted(known, key=lambda one: one[0].figure, reverse=asked.highest)
    figures = [value.figure for value, _ in best]
    if len(distinct := list(dict.fromkeys(figures))) < max(asked.rank, 1 + (asked.count == 1)):
        return None
    if asked.rank > 1:
        return [cell for value, cell in known if value.figure == distinct[asked.rank - 1]]
    chosen = set(figures[: asked.count])
    return [cell for value, cell in best if value.figure in chosen]


def _covering(question: QuestionTerms, row: ScoredUnit, said: Collection[str]) -> ScoredUnit:
    """Return a selected row: it has the value asked for, and covers the terms of the words that select it."""
    covers = {**row.covers, **dict.fromkeys(said, OWN)}
    return replace(row, covers=covers, coverage=question.share(covers), gives=True)


def _row_text(series: Series, cell: ScoredCell) -> str:
    fields = cell.item.unit.fields
    if series.in_row:
        return quote_cells(cell.item.unit, {cell.place})
    narrow = sum(bool(text) for _, text in fields) <= _WIDE
    return quote_cells(cell.item.unit, range(len(fields)) if narrow else {1, cell.place})
