"""Reading order of lines on a page, by recursive cuts along white space.

After the X-Y cut of Nagy and Seth, "Hierarchical representation of optically scanned documents" (1984). On a page, the
gutters between columns are found first, from pairs of lines that are side by side.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from statistics import median
from typing import NamedTuple

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line, Rect, around

Gutters = Sequence[tuple[float, float]]
"""Left and right edges of the gaps between columns, in points."""
_GUTTER_EM = 0.65
"""Minimum width of a gutter in line heights: twice a blank, and less than the 12 points of LaTeX at any size."""
_LEAST_ROWS = 3
"""Minimum lines of a column: two may be an address beside a date."""
_LEAST_WORDY = 8
"""Minimum median length of a column's lines, in characters: a word and a half; cells of numbers are shorter."""
_CUT_COST = 0.25
"""Penalty for each line that a gutter cuts, in pairs of lines that it separates: an uncut gutter is preferred."""
_DEEPEST = 12
"""Maximum depth of nested cuts: a page in 12 columns; it ends the recursion on scattered fragments."""
_LATEST = 12
"""Pieces of a row that a further line is compared with: enough for any table, and few on a page of fragments."""
_MOST_GUTTERS = 200
"""Maximum gaps that are tried as gutters; a page of text has a few dozen."""
_MOST_LINES = 3000
"""Number of lines above which a page is not treated as text and is read row by row."""


def in_rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines row by row, each in its script's direction; lines that overlap by half their height share a row."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.rect.middle[1]):
        if rows and _in_row(rows[-1][-_LATEST:], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in _in_direction(row)]


def _in_direction(row: Sequence[Line]) -> list[Line]:
    backwards = len(row) > 1 and right_to_left(" ".join(line.text for line in row))
    return sorted(row, key=lambda line: line.rect.left, reverse=backwards)


def _in_row(row: Sequence[Line], line: Line) -> bool:
    common = max(min(o.rect.bottom, line.rect.bottom) - max(o.rect.top, line.rect.top) for o in row)
    return common > 0.5 * min(line.rect.height, *(other.rect.height for other in row))


def reading_order(lines: Sequence[Line], gutters: Gutters = ()) -> list[list[Line]]:
    """Return the lines in reading order, in groups; each is one column between two elements that span the columns.

    `gutters` separate the columns of the document's running text: they are also used between few lines.
    """
    if not lines:
        return []
    em = median(line.rect.height for line in lines)
    groups: list[list[Line]] = []
    backwards = right_to_left(" ".join(line.text for line in lines))
    # An eighth of the page: wider than any gutter or gap between columns of a table.
    band = around(line.rect for line in lines).width / 8
    page = _Page(em, band, gutters, backwards)
    _cut(sorted(lines, key=lambda line: (line.rect.top, line.rect.left)), page, groups, 0)
    return groups


def read_columns(lines: Sequence[Line], gutters: Gutters = ()) -> list[list[Line]]:
    """Return the groups of `reading_order`, the lines of each row by row."""
    return [in_rows(group) for group in reading_order(lines, gutters)]


class _Page(NamedTuple):
    """The height of a line, the width of a band, the known gutters, and whether the text runs right to left."""

    em: float
    band: float
    gutters: Gutters
    backwards: bool


def _cut(lines: list[Line], page: _Page, groups: list[list[Line]], depth: int) -> None:
    if len(lines) > _MOST_LINES or depth > _DEEPEST:
        groups.append(lines)
        return
    gutter = _known_gutter(lines, page.gutters)
    if gutter is None and len(lines) >= 2 * _LEAST_ROWS:
        gutter = _gutter(lines, page.em, page.band)
    if gutter is None:
        groups.append(lines)
        return
    for run in _bands(lines, gutter):
        left = [line for line in run if line.rect.middle[0] < gutter]
        right = [line for line in run if line.rect.middle[0] >= gutter]
        if _crosses(run[0], gutter) or not left or not right:
            groups.append(run)
            continue
        for side in (right, left) if page.backwards else (left, right):
            _cut(side, page, groups, depth + 1)


def _known_gutter(lines: Sequence[Line], gutters: Gutters) -> float | None:
    """Return the known gutter with lines on both sides, more of them side by side than lines that cross it."""
    for start, end in gutters:
        # Most columns begin at the right edge of the gap; hanging numbers are left of it.
        x = min((end - 1, (start + end) / 2), key=lambda x: sum(_crosses(line, x) for line in lines))
        left = [line for line in lines if line.rect.right <= x]
        right = [line for line in lines if line.rect.left >= x]
        beside = _side_by_side(left, right) if left and right else 0
        if beside and beside >= len(lines) - len(left) - len(right):
            return x
    return None


def _gutter(lines: Sequence[Line], em: float, band: float) -> float | None:
    """Return the x of the gutter that separates most lines side by side, or None if there is none.

    Candidates are the gaps right of lines. The score is the number of lines on both sides that overlap vertically, less
    a penalty for lines that the gutter would cut.
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
    """Return the centres of the gaps between the right end of a line and the next line that starts right of it."""
    lefts = sorted({round(line.rect.left) for line in lines})
    rights = sorted({round(line.rect.right) for line in lines})
    found: list[float] = []
    for right, next_right in zip(rights, [*rights[1:], float("inf")], strict=True):
        position = bisect_left(lefts, right + _GUTTER_EM * em)
        if position < len(lefts) and lefts[position] <= next_right:
            found.append((right + lefts[position]) / 2)
    return found[:_MOST_GUTTERS]


def _side_by_side(left: Sequence[Line], right: Sequence[Line]) -> int:
    """Return how many lines of the smaller side have a neighbour at the same height on the other side."""
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
    """Whether both sides are columns of text rather than table cells or labels, which are shorter."""
    for side in (left, right):
        spread = around(line.rect for line in side).width
        # A column takes at least an eighth of the page.
        if spread <= 0.12 * page.width or median(len(line.text) for line in side) < _LEAST_WORDY:
            return False
        # Justified lines fill their column, ragged ones most of it; two columns of three take at least half the page.
        fills = median(line.rect.width for line in side) > 0.45 * spread
        if not fills and (spread < 0.5 * page.width or _gutter(side, em, page.width) is None):
            return False
    return True


def _zones(left: Sequence[Line], right: Sequence[Line], band: float) -> bool:
    """Whether a gap of at least `band`, an eighth of the page, separates elements that do not form rows.

    Example: the parts on a charge controller's front and their names (mppt-1210-hus.pdf of the industrial documents).
    """
    white = min(line.rect.left for line in right) - max(line.rect.right for line in left)
    if white < band:
        return False
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    level = sum(1 for line in few if any(_level(line.rect, other.rect) for other in many))
    # The cells of a table row are level, except for one cell in five that has two lines.
    return level < 0.8 * len(few)


def _level(one: Rect, other: Rect) -> bool:
    # A quarter of a line: lines on the same baseline differ by less.
    return abs(one.middle[1] - other.middle[1]) < 0.25 * min(one.height, other.height)


def _crosses(line: Line, gutter: float) -> bool:
    return line.rect.left < gutter < line.rect.right


def _bands(lines: Sequence[Line], gutter: float) -> list[list[Line]]:
    """Return the lines cut into bands from the top: runs that cross the gutter alternate with runs that do not."""
    bands: list[list[Line]] = []
    crossing: bool | None = None
    for line in lines:
        crosses = _crosses(line, gutter)
        if crosses != crossing:
            bands.append([])
            crossing = crosses
        bands[-1].append(line)
    return bands
