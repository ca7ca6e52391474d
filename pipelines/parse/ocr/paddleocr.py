"""PaddleOCR 3, an extra: its own models where there is a network, a folder of ONNX models where there is none."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.parse.ocr.engine import Raster, Reading
from pipelines.parse.ocr.rapidocr import models_folder
from pipelines.parse.settings import OcrSettings

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
"""The folders that `ocr.models` must hold, each with an inference.onnx and an inference.yml (`make_paddle_models`)."""
_DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
# What PaddleOCR trains its models with: configs/det and configs/rec of PP-OCR; mean and scale are ImageNet's.
_DETECTION_OPS = [
    _DECODE,
    {"DetResizeForTest": None},
    {
        "NormalizeImage": {
            "mean": [0.485, 0.456, 0.406],
            "std": [0.229, 0.224, 0.225],
            "scale": "1./255.",
            "order": "hwc",
        }
    },
    {"ToCHWImage": None},
]
# As PP-OCR's recognition is trained: 3 colours, lines of 48 pixels, 320 wide.
_RECOGNITION_OPS = [_DECODE, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]
# As the model's own inference.yml has it (PP-OCR, DBPostProcess).
_DETECTION_POST = {
    "name": "DBPostProcess",
    "thresh": 0.3,
    "box_thresh": 0.6,
    "max_candidates": 1000,
    "unclip_ratio": 1.5,
}


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


def make_paddle_models(folder: Path) -> Path:
    """Write the folder that `ocr.models` names, and return it; raises `MissingExtra` without RapidOCR."""
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    source = models_folder()
    detection, recognition = source / "PP-OCRv6_det_small.onnx", source / "PP-OCRv6_rec_small.onnx"
    characters = InferenceSession(str(recognition)).get_modelmeta().custom_metadata_map["character"].split("\n")
    _write(folder / DETECTION, detection, _DETECTION_OPS, _DETECTION_POST)
    _write(
        folder / RECOGNITION, recognition, _RECOGNITION_OPS, {"name": "CTCLabelDecode", "character_dict": characters}
    )
    return folder


def _write(folder: Path, model: Path, operations: object, post: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model, folder / "inference.onnx")
    config = {
        "Global": {"model_name": folder.name},
        "PreProcess": {"transform_ops": operations},
        "PostProcess": post,
    }
    # JSON is YAML, and needs no library to be written.
    (folder / "inference.yml").write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")
