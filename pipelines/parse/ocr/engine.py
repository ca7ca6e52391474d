"""The OCR engines: their protocol, and the choice by the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pipelines.parse.lines import Rect
from pipelines.parse.settings import OcrSettings

Raster = NDArray[np.uint8]
"""The RGB pixels of a picture, of shape (height, width, 3)."""

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
Known = Callable[[Corners], str]
"""Returns the text of a line that is known and need not be recognized, else an empty string."""
SIDEWAYS = 1.5
"""Minimum ratio of height to width of a vertical line; even a short word is wider than high if horizontal."""


CONFIDENT = 0.9
"""Minimum confidence at which a line, or an orientation, is accepted without another try; in `shared/data`, 98 % of the
lines in scripts that the engine knows have it."""
LONG = 4
"""Minimum ratio of length to height of a line that is text, about eight letters; symbols and edges in figures, which
are detected too, are shorter."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A detected line; `corners` are in pixels, clockwise from the top left in the direction of the text.

    The text is empty, and the confidence 0, if nothing in the line is recognized.
    """

    text: str
    corners: Corners
    confidence: float

    @property
    def rect(self) -> Rect:
        """The bounding rectangle of the corners."""
        return bounds(self.corners)

    @property
    def is_vertical(self) -> bool:
        return self.rect.height > SIDEWAYS * self.rect.width and len(self.text) > 1

    @property
    def length(self) -> float:
        """The longer side of the line in pixels."""
        return max(self.rect.width, self.rect.height)

    @property
    def height(self) -> float:
        """The shorter side of the line in pixels, at least one."""
        return max(1.0, min(self.rect.width, self.rect.height))

    @property
    def is_long(self) -> bool:
        return self.length >= LONG * self.height


def bounds(corners: Corners) -> Rect:
    """Return the bounding rectangle of the corners of a line."""
    across, down = zip(*corners, strict=True)
    return Rect(min(across), min(down), max(across), max(down))


def as_corners(box: Any) -> Corners:
    """Return the corners of an array of four points."""
    first, second, third, fourth = ((float(x), float(y)) for x, y in box)
    return first, second, third, fourth


def nothing_known(_: Corners) -> str:
    """The `Known` by which each line is recognized."""
    return ""


class OcrEngine(Protocol):
    """Reads the lines of a picture that is upright (see `read_upright`)."""

    @property
    def name(self) -> str:
        """The engine's name and version, as written in notes."""
        ...

    @property
    def characters(self) -> frozenset[str]:
        """The characters that the engine can recognize; empty if that is not known."""
        ...

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        """Return the lines of a picture from the top, also those that are not recognized; empty if there are none.

        Those that are `known` have that text, and confidence 1.
        """
        ...


@lru_cache(maxsize=2)  # loading the models takes a second
def ocr_engine(settings: OcrSettings) -> OcrEngine | None:
    """Return the engine, None if the settings disable OCR. Raises `MissingExtra` if it is not installed."""
    if settings.engine == "none" or settings.when == "never":
        return None
    if settings.engine == "paddleocr":
        from pipelines.parse.ocr.paddle import PaddleOcr

        return PaddleOcr(settings)
    from pipelines.parse.ocr.more_scripts import MoreScripts
    from pipelines.parse.ocr.rapid import RapidOcr
    from pipelines.parse.ocr.tesseract import usable_models

    rapid, models = RapidOcr(settings), usable_models(settings)
    return MoreScripts(rapid, models) if models else rapid
