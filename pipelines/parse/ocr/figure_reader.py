"""OCR of the pictures of a document that look drawn: diagrams, charts, screenshots, scans."""

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

_THUMBNAIL_SIDE = 160
"""Pixels of the longer side of the thumbnail whose colours are counted: their shares change little with size."""
_MAIN_COLOURS, _DRAWN_SHARE = 6, 0.5
"""The most frequent colours of a drawn picture cover at least this share of it; a photograph has hundreds of colours.
"""
_NOTHING = ReadOff()
_LAST_START = 0.9
"""Share of the file's processor time after which no further picture is read."""
_LONGEST_ISSUE = 300
"""Maximum characters of a library's error message: three lines."""
_LEAST_CHARACTERS = 3
"""Minimum letters and digits of a picture's text: edges are often read as one or two."""
_LEAST_SIDE = 24
"""Pixels: a line of text with margins needs more."""
_METAFILES = ("WMF", "EMF")
"""Formats that Pillow opens, but draws on Windows only."""
_MOST_CONFIDENCE = 0.999
"""Maximum confidence of OCR: 1 is reserved for text stored in the file."""
_MOST_PIXELS = 40_000_000
"""An A3 page at 400 dpi has 31 million; larger pictures are photographs and maps."""

RECENT: dict[tuple[str, OcrSettings], ReadOff] = {}
"""The latest results of this process by digest of the picture: documents of a company share logos and drawings."""
_MOST_RECENT = 1000
"""Maximum pictures in `RECENT`: with up to a kilobyte of text each, about a megabyte."""


def _remember(key: tuple[str, OcrSettings], found: ReadOff) -> None:
    RECENT.pop(key, None)
    while len(RECENT) >= _MOST_RECENT:
        del RECENT[next(iter(RECENT))]
    RECENT[key] = found


class FigureReader:
    """Reads the pictures of one document, each once per process, until the limits of a run are reached.

    The limit of processor time applies to each part of the file. `begin` is called before the first picture is read
    by OCR.
    """

    def __init__(self, settings: OcrSettings, task: ParseTask, begin: Callable[[], None]) -> None:
        self._settings = settings
        self._task = task
        self._begin = begin
        self._began = task.clock.now()
        self._allowed = settings.figures_cpu_s * task.parts
        self._read = 0
        self.refused = ""
        """Why the last unread picture was not read."""

    def read(self, name: str, data: bytes) -> ReadOff | None:
        """Return the text of an encoded picture with the digest `name`; None if a limit prevents reading.

        The text is empty for photographs and for data that is not a readable picture.
        """
        settings = self._settings
        if not settings.figures or settings.engine == "none" or settings.when == "never" or not data:
            return _NOTHING
        if (found := self._task.found(name)) is not None:
            return found
        if (found := RECENT.get((name, settings)) or self._read_new(data)) is None:
            return None
        if not found.issue:
            _remember((name, settings), found)
            self._task.read[name] = found
        return found

    def _read_new(self, data: bytes) -> ReadOff | None:
        if self._out_of_time():
            return None
        try:
            image = self._load_if_drawn(data)
        except (OSError, SyntaxError) as error:  # its header is readable, its pixels are not
            return ReadOff(issue=f"it is damaged: {error}"[:_LONGEST_ISSUE])
        if image is None:
            return _NOTHING
        if self._read >= self._settings.figure_limit:
            self.refused = f"more than {self._settings.figure_limit} in one run (parse.ocr.figure_limit)"
            return None
        if not self._read:
            self._begin()
        self._read += 1
        try:
            return self._recognize(image)
        except Exception as error:  # only this picture is lost, not the document
            return ReadOff(issue=f"{type(error).__name__}: {error}"[:_LONGEST_ISSUE])

    def _out_of_time(self) -> bool:
        clock, most = self._task.clock, self._allowed
        if clock.now() - self._began >= most:
            self.refused = f"over {most:g} processor seconds for pictures (parse.ocr.figures_cpu_s)"
        elif clock.past(_LAST_START) and not (self._task.parts > 1 and self._task.next_part()):
            self.refused = clock.reason
        else:
            return False
        return True

    def _recognize(self, image: Raster) -> ReadOff:
        try:
            engine = ocr_engine(self._settings)
        except MissingExtra:
            return _NOTHING  # text of pictures is optional; scanned pages without an engine do raise
        if engine is None:
            return _NOTHING
        found = read_picture(engine, image, self._settings)
        enough = sum(character.isalnum() for character in found.text) >= _LEAST_CHARACTERS
        confidence = min(_MOST_CONFIDENCE, found.confidence)
        return ReadOff(found.text, confidence, found.issue) if enough or found.issue else _NOTHING

    def _load_if_drawn(self, data: bytes) -> Raster | None:
        """Return the pixels of a drawn picture; None for photographs and unknown formats. Raises for damaged pixels."""
        try:
            picture = Pillow.open(io.BytesIO(data))
        except (OSError, ValueError, SyntaxError, ArithmeticError, Pillow.DecompressionBombError):
            return None
        with picture:
            size = picture.width * picture.height
            if not self._settings.figure_pixels <= size <= _MOST_PIXELS or min(picture.size) < _LEAST_SIDE:
                return None
            if picture.format in _METAFILES:
                return None
            try:
                thumb = picture.copy()
                thumb.thumbnail((_THUMBNAIL_SIDE, _THUMBNAIL_SIDE))
                return pixels(picture) if looks_drawn(pixels(thumb)) else None
            except (ValueError, ArithmeticError, Pillow.DecompressionBombError):
                return None


def looks_drawn(image: Raster) -> bool:
    """Whether a few colours, compared by their upper four bits, cover half of a picture."""
    # The upper 4 of 8 bits: JPEG noise changes the lower ones.
    shades = (image >> 4).astype(np.int32)
    # Red, green and blue with 4 bits each.
    codes = (shades[..., 0] << 8 | shades[..., 1] << 4 | shades[..., 2]).ravel()
    counts = np.sort(np.bincount(codes, minlength=1))[::-1]
    return bool(counts[:_MAIN_COLOURS].sum() >= _DRAWN_SHARE * codes.size)
