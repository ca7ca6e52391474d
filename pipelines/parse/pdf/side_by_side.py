"""Tables without drawn lines, found as lines side by side in rows with continuous gaps between columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.parse.columns import read_columns
from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.pdf.table_cells import Strip

_LEAST_ROWS = 3
"""Minimum rows of a table with several entries: a header and two rows."""
_LEAST_GAP = 0.5
"""Minimum gap between columns in type sizes; lines are split at gaps of 0.9, and centred entries leave narrower ones.
"""
_MOST_STEP = 3.0
"""Maximum distance between the middles of rows in type sizes: a row of two lines, and the padding."""
_MOST_LINE_STEP = 1.5
"""The same to a line in a single column: single-spaced text has 1.2."""
_ROUNDING = 1.0
"""Points within which two steps are equal: browsers place lines at multiples of 0.75."""


def rows_side_by_side(lines: Sequence[Line], gutters: Sequence[tuple[float, float]]) -> list[Rect]:
    """Return the areas in which lines of one column of a page are side by side in rows, as in a table.

    Areas across the `gutters` of the running text are left out.
    """
    found = [region for group in read_columns(lines, gutters) for region in _regions(rows_by_height(group))]
    return [region for region in found if not any(region.left < a and b < region.right for a, b in gutters)]


def rows_by_height(group: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of a group, row by row, grouped by height, each row from the left."""
    rows: list[list[Line]] = []
    for line in group:
        # On one line if they differ by less than a third of the size.
        if rows and abs(rows[-1][0].rect.middle[1] - line.rect.middle[1]) < 0.3 * max(line.size, 1.0):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.rect.left) for row in rows]


def _regions(rows: Sequence[Sequence[Line]]) -> Iterator[Rect]:
    """Yield the areas of consecutive rows with continuous gaps between columns."""
    run: list[Sequence[Line]] = []
    gaps: list[Strip] = []
    nothing: Sequence[Line] = ()
    for row, below in pairwise([*rows, nothing, nothing]):
        remaining = _remaining_gaps(gaps, row) if run and row and _follows(run[-1], row) else []
        if run and len(row) == 1 < len(below) and _is_spanning(run[-1], row, below):
            remaining = gaps
        if not remaining:
            if _aligned_rows(run) >= _LEAST_ROWS:
                yield around(line.rect for other in _without_text_below(run, gaps) for line in other)
            run, remaining = [], _row_gaps(row)
        if remaining:
            run, gaps = [*run, row], remaining


def _aligned_rows(run: Sequence[Sequence[Line]]) -> int:
    """Return the largest number of entries, after the first of a row, with a common left edge or middle."""
    inner = [line.rect for row in run for line in row[1:]]
    # Within 2 points, since side bearings differ.
    lefts = Counter(round(rect.left / 2) for rect in inner)
    middles = Counter(round(rect.middle[0] / 2) for rect in inner)
    return max((*lefts.values(), *middles.values()), default=0)


def _without_text_below(run: Sequence[Sequence[Line]], gaps: Sequence[Strip]) -> Sequence[Sequence[Line]]:
    """Return the rows without the last ones that are only in the first column: they are text below."""
    last = max(n for n, row in enumerate(run) if len(row) > 1 or row[0].rect.left >= gaps[0].right - 1)
    return run[: last + 1]


def _row_gaps(row: Sequence[Line]) -> list[Strip]:
    return [Strip(one.rect.right, other.rect.left) for one, other in pairwise(row)]


def _follows(above: Sequence[Line], row: Sequence[Line]) -> bool:
    return _step(above, row) < (_MOST_STEP if len(row) > 1 else _MOST_LINE_STEP) * row[0].size


def _is_spanning(above: Sequence[Line], row: Sequence[Line], below: Sequence[Line]) -> bool:
    """Whether a single line is as far from the row above as from that below, as an entry across columns is."""
    return _step(above, row) < _MOST_STEP * row[0].size and abs(_step(above, row) - _step(row, below)) < _ROUNDING


def _step(above: Sequence[Line], row: Sequence[Line]) -> float:
    return row[0].rect.middle[1] - above[0].rect.middle[1]


def _remaining_gaps(gaps: Sequence[Strip], row: Sequence[Line]) -> list[Strip]:
    """Return the gaps narrowed by a further row, without those that it crosses."""
    found: list[Strip] = []
    for strip in gaps:
        remaining = max([strip.left, *(line.rect.right for line in row if line.rect.left < strip.left)])
        right = min([strip.right, *(line.rect.left for line in row if line.rect.right > strip.right)])
        inside = any(strip.left <= line.rect.left and line.rect.right <= strip.right for line in row)
        if not inside and right - remaining > _LEAST_GAP * row[0].size:
            found.append(Strip(remaining, right))
    return found
