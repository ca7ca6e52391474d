"""OCR of pictures of any orientation: text that is not upright is read with low confidence."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from PIL import Image as Pillow

from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.identify import detect_language
from pipelines.lang.profile import profile
from pipelines.lang.word_lists import missing_letters
from pipelines.parse.limits import ParseTask
from pipelines.parse.lines import Line, Projection, Rect, TextStyle
from pipelines.parse.ocr.check_boxes import check_boxes, with_check_boxes
from pipelines.parse.ocr.engine import CONFIDENT, SIDEWAYS, OcrEngine, Raster, Reading
from pipelines.parse.ocr.ink import ink_of, likely_turn, skew_of, with_weight
from pipelines.parse.ocr.perspective import perspective_of, projection_of
from pipelines.parse.ocr.rules import straight_lines, without_rules
from pipelines.parse.ocr.stored import StoredText, read_stored
from pipelines.parse.parsed import PictureText, ReadOff, page_name
from pipelines.parse.settings import OcrSettings

_LIKELY = 0.5
"""Minimum confidence of a line; below it, the engine itself considers another reading more likely."""
_AS_GOOD = 0.9
"""Minimum ratio of the scores of two readings that are as good; those of lines read twice differ by a per cent."""
_LEAST_EXTENT = 2.5
"""Minimum length of lines by their heights from which the orientation can be told: eight Latin characters."""
_LEAST_SLOPE_CHARACTERS = 5
"""The slope of a line is only measured if it has more characters."""
_LEAST_SKEW = math.radians(0.1)
"""Slopes below it are ignored: over the width of a page they are 3 pixels, too few to change the reading order."""
_MOST_SKEW = math.radians(12)
"""A page laid on a scanner by hand is less skewed; steeper lines are labels of a drawing."""


@dataclass(frozen=True, slots=True)
class UprightReading:
    """The text of a picture in its best orientation.

    `turn` is the rotation applied before reading, in degrees clockwise. `lines` are in pixels of the rotated picture,
    deskewed by `skew` radians. `confidence` is the mean over all characters, 0 if there are none. `detected` are all
    lines, also those that are not recognized. `is_stored` says that the text is that of a searchable scan.
    """

    lines: tuple[Line, ...]
    turn: int
    skew: float
    width: int
    height: int
    confidence: float
    detected: tuple[Reading, ...] = ()
    is_stored: bool = False

    def share(self, least: float) -> float:
        """Return the share of the length of the detected lines that is read with at least this confidence."""
        length = sum(reading.length for reading in self.detected)
        return sum(reading.length for reading in self.detected if reading.confidence >= least) / max(1.0, length)

    @property
    def legibility(self) -> float:
        """The mean confidence by length, with 0 for lines that are not recognized."""
        length = sum(reading.length for reading in self.detected)
        return sum(reading.length * reading.confidence for reading in self.detected) / max(1.0, length)


def read_upright(engine: OcrEngine, image: Raster, stored: StoredText | None = None) -> UprightReading:
    """Read a picture that may be rotated by a multiple of 90 degrees.

    The direction of its lines is guessed from the ink, and that orientation is accepted if it is read with
    confidence. Otherwise the other candidates are tried: the two sideways ones if most lines are vertical, else the
    one upside down. If `stored` is right, its text is taken, which is upright.
    """
    readings = read_stored(engine, image, stored) if stored is not None else None
    if readings is not None:
        read = _deskewed(readings, 0, image.shape[1], image.shape[0], _skew(readings))
        return replace(read, is_stored=True)
    best = _read_turned(engine, image, likely_turn(image))
    if _is_confident(best) or _extent(best.detected) < _LEAST_EXTENT:
        return best
    for turn in _other_turns(best):
        reread = _read_turned(engine, image, turn)
        if _is_better(reread, best):
            best = reread
        if _is_confident(best):
            break
    return best


def _read_turned(engine: OcrEngine, image: Raster, turn: int) -> UprightReading:
    turned = _turned(image, turn)
    readings = engine.read(turned)
    return _deskewed(readings, turn, turned.shape[1], turned.shape[0], _skew(readings))


def _turned(image: Raster, turn: int) -> Raster:
    """Return a picture turned by `turn` degrees clockwise."""
    return np.ascontiguousarray(np.rot90(image, -turn // 90))


def _other_turns(read: UprightReading) -> tuple[int, ...]:
    """Return the other candidate rotations."""
    if not _is_sideways(read.lines):
        return ((read.turn + 180) % 360,)
    return (0, 180) if read.turn in (90, 270) else (90, 270)


def _characters(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _extent(readings: Iterable[Reading]) -> float:
    """Return the total length of lines by their heights, whether they are recognized or not."""
    return sum(reading.length / reading.height for reading in readings)


def _score(reread: UprightReading) -> float:
    """Return the number of characters, weighted by their confidence above one half."""
    return sum(len(line.text) * max(0.0, line.confidence - _LIKELY) for line in reread.lines)


def _is_better(reread: UprightReading, best: UprightReading) -> bool:
    """Whether a reading is better; of two that are as good, the one that is not sideways."""
    upright = _is_confident(reread) and _is_sideways(best.lines)
    return _score(reread) > (_AS_GOOD if upright else 1.0) * _score(best)


def _is_confident(reread: UprightReading) -> bool:
    return reread.confidence >= CONFIDENT and not _is_sideways(reread.lines)


def _is_sideways(lines: Sequence[Line]) -> bool:
    """Whether most of the text is in vertical lines, which are recognized singly, but in no order."""
    tall = sum(len(line.text) for line in lines if line.rect.height > SIDEWAYS * line.rect.width and len(line.text) > 2)
    return tall > 0.5 * _characters(lines)


def _deskewed(readings: Sequence[Reading], turn: int, width: int, height: int, skew: float) -> UprightReading:
    read = [reading for reading in readings if reading.text.strip() and reading.confidence >= _LIKELY]
    lines = tuple(_to_line(reading, skew, width, height) for reading in read)
    characters = _characters(lines)
    confidence = sum(len(line.text) * line.confidence for line in lines) / characters if characters else 0.0
    return UprightReading(lines, turn, skew, width, height, confidence, tuple(readings))


def _skew(readings: Sequence[Reading]) -> float:
    """Return the median slope of the longer lines in radians, 0 if it is negligible or not that of a page."""
    slopes = [_slope(reading) for reading in readings if len(reading.text) > _LEAST_SLOPE_CHARACTERS]
    usual = median(slopes) if slopes else 0.0
    return usual if _LEAST_SKEW < abs(usual) < _MOST_SKEW else 0.0


def _slope(reading: Reading) -> float:
    (left, top), (right, end), *_ = reading.corners
    return math.atan2(end - top, right - left)


def _to_line(reading: Reading, skew: float, width: int, height: int) -> Line:
    """Return a line with the size of its box, about the middle of the box in the deskewed picture."""
    (left, top), right, opposite, below = reading.corners
    middle = (left + opposite[0]) / 2, (top + opposite[1]) / 2
    along = (math.dist((left, top), right) + math.dist(below, opposite)) / 2
    thick = (math.dist((left, top), below) + math.dist(right, opposite)) / 2
    is_upright = abs(right[0] - left) >= abs(right[1] - top)
    across, down = (along, thick) if is_upright else (thick, along)
    x, y = _rotated(middle, -skew, width / 2, height / 2)
    rect = Rect(x - across / 2, y - down / 2, x + across / 2, y + down / 2)
    return Line(reading.text.strip(), rect, confidence=reading.confidence)


def _rotated(point: tuple[float, float], angle: float, x: float, y: float) -> tuple[float, float]:
    if not angle:
        return point
    across, down = point[0] - x, point[1] - y
    cosine, sine = math.cos(angle), math.sin(angle)
    return x + across * cosine - down * sine, y + across * sine + down * cosine


_NOT_LEGIBLE = "text not legible: a poor picture, or a script for which Tesseract with its model is needed"
_PARTLY_LEGIBLE = "{} of {} lines not legible: poorly printed, or a script for which Tesseract with its model is needed"
_DAMAGED = "words lack letters that the OCR engine does not know ({}): Tesseract with its model for {} is needed"
_LEAST_LETTERS, _LEAST_ACCENTS = 40, 3
"""Minimum letters that tell a language, a line of text, and of these such that English lacks: Vietnamese and Greek have
them, whatever is lost."""
_MOST_LISTED = 5
"""Maximum letters that an issue lists."""
_LEAST_SURE = 0.25
"""Minimum share of the length of the lines that is read with high confidence. Of legible figures and pages in
`shared/data` it is above one half; of scans in scripts that RapidOCR lacks, below .1."""
_LEAST_ILLEGIBLE = 30
"""Minimum length of illegible lines by their heights, about 60 characters; less is grain and edges in a photograph."""
_MOST_UNREAD = 0.25
"""Maximum share of the long lines that is not legible, by length, without an issue: stamps, logos, handwriting."""
_LARGER_TYPE = 1.4
"""Minimum ratio of a line's height to the median that is larger type; heights of OCR boxes vary by a third."""


