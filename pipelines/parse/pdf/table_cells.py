"""Which places of a table without lines are one cell: entries across columns, titles of groups, entries over rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, Rules

GUTTER = 0.5
"""Of a line's height, white that parts columns at least: a blank is a fifth, cells have 4 points and more between."""
_BLANK = 1.2
"""Of the width of a character, a blank of type that is equally wide throughout, with its scatter."""
LOOSE = 0.12
"""Of a line's height, how much further than the next line of an entry the next row is."""


class Strip(NamedTuple):
    """A piece of a line between two wide whites, or the white itself."""

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class TextRow:
    """Lines of words that make one row, from `top` to `bottom`."""

    top: float
    bottom: float
    lines: tuple[tuple[PageWord, ...], ...]

    @property
    def bold(self) -> bool:
        return all(word.bold for line in self.lines for word in line)


def pieces_of(line: Sequence[PageWord], height: float) -> list[Strip]:
    """Return a line of words as pieces that only blanks part."""
    pieces: list[Strip] = []
    for word in sorted(line, key=lambda word: word.rect.left):
        # One blank of type whose characters are equally wide.
        blank = _BLANK * word.rect.width / len(word.text) if word.mono else GUTTER * height
        if pieces and word.rect.left - pieces[-1].right < blank:
            pieces[-1] = Strip(pieces[-1].left, max(pieces[-1].right, word.rect.right))
        else:
            pieces.append(Strip(word.rect.left, word.rect.right))
    return pieces


def middle_of(line: Sequence[PageWord]) -> float:
    return median(word.rect.middle[1] for word in line)


def column_at(x: float, gutters: Sequence[Strip]) -> int:
    return sum(1 for gutter in gutters if x > (gutter.left + gutter.right) / 2)


