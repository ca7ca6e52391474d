"""PaddleOCR 3, an extra: its own models where there is a network, a folder of ONNX models where there is none."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.parse.ocr.engine import Raster, Reading
from pipelines.parse.settings import OcrSettings

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
"""The folders that `ocr.models` must hold, each with an inference.onnx and an inference.yml (see `paddle_models`)."""


class PaddleOcr:
    """PP-OCR as PaddleOCR runs it. With `ocr.models` set it needs neither paddlepaddle nor a network."""

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
            **_local(settings.models),
        )

    @property
    def name(self) -> str:
        return f"paddleocr {version('paddleocr')}"

    def read(self, image: Raster) -> list[Reading]:
        pages = self._engine.predict(np.ascontiguousarray(image[:, :, ::-1]))  # blue first
        return [
            Reading(text, _corners(polygon), float(score))
            for page in pages
            for text, score, polygon in zip(page["rec_texts"], page["rec_scores"], page["rec_polys"], strict=True)
        ]


def _local(folder: str) -> dict[str, str]:
    """Return the arguments that make PaddleOCR use the models of a folder; raises `SettingsError` if it has none."""
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


def _corners(polygon: Any) -> Any:
    return tuple((float(x), float(y)) for x, y in polygon)
