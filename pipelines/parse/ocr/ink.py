"""Slope, straight lines, baselines and bold type of a page, from its pixels: OCR does not tell them, and layout needs
them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np
from PIL import Image as Pillow

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import ASCENT, DESCENT, Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.ocr.engine import SIDEWAYS, Raster

Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

_CONTRAST = 48
"""Minimum difference of ink from paper in 256 shades: thin lines are scanned as light grey."""
_LEAST_CONTRAST = 16
"""Minimum difference of ink from paper in deep shadow; grain is up to half of it."""
_PAPER = 90
"""The percentile of the shades of an area that is paper."""
_TILES = 8
"""Areas of a page, across and down, for which the shade of paper is measured."""
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
_GROUND = 0.5
"""Minimum share of ink in the box of a line of light text on a dark ground: bold type covers a third of its box."""
_STRUCK = 0.8
"""Minimum share of a straight line in another, or in a line of text, of which it is a part."""
_MOST_LINES = 2000
"""Maximum horizontal or vertical lines of a page; more are a photograph or a drawing (see `pdf.page.MOST_SHAPES`)."""
_LEAST_CHARACTERS = 4
"""Minimum characters of a line whose weight is measured."""
_OF_BOX, _X_HEIGHT = 0.7, 0.57
"""Type size relative to the height of a line's box, and height of small letters relative to the type size: medians of
1,932 lines of `shared/data/pdf`, scanned, for which the sizes are known from the files."""
_LEAST_HEIGHT = 6
"""Minimum height in pixels of a line whose baseline can be measured."""
_VISIBLE = 1000
"""Pixels of the longer side of a page at which its lines of text can be told."""
_STRIPS = 32
"""Vertical strips of a page that are displaced against one another to find its slope."""
_SLOPES = tuple(step / 20 for step in range(-20, 21))
"""Slopes that are tried, in degrees: a twentieth of a degree is a pixel on the width of a page of 150 dpi."""
_SPECKLE = 0.05
"""Maximum share of a column's pixels that are ink in a gap between words."""
_BOLDER = 1.25
"""Minimum ratio of stroke widths of bold to regular type."""


def with_weight(lines: Sequence[Line], ink: Mask) -> tuple[Line, ...]:
    """Return the lines with `style.bold` set where the strokes are wider than usual on the page."""
    widths = [_stroke_width(line, ink) for line in lines]
    known = [width for width, line in zip(widths, lines, strict=True) if width for _ in line.text]
    if not known:
        return tuple(lines)
    usual = median(known)
    return tuple(
        replace(line, style=replace(line.style, bold=width > _BOLDER * usual))
        for line, width in zip(lines, widths, strict=True)
    )


def _stroke_width(line: Line, ink: Mask) -> float:
    """Return the mean width of the strokes of a line relative to its height, 0 if it cannot be measured."""
    part = _part(line, ink)
    if len(line.text) < _LEAST_CHARACTERS or not part.size:
        return 0.0
    # Ink divided by the number of runs of ink in all rows of pixels is the mean length of a run.
    runs = int(np.count_nonzero(part[:, 1:] & ~part[:, :-1])) + int(np.count_nonzero(part[:, 0]))
    return int(np.count_nonzero(part)) / runs / max(1.0, line.rect.height) if runs else 0.0


def _part(line: Line, ink: Mask) -> Mask:
    """Return the ink in the box of a line; that of light text on a dark ground is where it is light."""
    left, top, right, bottom = (max(0, round(side)) for side in line.rect)
    part = ink[top:bottom, left:right]
    return ~part if part.size and part.mean() > _GROUND else part


