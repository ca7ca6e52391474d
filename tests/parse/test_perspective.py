"""Tests of photographs of a page at an angle: lines are level again, and columns upright."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from pipelines.parse.ocr.engine import Raster, Reading, as_corners
from pipelines.parse.ocr.perspective import perspective_of

WIDTH, HEIGHT = 1600, 2200
COLUMNS = (200, 620, 1100)
"""Left edges of the columns of a page."""
FRAME = (180, 1400)
"""The vertical sides of a frame around its text."""


def photograph(turning: float, narrowing: float, tilt: float = 0.0, rows: int = 20) -> tuple[Raster, list[Reading]]:
    """Return a photographed page and its lines: these converge by `turning`, its columns by `narrowing`."""
    to_photo = np.array([[1, tilt, 0], [0, 1, 0], [turning, narrowing, 1]])

    def seen(x: float, y: float) -> tuple[float, float]:
        across, down, scale = to_photo @ np.array([x / 1100 - 0.7, y / 1100 - 1, 1])
        return (across / scale + 0.7) * 1100, (down / scale + 1) * 1100

    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    for side in FRAME:
        ImageDraw.Draw(picture).line((seen(side, 200), seen(side, 2000)), fill="black", width=3)
    lines = []
    for row in range(rows):
        top = 200 + 1800 * row / rows
        for column, left in enumerate(COLUMNS):
            right = left + 200 + 37 * ((row * 3 + column) % 5)
            corners = (seen(left, top), seen(right, top), seen(right, top + 30), seen(left, top + 30))
            lines.append(Reading("a line of text", corners, 1.0))
    return np.asarray(picture), lines


@settings(max_examples=20)
@given(st.floats(-0.12, 0.12), st.floats(-0.12, 0.12), st.floats(-0.08, 0.08))
def test_lines_are_level_and_columns_upright(turning: float, narrowing: float, tilt: float) -> None:
    picture, lines = photograph(turning, narrowing, tilt)
    if (perspective := perspective_of(picture, lines)) is None:
        assert max(abs(turning), abs(narrowing)) < 0.025  # too little to matter
        return
    flat = [perspective.flat(line.corners) for line in lines]
    for (left, top), (right, end), *_ in flat:
        assert abs(math.degrees(math.atan2(end - top, right - left))) < 0.4  # half of what is told from noise
        assert -1e-6 <= left <= right <= WIDTH + 1e-6
    starts = [[corners[0][0] for corners in flat[column :: len(COLUMNS)]] for column in range(len(COLUMNS))]
    assert max(max(column) - min(column) for column in starts) < 20  # less than a letter


def test_a_page_from_straight_above_and_a_plate_of_few_lines_stay_as_they_are() -> None:
    assert perspective_of(*photograph(0, 0)) is None
    assert perspective_of(*photograph(0.1, 0.1, rows=2)) is None


def label(x: float, y: float, angle: float) -> Reading:
    """Return a line whose middle is at (x, y)."""
    along, down = 125 * np.array([math.cos(angle), math.sin(angle)]), 10 * np.array([-math.sin(angle), math.cos(angle)])
    corners = (sign * along + side * down + (x, y) for sign, side in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Reading("a label", as_corners(corners), 1.0)


def test_labels_of_a_drawing_that_point_to_one_point_have_no_perspective() -> None:
    angles = np.linspace(-0.15, 0.15, 24)
    labels = [label(1300 - 700 * math.cos(angle), 1100 - 700 * math.sin(angle), angle) for angle in angles]
    assert perspective_of(photograph(0, 0)[0], labels) is None


def test_slanted_labels_that_hardly_converge_have_no_perspective() -> None:
    rows = np.linspace(-1, 1, 24)
    labels = [label(800, 1100 + 800 * row, 0.08 * row + 0.08 * (-1) ** number) for number, row in enumerate(rows)]
    assert perspective_of(photograph(0, 0)[0], labels) is None
