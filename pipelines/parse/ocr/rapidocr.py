"""RapidOCR: the models of PaddleOCR in one wheel, run by onnxruntime, with nothing to download."""

from __future__ import annotations

import logging
from importlib.metadata import version
from typing import Any

from pipelines.core.errors import MissingExtra
from pipelines.parse.ocr.engine import Raster, Reading
from pipelines.parse.settings import OcrSettings

_DETECTION_SIDE = 1280
"""Longer side in pixels at which lines are looked for; recognition uses the full picture."""


class RapidOcr:
    """PP-OCR detection and recognition; CJK, Latin, Greek."""

    def __init__(self, settings: OcrSettings) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise MissingExtra("rapidocr", "reading text off pictures") from error
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.text_score": settings.min_confidence,
                "Global.max_side_len": settings.max_side,
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
            }
        )

    @property
    def name(self) -> str:
        return f"rapidocr {version('rapidocr')}"

    def read(self, image: Raster) -> list[Reading]:
        found = self._engine(image[:, :, ::-1])  # the engine expects blue first
        if getattr(found, "boxes", None) is None or found.txts is None:
            return []
        return [
            Reading(text, _corners(box), float(score))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]


def _corners(box: Any) -> Any:
    return tuple((float(x), float(y)) for x, y in box)
