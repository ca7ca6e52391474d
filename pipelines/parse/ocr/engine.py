"""What an OCR engine is to Strata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Raster = NDArray[np.uint8]
"""A picture as rows of red, green and blue: shape (height, width, 3)."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """One line that an engine read: its four corners in pixels, from the top left clockwise as the text runs."""

    text: str
    corners: tuple[Point, Point, Point, Point]
    confidence: float


@runtime_checkable
class OcrEngine(Protocol):
    """Reads lines off pictures. Which way up the picture is, is not its concern (see `orientation`)."""

    @property
    def name(self) -> str:
        """The engine's name and version, as it stands in notes."""
        ...

    def read(self, image: Raster) -> list[Reading]:
        """Return the lines of a picture from the top; none where there is no text."""
        ...
