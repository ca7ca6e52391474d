from __future__ import annotations

import io

import numpy as np
from PIL import Image

from pipelines.parse.ocr.figures import FigureText, looks_drawn
from pipelines.parse.ocr.text import decoded
from pipelines.parse.settings import OcrSettings
from tests.parse.pdf_pages import Pdf, drawn

DIAGRAM = drawn(
    Pdf().page(300, 150).text(30, 60, "Inlet valve V-101", size=16).text(30, 110, "8.5 bar", size=16).data()
)


def photograph() -> bytes:
    grain = np.random.default_rng(3).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(grain).save(out, "PNG")
    return out.getvalue()


def test_a_diagram_is_drawn_and_a_photograph_is_not() -> None:
    assert looks_drawn(decoded(DIAGRAM))
    assert not looks_drawn(decoded(photograph()))


def test_text_in_a_diagram_is_read_with_its_confidence() -> None:
    text, confidence = FigureText(OcrSettings()).read(DIAGRAM)
    assert "V-101" in text
    assert "8.5 bar" in text
    assert 0.8 < confidence < 1


def test_what_is_no_picture_holds_nothing() -> None:
    reader = FigureText(OcrSettings())
    assert reader.read(b"not a picture") == ("", 1.0)
    assert reader.read(b"") == ("", 1.0)


def test_no_more_pictures_are_read_than_allowed() -> None:
    reader = FigureText(OcrSettings(figure_limit=0))
    assert reader.read(DIAGRAM) == ("", 1.0)
