"""OCR by PaddleOCR 3, an extra: it downloads its models, or uses ONNX models from a local folder."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.parse.ocr.engine import Known, Raster, Reading, as_corners, nothing_known
from pipelines.parse.settings import OcrSettings

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
"""Folders required in `ocr.models`, each with an inference.onnx and an inference.yml."""


class PaddleOcr:
    """PP-OCR through PaddleOCR. If `ocr.models` is set, it needs neither paddlepaddle nor a network."""

    def __init__(self, settings: OcrSettings) -> None:
        self._settings = settings
        try:
            from paddleocr import PaddleOCR
        except ImportError as error:
            raise MissingExtra("paddleocr", "OCR with PaddleOCR") from error
        self._engine: Any = PaddleOCR(
            use_doc_orientation_classify=False,
            use_doc_unwarping=False,
            use_textline_orientation=False,
            text_rec_score_thresh=settings.min_confidence,
            **_local_models(settings.models),
        )

    @property
    def name(self) -> str:
        return f"paddleocr {version('paddleocr')}"

    @property
    def characters(self) -> frozenset[str]:
        return frozenset()

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        pages = self._engine.predict(np.ascontiguousarray(image[:, :, ::-1]))  # BGR
        readings = [
            Reading(text, as_corners(polygon), float(score))
            for page in pages
            for text, score, polygon in zip(page["rec_texts"], page["rec_scores"], page["rec_polys"], strict=True)
        ]
        texts = [known(reading.corners) for reading in readings]
        return [
            replace(reading, text=text, confidence=1.0) if text else reading
            for reading, text in zip(readings, texts, strict=True)
        ]


def _local_models(folder: str) -> dict[str, str]:
    """Return the arguments for the models in a folder. Raises `SettingsError` if a model is missing."""
    if not folder:
        return {}
    detection, recognition = Path(folder) / DETECTION, Path(folder) / RECOGNITION
    for model in (detection, recognition):
        if not (model / "inference.yml").is_file():
            raise SettingsError(f"parse.ocr.models: no inference.yml in {model}")
    return {
        "engine": "onnxruntime",
        "text_detection_model_name": DETECTION,
        "text_detection_model_dir": str(detection),
        "text_recognition_model_name": RECOGNITION,
        "text_recognition_model_dir": str(recognition),
    }
