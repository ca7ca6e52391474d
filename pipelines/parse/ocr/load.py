"""The OCR engine that the settings name, loaded when first needed and once a process: its models take a second."""

from __future__ import annotations

from functools import lru_cache

from pipelines.parse.ocr.engine import OcrEngine
from pipelines.parse.settings import OcrSettings


@lru_cache(maxsize=2)
def ocr_engine(settings: OcrSettings) -> OcrEngine | None:
    """Return the engine, None where the settings want none; raises `MissingExtra` where it is not installed."""
    if settings.engine == "none" or settings.when == "never":
        return None
    if settings.engine == "paddleocr":
        from pipelines.parse.ocr.paddleocr import PaddleOcr

        return PaddleOcr(settings)
    from pipelines.parse.ocr.rapidocr import RapidOcr

    return RapidOcr(settings)
