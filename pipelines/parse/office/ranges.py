"""Rectangles of cells on a sheet, and the names of places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.parse.office.regions import CellIndex

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """A rectangle of cells, both ends included, rows and columns from 0."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def places(self) -> Iterator[CellIndex]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column

    def __str__(self) -> str:
        start, end = address(self.top, self.left), address(self.bottom, self.right)
        return start if start == end else f"{start}:{end}"


def address(row: int, column: int) -> str:
    """Return the name of a place: (0, 27) is "AB1"."""
    letters = ""
    column += 1
    while column:
        # Letters of a column count in twenty-sixes, without a zero.
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def place(name: str) -> CellIndex | None:
    """Return row and column of a name such as "AB1", None for what is none."""
    match = _ADDRESS.fullmatch(name.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        # As in `address`.
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)) - 1, column - 1


def area(name: str) -> CellRange | None:
    """Return the rectangle of "A1:C3" or "A1", None for what is none."""
    first, _, last = name.partition(":")
    start, end = place(first), place(last or first)
    if start is None or end is None:
        return None
    return CellRange(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
