"""Text in scripts that programs draw in pieces: blanks and accents of other fonts, vowel signs, two directions.

The positions are those in files of LibreOffice 7.4 and Chromium.
"""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.parse.lines import Rect, join_lines
from pipelines.parse.pdf.fragments import FontRun, Fragment, lines_of
from pipelines.parse.pdf.glyphs import glyphs_of
from pipelines.parse.pdf.interleaved import has_interleaved, without_interleaved
from pipelines.parse.pdf.right_to_left import read_line
from tests.parse.pdf_pages import Pdf

SIZE = 10.0


def span(*characters: tuple[str, float, float], made: str = "") -> Any:
    """A span of the library from (character, left, right); blanks are made by it if `made` says so."""
    chars = [
        {"c": c, "bbox": (left, 0.0, right, 10.0), "origin": (left, 8.0), "synthetic": bool(made) and c == made}
        for c, left, right in characters
    ]
    box = (min(one[1] for one in characters), 0.0, max(one[2] for one in characters), 10.0)
    return {"chars": chars, "bbox": box, "origin": (box[0], 8.0), "size": SIZE, "font": "", "flags": 0, "color": 0}


def line(*spans: Any, baseline: float = 8.0) -> Any:
    spans = tuple({**one, "origin": (one["origin"][0], baseline)} for one in spans)
    left, right = min(one["bbox"][0] for one in spans), max(one["bbox"][2] for one in spans)
    return {"spans": list(spans), "bbox": (left, 0.0, right, 10.0), "dir": (1.0, 0.0)}


def texts(blocks: Any) -> list[str]:
    read = (read_line(one["spans"]) for block in blocks for one in block["lines"])
    return ["".join(glyph.text for glyph in glyphs) for glyphs in read]


def evenly(text: str, left: float = 0.0, width: float = 5.0) -> list[tuple[str, float, float]]:
    return [(letter, left + width * place, left + width * (place + 1)) for place, letter in enumerate(text)]


def test_a_letter_drawn_after_its_word_is_put_into_it() -> None:
    word = line(span(("s", 0, 5), (" ", 10, 15), ("k", 15, 20)))
    accents = line(span(("ố", 5, 10)))
    blocks = [{"lines": [word, accents]}]
    assert has_interleaved(blocks)
    assert texts(without_interleaved(blocks)) == ["số k"]


def test_blanks_drawn_in_another_font_stand_between_the_words() -> None:
    words = line(span(*evenly("펌프", 0), *evenly("용량", 13), *evenly("은", 26)))
    blanks = line(span((" ", 10, 13), (" ", 23, 26)))
    before = line(span(*evenly("12", -20), (" ", 10, 13)))
    assert texts(without_interleaved([{"lines": [blanks, words]}])) == ["펌프 용량 은"]
    assert texts(without_interleaved([{"lines": [before, words]}]))[-1] == "펌프 용량은"


def test_a_line_on_another_baseline_or_printed_over_another_one_stays() -> None:
    word, again = line(span(*evenly("valve"))), line(span(*evenly("alv", 5.2)))
    raised = line(span(("2", 5, 10)), baseline=4.0)
    assert not has_interleaved([{"lines": [word, raised]}])
    assert texts(without_interleaved([{"lines": [word, again]}])) == ["valve", "alv"]


def test_a_letter_of_india_in_two_parts_is_one_and_a_vowel_sign_opens_no_gap() -> None:
    doubled = span(("च", 0, 0), ("च", 0, 0), ("ा", 7, 10), ("ल", 10, 17), ("ू", 17, 17))
    assert texts([{"lines": [line(doubled)]}]) == ["चालू"]
    signs = span(("व", 0, 5), ("ि", 5, 5), ("व", 14, 24), ("र", 24, 30))
    assert texts([{"lines": [line(signs)]}]) == ["विवर"]


def test_the_gap_beside_a_latin_letter_is_no_blank_in_korean() -> None:
    made = span(*evenly("85", 0), (" ", 10, 12), *evenly("리터", 12), made=" ")
    own = span(*evenly("85", 0), (" ", 10, 12), *evenly("리터", 12))
    assert "".join(glyph.text for glyph in glyphs_of([made])) == "85리터"
    assert "".join(glyph.text for glyph in glyphs_of([own])) == "85 리터"


def test_cells_of_a_line_from_the_right_are_parted_and_a_number_keeps_its_full_stop() -> None:
    cells = line(span(*evenly("אב", 20)), span(*evenly("גד", 0)))
    assert texts([{"lines": [cells]}]) == ["בא דג"]
    number = line(span(*evenly("אב", 15)), span((" ", 12, 15)), span(*evenly("19", 2)), span((".", 0, 2)))
    assert texts([{"lines": [number]}]) == ["בא 19."]


@pytest.mark.parametrize(("printed", "read"), [("C° 85", "85 °C"), ("mm 12", "12 mm"), ("VG 46", "VG 46")])
def test_a_unit_from_the_right_stands_behind_its_number(printed: str, read: str) -> None:
    glyphs = line(span(*evenly("בבבבא", 60)), span((" ", 55, 60)), span(*evenly(printed, 55 - 5 * len(printed))))
    assert texts([{"lines": [glyphs]}]) == [f"אבבבב {read}"]


def test_a_full_stop_that_comes_before_the_last_words_ends_the_line() -> None:
    def fragment(text: str, left: float, right: float) -> Fragment:
        rect = Rect(left, 0, right, 10)
        return Fragment((FontRun(text, "", SIZE, 0, 0, rect),), rect, 8.0, True)

    parts = [fragment("העבודה 6", 75, 470), fragment(".", 57, 60), fragment(" בר", 60, 75)]
    assert [one.text for one in lines_of(parts)] == ["העבודה 6 בר."]


def test_lines_of_scripts_without_blanks_are_joined_without_one() -> None:
    assert join_lines(["หยุดทำงาน", "เอง"]) == "หยุดทำงานเอง"
    assert join_lines(["회전으로 작동", "합니다."], {"작동합니다."}) == "회전으로 작동합니다."
    assert join_lines(["펌프장은", "가동되고"]) == "펌프장은 가동되고"


def test_a_word_in_two_fonts_is_read_whole(document_of: Any) -> None:
    pdf = Pdf().page().text(72, 100, "p", font="cour").text(72 + 2 * 6.6, 100, "mp valve", font="cour")
    pdf.text(72 + 6.6, 100, "u", font="cobo")
    assert [block.text for block in document_of("a.pdf", pdf.data()).blocks] == ["pump valve"]


@pytest.mark.parametrize(
    ("visual", "read"),
    [
        ("20% תוחל", "לחות 20%"),
        ("±3 הייטס", "סטייה ±3"),
        ("85°C הרוטרפמט", "טמפרטורה 85°C"),
        ("רלוד $5 ריחמ", "מחיר $5 דולר"),
        ("%20 ةبوطر", "رطوبة 20%"),
    ],
)
def test_signs_of_a_number_are_on_its_side(visual: str, read: str) -> None:
    assert texts([{"lines": [line(span(*evenly(visual)))]}]) == [read]
