"""A folder of models for PaddleOCR, made from those in RapidOCR's wheel: the same networks, nothing to download."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pipelines.parse.ocr.paddleocr import DETECTION, RECOGNITION
from pipelines.parse.ocr.rapidocr import models_folder

_DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
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
_RECOGNITION_OPS = [_DECODE, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]
_DETECTION_POST = {
    "name": "DBPostProcess",
    "thresh": 0.3,
    "box_thresh": 0.6,
    "max_candidates": 1000,
    "unclip_ratio": 1.5,
}


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
