"""Rectangles and groups of cells on a sheet, and the addresses of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipelines.parse.office.cell_texts import CellIndex, is_word

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """A rectangle of cells; rows and columns count from 0, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    @property
    def start(self) -> CellIndex:
        """The first cell."""
        return self.top, self.left

    def contains(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def cells(self) -> Iterator[CellIndex]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column

    def __str__(self) -> str:
        start, end = address(self.top, self.left), address(self.bottom, self.right)
        return start if start == end else f"{start}:{end}"


def address(row: int, column: int) -> str:
    """Return the address of a cell: "AB1" for (0, 27)."""
    letters = ""
    column += 1
    while column:
        # Base 26 without a zero.
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def parse_cell(name: str) -> CellIndex | None:
    """Return row and column of an address such as "AB1", None if it is not an address."""
    match = _ADDRESS.fullmatch(name.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        # The inverse of `address`.
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)) - 1, column - 1


def parse_range(name: str) -> CellRange | None:
    """Return the rectangle of "A1:C3" or "A1", None if it is not a range."""
    first, _, last = name.partition(":")
    start, end = parse_cell(first), parse_cell(last or first)
    if start is None or end is None:
        return None
    return CellRange(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))


_NARROWEST_HEADER = 3
"""Minimum columns of a header: two adjacent words are a name and its value."""


@dataclass(slots=True)
class CellGroup:
    """Cells that belong together, and their bounding rectangle."""

    cells: list[CellIndex]
    top: int
    left: int
    bottom: int
    right: int

    @staticmethod
    def of(cells: list[CellIndex]) -> CellGroup:
        rows, columns = [row for row, _ in cells], [column for _, column in cells]
        return CellGroup(cells, min(rows), min(columns), max(rows), max(columns))

    def add(self, other: CellGroup) -> None:
        self.cells += other.cells
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)

    def has_header(self, texts: Mapping[CellIndex, str]) -> bool:
        """Whether the first row, or the second one if the first is a label, has a word in every column."""
        columns = range(self.left, self.right + 1)
        labelled = sum((self.top, column) in texts for column in columns) == 1
        head = [texts.get((self.top + labelled, column), "") for column in columns]
        return len(head) >= _NARROWEST_HEADER and all(is_word(text) for text in head)
