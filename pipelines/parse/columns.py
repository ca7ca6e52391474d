"""Reading order of lines on a page: columns are read one after the other, what spans them divides them.

A recursive cut by white space (after Nagy and Seth's X-Y cut), with the gutters found first, from the pairs of lines
that stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pipelines.parse.lines import Line, Rect, around

_GUTTER_EM = 0.65
"""Least width of a gutter, in heights of a line."""
_LEAST_ROWS = 3
"""Lines that a column has at least."""
_LEAST_WORDY = 8
"""Characters that a line of a column has in the median."""
_DEEPEST = 12


def in_rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines row by row, each row from the left; two stand in a row if half of the lower one's height does."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.rect.middle[1]):
        if rows and _in_row(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.rect.left)]


def _in_row(row: Sequence[Line], line: Line) -> bool:
    common = max(min(o.rect.bottom, line.rect.bottom) - max(o.rect.top, line.rect.top) for o in row)
    return common > 0.5 * min(line.rect.height, *(other.rect.height for other in row))


def reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in reading order, in groups of which each is one column between two things that span it."""
    if not lines:
        return []
    em = median(line.rect.height for line in lines)
    groups: list[list[Line]] = []
    _cut(sorted(lines, key=lambda line: (line.rect.top, line.rect.left)), em, groups, 0)
    return groups


def _cut(lines: list[Line], em: float, groups: list[list[Line]], depth: int) -> None:
    if len(lines) < 2 * _LEAST_ROWS or depth > _DEEPEST:
        groups.append(lines)
        return
    gutter = _gutter(lines, em)
    if gutter is None:
        groups.append(lines)
        return
    for band in _bands(lines, gutter):
        left = [line for line in band if line.rect.middle[0] < gutter]
        right = [line for line in band if line.rect.middle[0] >= gutter]
        if _crosses(band[0], gutter) or not left or not right:
            groups.append(band)
            continue
        _cut(left, em, groups, depth + 1)
        _cut(right, em, groups, depth + 1)


def _gutter(lines: Sequence[Line], em: float) -> float | None:
    """Return the x that parts most lines standing side by side, None where no such white space runs down the page.

    Candidates are the right ends of lines; each is scored by the lines on its two sides that overlap vertically, less
    those that it would cut.
    """
    page = around(line.rect for line in lines)
    candidates = _candidates(lines, em)
    best, best_score = None, 0.0
    for x in candidates:
        left = [line.rect for line in lines if line.rect.right <= x]
        right = [line.rect for line in lines if line.rect.left >= x]
        cut = len(lines) - len(left) - len(right)
        if len(left) < _LEAST_ROWS or len(right) < _LEAST_ROWS:
            continue
        beside = _side_by_side(left, right)
        score = beside - 0.25 * cut
        if beside >= _LEAST_ROWS and beside > cut and _column_like(left, right, page) and score > best_score:
            best, best_score = x, score
    if best is None or not (_wordy(lines, best) or _parts_zones(lines, best, page)):
        return None
    return best


def _parts_zones(lines: Sequence[Line], x: float, page: Rect) -> bool:
    """Whether a band of white as wide as an eighth of the page runs down it between things that form no rows."""
    left = [line.rect for line in lines if line.rect.right <= x]
    right = [line.rect for line in lines if line.rect.left >= x]
    if len(left) + len(right) < len(lines):
        return False
    white = min(rect.left for rect in right) - max(rect.right for rect in left)
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    level = sum(1 for rect in few if any(_level(rect, other) for other in many))
    return white > page.width / 8 and level < 0.8 * len(few)


def _level(one: Rect, other: Rect) -> bool:
    return abs(one.middle[1] - other.middle[1]) < 0.25 * min(one.height, other.height)


def _wordy(lines: Sequence[Line], x: float) -> bool:
    """Whether both sides hold text rather than labels and values, which are read across."""
    left = [len(line.text) for line in lines if line.rect.right <= x]
    right = [len(line.text) for line in lines if line.rect.left >= x]
    return min(median(left), median(right)) >= _LEAST_WORDY


def _candidates(lines: Sequence[Line], em: float) -> list[float]:
    """Return the middles of white gaps between a line's right end and the next line beginning beyond it."""
    lefts = sorted({round(line.rect.left) for line in lines})
    rights = sorted({round(line.rect.right) for line in lines})
    found: list[float] = []
    for right in rights:
        following = next((left for left in lefts if left - right >= _GUTTER_EM * em), None)
        if following is not None and not any(right < other < following for other in rights):
            found.append((right + following) / 2)
    return found[:200]


def _side_by_side(left: Sequence[Rect], right: Sequence[Rect]) -> int:
    """Return how many lines of the smaller side have a neighbour on the other at their height."""
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    tops = sorted((rect.top, rect.bottom) for rect in many)
    return sum(1 for rect in few if any(top < rect.bottom and rect.top < bottom for top, bottom in tops))


def _column_like(left: Sequence[Rect], right: Sequence[Rect], page: Rect) -> bool:
    """Whether both sides are text in columns rather than the cells of a table, which are short."""
    wide = [median(rect.width for rect in side) for side in (left, right)]
    spread = [around(side).width for side in (left, right)]
    return all(w > 0.45 * s for w, s in zip(wide, spread, strict=True)) and min(spread) > 0.12 * page.width


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
