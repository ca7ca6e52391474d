"""What an OCR engine is, and the one that the settings name, loaded once a process: its models take a second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pipelines.parse.settings import OcrSettings

Raster = NDArray[np.uint8]
"""A picture as rows of red, green and blue: shape (height, width, 3)."""

Point = tuple[float, float]
_ENGINES = {
    "rapidocr": "pipelines.parse.ocr.rapidocr:RapidOcr",
    "paddleocr": "pipelines.parse.ocr.paddleocr:PaddleOcr",
}


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


@lru_cache(maxsize=2)
def ocr_engine(settings: OcrSettings) -> OcrEngine | None:
    """Return the engine, None where the settings want none; raises `MissingExtra` where it is not installed."""
    if settings.engine == "none" or settings.when == "never":
        return None
    module, _, name = _ENGINES[settings.engine].partition(":")
    engine = getattr(import_module(module), name)(settings)
    if not isinstance(engine, OcrEngine):
        raise TypeError(f"{module}:{name} is not an OCR engine")
    return engine
