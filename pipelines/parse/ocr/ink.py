"""Slope, baselines and bold type of a page, from its pixels: OCR does not tell them, and layout needs them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from PIL import Image as Pillow

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import ASCENT, DESCENT, Line, Rect
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
_GROUND = 0.5
"""Minimum share of ink in the box of a line of light text on a dark ground: bold type covers a third of its box."""
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
