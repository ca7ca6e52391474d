"""Check boxes of scanned forms are read from their pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageDraw

from pipelines.parse.lines import Line, Rect
from pipelines.parse.ocr.check_boxes import check_boxes, with_check_boxes
from pipelines.parse.ocr.ink import Mask, ink_of

SIDE, TOP = 17, 20
"""Pixels of the side of a box, and above it."""


def page(*marks: str, at: tuple[int, ...] = (100, 200, 300)) -> Mask:
    """Return the ink of a page with frames, each with a mark, and bars that stand for words behind them."""
    picture = Pillow.new("RGB", (420, 80), "white")
    draw = ImageDraw.Draw(picture)
    for left, mark in zip(at, marks, strict=False):
        if mark == "B":
            draw.rectangle((left, TOP, left + SIDE, TOP + SIDE), outline="black", width=4)
            draw.line((left, TOP + SIDE // 2, left + SIDE, TOP + SIDE // 2), fill="black", width=4)
        else:
            draw.rectangle((left, TOP, left + SIDE, TOP + SIDE), outline="black", width=2)
        ends = {"x": [(3, 3, 14, 14), (14, 3, 3, 14)], "v": [(4, 9, 8, 13), (8, 13, 14, 4)]}
        for x, y, to_x, to_y in ends.get(mark, []):
            draw.line((left + x, TOP + y, left + to_x, TOP + to_y), fill="black", width=2)
        draw.rectangle((left + 30, TOP + 4, left + 70, TOP + SIDE), fill="black")
    draw.rectangle((20, TOP + 4, 70, TOP + SIDE), fill="black")
    return ink_of(np.asarray(picture, dtype=np.uint8))


LINE = Line("Result: passed failed open", Rect(15, 12, 400, 46))


@pytest.mark.parametrize(("marks", "signs"), [(("x", "", ""), "☒☐☐"), (("", "v", ""), "☐☒☐"), (("B", "B", "B"), "")])
def test_frames_are_boxes_that_are_checked_or_not(marks: tuple[str, ...], signs: str) -> None:
    found = sorted(check_boxes(page(*marks), [LINE]), key=lambda box: box.rect.left)
    assert "".join(box.sign for box in found) == signs


@pytest.mark.parametrize("text", ["Result: passed failed open", "Result: X passed □ failed □open"])
def test_boxes_stand_among_the_words_of_their_line(text: str) -> None:
    ink = page("x", "", "")
    lines, words = with_check_boxes([Line(text, LINE.rect)], ink, check_boxes(ink, [LINE]))
    assert [line.text for line in lines] == ["Result: ☒ passed ☐ failed ☐ open"]
    assert [round(word.rect.left) // 100 for word in words[0]] == [0, 1, 1, 2, 2, 3, 3]


def test_a_box_in_no_line_is_a_line() -> None:
    ink = page("", "x", "")
    short = Line("□", Rect(96, 14, 121, 44))
    lines, _ = with_check_boxes([short], ink, check_boxes(ink, [LINE]))
    assert [line.text for line in lines] == ["☐", "☒", "☐"]


def test_pages_in_chinese_have_no_boxes() -> None:
    assert check_boxes(page("", "", ""), [Line("出口 回路 检查", LINE.rect)]) == []
