from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import rapidocr

from pipelines.core.errors import SettingsError
from pipelines.parse.ocr.engine import ocr_engine
from pipelines.parse.ocr.paddle import DETECTION, RECOGNITION
from pipelines.parse.ocr.pictures import decoded, read_picture
from pipelines.parse.settings import OcrSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn

pytest.importorskip("paddleocr", reason="the extra paddleocr is not installed", exc_type=ImportError)


_DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
# Preprocessing of PaddleOCR's detection models (configs/det of PP-OCR); mean and scale are those of ImageNet.
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
# Preprocessing of PP-OCR's recognition models: 3 channels, lines of 48 by 320 pixels.
_RECOGNITION_OPS = [_DECODE, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]
# As in the inference.yml of the model (PP-OCR, DBPostProcess).
_DETECTION_POST = {
    "name": "DBPostProcess",
    "thresh": 0.3,
    "box_thresh": 0.6,
    "max_candidates": 1000,
    "unclip_ratio": 1.5,
}


def make_paddle_models(folder: Path) -> Path:
    """Write a folder for `ocr.models` with the models from RapidOCR's wheel, and return it."""
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    source = Path(rapidocr.__file__).parent / "models"
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
    # JSON is valid YAML, so that no library is needed.
    (folder / "inference.yml").write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_paddleocr_reads_offline_with_models_from_a_folder(tmp_path: Path) -> None:
    settings = OcrSettings(engine="paddleocr", models=str(make_paddle_models(tmp_path)))
    engine = ocr_engine(settings)
    assert engine is not None
    assert engine.name.startswith("paddleocr 3.")
    page = decoded(drawn(Pdf().page(500, 200).box(30, 30, 470, 180, LOREM).data()))
    read = read_picture(engine, page, settings)
    assert "The relief valve opens at the set pressure" in read.text.replace("\n", " ")
    assert read.confidence > 0.9


def test_a_folder_without_models_is_a_settings_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"inference\.yml"):
        ocr_engine(OcrSettings(engine="paddleocr", models=str(tmp_path)))
