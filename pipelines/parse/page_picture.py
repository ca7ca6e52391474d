"""Pages drawn as PNG: of PDF files and of pictures. Other formats have no pages to look at."""

from __future__ import annotations

import io
from pathlib import Path

from pipelines.core.errors import StrataError

DPI = 80
"""Dots an inch: a page of A4 is 660 pixels wide, half of a screen."""
LARGEST = (1200, 1600)
"""Pixels of a picture: twice what half of a screen shows, for fine screens."""


_DRAWN = frozenset({"image/png", "image/jpeg", "image/tiff", "image/webp", "image/bmp", "image/gif"})
"""Pictures that are made of pixels; drawings (SVG, DXF) are shown as their text."""


def drawable(media_type: str) -> bool:
    """Whether pages of this type can be drawn."""
    return media_type == "application/pdf" or media_type in _DRAWN


def draw_page(path: Path, media_type: str, number: int, passwords: tuple[str, ...] = (), dpi: float = DPI) -> bytes:
    """Return page `number` of a file, from 1, as PNG; empty where it cannot be drawn.

    `dpi` is for PDF files; a picture is drawn within `LARGEST`.
    """
    if media_type == "application/pdf":
        return _draw_pdf(path, number, passwords, dpi)
    return _draw_image(path, number) if media_type in _DRAWN else b""


def _draw_pdf(path: Path, number: int, passwords: tuple[str, ...], dpi: float) -> bytes:
    from pipelines.parse.pdf.mupdf import PdfFile

    try:
        with PdfFile(path, passwords) as file:
            return file.render(number, max(1, int(dpi)))
    except (StrataError, RuntimeError, ValueError, IndexError):
        return b""  # the text of the page is shown without it


def _draw_image(path: Path, number: int) -> bytes:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            image.seek(number - 1)
            shown = image.convert("RGB")
    except (OSError, EOFError, ValueError, UnidentifiedImageError):
        return b""
    shown.thumbnail(LARGEST)
    buffer = io.BytesIO()
    shown.save(buffer, "PNG")
    return buffer.getvalue()
