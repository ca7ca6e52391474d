"""Rows that touch a table on a sheet without belonging to it: the title block above its header, and notes below it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipelines.core.table import has_digit
from pipelines.parse.office.cell_texts import CellIndex, SheetRows, is_note, is_numeric, is_word

_NARROWEST = 3
"""Minimum columns of a table below a title block; a form of labels and values has two."""
_MOST_TITLE_ROWS = 12
"""Maximum rows of a title block: company, document, number, revision, date, author, in one column or two."""
_SCANNED_ROWS = 60
"""Maximum rows below a header that are examined."""


def table_rows(cells: Collection[CellIndex], rows: SheetRows) -> tuple[int, int]:
    """Return the first and the last row of the table among connected cells; others are a title block, or notes.

    A title block has texts in the first column or labels with values, and fills half the columns or fewer in each row;
    if columns of numbers follow, only in its first row. Below it is the header: different words, one above each column
    that the rows below fill. Notes below are alone in their rows; the first one is in the first column.
    """
    top, bottom = min(row for row, _ in cells), max(row for row, _ in cells)
    left, right = min(column for _, column in cells), max(column for _, column in cells)
    if right - left + 1 < _NARROWEST or bottom == top:
        return top, bottom
    sheet = _Area(cells, rows, left, right)
    first = sheet.header(top, bottom)
    last = bottom
    while last > first and _is_remark(sheet.row(last)):
        last -= 1
    notes = [sheet.row(row) for row in range(last + 1, bottom + 1)]
    are_notes = bool(notes) and left in notes[0] and len(sheet.row(last)) > 1 and sheet.is_header(first, last)
    return first, last if are_notes else bottom


class _Area:
    """The texts of connected cells by row."""

    def __init__(self, cells: Collection[CellIndex], rows: SheetRows, left: int, right: int) -> None:
        self._cells = frozenset(cells)
        self._rows = rows
        self._left, self._right = left, right

    def row(self, number: int) -> dict[int, str]:
        found = self._rows.row(number, self._left, self._right)
        return {column: text for column, text in found.items() if (number, column) in self._cells}

    def below(self, number: int, bottom: int) -> list[dict[int, str]]:
        return [self.row(row) for row in range(number + 1, min(number + _SCANNED_ROWS, bottom) + 1)]

    def header(self, top: int, bottom: int) -> int:
        """Return the row of the header below a title block, or of group names above it; `top` if there is no block."""
        rows = range(top + 1, min(top + _MOST_TITLE_ROWS, bottom - 1) + 1)
        number = next((row for row in rows if self.is_header(row, bottom)), top)
        header = number - (number - 1 > top and self._names_groups(number - 1))
        above = [self.row(row) for row in range(top, header)]
        is_block = bool(above) and self._is_title_block(above, len(self.row(number)), self.below(number, bottom))
        return header if is_block else top

    def is_header(self, number: int, bottom: int) -> bool:
        """Whether a row has different words, one above each column that the rows below fill, and two rows below it."""
        texts = self.row(number)
        if len(set(texts.values())) < max(len(texts), _NARROWEST) or not all(map(is_word, texts.values())):
            return False
        below = self.below(number, bottom)
        if self._has_merged(number, texts) or sum(len(row) > 1 for row in below) < 2:
            return False
        return all(row.keys() <= texts.keys() for row in below)

    def _has_merged(self, number: int, texts: Mapping[int, str]) -> bool:
        """Whether a row has cells without a text: a merged cell beside or above covers them."""
        columns = range(self._left, self._right + 1)
        return any((number, column) in self._cells for column in columns if column not in texts)

    def _names_groups(self, number: int) -> bool:
        """Whether a row has names of groups of columns: merged cells, or words apart beside an empty first cell."""
        texts = self.row(number)
        if not texts or not all(map(is_word, texts.values())):
            return False
        if self._has_merged(number, texts):
            return len(texts) > 1
        return self._left not in texts and not any(column + 1 in texts for column in texts)

    def _is_title_block(self, above: list[dict[int, str]], width: int, below: Sequence[Mapping[int, str]]) -> bool:
        begins = any(self._left in row or self._has_field(row) for row in above)
        if not begins or all(len(row) < 2 for row in above) or 2 * len(above[0]) > width:
            return False
        if any(2 * len(row) > width for row in above):
            has_numbers = any(is_numeric(column, below) for column in range(self._left, self._right + 1))
            return has_numbers and all(len(row) < width for row in above)
        return len(above) > 1 or any(map(self._has_field, above))

    def _has_field(self, row: Mapping[int, str]) -> bool:
        """Whether a row has a label with its value: in one cell, or in two of which the first is not below a name."""
        pairs = ((column, text) for column, text in row.items() if column > self._left)
        beside = any(column + 1 in row and is_word(text) and has_digit(row[column + 1]) for column, text in pairs)
        return beside or any(":" in text for text in row.values())


def _is_remark(row: Mapping[int, str]) -> bool:
    """Whether a row has one text only: some words, or a label with its value."""
    return len(row) == 1 and all(is_note(text) or ":" in text for text in row.values())
