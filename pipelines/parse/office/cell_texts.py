"""Texts of cells on a sheet: numbers and words, and rows that read as the title and the header of a table."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from pipelines.lang.characters import CURRENCY

CellIndex = tuple[int, int]

_NUMBER = re.compile(rf"[-+(]?[{CURRENCY}]?\s?\d[\d.,:/\s-]*[%)]?")
_LEAST_WORDS = 3
"""Minimum words of a note below a table; fewer are a name in its first column."""
_SCANNED_ROWS = 60
"""Maximum rows below a header that are examined."""


def is_number(text: str) -> bool:
    """Whether a text is a number, a date or a percentage, with or without a currency."""
    return _NUMBER.fullmatch(text.strip()) is not None


def is_word(text: str) -> bool:
    """Whether a text has letters or digits and is not a number."""
    return any(char.isalnum() for char in text) and not is_number(text)


def is_note(text: str) -> bool:
    """Whether a text is a note below a table: words, more than the name of a row has."""
    return is_word(text) and len(text.split()) >= _LEAST_WORDS


class SheetRows:
    """The texts of a sheet by row."""

    def __init__(self, texts: Mapping[CellIndex, str]) -> None:
        self._texts = texts
        self._columns: dict[int, list[int]] = {}
        for row, column in sorted(texts):
            self._columns.setdefault(row, []).append(column)

    def row(self, number: int, left: int, right: int) -> dict[int, str]:
        """Return the texts of a row by column, from column `left` to `right`."""
        columns = self._columns.get(number, [])
        found = columns[bisect_left(columns, left) : bisect_right(columns, right)]
        return {column: self._texts[number, column] for column in found}

    def titled_header(self, top: int, left: int, right: int) -> int | None:
        """Return the row of the header if row `top` is the title of another table than the one above, else None.

        A title is the only text of its row, with an empty row above it. The header is the next row, or the one after an
        empty row: different words, one above each column that the rows below fill. Below it are columns of numbers, or
        rows that leave out columns of the table above. The title of a group of rows has no such header: the rows
        continue the columns above.
        """
        title = self.row(top, left, right)
        if len(title) != 1 or not all(map(is_word, title.values())) or self.row(top - 1, left, right):
            return None
        number = top + 1 if self.row(top + 1, left, right) else top + 2
        header = self.row(number, left, right)
        body = list(self._until_empty(number + 1, left, right))
        if len(header) < 2 or len(set(header.values())) < len(header) or not all(map(is_word, header.values())):
            return None
        if not body or any(column not in header for row in body for column in row):
            return None
        has_own_columns = len(header) <= right - left and len(body) > 1 and all(len(row) == len(header) for row in body)
        return number if has_own_columns or any(is_numeric(column, body) for column in header) else None

    def _until_empty(self, number: int, left: int, right: int) -> Iterator[dict[int, str]]:
        for row in range(number, number + _SCANNED_ROWS):
            texts = self.row(row, left, right)
            if not texts:
                return
            yield texts


def is_numeric(column: int, rows: Sequence[Mapping[int, str]]) -> bool:
    """Whether a column has numbers."""
    are = [is_number(row[column]) for row in rows if column in row]
    # Two thirds: a few values are missing or written in words.
    return bool(are) and 3 * sum(are) >= 2 * len(are)
