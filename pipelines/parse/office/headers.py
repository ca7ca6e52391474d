"""Which rows of a table are its header, where the file does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipelines.core.table import Cell, is_data
from pipelines.parse.office.regions import is_number, is_word

_Rows = Mapping[int, Mapping[int, str]]
"""Texts by row and column."""
_MOST_ROWS = 3
"""Rows of a header, at most: groups, names and units."""
_LEAST_BODY = 2
"""Rows below a header that tell what its columns hold."""
_LOOKED_AT = 60
"""Rows from the top that are looked at."""
_UNIT = re.compile(r"[\[(].{1,20}[\])]")
"""A unit as headers have it, in brackets."""


def with_deep_header(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells; where the first row has groups of columns above their names, the rows of names are headers too.

    Such a header has a cell over several columns, and one over all of its rows beside it.
    """
    first = [cell for cell in cells if cell.row == 0 and cell.header]
    depth = max((cell.row_span for cell in first), default=1)
    if depth == 1 or all(cell.column_span == 1 for cell in first):
        return list(cells)
    rows = max(cell.row + cell.row_span for cell in cells)
    return [replace(cell, header=True) if cell.row < depth < rows else cell for cell in cells]


def with_header_rows(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells, with the rows of the header told by what they hold.

    Where the first row is data there is no header. A row with one cell above a table of several columns is its label;
    the header comes below. A row of words above columns of numbers is a part of the header too: names under groups,
    units under names.
    """
    if is_data(cells):
        return [replace(cell, header=False) for cell in cells]
    rows, height = _first_rows(cells), max(cell.row + cell.row_span for cell in cells)
    labels = _labels(rows)
    depth = labels + 1
    while depth < labels + _MOST_ROWS and depth + _LEAST_BODY <= height and _heads(rows, depth):
        depth += 1
    return [replace(cell, header=True) if cell.row < depth < height else cell for cell in cells]


def label_rows(cells: Sequence[Cell]) -> int:
    """Return how many rows at the top of a table hold one cell each: a label of the table."""
    return _labels(_first_rows(cells))


def _first_rows(cells: Sequence[Cell]) -> _Rows:
    rows: dict[int, dict[int, str]] = {}
    for cell in cells:
        if cell.text and cell.row < _LOOKED_AT:
            rows.setdefault(cell.row, {})[cell.column] = cell.text
    return rows


def _labels(rows: _Rows) -> int:
    count = 0
    while len(row := rows.get(count, {})) == 1 and all(map(is_word, row.values())):
        count += 1
    # A header, and a row below it.
    several = sum(len(row) > 1 for row in rows.values())
    return count if several > 1 and len(rows.get(count, {})) > 1 else 0


def _heads(rows: _Rows, number: int) -> bool:
    """Whether a row has words where the columns below it have numbers: two different ones, or units in brackets."""
    body: dict[int, list[bool]] = {}
    for below, texts in rows.items():
        for column, text in texts.items() if below > number else ():
            body.setdefault(column, []).append(is_number(text))
    # Two thirds: a few values are missing or told in words.
    numeric = {column for column, are in body.items() if len(are) >= _LEAST_BODY and 3 * sum(are) >= 2 * len(are)}
    over = [text for column, text in rows.get(number, {}).items() if column in numeric]
    if not over or any(map(is_number, over)):
        return False
    return len(set(over)) > 1 or all(_UNIT.fullmatch(text.strip()) for text in over)