def read_picture(
    engine: OcrEngine,
    image: Raster,
    settings: OcrSettings,
    *,
    is_page: bool = False,
    stored: StoredText | None = None,
) -> PictureText:
    """Read a picture and return its lines without those of low confidence.

    If hardly any text is legible, there are no lines. What is not legible, unless it is short, is an issue. Bold type,
    the places of words, and straight lines are only looked for on a page, which may have a `stored` text.
    """
    reread, projection = read_upright(engine, image, stored), None
    if is_page and reread.lines:
        image, reread, projection = _flattened(_turned(image, reread.turn), reread)
    size = reread.width, reread.height, reread.turn, reread.confidence
    lines = [reading for reading in reread.detected if reading.is_long]
    unread = [reading for reading in lines if reading.confidence < settings.script_confidence]
    much = _extent(unread) >= _LEAST_ILLEGIBLE
    if reread.legibility < settings.script_confidence and reread.share(CONFIDENT) < _LEAST_SURE:
        return PictureText((), *size, _NOT_LEGIBLE if much else "")
    partly = much and _extent(unread) > _MOST_UNREAD * _extent(lines)
    least = settings.script_confidence if partly else settings.min_confidence
    kept = [line for line in reread.lines if line.confidence >= least]
    issue = _PARTLY_LEGIBLE.format(len(unread), len(lines)) if partly else ""
    issue = _damage(" ".join(line.text for line in kept), engine) or issue
    kept = _without_stray_cjk(kept)
    found = _with_sizes(kept)
    if not is_page or not found:
        return PictureText(found, *size, issue)
    ink = ink_of(image, reread.skew)
    rules = straight_lines(ink, found)
    ink = without_rules(ink, rules)
    found, words = with_check_boxes(with_weight(found, ink), ink, check_boxes(ink, found))
    return PictureText(found, *size, issue, words, rules, reread.is_stored, projection)


