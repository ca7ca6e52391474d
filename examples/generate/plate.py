"""Draws a photo of a pump's name plate: brushed metal, perspective, uneven light and grain."""

from __future__ import annotations

import io
import tomllib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from . import blocks, fonts

PLATE = (1000, 640)
PHOTO = (1120, 800)
CORNERS = ((86, 92), (1042, 58), (1068, 706), (58, 744))  # clockwise from top left
INK = (32, 34, 38)
SMOOTH = Image.Resampling.BICUBIC


def render() -> bytes:
    """The PNG file."""
    content = tomllib.loads((blocks.CONTENT / "nameplate.toml").read_text("utf-8"))
    rng = np.random.default_rng(4817)
    plate = _metal(rng)
    _engrave(ImageDraw.Draw(plate), content)
    photo = _casing(rng)
    mask = Image.new("L", PLATE, 255).transform(PHOTO, Image.Transform.PERSPECTIVE, _coefficients(), SMOOTH)
    warped = plate.transform(PHOTO, Image.Transform.PERSPECTIVE, _coefficients(), SMOOTH)
    photo.paste(warped, (0, 0), mask)
    return _png(_light(photo, rng))


def _metal(rng: np.random.Generator) -> Image.Image:
    grain = rng.normal(0, 5, (PLATE[1], 1)) + np.zeros(PLATE[::-1])
    return Image.fromarray(np.clip(204 + grain, 0, 255).astype(np.uint8)).convert("RGB")


def _engrave(draw: ImageDraw.ImageDraw, content: dict[str, Any]) -> None:
    draw.rounded_rectangle((10, 10, 989, 629), 22, outline=INK, width=4)
    for left, top in ((40, 40), (960, 40), (40, 600), (960, 600)):
        draw.ellipse((left - 15, top - 15, left + 15, top + 15), (120, 122, 126), INK, 2)
        draw.line((left - 9, top - 6, left + 9, top + 6), INK, 3)
    draw.rectangle((80, 32, 920, 104), (28, 66, 110))
    draw.text((110, 68), content["company"], (235, 238, 242), fonts.image_font(42, "Bold"), anchor="lm")
    draw.text((900, 70), content["place"], (235, 238, 242), fonts.image_font(22), anchor="rm")
    for row, values in enumerate(content["fields"]):
        up = 152 + 70 * row
        for column, text in enumerate(values):
            left = (70, 265, 585, 795)[column]
            font = fonts.image_font(36, "Bold") if column % 2 else fonts.image_font(29)
            draw.text((left, up), text, INK, font, anchor="lm")
        draw.line((60, up + 35, 940, up + 35), (110, 112, 116), 2)
    draw.text((500, 596), content["foot"], INK, fonts.image_font(27), anchor="mm")


def _casing(rng: np.random.Generator) -> Image.Image:
    """The painted casing behind the plate."""
    noise = rng.normal(0, 9, (PHOTO[1] // 4, PHOTO[0] // 4, 1)) + np.array([46, 84, 112])
    small = Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8))
    return small.resize(PHOTO, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(2))


def _coefficients() -> tuple[float, ...]:
    """Perspective coefficients that map photo points back to plate points."""
    source = ((0, 0), (PLATE[0], 0), PLATE, (0, PLATE[1]))
    matrix, target = [], []
    for (x, y), (u, v) in zip(CORNERS, source, strict=True):
        matrix.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        matrix.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        target += [u, v]
    solved: NDArray[np.float64] = np.linalg.solve(np.array(matrix, float), np.array(target, float))
    return tuple(float(value) for value in solved)


def _light(photo: Image.Image, rng: np.random.Generator) -> NDArray[np.uint8]:
    pixels = np.asarray(photo.filter(ImageFilter.GaussianBlur(0.7)), dtype=np.float64)
    across, down = np.linspace(-1, 1, PHOTO[0])[None, :], np.linspace(-1, 1, PHOTO[1])[:, None]
    light = 1.06 - 0.14 * (across + 0.4) ** 2 - 0.12 * (down + 0.3) ** 2
    pixels = pixels * light[:, :, None] + rng.normal(0, 2.0, (*pixels.shape[:2], 1))
    return np.clip(pixels, 0, 255).astype(np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    target = io.BytesIO()
    picture = Image.fromarray(pixels).quantize(48, dither=Image.Dither.NONE)
    picture.save(target, "PNG", optimize=True)
    return target.getvalue()
