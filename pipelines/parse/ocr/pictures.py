"""Pictures read the right way up, found by reading: text upside down is read with little confidence."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from PIL import Image as Pillow

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.parse.limits import ParseTask
from pipelines.parse.lines import Line, Rect, TextStyle
from pipelines.parse.ocr.engine import STANDING, OcrEngine, Raster, Reading
from pipelines.parse.parsed import PictureText, ReadOff, page_name
from pipelines.parse.settings import OcrSettings

_SURE = 0.9
"""Mean confidence from which the first way tried is taken for the right one."""
_LEAST_CHARACTERS = 8
"""Fewer tell nothing about which way is up."""
_SLOPED = 5
"""Characters beyond which a line is long enough to tell its slope."""
_LEVEL = math.radians(0.1)
"""A slope that moves a line as wide as the page by 3 pixels: no harm to reading order."""
_STEEPEST = math.radians(12)
"""A page that was laid on a scanner by hand is less askew; steeper lines are labels of a drawing."""


@dataclass(frozen=True, slots=True)
class Reread:
    """A picture read the right way up.

    `turn` is how far it was turned, in degrees clockwise, before it was read; `lines` are in pixels of the turned
    picture, straightened by `skew` radians; `confidence` is the mean over characters, 0 where nothing was read.
    """

    lines: tuple[Line, ...]
    turn: int
    skew: float
    width: int
    height: int
    confidence: float


def read_upright(engine: OcrEngine, image: Raster) -> Reread:
    """Read a picture that may lie on any of its four sides.

    The direction of its lines is guessed from the ink; that way is read first and taken if it is read with
    confidence. Else its lines tell which others may be right: those across, where they stand on their end, or the one
    upside down.
    """
    best = _turned_and_read(engine, image, _likely(image))
    if _sure(best) or _characters(best.lines) < _LEAST_CHARACTERS:
        return best
    for turn in _others(best):
        reread = _turned_and_read(engine, image, turn)
        if _worth(reread) > _worth(best):
            best = reread
        if _sure(best):
            break
    return best


def _turned_and_read(engine: OcrEngine, image: Raster, turn: int) -> Reread:
    turned = np.ascontiguousarray(np.rot90(image, -turn // 90))
    return _straight(engine.read(turned), turn, turned.shape[1], turned.shape[0])


def _others(read: Reread) -> tuple[int, ...]:
    """Return the other turns that may be right."""
    if not _standing(read.lines):
        return ((read.turn + 180) % 360,)
    return (0, 180) if read.turn in (90, 270) else (90, 270)


def _characters(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _worth(reread: Reread) -> float:
    """Characters read, each counting by how much more likely than not it is right."""
    return sum(len(line.text) * max(0.0, line.confidence - 0.5) for line in reread.lines)


def _sure(reread: Reread) -> bool:
    return reread.confidence >= _SURE and not _standing(reread.lines)


def _standing(lines: Sequence[Line]) -> bool:
    """Whether most of the text stands on its end: such lines are read one by one, but in no order."""
    tall = sum(len(line.text) for line in lines if line.rect.height > STANDING * line.rect.width and len(line.text) > 2)
    return tall > 0.5 * _characters(lines)


def _likely(image: Raster) -> int:
    """Return the likeliest turn, 0 or 90: lines of text make the ink vary most across them."""
    ink = _ink(image)
    rows, columns = ink.mean(axis=1), ink.mean(axis=0)
    # Clearly more: columns of digits vary too. The order of tries alone depends on it.
    return 90 if _jumps(columns) > 1.6 * _jumps(rows) else 0


def _ink(image: Raster) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    # 1,000 pixels show lines of text.
    step = max(1, max(image.shape[:2]) // 1000)
    grey = image[::step, ::step].mean(axis=2, dtype=np.float32)
    # Nine tenths of a page are paper or lighter.
    paper = np.float32(np.percentile(grey, 90))
    # A quarter of the 256 shades: print is darker than paper's stains.
    return np.asarray(np.abs(grey - paper) > 60, dtype=np.float32)


def _jumps(profile: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    return float(np.square(np.diff(profile)).mean()) if len(profile) > 1 else 0.0


def _straight(readings: Sequence[Reading], turn: int, width: int, height: int) -> Reread:
    skew = _skew(readings)
    lines = tuple(_line(reading, skew, width, height) for reading in readings if reading.text.strip())
    characters = _characters(lines)
    confidence = sum(len(line.text) * line.confidence for line in lines) / characters if characters else 0.0
    return Reread(lines, turn, skew, width, height, confidence)


def _skew(readings: Sequence[Reading]) -> float:
    """Return the median slope of the longer lines in radians; 0 for less than a tenth of a degree."""
    slopes = [_slope(reading) for reading in readings if len(reading.text) > _SLOPED]
    usual = median(slopes) if slopes else 0.0
    return usual if _LEVEL < abs(usual) < _STEEPEST else 0.0


def _slope(reading: Reading) -> float:
    (left, top), (right, end), *_ = reading.corners
    return math.atan2(end - top, right - left)


def _line(reading: Reading, skew: float, width: int, height: int) -> Line:
    points = [_turned(point, -skew, width / 2, height / 2) for point in reading.corners]
    across, down = [x for x, _ in points], [y for _, y in points]
    rect = Rect(min(across), min(down), max(across), max(down))
    return Line(reading.text.strip(), rect, confidence=reading.confidence)


def _turned(point: tuple[float, float], angle: float, x: float, y: float) -> tuple[float, float]:
    if not angle:
        return point
    across, down = point[0] - x, point[1] - y
    cosine, sine = math.cos(angle), math.sin(angle)
    return x + across * cosine - down * sine, y + across * sine + down * cosine


_NOT_LEGIBLE = "text not legible: a script that OCR cannot read, or a poor picture"
_MANY = 60
"""Characters of little confidence from which there is text; fewer are grain and edges in a photograph."""
_LARGE = 1.4
"""Height of a line over the median from which it is taken for larger type; OCR boxes vary by a third."""


def read_picture(engine: OcrEngine, image: Raster, settings: OcrSettings) -> PictureText:
    """Read a picture; lines of too little confidence are dropped, and a page of such is not legible."""
    reread = read_upright(engine, image)
    size = reread.width, reread.height, reread.turn, reread.confidence
    if reread.confidence < settings.script_confidence:
        many = sum(len(line.text) for line in reread.lines) >= _MANY
        return PictureText((), *size, _NOT_LEGIBLE if many else "")
    kept = [line for line in reread.lines if line.confidence >= settings.min_confidence]
    return PictureText(_sized(_without_signs(kept)), *size)


def _without_signs(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without single Chinese characters where no line has more: signs of a drawing look like them."""
    single = [line for line in lines if len(line.text) == 1 and CJK_CHARACTER.search(line.text)]
    others = [line for line in lines if line not in single]
    told = any(CJK_CHARACTER.search(line.text) for line in others) or not others
    return list(lines) if told else others


