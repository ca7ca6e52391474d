"""The OCR engines: their protocol, RapidOCR and PaddleOCR.

RapidOCR has the models of PaddleOCR in its wheel and runs them by onnxruntime, without downloads. PaddleOCR 3 is an
extra: it downloads its models, or uses ONNX models from a local folder.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.core.libraries import THREADS
from pipelines.parse.lines import Rect
from pipelines.parse.settings import OcrSettings

Raster = NDArray[np.uint8]
"""The RGB pixels of a picture, of shape (height, width, 3)."""

Point = tuple[float, float]
SIDEWAYS = 1.5
"""Minimum ratio of height to width of a vertical line; even a short word is wider than high if horizontal."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A recognized line; `corners` are in pixels, clockwise from the top left in the direction of the text."""

    text: str
    corners: tuple[Point, Point, Point, Point]
    confidence: float

    @property
    def rect(self) -> Rect:
        """The bounding rectangle of the corners."""
        across, down = zip(*self.corners, strict=True)
        return Rect(min(across), min(down), max(across), max(down))

    @property
    def is_vertical(self) -> bool:
        return self.rect.height > SIDEWAYS * self.rect.width and len(self.text) > 1


class OcrEngine(Protocol):
    """Reads the lines of a picture that is upright (see `read_upright`)."""

    @property
    def name(self) -> str:
        """The engine's name and version, as written in notes."""
        ...

    def read(self, image: Raster) -> list[Reading]:
        """Return the lines of a picture from the top; empty if there is no text."""
        ...


@lru_cache(maxsize=2)  # loading the models takes a second
def ocr_engine(settings: OcrSettings) -> OcrEngine | None:
    """Return the engine, None if the settings disable OCR. Raises `MissingExtra` if it is not installed."""
    if settings.engine == "none" or settings.when == "never":
        return None
    return RapidOcr(settings) if settings.engine == "rapidocr" else PaddleOcr(settings)


_CONFIDENT = 0.9
"""Confidence from which a vertical line was read in the right direction, as in `pictures`."""
_MOST_VERTICAL = 30
"""Maximum vertical lines that are read again; if there are more, the page itself is sideways (see `read_upright`)."""
_DETECTION_SIDE = 1280
"""Longer side in pixels of the picture in which lines are detected; they are recognized at full size."""

_RECOGNITION_HEIGHT, _RECOGNITION_WIDTH = 48, 240
"""Pixels of a line in the recognition model: its height, and the minimum width. The model's default width, 320, is
that of twelve characters, but labels of figures have four. With 240 the figures of reports take a sixth less time, 303
of 311 lines are unchanged, and no page of `benchmarks/ocr_pages.py` is read worse; with 160 one is."""


class RapidOcr:
    """PP-OCR detection and recognition for CJK, Latin and Greek."""

    def __init__(self, settings: OcrSettings) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise MissingExtra("rapidocr", "reading text off pictures") from error
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        self._min_confidence = settings.min_confidence
        self._engine: Any = RapidOCR(
            params={
                "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
                "EngineConfig.onnxruntime.inter_op_num_threads": THREADS,
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.text_score": 0.0,  # vertical lines may have a low score before they are read again
                "Global.max_side_len": settings.max_side,
                "Rec.rec_img_shape": [3, _RECOGNITION_HEIGHT, _RECOGNITION_WIDTH],
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
            }
        )

    @property
    def name(self) -> str:
        return f"rapidocr {version('rapidocr')}"

    def read(self, image: Raster) -> list[Reading]:
        from rapidocr.utils.process_img import ResizeImgError

        try:
            found = self._engine(image[:, :, ::-1])  # the engine expects BGR
        except ResizeImgError:  # too thin to hold a line of text
            return []
        if getattr(found, "boxes", None) is None or found.txts is None:
            return []
        readings = [
            Reading(text, _corners(box), float(score))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]
        readings = self._with_rotated(readings, image)
        return [reading for reading in readings if reading.confidence >= self._min_confidence]

    def _with_rotated(self, readings: list[Reading], image: Raster) -> list[Reading]:
        """Return the readings; vertical ones of low confidence are read again, rotated the other way."""
        vertical = [reading for reading in readings if reading.is_vertical and reading.confidence < _CONFIDENT]
        if not 0 < len(vertical) <= _MOST_VERTICAL:
            return readings
        return [self._read_rotated(reading, image) if reading in vertical else reading for reading in readings]

    def _read_rotated(self, reading: Reading, image: Raster) -> Reading:
        rect = reading.rect
        crop = image[max(0, int(rect.top)) : int(rect.bottom) + 1, max(0, int(rect.left)) : int(rect.right) + 1]
        found = self._engine(np.rot90(crop[:, :, ::-1], -1).copy(), use_det=False, use_cls=False, use_rec=True)
        self._engine.update_params(use_det=True)
        if not found.txts or float(found.scores[0]) <= reading.confidence:
            return reading
        return Reading(found.txts[0], reading.corners, float(found.scores[0]))


def _corners(box: Any) -> Any:
    return tuple((float(x), float(y)) for x, y in box)


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

    def read(self, image: Raster) -> list[Reading]:
        pages = self._engine.predict(np.ascontiguousarray(image[:, :, ::-1]))  # BGR
        return [
            Reading(text, _corners(polygon), float(score))
            for page in pages
            for text, score, polygon in zip(page["rec_texts"], page["rec_scores"], page["rec_polys"], strict=True)
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