def words_of(line: Line, ink: Mask) -> Iterator[Line]:
    """Yield the words of a line with the blanks behind them, separated at its widest gaps, which show its columns.

    If there are fewer gaps than words, the width is divided by the numbers of characters. The words are as high as
    those of stored text: from `ASCENT` above the baseline to `DESCENT` below it, in type sizes, which are `style.size`.
    """
    left, top = max(0, round(line.rect.left)), max(0, round(line.rect.top))
    part = _part(line, ink)
    if line.rect.height > SIDEWAYS * line.rect.width or not part.any():
        yield replace(line, style=replace(line.style, size=_OF_BOX * min(line.rect.width, line.rect.height)))
        return
    baseline, size = _measured(part)
    upper, lower = top + baseline - ASCENT * size, top + baseline + DESCENT * size
    texts = re.findall(r"\S+\s*", line.text)
    lengths = [len(text.rstrip()) for text in texts]
    places = _places(part.sum(axis=0) > _SPECKLE * len(part), lengths, right_to_left(line.text))
    style = replace(line.style, size=size)
    for text, (start, end) in zip(texts, places, strict=True):
        yield replace(line, text=text, style=style, rect=Rect(left + start, upper, left + end, lower))


def _measured(part: Mask) -> tuple[float, float]:
    """Return baseline, from the top, and type size of a line of text in pixels.

    Ink decreases most below the baseline and increases most at the height of small letters. Their distance and the
    height of the box vary with the letters in a line, less so together.
    """
    profile = part.sum(axis=1, dtype=np.int32)
    height, half = len(profile), len(profile) // 2
    if height < _LEAST_HEIGHT:
        return height / 2 + (ASCENT - DESCENT) / 2 * _OF_BOX * height, _OF_BOX * height
    # Over two rows of pixels, since edges are blurred.
    baseline = half + int((profile[half:-2] - profile[half + 2 :]).argmax()) + 1.5
    top = int((profile[2:half] - profile[: half - 2]).argmax()) + 1.0
    return baseline, math.sqrt(_OF_BOX * height * (baseline - top) / _X_HEIGHT)


def _places(marks: Mask, lengths: Sequence[int], backwards: bool) -> list[tuple[float, float]]:
    """Return the start and end of each word of these lengths in a line whose columns of pixels have ink at `marks`."""
    gaps = _inner_gaps(marks)
    if len(gaps) >= len(lengths) - 1:
        widest = sorted(sorted(gaps, key=lambda gap: gap[0] - gap[1])[: len(lengths) - 1])
        inked = np.flatnonzero(marks)  # boxes of lines have margins
        first, last = (int(inked[0]), int(inked[-1]) + 1) if len(inked) else (0, len(marks))
        starts, ends = [first, *(end for _, end in widest)], [*(start for start, _ in widest), last]
        places = list(zip(map(float, starts), map(float, ends), strict=True))
        return places[::-1] if backwards else places
    advance = len(marks) / max(1, sum(lengths) + len(lengths) - 1)
    begins = [advance * (sum(lengths[:number]) + number) for number in range(len(lengths))]
    places = [(begin, begin + advance * length) for begin, length in zip(begins, lengths, strict=True)]
    return [(len(marks) - end, len(marks) - begin) for begin, end in places] if backwards else places


def _inner_gaps(marks: Mask) -> list[tuple[int, int]]:
    """Return the gaps between columns of pixels with ink, as first and next column."""
    inked = np.flatnonzero(marks)
    breaks = np.flatnonzero(np.diff(inked) > 1)
    return [(int(inked[number]) + 1, int(inked[number + 1])) for number in breaks]


def straight_lines(ink: Mask, lines: Sequence[Line]) -> tuple[Rect, ...]:
    """Return the straight lines of a page as rectangles in pixels, without strokes of its `lines` of text."""
    height = median(min(line.rect.width, line.rect.height) for line in lines)
    bars = [area for area in _areas(ink, height) if any(_edges_of_bar(area, height, ink))]
    bare = without_rules(ink, bars)
    edges = [edge for bar in bars for edge in _edges_of_bar(bar, height, ink)]
    across = _whole([*_thin(_areas(bare, height), height), *edges], ink)
    found = _thin(_areas(bare.T, height, _SHORTEST_SIDE), height)
    sides = [_turned(line) for line in _whole(found, bare.T)]
    down = [_through(line, bars) for line in sides if line.height >= _SHORTEST * height or _is_between(line, across)]
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