def _sized(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines with one size of type, but for those that are clearly larger."""
    if not lines:
        return ()
    usual = median(_thickness(line) for line in lines)
    return tuple(
        replace(line, style=TextStyle(_thickness(line) if _thickness(line) > _LARGE * usual else usual))
        for line in lines
    )


def _thickness(line: Line) -> float:
    return round(min(line.rect.height, line.rect.width), 1)


def decoded(data: bytes) -> Raster:
    """Return the pixels of an encoded picture, its transparent parts on white."""
    with Pillow.open(io.BytesIO(data)) as picture:
        return pixels(picture)


def pixels(picture: Pillow.Image) -> Raster:
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        flat = Pillow.new("RGBA", picture.size, "white")
        flat.alpha_composite(picture.convert("RGBA"))
        picture = flat
    return np.asarray(picture.convert("RGB"), dtype=np.uint8)


def read_page(
    number: int, draw: Callable[[], Raster], engine: OcrEngine, settings: OcrSettings, task: ParseTask
) -> PictureText:
    """Return what stands on a page; it is drawn and read only where no earlier run has read it."""
    found = task.found(page_name(number))
    if found is not None and found.page is not None:
        return found.page
    read = read_picture(engine, draw(), settings)
    task.read[page_name(number)] = ReadOff(page=read)
    return read
