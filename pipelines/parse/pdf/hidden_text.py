"""Invisible text behind the pages of a PDF, as a program for OCR writes it; only here is such text written."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pipelines.core.provenance import Box
from pipelines.parse.pdf.library import pymupdf

_WIDTH = 500
"""Width of the font's only glyph; each word is stretched to its own width."""
_EM = 1000
"""Units of a glyph's width in the type's size (PDF 1.7, 9.2.4)."""
_UNSTRETCHED = 100
"""The horizontal scaling of type that is not stretched (PDF 1.7, 9.3.4)."""
_LAST = 0xFFFF
"""The last character with a code of two bytes."""
_FONT = "GlyphLessFont"
_FONT_FILE = (
    "eNpjYGRgYOBiaGBgZlDwD9Y3Crt3YgoDA6MGUDQhOTexAChnAuRPAPLl0nMq00SVHFWA/B1AvkRGamIKd8XHVCB7DRCbZQAFeJhYmIDsJ0Cskp"
    "FbUsHCAAKMHUCCIyc/OZGBB8zfACTYchMrChhYGFiBfA4gXyEvMTf102uxW0D+BSDfuyC/uISBEQgZmGRA8iAWCG+YUigQz2/zlYWdA2z6+Vl/"
    "8kD0lcPLP4FoFgawuAADEwMEAPVwMPz/D5KByINNQgZMYBEmoBQjTAcaYAaHAisDDsAKcSgW4O7v787gADEV5AaQwgZUJVCNLMhuYWAQAdkJpt"
    "mAsYAMeGB6wD4FqjJUFFRkYfgD8TczgxbEvUBHicFNZ2XgBvKYGRhZOKHiYQypDEUMxQyZDPkMecDQNWTQYzAISy0qzszPUzDUM0APBQzvAQCA"
    "Szme"
)
"""Tesseract's font with one empty glyph (tessdata/pdf.ttf, Apache License 2.0), packed."""
_TYPEFACE = zlib.decompress(base64.b64decode(_FONT_FILE))
_CODES = b"""begincmap /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap"""
"""The code of a character is its number in Unicode (PDF 1.7, 9.10.3)."""


def add_hidden_text(path: Path, words: Iterable[tuple[str, Box]]) -> None:
    """Write words, or lines of them, behind the pages of a PDF, each into its box; the file is changed."""
    pages: dict[int, list[tuple[str, Box]]] = {}
    for text, box in words:
        pages.setdefault(box.page, []).append((text, box))
    with pymupdf.open(path) as document:
        font = _add_font(document)
        for number, page in enumerate(document, 1):
            if number in pages:
                _append(document, page, _content(pages[number], page.rect.width, page.rect.height), font)
        document.saveIncr()


def _add_font(document: Any) -> int:
    """Add a font that shows every character of Unicode's first plane by its empty glyph; return its number."""
    file = _added(document, f"<</Length1 {len(_TYPEFACE)}>>", _TYPEFACE)
    glyphs = _added(document, "<<>>", b"\0\1" * (1 << 16))
    codes = _added(document, "<<>>", _CODES)
    described = _added(
        document,
        f"<</Type/FontDescriptor/FontName/{_FONT}/Flags 5/FontBBox[0 0 {_WIDTH} {_EM}]/ItalicAngle 0/Ascent {_EM}"
        f"/Descent -1/CapHeight {_EM}/StemV 80/FontFile2 {file} 0 R>>",
    )
    descendant = _added(
        document,
        f"<</Type/Font/Subtype/CIDFontType2/BaseFont/{_FONT}/CIDToGIDMap {glyphs} 0 R/DW {_WIDTH}"
        f"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor {described} 0 R>>",
    )
    return _added(
        document,
        f"<</Type/Font/Subtype/Type0/BaseFont/{_FONT}/Encoding/Identity-H"
        f"/DescendantFonts[{descendant} 0 R]/ToUnicode {codes} 0 R>>",
    )


def _added(document: Any, definition: str, stream: bytes | None = None) -> int:
    """Add an object, with its stream if it has one; return its number."""
    number = document.get_new_xref()
    document.update_object(number, definition)
    if stream is not None:
        document.update_stream(number, stream)
    return int(number)


def _content(words: Sequence[tuple[str, Box]], width: float, height: float) -> bytes:
    """Return the operators that write the words (PDF 1.7, 9.3): type as high as the box, stretched to its width."""
    lines = ["q BT 3 Tr"]
    for text, box in words:
        codes = [ord(char) for char in text if ord(char) <= _LAST]
        size, wide = (box.bottom - box.top) * height, (box.right - box.left) * width
        if codes and size > 0 and wide > 0:
            stretch = _UNSTRETCHED * wide / (len(codes) * size * _WIDTH / _EM)
            x, y = box.left * width, (1 - box.bottom) * height
            lines.append(f"/{_FONT} {size:.2f} Tf {stretch:.2f} Tz 1 0 0 1 {x:.2f} {y:.2f} Tm")
            lines.append(f"<{''.join(f'{code:04X}' for code in codes)}> Tj")
    return "\n".join([*lines, "ET Q"]).encode()


def _append(document: Any, page: Any, content: bytes, font: int) -> None:
    stream = _added(document, "<<>>", content)
    streams = " ".join(f"{number} 0 R" for number in (*page.get_contents(), stream))
    document.xref_set_key(page.xref, "Contents", f"[{streams}]")
    document.xref_set_key(page.xref, f"Resources/Font/{_FONT}", f"{font} 0 R")
