"""What an OCR engine is, and the two that settings name, RapidOCR and PaddleOCR.

RapidOCR has the models of PaddleOCR in one wheel, run by onnxruntime, with nothing to download. PaddleOCR 3 is an
extra: its own models where there is a network, a folder of ONNX models where there is none.
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
from pipelines.parse.settings import OcrSettings

Raster = NDArray[np.uint8]
"""A picture as rows of red, green and blue: shape (height, width, 3)."""

Point = tuple[float, float]
STANDING = 1.5
"""Height of a line over its width from which it stands on its end; a short word lying is wider than high."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One line that an engine read: its four corners in pixels, from the top left clockwise as the text runs."""

    text: str
    corners: tuple[Point, Point, Point, Point]
    confidence: float


class OcrEngine(Protocol):
    """Reads lines off pictures. Which way up the picture is, is not its concern (see `orientation`)."""

    @property
    def name(self) -> str:
        """The engine's name and version, as it stands in notes."""
        ...

    def read(self, image: Raster) -> list[Reading]:
        """Return the lines of a picture from the top; none where there is no text."""
        ...


@lru_cache(maxsize=2)  # its models take a second
def ocr_engine(settings: OcrSettings) -> OcrEngine | None:
    """Return the engine, None where the settings want none; raises `MissingExtra` where it is not installed."""
    if settings.engine == "none" or settings.when == "never":
        return None
    return RapidOcr(settings) if settings.engine == "rapidocr" else PaddleOcr(settings)


_SURE = 0.9
"""Confidence from which a line on end was read the right way; as in `pictures`."""
_MOST_STANDING = 30
"""Lines on end from which the page itself lies on its side, which is not for the engine to put right."""
_DETECTION_SIDE = 1280
"""Longer side in pixels at which lines are looked for; recognition uses the full picture."""

_RECOGNITION_HEIGHT, _RECOGNITION_WIDTH = 48, 240
"""Pixels of a line as the model reads it: its own height, and the least width. The model's own width, 320, is that of
twelve characters, and labels of figures have four. With 240 the figures of reports take a sixth less time, 303 of 311
lines stay the same, and no page of `benchmarks/ocr_pages.py` is read worse; with 160 one is."""


class RapidOcr:
    """PP-OCR detection and recognition; CJK, Latin, Greek."""

    def __init__(self, settings: OcrSettings) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise MissingExtra("rapidocr", "reading text off pictures") from error
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        self._least = settings.min_confidence
        self._engine: Any = RapidOCR(
            params={
                "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
                "EngineConfig.onnxruntime.inter_op_num_threads": THREADS,
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.text_score": 0.0,  # a line on end is read upside down first, and poorly
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
            found = self._engine(image[:, :, ::-1])  # the engine expects blue first
        except ResizeImgError:  # too thin to hold a line of text
            return []
        if getattr(found, "boxes", None) is None or found.txts is None:
            return []
        readings = [
            Reading(text, _corners(box), float(score))
            for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]
        readings = self._turned_about(readings, image)
        return [reading for reading in readings if reading.confidence >= self._least]

    def _turned_about(self, readings: list[Reading], image: Raster) -> list[Reading]:
        """Return the readings with those that stand on end read the other way too, where they were read poorly."""
        standing = [reading for reading in readings if _stands(reading) and reading.confidence < _SURE]
        if not 0 < len(standing) <= _MOST_STANDING:
            return readings
        return [self._better(reading, image) if reading in standing else reading for reading in readings]

    def _better(self, reading: Reading, image: Raster) -> Reading:
        across, down = [x for x, _ in reading.corners], [y for _, y in reading.corners]
        crop = image[max(0, int(min(down))) : int(max(down)) + 1, max(0, int(min(across))) : int(max(across)) + 1]
        found = self._engine(np.rot90(crop[:, :, ::-1], -1).copy(), use_det=False, use_cls=False, use_rec=True)
        self._engine.update_params(use_det=True)
        if not found.txts or float(found.scores[0]) <= reading.confidence:
            return reading
        return Reading(found.txts[0], reading.corners, float(found.scores[0]))


def _stands(reading: Reading) -> bool:
    across, down = [x for x, _ in reading.corners], [y for _, y in reading.corners]
    return max(down) - min(down) > STANDING * (max(across) - min(across)) and len(reading.text) > 1


def _corners(box: Any) -> Any:
    return tuple((float(x), float(y)) for x, y in box)


DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
"""The folders that `ocr.models` must hold, each with an inference.onnx and an inference.yml."""


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
