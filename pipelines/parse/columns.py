"""Reading order of lines on a page and of shapes on a slide, by recursive cuts along white space.

After the X-Y cut of Nagy and Seth, "Hierarchical representation of optically scanned documents" (1984). On a page the
gutters between columns are found first, from the pairs of lines that stand side by side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import TypeVar

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line, Rect, around

_GUTTER_EM = 0.65
"""Least width of a gutter, in heights of a line: twice a blank, and less than the 12 points of LaTeX at any size."""
_LEAST_ROWS = 3
"""Lines that a column has at least: two may be an address beside a date."""
_LEAST_WORDY = 8
"""Characters that a line of a column has in the median: a word and a half, where cells of figures have fewer."""
_CUT_COST = 0.25
"""What a line that a gutter would cut costs, in pairs of lines that it parts: of two gutters the clear one wins."""
_DEEPEST = 12
"""Cuts within one another: a page in 12 columns; it ends the recursion on confetti."""
_LATEST = 12
"""Pieces of a row that one more is compared with: enough for any table, and few on a page of confetti."""
_MOST_GUTTERS = 200
"""White gaps that are tried; a page of text has a few dozen."""
_MOST_LINES = 3000
"""Lines of a page from which it is no page of text, and is read in the order of its rows."""


def in_rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines row by row, each from where its script begins; two with half a line in common are in one."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.rect.middle[1]):
        if rows and _in_row(rows[-1][-_LATEST:], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in _along(row)]


def _along(row: Sequence[Line]) -> list[Line]:
    backwards = len(row) > 1 and right_to_left(" ".join(line.text for line in row))
    return sorted(row, key=lambda line: line.rect.left, reverse=backwards)


def _in_row(row: Sequence[Line], line: Line) -> bool:
    common = max(min(o.rect.bottom, line.rect.bottom) - max(o.rect.top, line.rect.top) for o in row)
    return common > 0.5 * min(line.rect.height, *(other.rect.height for other in row))


def reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in reading order, in groups of which each is one column between two things that span it."""
    if not lines:
        return []
    em = median(line.rect.height for line in lines)
    groups: list[list[Line]] = []
    backwards = right_to_left(" ".join(line.text for line in lines))
    # An eighth of the page: wider than any gutter or gap between columns of a table.
    band = around(line.rect for line in lines).width / 8
    _cut(sorted(lines, key=lambda line: (line.rect.top, line.rect.left)), em, band, groups, 0, backwards)
    return groups


def _cut(
    lines: list[Line], em: float, band: float, groups: list[list[Line]], depth: int, backwards: bool = False
) -> None:
    if not 2 * _LEAST_ROWS <= len(lines) <= _MOST_LINES or depth > _DEEPEST:
        groups.append(lines)
        return
    gutter = _gutter(lines, em, band)
    if gutter is None:
        groups.append(lines)
        return
    for run in _bands(lines, gutter):
        left = [line for line in run if line.rect.middle[0] < gutter]
        right = [line for line in run if line.rect.middle[0] >= gutter]
        if _crosses(run[0], gutter) or not left or not right:
            groups.append(run)
            continue
        for side in (right, left) if backwards else (left, right):
            _cut(side, em, band, groups, depth + 1, backwards)


def _gutter(lines: Sequence[Line], em: float, band: float) -> float | None:
    """Return the x that parts most lines standing side by side, None where no such white space runs down the page.

    Candidates are the white gaps right of lines; each is scored by the lines on its two sides that overlap vertically,
    less those that it would cut.
    """
    page = around(line.rect for line in lines)
    best, best_score = None, 0.0
    for x in _candidates(lines, em):
        left = [line for line in lines if line.rect.right <= x]
        right = [line for line in lines if line.rect.left >= x]
        if len(left) < _LEAST_ROWS or len(right) < _LEAST_ROWS:
            continue
        cut = len(lines) - len(left) - len(right)
        beside = _side_by_side(left, right)
        if beside < _LEAST_ROWS or beside <= cut or beside - _CUT_COST * cut <= best_score:
            continue
        if _columns(left, right, page, em) or (cut == 0 and _zones(left, right, band)):
            best, best_score = x, beside - _CUT_COST * cut
    return best


def _candidates(lines: Sequence[Line], em: float) -> list[float]:
    """Return the middles of white gaps between a line's right end and the next line beginning beyond it."""
    lefts = sorted({round(line.rect.left) for line in lines})
    rights = sorted({round(line.rect.right) for line in lines})
    found: list[float] = []
    for right, next_right in zip(rights, [*rights[1:], float("inf")], strict=True):
        position = bisect_left(lefts, right + _GUTTER_EM * em)
        if position < len(lefts) and lefts[position] <= next_right:
            found.append((right + lefts[position]) / 2)
    return found[:_MOST_GUTTERS]


