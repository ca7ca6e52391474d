from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.core.errors import SettingsError
from pipelines.parse.ocr.engine import ocr_engine
from pipelines.parse.ocr.paddleocr import make_paddle_models
from pipelines.parse.ocr.pictures import decoded, read_picture
from pipelines.parse.settings import OcrSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn

pytest.importorskip("paddleocr", reason="the extra paddleocr is not installed", exc_type=ImportError)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_paddleocr_reads_without_a_network_from_a_folder_of_models(tmp_path: Path) -> None:
    settings = OcrSettings(engine="paddleocr", models=str(make_paddle_models(tmp_path)))
    engine = ocr_engine(settings)
    assert engine is not None
    assert engine.name.startswith("paddleocr 3.")
    page = decoded(drawn(Pdf().page(500, 200).box(30, 30, 470, 180, LOREM).data()))
    read = read_picture(engine, page, settings)
    assert "The relief valve opens at the set pressure" in read.text.replace("\n", " ")
    assert read.confidence > 0.9


def test_a_folder_without_models_is_a_mistake_in_the_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"inference\.yml"):
        ocr_engine(OcrSettings(engine="paddleocr", models=str(tmp_path)))
