"""Straight lines of a page, from its pixels: rules of tables, sides of cells, edges of bars such as heads of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from statistics import median

import numpy as np

from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.ocr.ink import Mask

_SHORTEST, _THICKEST = 2.0, 0.25
"""Minimum length and maximum thickness of a straight line, in heights of a line of text: strokes of letters are
shorter than one, bars of headings thicker."""
_SHORTEST_SIDE = 1.2
"""Minimum length of the side of a cell, in heights of a line of text: a row is higher than its text."""
_BAR = 5.0
"""Maximum thickness of a bar, in heights of a line of text, whose edges are straight lines: the head of a table with
three rows."""
_THIN = 2.0
"""Thickness in pixels of the thinnest line, whatever the type."""
_BLURRED = 2
"""Rows of pixels over which the edge of a bar is blurred."""
_UNBROKEN = 0.9
"""Minimum share of ink in a straight line: scanned lines have gaps."""
_STRUCK = 0.8
"""Minimum share of a straight line in another, or in a line of text, of which it is a part."""
_MOST_LINES = 2000
"""Maximum horizontal or vertical lines of a page; more are a photograph or a drawing (see `pdf.page.MOST_SHAPES`)."""


def straight_lines(ink: Mask, lines: Sequence[Line]) -> tuple[Rect, ...]:
    """Return the straight lines of a page as rectangles in pixels, without strokes of its `lines` of text."""
    height = median(min(line.rect.width, line.rect.height) for line in lines)
    areas = _areas(ink, height)
    edges = {area: tuple(_edges_of_bar(area, height, ink)) for area in areas}
    bars = [area for area, found in edges.items() if found]
    bare = without_rules(ink, bars)
    thin = _thin(_areas(bare, height) if bars else areas, height)
    across = _whole([*thin, *chain.from_iterable(edges.values())], ink)
    upright = _whole(_thin(_areas(bare.T, height, _SHORTEST_SIDE), height), bare.T)
    sides = [Rect(line.top, line.left, line.bottom, line.right) for line in upright]
    rules = Near(across, lambda rule: rule)
    down = [_through(line, bars) for line in sides if line.height >= _SHORTEST * height or _is_between(line, rules)]
    # An underline is below the middle half of a line's box.
    text = Near([line.rect.grown(-line.rect.height / 4) for line in lines], lambda rect: rect)
    return tuple(rule for rule in (*across, *down) if not any(rule.share_in(rect) > _STRUCK for rect in text.at(rule)))


def without_rules(ink: Mask, rules: Iterable[Rect]) -> Mask:
    """Return the ink without straight lines; boxes of text in narrow cells include a part of those around them."""
    left_over = ink.copy()
    for rule in rules:
        left, top, right, bottom = (max(0, round(side)) for side in rule)
        left_over[top:bottom, left:right] = False
    return left_over


def _whole(found: Iterable[Rect], ink: Mask) -> list[Rect]:
    """Return horizontal lines cut to their ink, without those that are a part of another, at its edge."""
    lines: list[Rect] = []
    for left, top, right, bottom in found:
        inked = np.flatnonzero(ink[int(top) : int(bottom), int(left) : int(right)].any(axis=0))
        lines.append(Rect(left + int(inked[0]), top, left + int(inked[-1]) + 1, bottom))
    if len(lines) > _MOST_LINES:
        return []
    near = Near(lines, lambda line: line)
    return [line for line in lines if not any(_is_part(line, other) for other in near.at(line.grown(line.height)))]


def _is_part(line: Rect, other: Rect) -> bool:
    return other.width > line.width and line.share_in(other.grown(line.height)) > _STRUCK


def _areas(ink: Mask, height: float, shortest: float = _SHORTEST) -> list[Rect]:
    """Return the areas that long horizontal runs of ink in adjacent rows of pixels have together."""
    length = max(2, round(shortest * height))
    if ink.shape[1] <= length:
        return []
    filled = np.zeros((ink.shape[0], ink.shape[1] + 1), dtype=np.int32)
    np.cumsum(ink, axis=1, out=filled[:, 1:])
    # Where the window of `length` pixels that begins here is filled with ink, with a margin on both sides.
    full = np.zeros((ink.shape[0], ink.shape[1] - length + 3), dtype=np.int8)
    full[:, 1:-1] = filled[:, length:] - filled[:, :-length] >= _UNBROKEN * length
    edges = np.diff(full, axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    return _connected(
        [
            Rect(start, row, end + length - 1, row + 1)
            for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
        ]
    )


def _thin(areas: Iterable[Rect], height: float) -> Iterator[Rect]:
    return (area for area in areas if area.height <= max(_THIN, _THICKEST * height))


def _edges_of_bar(area: Rect, height: float, ink: Mask) -> Iterator[Rect]:
    """Yield the upper and the lower edge of a thick area that has ink inside an edge and none outside."""
    if _THICKEST * height < area.height <= _BAR * height:
        upper, lower = area._replace(bottom=area.top + 1), area._replace(top=area.bottom - 1)
        for edge, inwards in ((upper, _BLURRED), (lower, -_BLURRED)):
            if _ink_share(ink, edge, inwards) >= _UNBROKEN and _ink_share(ink, edge, -inwards) <= 1 - _UNBROKEN:
                yield edge


def _is_between(line: Rect, across: Near[Rect]) -> bool:
    """Whether a vertical line joins two horizontal ones, as the side of a cell does."""
    ends = (Rect(x, y, x, y).grown(_BLURRED) for x, y in ((line.middle[0], line.top), (line.middle[0], line.bottom)))
    return all(any(rule.grown(_BLURRED).holds(*end.middle) for rule in across.at(end)) for end in ends)


def _through(line: Rect, bars: Sequence[Rect]) -> Rect:
    """Return a vertical line continued through the bars that it begins or ends at, such as the head of a table."""
    for bar in bars:
        if bar.left <= line.middle[0] <= bar.right and max(line.top - bar.bottom, bar.top - line.bottom) <= _BLURRED:
            line = line._replace(top=min(line.top, bar.top), bottom=max(line.bottom, bar.bottom))
    return line


def _ink_share(ink: Mask, edge: Rect, below: int) -> float:
    """Return the share of ink in the row of pixels so far below an edge, above it if negative; 1 beside the page."""
    row = int(edge.top) + below
    return float(ink[row, int(edge.left) : int(edge.right)].mean()) if 0 <= row < len(ink) else 1.0


def _connected(runs: Sequence[Rect]) -> list[Rect]:
    """Return the rectangles of runs that touch one another from row to row; `runs` are in reading order."""
    areas: list[Rect] = []
    above: list[tuple[Rect, int]] = []
    for row, group in groupby(runs, key=lambda run: run.top):
        above = [(run, number) for run, number in above if run.bottom == row]
        here: list[tuple[Rect, int]] = []
        at = 0
        for run in group:
            while at < len(above) and above[at][0].right < run.left:
                at += 1
            if at < len(above) and above[at][0].left <= run.right:
                number = above[at][1]
                areas[number] = around((areas[number], run))
            else:
                number = len(areas)
                areas.append(run)
            here.append((run, number))
        above = here
    return areas
