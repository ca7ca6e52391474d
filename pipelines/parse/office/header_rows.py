"""Header rows of tables on a sheet, recognized by their content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipelines.core.table import Cell, begins_with_number, begins_with_text, is_data
from pipelines.parse.office.cell_texts import is_number, is_word

_Rows = Mapping[int, Mapping[int, str]]
"""Texts by row and column."""
_MOST_HEADER_ROWS = 3
"""Maximum rows of a header: groups, names and units."""
_LEAST_BODY_ROWS = 2
"""Minimum rows below a header from which the type of a column can be told."""
_LEAST_COLUMNS = 3
"""Minimum columns of a table whose header is told by the values below it; two may be labels and values."""
_MOSTLY = 2 / 3
"""Minimum share of values in a column of values, as in `core.table.is_data`."""
_BOXES = tuple("☐☑☒✓✔✗")
_SCANNED_ROWS = 60
"""Number of rows from the top that are examined."""
_UNIT = re.compile(r"[\[(].{1,20}[\])]")
"""A unit in a header: in brackets."""


def with_deep_header(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells; if the first row names groups of columns, the rows of column names below are headers too.

    Such a header has a cell that spans several columns beside a cell that spans all its rows, or only cells that span
    several columns above a row of words.
    """
    first = [cell for cell in cells if cell.row == 0 and cell.header]
    depth = max((cell.row_span for cell in first), default=1)
    if depth == 1 and _are_groups(first) and all(is_word(cell.text) for cell in cells if cell.row == 1 and cell.text):
        depth = 2
    if depth == 1 or all(cell.column_span == 1 for cell in first):
        return list(cells)
    rows = max(cell.row + cell.row_span for cell in cells)
    return [replace(cell, header=True) if cell.row < depth < rows else cell for cell in cells]


def with_named_columns(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a table without a marked header, with the first row as one if it names columns of values.

    It has texts over all columns, three at least, and two thirds of the texts below one of them, not the first column,
    are figures or check boxes.
    """
    first = [cell for cell in cells if cell.row == 0 and cell.text]
    columns = max((cell.column + cell.column_span for cell in cells), default=0)
    rows = max((cell.row + cell.row_span for cell in cells), default=0)
    whole = sum(cell.column_span for cell in first) == columns >= _LEAST_COLUMNS
    if not whole or rows <= _LEAST_BODY_ROWS or any(cell.header for cell in cells) or is_data(cells):
        return list(cells)
    below: dict[int, list[bool]] = {}
    for cell in cells:
        if cell.row and cell.text:
            below.setdefault(cell.column, []).append(_is_value(cell.text))
    named = [below.get(cell.column, []) for cell in first if cell.column and not _is_value(cell.text)]
    if not any(len(values) >= _LEAST_BODY_ROWS and sum(values) >= _MOSTLY * len(values) for values in named):
        return list(cells)
    return with_deep_header([replace(cell, header=cell.row == 0) for cell in cells])


def _is_value(text: str) -> bool:
    """Whether a text is a figure or a check box."""
    return begins_with_number(text) or text.strip()[:1] in _BOXES


def _are_groups(cells: Sequence[Cell]) -> bool:
    """Whether all cells of a row that have a text, two at least, span several columns."""
    spans = [cell.column_span for cell in cells if cell.text]
    return len(spans) > 1 and min(spans) > 1


def with_header_rows(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with the header rows recognized by content.

    There is no header if the first row is data, or numbered like those below. A row with one cell above several columns
    is a label, and the header, or the data, are below it. A row of words above columns of numbers also belongs to the
    header: names below groups, units below names.
    """
    rows, height = first_rows(cells), max(cell.row + cell.row_span for cell in cells)
    labels = _count_labels(rows)
    body = [replace(cell, row=cell.row - labels) for cell in cells if cell.row >= labels]
    if _is_numbered(rows, labels) or is_data(body) or begins_with_text(body):
        return [replace(cell, header=False) for cell in cells]
    depth = labels + 1
    while depth < labels + _MOST_HEADER_ROWS and depth + _LEAST_BODY_ROWS <= height and _is_header_row(rows, depth):
        depth += 1
    return [replace(cell, header=True) if cell.row < depth < height else cell for cell in cells]


def label_rows(cells: Sequence[Cell]) -> int:
    """Return the number of rows at the top of a table that have one cell each: labels of the table."""
    return _count_labels(first_rows(cells))


def first_rows(cells: Sequence[Cell]) -> _Rows:
    rows: dict[int, dict[int, str]] = {}
    for cell in cells:
        if cell.text and cell.row < _SCANNED_ROWS:
            rows.setdefault(cell.row, {})[cell.column] = cell.text
    return rows


def _count_labels(rows: _Rows) -> int:
    count = 0
    while len(row := rows.get(count, {})) == 1 and all(map(is_word, row.values())):
        count += 1
    # At least a header and one row below it.
    several = sum(len(row) > 1 for row in rows.values())
    return count if several > 1 and len(rows.get(count, {})) > 1 else 0


def has_headings(rows: _Rows, labels: int) -> bool:
    """Whether rows below the labels have one word only, in the first column."""
    return any(row > labels and texts.keys() == {0} and is_word(texts[0]) for row, texts in rows.items())


def _is_numbered(rows: _Rows, number: int) -> bool:
    """Whether a row begins with a number, like two thirds of those below it with several cells, and has words."""
    first = {row: texts[0] for row, texts in rows.items() if row >= number and len(texts) > 1 and 0 in texts}
    below = [is_number(text) for row, text in first.items() if row > number]
    has_words = any(map(is_word, rows.get(number, {}).values()))
    # Two thirds: headings and sub-items have none.
    mostly = bool(below) and 3 * sum(below) >= 2 * len(below)
    return is_number(first.get(number, "")) and has_words and mostly


def _is_header_row(rows: _Rows, number: int) -> bool:
    """Whether a row has words above columns of numbers: at least two different ones, or units in brackets."""
    body: dict[int, list[bool]] = {}
    for below, texts in rows.items():
        for column, text in texts.items() if below > number else ():
            body.setdefault(column, []).append(is_number(text))
    # Two thirds: a few values are missing or written in words.
    numeric = {column for column, are in body.items() if len(are) >= _LEAST_BODY_ROWS and 3 * sum(are) >= 2 * len(are)}
    over = [text for column, text in rows.get(number, {}).items() if column in numeric]
    if not over or any(map(is_number, over)):
        return False
    return len(set(over)) > 1 or all(_UNIT.fullmatch(text.strip()) for text in over)
