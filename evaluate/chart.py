"""Figures as a bar chart in a PNG file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 520
MARGIN, HEAD = 60, 90
COLOURS = ("#2563eb", "#9ca3af", "#d97706", "#7c3aed", "#059669", "#dc2626", "#0891b2", "#4b5563")
_INK, _LINE = "#222222", "#d1d5db"


def write_chart(path: Path, title: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """Draw a group of bars for each figure, a bar for each row; values are percentages, the figures the first row's."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(picture)
    pen.text((MARGIN, 18), title, _INK, ImageFont.load_default(22))
    _key(pen, list(rows))
    for level in range(0, 101, 20):
        pen.line((MARGIN, _height(level), WIDTH - MARGIN, _height(level)), _LINE)
        pen.text((14, _height(level) - 8), f"{level:>3}", _INK, ImageFont.load_default(14))
    names = list(next(iter(rows.values()), {}))
    for place, name in enumerate(names):
        width = (WIDTH - 2 * MARGIN) / len(names)
        _group(pen, MARGIN + place * width, width, name, [values.get(name, 0.0) for values in rows.values()])
    picture.save(path, "PNG")


def _group(pen: ImageDraw.ImageDraw, left: float, width: float, name: str, values: list[float]) -> None:
    bar = width * 0.85 / max(1, len(values))
    for place, value in enumerate(values):
        start = left + place * bar
        pen.rectangle((start, _height(value), start + bar - 4, _height(0)), COLOURS[place % len(COLOURS)])
        pen.text((start + 2, _height(value) - 18), f"{value:.0f}", _INK, ImageFont.load_default(14))
    pen.text((left, _height(0) + 10), name, _INK, ImageFont.load_default(16))


def _key(pen: ImageDraw.ImageDraw, rows: list[str]) -> None:
    for place, row in enumerate(rows):
        left = MARGIN + place * (WIDTH - 2 * MARGIN) / max(1, len(rows))
        pen.rectangle((left, 54, left + 14, 68), COLOURS[place % len(COLOURS)])
        pen.text((left + 22, 51), row, _INK, ImageFont.load_default(16))


def _height(value: float) -> float:
    """Where a percentage stands on the picture; what is more than 100 is cut."""
    bottom = HEIGHT - 50
    return bottom - (bottom - HEAD - 10) * min(max(value, 0.0), 100.0) / 100
