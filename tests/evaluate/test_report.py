"""Tests of the chart of an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from evaluate.report import COLOURS, HEIGHT, MARGIN, write_chart


@pytest.mark.parametrize(("value", "tall"), [(0.0, False), (100.0, True), (250.0, True)])
def test_the_height_of_a_bar_is_its_percentage_clipped_to_the_picture(tmp_path: Path, value: float, tall: bool) -> None:
    write_chart(tmp_path / "a.png", "t", {"one": {"f1": value}})
    with Image.open(tmp_path / "a.png") as picture:
        column = [picture.getpixel((MARGIN + 300, y)) for y in range(100, HEIGHT - 60)]
    blue = tuple(bytes.fromhex(COLOURS[0][1:]))
    assert (column.count(blue) > 300) == tall


def test_a_chart_without_figures_is_written(tmp_path: Path) -> None:
    write_chart(tmp_path / "a.png", "nothing", {})
    assert (tmp_path / "a.png").stat().st_size > 0
