"""Where lines stand side by side in rows, with white that runs down between them: tables that nothing is drawn in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.parse.columns import in_rows, reading_order
from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.pdf.table_cells import Strip

_ROWS = 3
"""Rows of two pieces that make a table: a head and two rows."""
_WHITE = 0.5
"""Of a line's size, white that parts columns at least; lines are parted from .9 on, and what is centred leaves less."""
_NEXT = 3.0
"""Sizes of a line from the middle of a row to that of the next at most: one of two lines, and the padding."""
_GOES_ON = 1.5
"""The same to a line that goes on in one column: that of single-spaced text is 1.2."""
_ROUNDING = 1.0
"""Points by which two steps differ that are one: browsers set lines at multiples of .75."""


def rows_side_by_side(lines: Sequence[Line], gutters: Sequence[tuple[float, float]]) -> list[Rect]:
    """Return where lines of one column of a page stand side by side in rows, as the entries of a table do.

    Across the `gutters` of running text stands no such table.
    """
    found = [region for group in reading_order(lines) for region in _regions(_in_rows(group))]
    return [region for region in found if not any(region.left < a and b < region.right for a, b in gutters)]


def _in_rows(group: Sequence[Line]) -> list[list[Line]]:
    """Return lines as rows: what is on one height, from the left."""
    rows: list[list[Line]] = []
    for line in in_rows(group):
        # Less than a third of the size apart, they are on one line.
        if rows and abs(rows[-1][0].rect.middle[1] - line.rect.middle[1]) < 0.3 * max(line.size, 1.0):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.rect.left) for row in rows]


def _regions(rows: Sequence[Sequence[Line]]) -> Iterator[Rect]:
    """Yield the runs of rows in which white runs down, each to its last row of several pieces."""
    run: list[Sequence[Line]] = []
    white: list[Strip] = []
    nothing: Sequence[Line] = ()
    for row, below in pairwise([*rows, nothing, nothing]):
        left = _left(white, row) if run and row and _follows(run[-1], row) else []
        if run and len(row) == 1 < len(below) and _between(run[-1], row, below):
            left = white
        if not left:
            if _flush(run) >= _ROWS:
                yield around(line.rect for other in _whole(run, white) for line in other)
            run, left = [], _white(row)
        if left:
            run, white = [*run, row], left


def _flush(run: Sequence[Sequence[Line]]) -> int:
    """Return how many rows have an entry behind the first that begins, or has its middle, where others' do."""
    inner = [line.rect for row in run for line in row[1:]]
    # To 2 points, as letters begin at their ink.
    lefts = Counter(round(rect.left / 2) for rect in inner)
    middles = Counter(round(rect.middle[0] / 2) for rect in inner)
    return max((*lefts.values(), *middles.values()), default=0)


def _whole(run: Sequence[Sequence[Line]], white: Sequence[Strip]) -> Sequence[Sequence[Line]]:
    """Return a run without the lines in the first column alone that it ends with: they are text below."""
    last = max(n for n, row in enumerate(run) if len(row) > 1 or row[0].rect.left >= white[0].right - 1)
    return run[: last + 1]


def _white(row: Sequence[Line]) -> list[Strip]:
    return [Strip(one.rect.right, other.rect.left) for one, other in pairwise(row)]


def _follows(above: Sequence[Line], row: Sequence[Line]) -> bool:
    return _step(above, row) < (_NEXT if len(row) > 1 else _GOES_ON) * row[0].size


def _between(above: Sequence[Line], row: Sequence[Line], below: Sequence[Line]) -> bool:
    """Whether a line that stands alone is as far from the row above as from that below: an entry across columns."""
    return _step(above, row) < _NEXT * row[0].size and abs(_step(above, row) - _step(row, below)) < _ROUNDING


def _step(above: Sequence[Line], row: Sequence[Line]) -> float:
    return row[0].rect.middle[1] - above[0].rect.middle[1]


def _left(white: Sequence[Strip], row: Sequence[Line]) -> list[Strip]:
    """Return what a row leaves of the white: nothing of a strip that it crosses."""
    found: list[Strip] = []
    for strip in white:
        left = max([strip.left, *(line.rect.right for line in row if line.rect.left < strip.left)])
        right = min([strip.right, *(line.rect.left for line in row if line.rect.right > strip.right)])
        inside = any(strip.left <= line.rect.left and line.rect.right <= strip.right for line in row)
        if not inside and right - left > _WHITE * row[0].size:
            found.append(Strip(left, right))
    return found