def _flattened(image: Raster, read: UprightReading) -> tuple[Raster, UprightReading, Projection | None]:
    """Return the upright picture of a page, and its text, as seen straight from above and deskewed by its ink."""
    readings, width, height = read.detected, read.width, read.height
    about = read.skew
    if perspective := perspective_of(image, readings):
        image, about = perspective.flattened(image), 0.0
        readings = tuple(replace(one, corners=perspective.flat(one.corners)) for one in readings)
    skew = skew_of(ink_of(image), about)
    deskewed = replace(_deskewed(readings, read.turn, width, height, skew), is_stored=read.is_stored)
    return image, deskewed, projection_of(perspective, skew, width, height)


def _damage(text: str, engine: OcrEngine) -> str:
    """Return that the text lacks letters of its language which the engine cannot recognize, empty if it does not."""
    letters = [character for character in text if character.isalpha()]
    accents = sum(not letter.isascii() for letter in letters)
    if not engine.characters or len(letters) < _LEAST_LETTERS or accents < _LEAST_ACCENTS:
        return ""
    language = detect_language(text)
    missing = missing_letters(language, engine.characters)
    if not missing or not missing.isdisjoint(text):  # another engine has read them
        return ""
    return _DAMAGED.format(" ".join(sorted(missing)[:_MOST_LISTED]), profile(language).name)


def _without_stray_cjk(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without single CJK characters, unless other lines have CJK text or there are none.

    Symbols of a drawing are often read as single CJK characters.
    """
    single = [line for line in lines if len(line.text) == 1 and CJK_CHARACTER.search(line.text)]
    others = [line for line in lines if line not in single]
    is_cjk = any(CJK_CHARACTER.search(line.text) for line in others) or not others
    return list(lines) if is_cjk else others


def _with_sizes(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines with the median type size, or with their own size if it is clearly larger."""
    if not lines:
        return ()
    usual = median(_line_height(line) for line in lines)
    return tuple(
        replace(line, style=TextStyle(_line_height(line) if _line_height(line) > _LARGER_TYPE * usual else usual))
        for line in lines
    )


def _line_height(line: Line) -> float:
    return round(min(line.rect.height, line.rect.width), 1)


def decoded(data: bytes) -> Raster:
    """Return the pixels of an encoded picture, with transparent parts in white."""
    with Pillow.open(io.BytesIO(data)) as picture:
        return pixels(picture)


def pixels(picture: Pillow.Image) -> Raster:
    """Return the pixels of a picture, with transparent parts in white."""
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        flat = Pillow.new("RGBA", picture.size, "white")
        flat.alpha_composite(picture.convert("RGBA"))
        picture = flat
    return np.asarray(picture.convert("RGB"), dtype=np.uint8)


def read_page(
    number: int,
    draw: Callable[[], Raster],
    engine: OcrEngine,
    settings: OcrSettings,
    task: ParseTask,
    stored: StoredText | None = None,
) -> PictureText:
    """Return the text of a page; it is rendered and read unless an earlier run has read it."""
    found = task.found(page_name(number))
    if found is not None and found.page is not None:
        return found.page
    read = read_picture(engine, draw(), settings, is_page=True, stored=stored)
    if not read.issue:  # after Tesseract is installed, it is read again
        task.read[page_name(number)] = ReadOff(page=read)
    return read