def _turned(line: Rect) -> Rect:
    return Rect(line.top, line.left, line.bottom, line.right)


def _is_between(line: Rect, across: Iterable[Rect]) -> bool:
    """Whether a vertical line joins two horizontal ones, as the side of a cell does."""
    touched = [rule for rule in across if rule.left - _BLURRED <= line.middle[0] <= rule.right + _BLURRED]
    ends = (line.top, line.bottom)
    return all(any(rule.top - _BLURRED <= end <= rule.bottom + _BLURRED for rule in touched) for end in ends)


def _through(line: Rect, bars: Sequence[Rect]) -> Rect:
    """Return a vertical line with its continuation in the bar that it begins or ends at, as the head of a table is."""
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


def likely_turn(image: Raster) -> int:
    """Return the most likely rotation, 0 or 90: the amount of ink varies most perpendicular to lines of text."""
    step = max(1, max(image.shape[:2]) // _VISIBLE)
    ink = ink_of(image[::step, ::step])
    # Clearly more, since columns of digits vary too. Only the order of the attempts depends on it.
    return 90 if _variation(ink.mean(axis=0)) > 1.6 * _variation(ink.mean(axis=1)) else 0


def _variation(profile: np.ndarray[tuple[int, ...], np.dtype[Any]]) -> float:
    return float(np.square(np.diff(profile)).mean()) if len(profile) > 1 else 0.0


def skew_of(ink: Mask, about: float) -> float:
    """Return the slope in radians of the lines of text, within a degree `about` the one of their boxes.

    It is that in whose direction the amount of ink varies most from row to row of pixels (projection profile; W. Postl,
    Detection of linear oblique structures and skew scan in digitized documents, ICPR 1986). Boxes of lines that OCR
    finds are upright at small slopes, at which lines and tables are already displaced by several pixels.
    """
    edges = np.linspace(0, ink.shape[1], _STRIPS + 1).astype(int)[:-1]
    strips = np.add.reduceat(ink, edges, axis=1, dtype=np.int32).T
    across = edges + ink.shape[1] / _STRIPS / 2 - ink.shape[1] / 2

    def variation(slope: float) -> float:
        shifts = np.rint(math.tan(slope) * across).astype(int).tolist()
        return _variation(np.sum([np.roll(strip, -shift) for strip, shift in zip(strips, shifts, strict=True)], axis=0))

    return max((about + math.radians(step) for step in _SLOPES), key=lambda slope: (variation(slope), -abs(slope)))


def ink_of(image: Raster, skew: float = 0.0) -> Mask:
    """Return where a picture has ink, after it is deskewed by `skew` radians."""
    grey = Pillow.fromarray(image).convert("L")
    if skew:
        fill = int(np.percentile(np.asarray(grey), _PAPER))
        grey = grey.rotate(math.degrees(skew), resample=Pillow.Resampling.BILINEAR, fillcolor=fill)
    paper = _paper(grey)
    contrast = np.maximum(_LEAST_CONTRAST, paper * (_CONTRAST / 255))  # in shadow, ink differs less from paper
    return np.asarray(np.abs(np.asarray(grey, dtype=np.float32) - paper) > contrast, dtype=np.bool_)


def _paper(grey: Pillow.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return the shade of paper at each pixel: a page that is photographed is lit unevenly."""
    shades = np.asarray(grey)
    rows, columns = (np.array_split(np.arange(length), min(_TILES, length)) for length in shades.shape)
    tiles = [
        [np.percentile(shades[row[0] : row[-1] + 1, column[0] : column[-1] + 1], _PAPER) for column in columns]
        for row in rows
    ]
    lit = Pillow.fromarray(np.asarray(tiles, dtype=np.float32))
    return np.asarray(lit.resize(grey.size, Pillow.Resampling.BILINEAR), dtype=np.float32)