class TableCells:
    """The cells of a table whose rows and columns are known: which of them are one."""

    def __init__(self, region: Rect, rows: Sequence[TextRow], gutters: Sequence[Strip], rules: Rules) -> None:
        self.region, self.rows, self.gutters, self.rules = region, rows, gutters, rules
        self.height = median(word.rect.height for row in rows for line in row.lines for word in line)
        self.columns = len(gutters) + 1
        self.heads = next((number for number, row in enumerate(rows) if not row.bold), 0)
        self.starts = [self._starts(number) for number in range(len(rows))]
        self._across = self._running_across()
        self._tints = [self._tinted(number) for number in range(len(rows))]

    def grid(self) -> PageGrid:
        """Return the grid; places without text join the one above or beside that they belong to."""
        cells = [self._cell(row, *span) for row in range(len(self.rows)) for span in self._spans(row)]
        return PageGrid(self.region, tuple(self._downward(cells)), tuple(self.gutters))

    def _running_across(self) -> set[int]:
        """Return the columns in which most of the entries that a row ends with, but for a head, run to the last column.

        So do those, then, that are too short to show it.
        """
        ends: dict[int, list[bool]] = {}
        for starts in self.starts[self.heads :]:
            first = max(starts, default=0)
            if first + 1 < self.columns:
                ends.setdefault(first, []).append(starts.get(first, 0) > first)
        return {first for first, across in ends.items() if 2 * sum(across) > len(across)}

    def _starts(self, row: int) -> dict[int, int]:
        """Return the columns of a row that hold text, each with the last one that its text runs into."""
        found: dict[int, int] = {}
        for line in self.rows[row].lines:
            for piece in pieces_of(line, self.height):
                inner = [n for n, g in enumerate(self.gutters) if piece.left < g.left + 1 and piece.right > g.right - 1]
                first = column_at(piece.left + 1, self.gutters) if not inner else inner[0]
                last = max(first, inner[-1] + 1) if inner else first
                found[first] = max(last, found.get(first, 0))
        return found

    def _spans(self, row: int) -> Iterator[tuple[int, int]]:
        """Yield first and last column of each cell of a row."""
        starts = self.starts[row]
        column = 0
        while column < self.columns:
            last = starts.get(column, column)
            last = max(last, self._tinted_to(row, column))
            if column in starts and (last > column or self._is_group(row, column) or self._heads_more(row, column)):
                last = max(last, min((other for other in starts if other > column), default=self.columns) - 1)
            yield column, last
            column = last + 1

    def _tinted(self, row: int) -> list[tuple[int, int]]:
        """Return the first and last columns of the coloured areas behind a row, or else of the lines below it."""
        middle = (self.rows[row].top + self.rows[row].bottom) / 2
        end = self.rows[row + 1].top if row + 1 < len(self.rows) else self.region.bottom + self.height
        found = [area for area in self.rules.areas if area.top < middle < area.bottom]
        found = found or [line for line in self.rules.level if self.rows[row].bottom - 1 < line.top < end + 1]
        inset = GUTTER * self.height
        return [
            (column_at(area.left + inset, self.gutters), column_at(area.right - inset, self.gutters)) for area in found
        ]

    def _tinted_to(self, row: int, column: int) -> int:
        """Return the last column of a coloured cell that begins here, in a table whose cells have colours of their own.

        What holds text in several columns is no cell, but the colour of a row.
        """
        last = max((last for first, last in self._tints[row] if first == column), default=column)
        alone = not any(column < other <= last for other in self.starts[row])
        parted = sum(any(after == last for after, _ in tints) for tints in self._tints)
        return last if alone and parted > 1 else column

    def _is_group(self, row: int, column: int) -> bool:
        """Whether an entry runs across, or is the title of the rows below: bold and alone, in a table of others."""
        starts = self.starts[row]
        if row >= self.heads and column == max(starts) and column in self._across:
            return True
        if list(starts) != [0] or (row == len(self.rows) - 1 and not starts[0]):
            return False
        if row == 0 and not starts[0]:
            return self.heads > 1 or len(self.starts[1]) > 1
        light = sum(not other.bold for other in self.rows) > 1
        return starts[0] > 0 or (row >= self.heads and ((self.rows[row].bold and light) or self._titled()))

    def _titled(self) -> bool:
        """Whether rows with an entry in the first column alone are titles of groups: all others of the table are full.

        It has three columns at least; the last row is none, nor are two together.
        """
        alone = [len(starts) == 1 for starts in self.starts]
        full = all(len(starts) == self.columns for starts in self.starts[self.heads :] if len(starts) > 1)
        return self.columns > 2 and full and not alone[-1] and not any(a and b for a, b in pairwise(alone))

    def _heads_more(self, row: int, column: int) -> bool:
        """Whether a head stands over several heads of the row below: a bold one, or where these have no first entry."""
        below = self.starts[row + 1] if row + 1 < len(self.rows) else {}
        headed = row + 1 < self.heads or (row == 0 and 0 in self.starts[0] and 0 not in below)
        return headed and column > 0 and column + 1 in below

    def _cell(self, row: int, first: int, last: int) -> GridCell:
        left = self._between(self.gutters[first - 1]) if first else self.region.left
        right = self._between(self.gutters[last]) if last < self.columns - 1 else self.region.right
        top = self._boundary(row - 1) if row else self.region.top
        bottom = self._boundary(row) if row < len(self.rows) - 1 else self.region.bottom
        return GridCell(row, first, 1, last - first + 1, Rect(left, top, right, bottom))

    @staticmethod
    def _between(gutter: Strip) -> float:
        return (gutter.left + gutter.right) / 2

    def _boundary(self, row: int) -> float:
        return (self.rows[row].bottom + self.rows[row + 1].top) / 2

    def _downward(self, cells: Sequence[GridCell]) -> Iterator[GridCell]:
        """Yield the cells; empty ones that a row begins with are joined to those above if no line is drawn between."""
        by_place = {(cell.row, cell.column): cell for cell in cells}
        for row in range(len(self.rows) - 1, 0, -1):
            for column in range(min(self.starts[row], default=0)):
                cell, above = by_place.get((row, column)), by_place.get((row - 1, column))
                if cell is None or above is None or above.column_span > 1 or not self._open(cell):
                    break
                span, rect = above.row_span + cell.row_span, around((above.rect, cell.rect))
                by_place[row - 1, column] = GridCell(row - 1, column, span, 1, rect)
                del by_place[row, column]
        yield from sorted(by_place.values(), key=lambda cell: (cell.row, cell.column))

    def _open(self, cell: GridCell) -> bool:
        left, right = cell.rect.left + 2, cell.rect.right - 2
        return not any(
            abs(rule.top - cell.rect.top) < self.height and rule.left < right and rule.right > left
            for rule in (*self.rules.level, *self.rules.shaded)
        )
