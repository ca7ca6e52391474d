"""The OCR engine that the settings name, loaded when first needed and once a process: its models take a second."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from pipelines.parse.ocr.engine import OcrEngine
from pipelines.parse.settings import OcrSettings

_ENGINES = {
    "rapidocr": "pipelines.parse.ocr.rapidocr:RapidOcr",
    "paddleocr": "pipelines.parse.ocr.paddleocr:PaddleOcr",
}


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
