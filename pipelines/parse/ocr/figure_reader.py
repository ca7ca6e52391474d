"""Text inside the pictures of a document, of those that look drawn: diagrams, charts, screenshots, scans."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
from PIL import Image as Pillow

from pipelines.core.errors import MissingExtra
from pipelines.parse.limits import ParseTask
from pipelines.parse.ocr.engine import Raster, ocr_engine
from pipelines.parse.ocr.pictures import pixels, read_picture
from pipelines.parse.parsed import ReadOff
from pipelines.parse.settings import OcrSettings

_THUMB = 160
"""Pixels of the side at which colours are counted: shares of colours change little with size."""
_COLOURS, _DRAWN = 6, 0.5
"""Of a drawn picture, so few colours cover this share; a photograph has hundreds."""
_NOTHING = ReadOff()
_LATEST = 0.9
"""Share of the file's limit after which no picture is begun."""
_LONGEST_ISSUE = 300
"""Characters of a library's complaint: three lines."""
_LEAST = 3
"""Letters and figures from which a picture says something: an edge alone is often taken for one or two."""
_LEAST_SIDE = 24
"""Pixels: less than a line of text with its margins."""
_READ = 0.999
"""Confidence of what OCR is sure of, below 1: 1 is what the file itself says."""
_MOST_PIXELS = 40_000_000
"""A page of A3 at 400 dots an inch is 31 million; larger ones are photographs and maps."""

SEEN: dict[tuple[str, OcrSettings], ReadOff] = {}
"""What this process read last, by the picture's digest: documents of one house share logos and drawings."""
_MOST_SEEN = 1000
"""Pictures, with a kilobyte of text at most, as drawings have it: a megabyte."""


def _remember(key: tuple[str, OcrSettings], found: ReadOff) -> None:
    SEEN.pop(key, None)
    while len(SEEN) >= _MOST_SEEN:
        del SEEN[next(iter(SEEN))]
    SEEN[key] = found


class FigureReader:
    """Reads the pictures of one document, each once in a process, until what one run may spend on them is spent:
    as much for each part of the file.

    `begin` is called before the first picture is read by OCR.
    """

    def __init__(self, settings: OcrSettings, task: ParseTask, begin: Callable[[], None]) -> None:
        self._settings = settings
        self._task = task
        self._begin = begin
        self._began = task.clock.now()
        self._allowed = settings.figures_cpu_s * task.parts
        self._read = 0
        self.refused = ""
        """Why a picture was not read, the last time that one was not."""

    def read(self, name: str, data: bytes) -> ReadOff | None:
        """Return what stands in an encoded picture, `name` its digest; None where the limits leave it unread.

        Nothing stands in photographs, as far as this reader goes, and in what is no readable picture.
        """
        settings = self._settings
        if not settings.figures or settings.engine == "none" or settings.when == "never" or not data:
            return _NOTHING
        if (found := self._task.found(name)) is not None:
            return found
        if (found := SEEN.get((name, settings)) or self._read_off(data)) is None:
            return None
        if not found.issue:
            _remember((name, settings), found)
        self._task.read[name] = found
        return found

    def _read_off(self, data: bytes) -> ReadOff | None:
        if self._spent():
            return None
        image = self._worth_reading(data)
        if image is None:
            return _NOTHING
        if self._read >= self._settings.figure_limit:
            self.refused = f"more than {self._settings.figure_limit} in one run (parse.ocr.figure_limit)"
            return None
        if not self._read:
            self._begin()
        self._read += 1
        try:
            return self._told(image)
        except Exception as error:  # the text of the document is whole: a picture costs itself alone
            return ReadOff(issue=f"{type(error).__name__}: {error}"[:_LONGEST_ISSUE])

    def _spent(self) -> bool:
        clock, most = self._task.clock, self._allowed
        if clock.now() - self._began >= most:
            self.refused = f"over {most:g} processor seconds for pictures (parse.ocr.figures_cpu_s)"
        elif clock.past(_LATEST) and not (self._task.parts > 1 and self._task.next_part()):
            self.refused = clock.reason
        else:
            return False
        return True

    def _told(self, image: Raster) -> ReadOff:
        try:
            engine = ocr_engine(self._settings)
        except MissingExtra:
            return _NOTHING  # a picture's text is a bonus; a page of text without an engine does raise
        if engine is None:
            return _NOTHING
        found = read_picture(engine, image, self._settings)
        told = sum(character.isalnum() for character in found.text) >= _LEAST
        return ReadOff(found.text, min(_READ, found.confidence)) if told else _NOTHING

    def _worth_reading(self, data: bytes) -> Raster | None:
        try:
            with Pillow.open(io.BytesIO(data)) as picture:
                size = picture.width * picture.height
                if not self._settings.figure_pixels <= size <= _MOST_PIXELS or min(picture.size) < _LEAST_SIDE:
                    return None
                thumb = picture.copy()
                thumb.thumbnail((_THUMB, _THUMB))
                return pixels(picture) if looks_drawn(pixels(thumb)) else None
        except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError):
            return None


def looks_drawn(image: Raster) -> bool:
    """Return whether a few colours, told apart by their upper four bits, cover half of a picture."""
    # 16 shades of each colour, 4 bits of 8: noise of JPEG moves the lower ones.
    shades = (image >> 4).astype(np.int32)
    # Red, green and blue in 4 bits each.
    codes = (shades[..., 0] << 8 | shades[..., 1] << 4 | shades[..., 2]).ravel()
    counts = np.sort(np.bincount(codes, minlength=1))[::-1]
    return bool(counts[:_COLOURS].sum() >= _DRAWN * codes.size)
