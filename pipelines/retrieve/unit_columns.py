"""Tables with a column of units of measure: "Efficiency | % | 79" says "79 %"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from string import ascii_uppercase

from pipelines.lang.quantities import Kind, in_row, quantities
from pipelines.lang.questions import value_kinds

_MOST = 2 / 3
"""Share of a column's cells that are units beside a figure: some units are in no list, and some rows have no figure."""
_ROWS = 2
"""Rows with a unit at least: one cell is a unit by chance."""

_DASHES = "-–—− /"
"""What stands in place of a unit where a row has none."""
_CLASSES = frozenset(ascii_uppercase)
"""Units that are names of classes as well: a column of one of these alone may be one of classes."""

Fields = tuple[tuple[str, str], ...]
"""The cells of a row, each under the name of its column."""


def with_units(rows: Sequence[Fields], language: str) -> list[Fields]:
    """Return the rows of one table with its units behind the figures that they measure, in place of a column of units.

    `language` is that of the text (ISO 639-1). A row without a unit or without a figure for it stays as it is, and so
    do all where no column is one of units. Figures under a heading that names another kind of value, or a unit of its
    own, take none.
    """
    found = next(_columns_of_units(rows, language), None)
    return [_joined(row, *found, language) if found else row for row in rows]


def _columns_of_units(rows: Sequence[Fields], language: str) -> Iterator[tuple[int, list[int]]]:
    """Yield the places of columns of units, each with those of the columns of figures to its right, or else left."""
    width = len(rows[0]) if len({tuple(name for name, _ in row) for row in rows}) == 1 else 0
    for place in range(1, width):
        filled = [row for row in rows if row[place][1].strip(_DASHES)]
        measured = [row for row in filled if _kinds(row[place][1], language)]
        units = {row[place][1] for row in measured}
        if len(measured) < _ROWS or (len(units) == 1 and units < _CLASSES):
            continue
        kinds = frozenset[Kind]().union(*(_kinds(unit, language) for unit in units))
        for beside in (range(place + 1, width), range(place - 1, 0, -1)):
            run = takewhile(partial(_has_figures, measured, _MOST * len(filled)), beside)
            if figures := [one for one in run if _may_measure(rows[0][one][0], kinds, language)]:
                yield place, figures


def _has_figures(rows: Sequence[Fields], most: float, place: int) -> bool:
    return sum(_is_figure(row[place][1]) for row in rows) >= most


def _joined(row: Fields, place: int, figures: Sequence[int], language: str) -> Fields:
    unit = row[place][1]
    measured = [one for one in figures if _kinds(unit, language) and _is_figure(row[one][1])]
    cells = [(name, f"{cell} {unit}" if one in measured else cell) for one, (name, cell) in enumerate(row)]
    return tuple(field for one, field in enumerate(cells) if one != place or not measured)


def _may_measure(name: str, kinds: frozenset[Kind], language: str) -> bool:
    """Whether a heading leaves open what its figures measure, or names one of these kinds."""
    named = value_kinds(name, language) - {Kind.NUMBER}
    return not in_row(((name, "1"),), language) and (not named or not named.isdisjoint(kinds))


def _kinds(cell: str, language: str) -> frozenset[Kind]:
    """The kind of value that a cell is a unit of, none where it is no unit alone."""
    return frozenset(value.kind for value in quantities(f"1 {cell}", language) if value.text == f"1 {cell}")


def _is_figure(cell: str) -> bool:
    """Whether a cell has figures and signs, and no word: "79", "-10 ... 40"."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))
