"""Draws the delivery note as a scanned page: one skewed, slightly noisy image without a text layer."""

from __future__ import annotations

import io
import tomllib
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from . import blocks, fonts

DPI = 200
SIZE = (1654, 2339)
INK = 40
COLUMNS = (130, 240, 420, 1180, 1340, 1520)
HAND = "Italic"


def render() -> bytes:
    """The PDF file, one page of 200 dpi."""
    content = tomllib.loads((blocks.CONTENT / "delivery_note.toml").read_text("utf-8"))
    page = Image.new("L", SIZE, 250)
    _draw(ImageDraw.Draw(page), content)
    _stamp(page)
    return _pdf(_age(page))


def _draw(draw: ImageDraw.ImageDraw, content: dict[str, Any]) -> None:
    middle = SIZE[0] // 2
    for text, up, size in zip(content["company"], (130, 190), (46, 34), strict=True):
        draw.text((middle, up), text, INK, fonts.image_chinese(size), anchor="mm")
    draw.text((middle, 245), content["address"], INK, fonts.image_chinese(24), anchor="mm")
    draw.line((130, 280, 1520, 280), INK, 3)
    for text, up, size in zip(content["title"], (345, 410), (58, 40), strict=True):
        draw.text((middle, up), text, INK, fonts.image_chinese(size), anchor="mm")
    for number, (left, value, right, other) in enumerate(content["fields"]):
        up = 500 + 62 * number
        for at, text in ((130, left), (480, value), (970, right), (1290, other)):
            draw.text((at, up), text, INK, fonts.image_chinese(28), anchor="lm")
    bottom = _table(draw, [content["head"], *content["rows"]], 770)
    for number, text in enumerate(content["remarks"]):
        draw.text((130, bottom + 60 + 52 * number), text, INK, fonts.image_chinese(28), anchor="lm")
    _signatures(draw, content["signatures"], bottom + 420)


def _table(draw: ImageDraw.ImageDraw, rows: list[list[str]], top: int) -> int:
    height = 108
    for number, cells in enumerate(rows):
        for column, text in enumerate(cells):
            _cell(draw, text, COLUMNS[column] + 14, top + height * number + height // 2)
    bottom = top + height * len(rows)
    for number in range(len(rows) + 1):
        draw.line((COLUMNS[0], top + height * number, COLUMNS[-1], top + height * number), INK, 2)
    for left in COLUMNS:
        draw.line((left, top, left, bottom), INK, 2)
    return bottom


def _cell(draw: ImageDraw.ImageDraw, text: str, left: int, middle: int) -> None:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        up = middle + (number - (len(lines) - 1) / 2) * 42
        draw.text((left, up), line, INK, fonts.image_chinese(29), anchor="lm")


def _signatures(draw: ImageDraw.ImageDraw, pairs: list[list[str]], top: int) -> None:
    for number, (label, name) in enumerate(pairs):
        left = 130 + 750 * number
        draw.text((left, top), label, INK, fonts.image_chinese(28), anchor="lm")
        font = fonts.image_chinese(34) if number == 0 else fonts.image_font(36, HAND, "Serif")
        draw.text((left + 20, top + 70), name, 70, font, anchor="lm")
        draw.line((left, top + 100, left + 560, top + 100), INK, 2)


def _stamp(page: Image.Image) -> None:
    stamp = Image.new("L", (300, 300), 0)
    draw = ImageDraw.Draw(stamp)
    draw.ellipse((6, 6, 294, 294), outline=130, width=7)
    draw.text((150, 120), "检验合格", 130, fonts.image_chinese(48), anchor="mm")
    draw.text((150, 185), "PASSED", 130, fonts.image_font(38, "Bold"), anchor="mm")
    turned = stamp.rotate(11, resample=Image.Resampling.BICUBIC)
    page.paste(Image.new("L", (300, 300), 120), (560, 1780), turned)


def _age(page: Image.Image) -> Image.Image:
    """Skew, blur, shading, grain and a few specks of dust."""
    rng = np.random.default_rng(58213)
    page = page.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=250).filter(ImageFilter.GaussianBlur(0.6))
    pixels = np.asarray(page, dtype=np.float64)
    pixels -= np.linspace(0, 14, SIZE[0])[None, :]
    pixels += rng.normal(0, 2.5, pixels.shape)
    for _ in range(60):
        row, column = rng.integers(0, SIZE[1] - 4), rng.integers(0, SIZE[0] - 4)
        pixels[row : row + 2, column : column + 2] -= 90
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _pdf(page: Image.Image) -> bytes:
    picture = io.BytesIO()
    page.save(picture, "JPEG", quality=42, dpi=(DPI, DPI))
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4, invariant=1)
    canvas.setTitle("Scan 2025-01-16")
    canvas.setAuthor("Goods-in, Zwolle")
    picture.seek(0)
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    canvas.showPage()
    canvas.save()
    return target.getvalue()
