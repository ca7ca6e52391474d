"""Merged cells of a table without vertical lines: entries across columns, titles of groups, entries over rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, Rules

LEAST_GUTTER = 0.5
"""Minimum gap between columns in line heights: a blank is a fifth, and the gap between cells at least 4 points."""
_MONO_BLANK = 1.2
"""Maximum gap of a blank in monospaced type, in widths of a character, with some tolerance."""
LOOSE_LEADING = 0.12
"""Additional leading before the next row, compared with the lines of an entry, in line heights."""
_BEARING = 2.0
"""Points by which a piece of a line may begin before the drawn line at the left of its column: side bearings vary."""
_OFF_CENTRE = 0.5
"""Maximum distance of a centred entry from the middle of the table, in line heights: the width of a letter."""


class Strip(NamedTuple):
    """A horizontal interval: a piece of a line between two wide gaps, or a gap."""

    left: float
    right: float


@dataclass(frozen=True, slots=True)
class TextRow:
    """The lines of words of one row, from `top` to `bottom`."""

    top: float
    bottom: float
    lines: tuple[tuple[PageWord, ...], ...]

    @property
    def bold(self) -> bool:
        return all(word.bold for line in self.lines for word in line)


def pieces_of(line: Sequence[PageWord], height: float) -> list[Strip]:
    """Return the pieces of a line, which are separated by gaps wider than a blank."""
    pieces: list[Strip] = []
    for word in sorted(line, key=lambda word: word.rect.left):
        # The width of a blank, or that of a character in monospaced type.
        blank = _MONO_BLANK * word.rect.width / len(word.text) if word.mono else LEAST_GUTTER * height
        if pieces and word.rect.left - pieces[-1].right < blank:
            pieces[-1] = Strip(pieces[-1].left, max(pieces[-1].right, word.rect.right))
        else:
            pieces.append(Strip(word.rect.left, word.rect.right))
    return pieces


def middle_of(line: Sequence[PageWord]) -> float:
    return median(word.rect.middle[1] for word in line)


def column_at(x: float, gutters: Sequence[Strip]) -> int:
    return sum(1 for gutter in gutters if x > (gutter.left + gutter.right) / 2)


def _crosses(piece: Strip, gutter: Strip) -> bool:
    """Whether a piece of a line covers a gutter, or extends over a drawn line on both sides."""
    slack = 1.0 if gutter.right > gutter.left else -_BEARING
    return piece.left < gutter.left + slack and piece.right > gutter.right - slack


class TableCells:
    """The cells of a table with known rows and columns, some of which are merged."""

    def __init__(self, region: Rect, rows: Sequence[TextRow], gutters: Sequence[Strip], rules: Rules) -> None:
        self.region, self.rows, self.gutters, self.rules = region, rows, gutters, rules
        self.height = median(word.rect.height for row in rows for line in row.lines for word in line)
        self.columns = len(gutters) + 1
        drawn = [rule for rule in (*rules.horizontal, *rules.horizontal_edges) if rule.meet(region).width > 0]
        self._table = around([*drawn, *(word.rect for row in rows for line in row.lines for word in line)])
        self.header_rows = next((number for number, row in enumerate(rows) if not row.bold), 0)
        self.text_spans = [self._find_text_spans(number) for number in range(len(rows))]
        self._running_columns = self._find_running_columns()
        self._grouped_columns = self._find_grouped_columns()
        self._background_spans = [self._find_background_spans(number) for number in range(len(rows))]
        # Every second row is coloured: then the area of only some titles of groups is visible.
        self._has_wide_titles = any(
            list(spans) == [0] and row and self._background_end(row, 0) == self.columns - 1
            for row, spans in enumerate(self.text_spans)
        )

    def grid(self) -> PageGrid:
        """Return the grid; empty cells are merged with the one above or beside that they belong to."""
        cells = [self._cell(row, *span) for row in range(len(self.rows)) for span in self._spans(row)]
        return PageGrid(self.region, tuple(self._join_empty(cells)), tuple(self.gutters))

    def _find_running_columns(self) -> set[int]:
        """Return the columns from which the last entries of rows extend across the columns after them.

        This is the case if most of these entries do, except headers; shorter ones then do so too.
        """
        ends: dict[int, list[bool]] = {}
        for spans in self.text_spans[self.header_rows :]:
            first = max(spans, default=0)
            if first + 1 < self.columns:
                ends.setdefault(first, []).append(spans.get(first, 0) > first)
        return {first for first, across in ends.items() if 2 * sum(across) > len(across)}

    def _find_text_spans(self, row: int) -> dict[int, int]:
        """Return the columns of a row with text, each with the last column that the text extends into."""
        found: dict[int, int] = {}
        for line in self.rows[row].lines:
            for piece in pieces_of(line, self.height):
                inner = [number for number, gutter in enumerate(self.gutters) if _crosses(piece, gutter)]
                first = column_at(piece.left + _BEARING, self.gutters) if not inner else inner[0]
                last = max(first, inner[-1] + 1) if inner else first
                found[first] = max(last, found.get(first, 0))
        return found

    def _spans(self, row: int) -> Iterator[tuple[int, int]]:
        """Yield first and last column of each cell of a row."""
        spans = self.text_spans[row]
        column = 0
        if self._is_centred_title(row) or (list(spans) == [0] and row and self._has_wide_titles):
            yield 0, self.columns - 1
            return
        while column < self.columns:
            last = spans.get(column, column)
            last = max(last, self._background_end(row, column))
            if column in spans and (
                last > column or self._spans_columns(row, column) or self._heads_columns(row, column)
            ):
                last = max(last, min((other for other in spans if other > column), default=self.columns) - 1)
            yield column, last
            column = last + 1

    def _find_background_spans(self, row: int) -> list[tuple[int, int]]:
        """Return the first and last columns of the coloured areas behind a row, or of the lines below it."""
        middle = (self.rows[row].top + self.rows[row].bottom) / 2
        end = self.rows[row + 1].top if row + 1 < len(self.rows) else self.region.bottom + self.height
        found = [area for area in self.rules.areas if area.top < middle < area.bottom]
        found = found or [line for line in self.rules.horizontal if self.rows[row].bottom - 1 < line.top < end + 1]
        inset = LEAST_GUTTER * self.height
        return [
            (column_at(area.left + inset, self.gutters), column_at(area.right - inset, self.gutters)) for area in found
        ]

    def _background_end(self, row: int, column: int) -> int:
        """Return the last column of the coloured cell that begins at `column`, `column` itself if there is none.

        An area with text in several columns is the background of a row, not a cell.
        """
        last = max((last for first, last in self._background_spans[row] if first == column), default=column)
        alone = sum(column <= other <= last for other in self.text_spans[row]) < 2
        separate_rows = sum(any(after == last for after, _ in tints) for tints in self._background_spans)
        return last if alone and separate_rows > 1 else column

    def _spans_columns(self, row: int, column: int) -> bool:
        """Whether an entry extends across columns, or is the title of a group of rows: alone in its row, and bold."""
        spans = self.text_spans[row]
        if row >= self.header_rows and column == max(spans) and column in self._running_columns:
            return True
        if list(spans) != [0] or (row == len(self.rows) - 1 and not spans[0]):
            return False
        if row == 0 and not spans[0]:
            return self.header_rows > 1 or len(self.text_spans[1]) > 1
        light = sum(not other.bold for other in self.rows) > 1
        return spans[0] > 0 or (
            row >= self.header_rows and ((self.rows[row].bold and light) or self._has_group_titles())
        )

    def _is_centred_title(self, row: int) -> bool:
        """Whether the only entry of a row is in the middle of the table, but not in that of a column or at its left."""
        words = [word.rect for line in self.rows[row].lines for word in line]
        if len(self.text_spans[row]) != 1 or len(self.rows[row].lines) > 1:
            return False
        edges = [self._table.left, *(self._middle(gutter) for gutter in self.gutters), self._table.right]
        middle = around(words).middle[0]
        apart = min(abs((left + right) / 2 - middle) for left, right in pairwise(edges)) > self.height
        left = min(abs(edge - around(words).left) for edge in edges) > self.height
        return apart and left and abs(around([self._table]).middle[0] - middle) < _OFF_CENTRE * self.height

    def _has_group_titles(self) -> bool:
        """Whether rows with only an entry in the first column are titles of groups, because all other rows are full.

        The table has at least three columns; the last row is not such a row, and no two of them are adjacent.
        """
        alone = [len(spans) == 1 for spans in self.text_spans]
        full = all(len(spans) == self.columns for spans in self.text_spans[self.header_rows :] if len(spans) > 1)
        return self.columns > 2 and full and not alone[-1] and not any(a and b for a, b in pairwise(alone))

    def _heads_columns(self, row: int, column: int) -> bool:
        """Whether an entry is a header over several headers in the next row."""
        below = self.text_spans[row + 1] if row + 1 < len(self.rows) else {}
        headed = row + 1 < self.header_rows or (row == 0 and 0 in self.text_spans[0] and 0 not in below)
        return headed and column > 0 and column + 1 in below

    def _find_grouped_columns(self) -> set[int]:
        """Return the columns with entries exactly in the rows that also have one in the first column.

        At least two groups of rows begin so: what they have in common, such as a unit, is written once.
        """
        begins = [row for row, spans in enumerate(self.text_spans) if 0 in spans]
        groups = sum(below - row > 1 for row, below in pairwise([*begins, len(self.rows)]))
        filled = {n: [row for row, spans in enumerate(self.text_spans) if n in spans] for n in range(1, self.columns)}
        return {column for column, rows in filled.items() if rows == begins and groups > 1}

    @property
    def _has_two_headers(self) -> bool:
        """Whether some entry of the first row is a header over headers in the second one."""
        return any(self._heads_columns(0, column) for column in self.text_spans[0])

    def _cell(self, row: int, first: int, last: int) -> GridCell:
        left = self._middle(self.gutters[first - 1]) if first else self.region.left
        right = self._middle(self.gutters[last]) if last < self.columns - 1 else self.region.right
        top = self._boundary(row - 1) if row else self.region.top
        bottom = self._boundary(row) if row < len(self.rows) - 1 else self.region.bottom
        return GridCell(row, first, 1, last - first + 1, Rect(left, top, right, bottom))

    @staticmethod
    def _middle(gutter: Strip) -> float:
        return (gutter.left + gutter.right) / 2

    def _boundary(self, row: int) -> float:
        return (self.rows[row].bottom + self.rows[row + 1].top) / 2

    def _join_empty(self, cells: Sequence[GridCell]) -> Iterator[GridCell]:
        """Yield the cells; empty ones at the start of a row are merged with those above if no line is in between."""
        by_place = {(cell.row, cell.column): cell for cell in cells}
        for row in range(len(self.rows) - 1, 0, -1):
            first = min(self.text_spans[row], default=0)
            later = [n for n in range(first, self.columns) if n not in self.text_spans[row]]
            grouped = [column for column in later if column in self._grouped_columns]
            for column in (*range(first), *(later if row == 1 and self._has_two_headers else grouped)):
                cell, above = by_place.get((row, column)), by_place.get((row - 1, column))
                if cell is None or above is None or above.column_span > 1 or not self._is_open_above(cell):
                    break
                span, rect = above.row_span + cell.row_span, around((above.rect, cell.rect))
                by_place[row - 1, column] = GridCell(row - 1, column, span, 1, rect)
                del by_place[row, column]
        yield from sorted(by_place.values(), key=lambda cell: (cell.row, cell.column))

    def _is_open_above(self, cell: GridCell) -> bool:
        left, right = cell.rect.left + 2, cell.rect.right - 2
        return not any(
            abs(rule.top - cell.rect.top) < self.height and rule.left < right and rule.right > left
            for rule in (*self.rules.horizontal, *self.rules.horizontal_edges)
        )
