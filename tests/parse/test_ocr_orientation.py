from __future__ import annotations

import numpy as np
import pytest

from pipelines.parse.ocr.engine import Known, OcrEngine, Raster, Reading, nothing_known, ocr_engine
from pipelines.parse.ocr.pictures import decoded, read_picture, read_upright
from pipelines.parse.settings import OcrSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn


class Scripted:
    """An engine that returns the given replies in turn and records the shapes of the pictures."""

    def __init__(self, *replies: list[Reading]) -> None:
        self.replies = list(replies)
        self.shown: list[tuple[int, int]] = []

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def characters(self) -> frozenset[str]:
        return frozenset()

    def read(self, image: Raster, known: Known = nothing_known) -> list[Reading]:
        self.shown.append(image.shape[:2])
        return self.replies.pop(0) if self.replies else []


def line(text: str, confidence: float, top: float = 10, slope: float = 0) -> Reading:
    width = 8.0 * len(text)
    return Reading(
        text,
        ((10, top), (10 + width, top + slope * width), (10 + width, top + 12 + slope * width), (10, top + 12)),
        confidence,
    )


BLANK = np.full((100, 200, 3), 255, dtype=np.uint8)
GOOD = [line("Opening pressure", 0.98), line("8.5 bar", 0.97, 30)]
POOR = [line("arnssaud buiuado", 0.6), line("jeq 58", 0.6, 30)]


def test_a_picture_read_with_high_confidence_is_read_once() -> None:
    engine = Scripted(GOOD)
    reread = read_upright(engine, BLANK)
    assert (reread.turn, len(engine.shown)) == (0, 1)
    assert [item.text for item in reread.lines] == ["Opening pressure", "8.5 bar"]


def test_an_upside_down_picture_is_rotated() -> None:
    reread = read_upright(Scripted(POOR, GOOD), BLANK)
    assert reread.turn == 180
    assert reread.confidence > 0.9


def test_the_best_of_several_poor_orientations_is_kept() -> None:
    engine = Scripted(POOR, [line("some more of it is legible", 0.8)])
    assert read_upright(engine, BLANK).turn == 180
    assert len(engine.shown) == 2


def test_a_picture_with_vertical_lines_is_tried_on_both_sides() -> None:
    standing = [Reading("Opening pressure", ((10, 10), (22, 10), (22, 90), (10, 90)), 0.95)]
    engine = Scripted(standing, POOR, GOOD)
    reread = read_upright(engine, BLANK)
    assert (reread.turn, reread.width, reread.height) == (270, 100, 200)
    assert len(engine.shown) == 3


def test_of_two_readings_that_are_as_good_the_one_with_horizontal_lines_is_kept() -> None:
    """RapidOCR reads each line of a sideways page as well as those of an upright one."""
    standing = [Reading("Opening pressure", ((10, 10), (22, 10), (22, 90), (10, 90)), 0.99)]
    assert read_upright(Scripted(standing, [line("Opening pressure", 0.98)]), BLANK).turn == 90


def test_a_picture_without_text_is_not_rotated() -> None:
    engine = Scripted([])
    assert read_upright(engine, BLANK).lines == ()
    assert len(engine.shown) == 1


def test_lines_are_deskewed_by_their_common_slope() -> None:
    sloping = [line(f"a line of text, number {number}", 0.98, 10 + 20 * number, 0.035) for number in range(4)]
    reread = read_upright(Scripted(sloping), np.full((300, 300, 3), 255, dtype=np.uint8))
    assert reread.skew == pytest.approx(0.035, abs=0.002)
    assert all(item.rect.height < 14 for item in reread.lines)


def test_much_text_with_low_confidence_is_not_legible() -> None:
    noise = [line("ㅂㅈㄷ ㄱㅛㅕ ㅑㅐㅔ noise of a script", 0.62, 20 * number) for number in range(5)]
    read = read_picture(Scripted(*[noise] * 4), BLANK, OcrSettings())
    assert read.lines == ()
    assert read.issue.startswith("text not legible")


def test_noise_in_a_photograph_is_not_an_issue() -> None:
    read = read_picture(Scripted([line("~:", 0.6)]), BLANK, OcrSettings())
    assert (read.lines, read.issue) == ((), "")


def test_lines_below_the_minimum_confidence_are_dropped() -> None:
    read = read_picture(Scripted([*GOOD, line("??", 0.3, 50)]), BLANK, OcrSettings())
    assert "??" not in read.text


def test_a_line_of_blanks_is_dropped() -> None:
    read = read_picture(Scripted([*GOOD, line(" ", 0.9, 50)]), BLANK, OcrSettings(), is_page=True)
    assert [found.text for found in read.lines] == ["Opening pressure", "8.5 bar"]


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    found = ocr_engine(OcrSettings())
    assert found is not None
    return found


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_page_in_any_orientation_is_read_in_order(engine: OcrEngine, quarters: int) -> None:
    page = decoded(drawn(Pdf().page(500, 220).box(30, 30, 470, 200, LOREM).data()))
    read = read_picture(engine, np.ascontiguousarray(np.rot90(page, quarters)), OcrSettings())
    words = read.text.replace("\n", " ").split()
    assert words[:5] == ["The", "relief", "valve", "opens", "at"]
    assert words[-2:] == ["the", "plant."]
    assert read.turn == 90 * quarters


def test_chinese_and_english_are_read(engine: OcrEngine) -> None:
    pdf = (
        Pdf()
        .page(400, 120)
        .text(20, 40, "压力变送器应垂直安装", size=16, font="china-s")
        .text(20, 80, "Torque 20 N·m", size=16)
    )
    text = read_picture(engine, decoded(drawn(pdf.data())), OcrSettings()).text
    assert "压力变送器应垂直安装" in text
    assert "Torque 20" in text


def test_a_vertical_label_in_an_upright_drawing_is_read(engine: OcrEngine) -> None:
    pdf = Pdf().page(400, 300).box(60, 40, 380, 200, LOREM).text(40, 200, "BuzzerSwitch", size=14, rotate=90)
    assert "BuzzerSwitch" in read_picture(engine, decoded(drawn(pdf.data())), OcrSettings()).text


def test_there_is_no_engine_if_ocr_is_disabled() -> None:
    assert ocr_engine(OcrSettings(engine="none")) is None
    assert ocr_engine(OcrSettings(when="never")) is None
