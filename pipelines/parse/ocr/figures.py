"""Text inside the pictures of a document, of those that look drawn: diagrams, charts, screenshots, scans."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image as Pillow

from pipelines.core.errors import MissingExtra
from pipelines.core.ids import digest
from pipelines.parse.ocr.engine import Raster
from pipelines.parse.ocr.load import ocr_engine
from pipelines.parse.ocr.text import pixels, read_picture
from pipelines.parse.settings import OcrSettings

_THUMB = 160
_COLOURS, _DRAWN = 6, 0.5
"""Of a drawn picture, so few colours cover this share; a photograph has hundreds."""
_NOTHING = ("", 1.0)
_LEAST = 3
"""Letters and figures from which a picture says something: an edge alone is often taken for one or two."""
_MOST_PIXELS = 40_000_000


class FigureText:
    """Reads the pictures of one document: each once, up to `ocr.figure_limit` of them."""

    def __init__(self, settings: OcrSettings) -> None:
        self._settings = settings
        self._known: dict[str, tuple[str, float]] = {}
        self._read = 0

    def read(self, data: bytes) -> tuple[str, float]:
        """Return what stands in an encoded picture and with which confidence it was read.

        Nothing stands in photographs, as far as this reader goes, and in what is no readable picture.
        """
        settings = self._settings
        if not settings.figures or settings.engine == "none" or settings.when == "never" or not data:
            return _NOTHING
        key = digest(data)
        if key not in self._known:
            self._known[key] = self._read_off(data)
        return self._known[key]

    def _read_off(self, data: bytes) -> tuple[str, float]:
        image = self._worth_reading(data)
        if image is None or self._read >= self._settings.figure_limit:
            return _NOTHING
        self._read += 1
        try:
            engine = ocr_engine(self._settings)
        except MissingExtra:
            return _NOTHING  # a picture's text is a bonus; a page of text without an engine does raise
        if engine is None:
            return _NOTHING
        found = read_picture(engine, image, self._settings)
        told = sum(character.isalnum() for character in found.text) >= _LEAST
        return (found.text, min(0.999, found.confidence)) if told else _NOTHING

    def _worth_reading(self, data: bytes) -> Raster | None:
        try:
            with Pillow.open(io.BytesIO(data)) as picture:
                size = picture.width * picture.height
                if not self._settings.figure_pixels <= size <= _MOST_PIXELS or min(picture.size) < 24:
                    return None
                thumb = picture.copy()
                thumb.thumbnail((_THUMB, _THUMB))
                return pixels(picture) if looks_drawn(pixels(thumb)) else None
        except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError):
            return None


def looks_drawn(image: Raster) -> bool:
    """Return whether a few colours, told apart by their upper four bits, cover half of a picture."""
    shades = (image >> 4).astype(np.int32)
    codes = (shades[..., 0] << 8 | shades[..., 1] << 4 | shades[..., 2]).ravel()
    counts = np.sort(np.bincount(codes, minlength=1))[::-1]
    return bool(counts[:_COLOURS].sum() >= _DRAWN * codes.size)