def _side_by_side(left: Sequence[Line], right: Sequence[Line]) -> int:
    """Return how many lines of the smaller side have a neighbour on the other at their height."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    heights = sorted((line.rect.top, line.rect.bottom) for line in many)
    tops = [top for top, _ in heights]
    lowest = list(accumulate((bottom for _, bottom in heights), max))
    count = 0
    for line in few:
        above = bisect_left(tops, line.rect.bottom)
        count += above > 0 and lowest[above - 1] > line.rect.top
    return count


def _columns(left: Sequence[Line], right: Sequence[Line], page: Rect, em: float) -> bool:
    """Whether both sides are text in columns rather than the cells of a table or labels, which are short."""
    for side in (left, right):
        spread = around(line.rect for line in side).width
        # A column takes an eighth of the page.
        if spread <= 0.12 * page.width or median(len(line.text) for line in side) < _LEAST_WORDY:
            return False
        # Justified lines fill their column, ragged ones most of it; two columns of three are half of the page at least.
        fills = median(line.rect.width for line in side) > 0.45 * spread
        if not fills and (spread < 0.5 * page.width or _gutter(side, em, page.width) is None):
            return False
    return True


def _zones(left: Sequence[Line], right: Sequence[Line], band: float) -> bool:
    """Whether white as wide as `band`, an eighth of the page, runs down it between things that form no rows.

    So stand the parts of a charge controller's front and their names (mppt-1210-hus.pdf of the industrial documents).
    """
    white = min(line.rect.left for line in right) - max(line.rect.right for line in left)
    if white < band:
        return False
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    level = sum(1 for line in few if any(_level(line.rect, other.rect) for other in many))
    # Rows of a table stand level throughout, but for one cell in five of two lines.
    return level < 0.8 * len(few)


def _level(one: Rect, other: Rect) -> bool:
    # A quarter of a line: what is set on one base line differs by less.
    return abs(one.middle[1] - other.middle[1]) < 0.25 * min(one.height, other.height)


def _crosses(line: Line, gutter: float) -> bool:
    return line.rect.left < gutter < line.rect.right


def _bands(lines: Sequence[Line], gutter: float) -> list[list[Line]]:
    """Return the lines cut into bands from the top: runs that cross the gutter, and runs that do not."""
    bands: list[list[Line]] = []
    crossing: bool | None = None
    for line in lines:
        crosses = _crosses(line, gutter)
        if crosses != crossing:
            bands.append([])
            crossing = crosses
        bands[-1].append(line)
    return bands


T = TypeVar("T")

_OVERLAP = 0.012
"""Fraction of the slide by which neighbours may overlap and still be taken as apart: nobody aligns to the pixel."""
_MOST_SHAPES = 400
"""Shapes of a slide that are cut; a drawing of more has no reading order, and the time grows with the square."""


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """The rectangle of a shape, in fractions of the slide; what lies beyond its edges is below 0 or above 1."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


def in_reading_order(items: Sequence[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    """Return the items as a person reads them: cut along the widest gap, rows before columns, and each part again.

    Items that no straight line divides come by their top, then by their left edge (recursive XY cut, Nagy and Seth
    1984).
    """
    if len(items) > _MOST_SHAPES:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    return _cut_shapes(list(items), frame_of)


def _cut_shapes(items: list[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    if len(items) < 2:
        return items
    rows, row_gap = _split_shapes(items, lambda item: (frame_of(item).top, frame_of(item).bottom))
    columns, column_gap = _split_shapes(items, lambda item: (frame_of(item).left, frame_of(item).right))
    if len(rows) == 1 and len(columns) == 1:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    parts = rows if len(columns) == 1 or (len(rows) > 1 and row_gap >= column_gap) else columns
    return [item for part in parts for item in _cut_shapes(part, frame_of)]


def _split_shapes(items: list[T], extent: Callable[[T], tuple[float, float]]) -> tuple[list[list[T]], float]:
    """Return the items divided at the widest gaps in one direction, and the widest; gaps of half of it count too."""
    ranked = sorted(items, key=lambda item: extent(item)[0])
    gaps = [float("-inf")]
    reached = extent(ranked[0])[1]
    for item in ranked[1:]:
        start, end = extent(item)
        # A quarter of a small shape: it must not be taken as apart from one that it lies in.
        slack = min(_OVERLAP, (end - start) / 4)
        gaps.append(start - reached if start >= reached - slack else float("-inf"))
        reached = max(reached, end)
    widest = max(gaps)
    parts: list[list[T]] = [[]]
    for item, gap in zip(ranked, gaps, strict=True):
        if gap > float("-inf") and gap >= min(widest, widest / 2):
            parts.append([])
        parts[-1].append(item)
    return parts, widest
