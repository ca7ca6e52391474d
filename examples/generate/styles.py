"""Colours and paragraph styles of the PDF documents."""

from __future__ import annotations

from reportlab.lib.colors import HexColor, white
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.styles import ParagraphStyle

BLUE = HexColor("#1f4e79")
PALE = HexColor("#e8eef5")
RULE = HexColor("#9aa5b1")
GREY = HexColor("#555555")


class Styles:
    """Two-column documents use a serif face, justified; the others a sans face."""

    def __init__(self, columns: int) -> None:
        self.family, self.size = ("Serif", 9.3) if columns == 2 else ("Sans", 9.6)
        self.body = self._style("body", self.size, "Regular", spaceAfter=5)
        self.title = self._style("title", 18, "Bold", textColor=BLUE, spaceAfter=2)
        self.meta = self._style("meta", self.size, "Regular", textColor=GREY, spaceAfter=5)
        self.heads = [self._head(1, 2.6), self._head(2, 1.0)]
        self.caption = self._style("caption", self.size - 0.8, "Italic", spaceBefore=2, spaceAfter=5, keepWithNext=1)
        self.cell = self._style("cell", self.size - 0.9, "Regular")
        self.headcell = self._style("headcell", self.size - 0.9, "Bold", textColor=white)
        self.wide = self._style("wide", self.size - 0.9, "Regular", alignment=TA_CENTER)
        self.headwide = self._style("headwide", self.size - 0.9, "Bold", alignment=TA_CENTER, textColor=white)
        if columns == 2:
            self.body.alignment = TA_JUSTIFY

    def in_table(self, head: bool, wide: bool) -> ParagraphStyle:
        """The style of a table cell; ``wide`` cells span columns and are centred."""
        if head:
            return self.headwide if wide else self.headcell
        return self.wide if wide else self.cell

    def _head(self, level: int, grow: float) -> ParagraphStyle:
        return self._style(
            f"head{level}",
            self.size + grow,
            "Bold",
            textColor=BLUE,
            spaceBefore=7,
            spaceAfter=3,
            keepWithNext=1,
        )

    def _style(self, name: str, size: float, face: str, **options: object) -> ParagraphStyle:
        look = {"fontName": f"{self.family}-{face}", "fontSize": size, "leading": size * 1.3}
        return ParagraphStyle(name, **{"alignment": TA_LEFT, **look, **options})
