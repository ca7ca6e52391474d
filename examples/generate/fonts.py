"""Finds and registers the fonts: Liberation for Latin text, WenQuanYi Zen Hei for Chinese."""

from __future__ import annotations

from pathlib import Path

from PIL import ImageFont
from reportlab.lib.fonts import addMapping
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

LATIN = Path("/usr/share/fonts/truetype/liberation")
CHINESE = Path("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc")
STYLES = ("Regular", "Bold", "Italic", "BoldItalic")


def check() -> None:
    """Stop with a helpful message when the fonts are missing."""
    missing = [str(path) for path in (LATIN / "LiberationSans-Regular.ttf", CHINESE) if not path.exists()]
    if missing:
        raise SystemExit(f"missing fonts {missing}: apt-get install fonts-liberation fonts-wqy-zenhei")


def register() -> None:
    """Register the families Sans and Serif and the font Chinese with ReportLab, which embeds subsets."""
    for family in ("Sans", "Serif"):
        for number, style in enumerate(STYLES):
            name = f"{family}-{style}"
            pdfmetrics.registerFont(TTFont(name, str(LATIN / f"Liberation{family}-{style}.ttf")))
            addMapping(family, number & 1, number >> 1, name)
    pdfmetrics.registerFont(TTFont("Chinese", str(CHINESE), subfontIndex=0))
    for number in range(4):
        addMapping("Chinese", number & 1, number >> 1, "Chinese")


def image_font(size: int, style: str = "Regular", family: str = "Sans") -> ImageFont.FreeTypeFont:
    """A Latin font for drawing on images."""
    return ImageFont.truetype(str(LATIN / f"Liberation{family}-{style}.ttf"), size)


def image_chinese(size: int) -> ImageFont.FreeTypeFont:
    """A font with Chinese and Latin glyphs for drawing on images."""
    return ImageFont.truetype(str(CHINESE), size)
