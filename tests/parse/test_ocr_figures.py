from __future__ import annotations

import io

import numpy as np
from PIL import Image

from pipelines.parse.limits import ParseTask
from pipelines.parse.ocr.engine import Known, Raster, Reading, nothing_known
from pipelines.parse.ocr.figure_reader import FigureReader, looks_drawn
from pipelines.parse.ocr.pictures import decoded, read_picture
from pipelines.parse.parsed import ReadOff
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


def reader(settings: OcrSettings | None = None, task: ParseTask | None = None) -> FigureReader:
    return FigureReader(settings or OcrSettings(), task or ParseTask(), lambda: None)


def test_a_diagram_is_recognized_as_drawn_and_a_photograph_is_not() -> None:
    assert looks_drawn(decoded(DIAGRAM))
    assert not looks_drawn(decoded(photograph()))


def test_text_in_a_diagram_is_read_with_its_confidence() -> None:
    found = reader().read("diagram", DIAGRAM)
    assert found is not None
    assert "V-101" in found.text
    assert "8.5 bar" in found.text
    assert 0.8 < found.confidence < 1


def test_data_that_is_not_a_picture_has_no_text() -> None:
    assert reader().read("other", b"not a picture") == ReadOff()
    assert reader().read("nothing", b"") == ReadOff()


def test_a_damaged_picture_is_reported() -> None:
    found = reader().read("damaged", DIAGRAM[: len(DIAGRAM) // 2])
    assert found is not None
    assert found.issue.startswith("it is damaged: ")


def test_pictures_over_the_limit_are_not_read() -> None:
    none = reader(OcrSettings(figure_limit=0))
    assert none.read("diagram", DIAGRAM) is None
    assert "parse.ocr.figure_limit" in none.refused


def test_a_single_letter_is_not_text() -> None:
    mark = drawn(Pdf().page(300, 150).text(120, 100, "Z", size=60).data())
    assert reader().read("mark", mark) == ReadOff()


class Scripted:
    """An engine that reads the same lines in every picture."""

    name = "scripted"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    @property
    def characters(self) -> frozenset[str]:
        return frozenset()

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        return [
            Reading(text, ((10, 30 * row), (200, 30 * row), (200, 30 * row + 20), (10, 30 * row + 20)), 0.98)
            for row, text in enumerate(self.texts)
        ]


def test_single_chinese_characters_in_a_latin_drawing_are_dropped() -> None:
    page = np.full((200, 300, 3), 255, dtype=np.uint8)
    drawing = read_picture(Scripted("Pump P-101", "\u4e2a", "8.5 bar"), page, OcrSettings())
    assert [line.text for line in drawing.lines] == ["Pump P-101", "8.5 bar"]
    chinese = read_picture(Scripted("\u6cf5\u623f P-101", "\u4e2a"), page, OcrSettings())
    assert len(chinese.lines) == 2
