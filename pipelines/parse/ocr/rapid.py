"""OCR by RapidOCR: the PP-OCR models of PaddleOCR in one wheel, run by onnxruntime, without downloads."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from pipelines.core.errors import MissingExtra
from pipelines.core.libraries import THREADS
from pipelines.parse.ocr.engine import CONFIDENT, Corners, Known, Raster, Reading, as_corners, nothing_known
from pipelines.parse.settings import OcrSettings

_MOST_VERTICAL = 30
"""Maximum vertical lines that are read again; if there are more, the page itself is sideways (see `read_upright`)."""
_DETECTION_SIDE = 1280
"""Longer side in pixels of the picture in which lines are detected; they are recognized at full size."""

_LINE_HEIGHT, _LINE_WIDTH = 48, 240
"""Pixels of a line in the recognition model: its height, and the minimum width. The model's default width, 320, is
that of twelve characters, but labels of figures have four. With 240 the figures of reports take a sixth less time, 303
of 311 lines are unchanged, and no page of `benchmarks/ocr_pages.py` is read worse; with 160 one is."""


_LEAST_DENSITY = 0.5
"""Minimum characters for each line height of a line that is read whole: of 3,391 lines read with a confidence of .8
off figures and scans in `shared/data`, none has fewer."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A detected line, its pixels, rotated so that the text is horizontal, and whether its text was known before."""

    reading: Reading
    picture: Raster
    known: bool = False


class RapidOcr:
    """PP-OCR detection of lines of any script, and recognition of CJK, Latin and Greek."""

    def __init__(self, settings: OcrSettings) -> None:
        try:
            from rapidocr import RapidOCR
        except ImportError as error:
            raise MissingExtra("rapidocr", "reading text off pictures") from error
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        self._engine: Any = RapidOCR(
            params={
                "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
                "EngineConfig.onnxruntime.inter_op_num_threads": THREADS,
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.max_side_len": settings.max_side,
                "Rec.rec_img_shape": [3, _LINE_HEIGHT, _LINE_WIDTH],  # channels, height, width
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
            }
        )

    @property
    def name(self) -> str:
        return f"rapidocr {version('rapidocr')}"

    @cached_property
    def characters(self) -> frozenset[str]:
        self._engine.recognize_txt([np.zeros((_LINE_HEIGHT, _LINE_WIDTH, 3), np.uint8)])  # loads it
        return frozenset(self._engine.text_rec.postprocess_op.character)

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        return [line.reading for line in self.detect(image, known)]

    def detect(self, image: Raster, known: Known = nothing_known) -> list[Detected]:
        """Return the lines of a picture as `read` does, with their pictures."""
        from rapidocr.main import RapidOCRError
        from rapidocr.utils.process_img import ResizeImgError, map_boxes_to_original

        try:
            # The engine expects BGR. OpenCV would copy a reversed view of a page again for each line that is cut out.
            resized, changes = self._engine.preprocess_img(np.ascontiguousarray(image[:, :, ::-1]))
            pictures, boxes = self._engine.detect_and_crop(resized, changes)
        except (ResizeImgError, RapidOCRError):  # too thin to hold a line of text, or without any
            return []
        # The engine's own call does the same, but leaves out lines that are not recognized.
        corners = [as_corners(box) for box in map_boxes_to_original(boxes.boxes, changes, *image.shape[:2])]
        texts = map(known, corners)
        lines = [
            Detected(Reading(text, line, 1.0 if text else 0.0), crop[:, :, ::-1], known=bool(text))
            for line, text, crop in zip(corners, texts, pictures, strict=True)
        ]
        unknown = [number for number, line in enumerate(lines) if not line.known]
        read = self.recognize([lines[number].picture for number in unknown])
        for number, (text, score) in zip(unknown, read, strict=True):
            lines[number] = replace(lines[number], reading=_reading(text, lines[number].reading.corners, score))
        return self._with_rotated(lines)

    def recognize(self, pictures: Sequence[Raster]) -> list[tuple[str, float]]:
        """Return the text and confidence of pictures of one line each."""
        if not pictures:
            return []
        found = self._engine.recognize_txt([picture[:, :, ::-1] for picture in pictures])
        return [(text.strip(), float(score)) for text, score in zip(found.txts, found.scores, strict=True)]

    def _with_rotated(self, lines: list[Detected]) -> list[Detected]:
        """Return the lines; vertical ones of low confidence are read again, rotated the other way."""
        vertical = [
            number
            for number, line in enumerate(lines)
            if line.reading.is_vertical and line.reading.confidence < CONFIDENT
        ]
        if not 0 < len(vertical) <= _MOST_VERTICAL:
            return lines
        turned = [np.ascontiguousarray(np.rot90(lines[number].picture, 2)) for number in vertical]
        for number, picture, (text, score) in zip(vertical, turned, self.recognize(turned), strict=True):
            reading = lines[number].reading
            if text and score > reading.confidence:
                lines[number] = Detected(Reading(text, reading.corners, score), picture)
        return lines


def _reading(text: str, corners: Corners, score: float) -> Reading:
    """Return a line; the engine's score is the mean of the characters it recognizes, and says nothing of the others."""
    found = Reading(text, corners, score)
    density = sum(map(len, text.split())) * found.height / max(found.height, found.length)
    return replace(found, confidence=found.confidence * min(1.0, density / _LEAST_DENSITY))
