"""Schematic drawings of plant parts, and the table of all figures."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, Rect, String
from reportlab.lib.colors import Color, HexColor, white

from . import charts

INK = HexColor("#222222")
BLUE = HexColor("#1f4e79")
PALE = HexColor("#dfe8f1")
GREY = HexColor("#b9c0c7")
METAL = HexColor("#eceff2")
RED = HexColor("#b3541e")


class Sketch:
    """A drawing with a few plain helpers."""

    def __init__(self, width: float, height: float, natural: float) -> None:
        self.drawing = Drawing(width, height * width / natural)
        self.drawing.scale(width / natural, width / natural)

    def box(self, x: float, y: float, w: float, h: float, fill: Color = PALE, label: str = "") -> None:
        self.drawing.add(Rect(x, y, w, h, fillColor=fill, strokeColor=INK, strokeWidth=0.8))
        if label:
            self.text(x + w / 2, y + h / 2 - 2.5, label)

    def text(self, x: float, y: float, text: str, size: float = 7.5, anchor: str = "middle") -> None:
        self.drawing.add(String(x, y, text, fontName="Sans-Regular", fontSize=size, textAnchor=anchor, fillColor=INK))

    def line(self, *points: float, colour: Color = BLUE, width: float = 1.2, dashed: bool = False) -> None:
        for start in range(0, len(points) - 2, 2):
            line = Line(*points[start : start + 4], strokeColor=colour, strokeWidth=width)
            line.strokeDashArray = [3, 2] if dashed else None
            self.drawing.add(line)

    def arrow(self, *points: float, colour: Color = BLUE) -> None:
        """A line whose last part, horizontal or vertical, ends in an arrow head."""
        self.line(*points, colour=colour)
        x0, y0, x, y = points[-4:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        tip = [
            x,
            y,
            x - 6 * dx - 2.5 * dy,
            y - 6 * dy + 2.5 * dx,
            x - 6 * dx + 2.5 * dy,
            y - 6 * dy - 2.5 * dx,
        ]
        self.drawing.add(Polygon(tip, fillColor=colour, strokeColor=None))

    def ring(self, x: float, y: float, radius: float, fill: Color = white) -> None:
        self.drawing.add(Circle(x, y, radius, fillColor=fill, strokeColor=INK, strokeWidth=0.8))

    def shape(self, *points: float, fill: Color = PALE) -> None:
        self.drawing.add(Polygon(list(points), fillColor=fill, strokeColor=INK, strokeWidth=0.8))


def wiring(width: float) -> Drawing:
    """Two-wire connection of the PT-300."""
    sketch = Sketch(width, 105, 235)
    sketch.box(8, 36, 56, 44, label="PT-300")
    sketch.box(28, 16, 16, 20, GREY)
    sketch.text(50, 22, "G½", anchor="start")
    sketch.box(158, 20, 70, 74, METAL)
    sketch.text(193, 84, "Cabinet")
    sketch.box(166, 56, 54, 20, white, "24 V DC")
    sketch.box(166, 28, 54, 20, white, "≤ 550 Ω")
    sketch.line(64, 68, 166, 68, colour=RED)
    sketch.line(64, 46, 140, 46, 140, 38, 166, 38)
    sketch.line(193, 56, 193, 48)
    sketch.line(72, 76, 150, 76, 150, 24, 158, 24, colour=GREY, dashed=True)
    sketch.text(110, 80, "cable screen")
    sketch.text(82, 61, "+")
    sketch.text(82, 50, "−")
    sketch.text(114, 51, "4–20 mA")
    sketch.line(158, 24, 158, 10, colour=INK)
    for step in range(3):
        sketch.line(150 + 3 * step, 10 - 3 * step, 166 - 3 * step, 10 - 3 * step, colour=INK)
    return sketch.drawing


def oil_circuit(width: float) -> Drawing:
    """Oil circuit of the CX-22."""
    sketch = Sketch(width, 120, 430)
    sketch.box(52, 48, 70, 34, label="Screw block")
    sketch.box(165, 34, 66, 62, label="Separator")
    sketch.box(266, 8, 50, 26, white, "Valve P-8040")
    sketch.box(340, 44, 64, 34, label="Oil cooler")
    sketch.box(150, 4, 74, 20, white, "Oil filter P-8020")
    sketch.arrow(10, 65, 52, 65, colour=GREY)
    sketch.text(28, 70, "air in")
    sketch.arrow(122, 65, 165, 65)
    sketch.arrow(231, 82, 300, 82, colour=GREY)
    sketch.text(268, 87, "air to outlet")
    sketch.arrow(231, 48, 291, 48, 291, 34)
    sketch.arrow(316, 26, 372, 26, 372, 44, colour=RED)
    sketch.arrow(404, 61, 420, 61, 420, 14, 316, 14)
    sketch.text(350, 30, "hot")
    sketch.arrow(266, 14, 224, 14)
    sketch.arrow(150, 14, 87, 14, 87, 48)
    sketch.text(112, 18, "oil")
    return sketch.drawing


def suction_line(width: float) -> Drawing:
    """Suction line with strainer, reducer and pressure tapping."""
    sketch = Sketch(width, 130, 430)
    sketch.box(10, 30, 70, 82, white)
    sketch.box(10, 30, 70, 60, PALE, "Vessel")
    sketch.box(80, 40, 46, 16)
    sketch.shape(126, 36, 150, 36, 160, 28, 166, 36, 166, 60, 126, 60, fill=METAL)
    sketch.text(146, 66, "Strainer")
    sketch.box(166, 40, 44, 16)
    sketch.shape(210, 40, 210, 56, 240, 56, 240, 45, fill=METAL)
    sketch.text(226, 62, "Reducer, flat on top")
    sketch.box(240, 45, 90, 11)
    sketch.ring(360, 52, 30, PALE)
    sketch.text(360, 49, "Pump")
    sketch.box(374, 76, 14, 40)
    sketch.text(392, 104, "discharge", anchor="start")
    sketch.line(306, 56, 306, 78, colour=INK)
    sketch.ring(306, 86, 9)
    sketch.text(306, 83.5, "P")
    sketch.line(240, 24, 330, 24, colour=INK)
    sketch.line(240, 20, 240, 40, colour=INK, width=0.5)
    sketch.line(330, 20, 330, 40, colour=INK, width=0.5)
    sketch.text(285, 13, "at least 5 × D")
    sketch.text(45, 100, "level")
    return sketch.drawing


def sectional(width: float) -> Drawing:
    """Section through a K65-200."""
    sketch = Sketch(width, 190, 430)
    foot = (60, 40, 130, 40, 150, 20, 190, 20, 190, 150, 180, 150)
    outlet = (180, 180, 140, 180, 140, 150, 130, 110, 60, 110)
    sketch.shape(*foot, *outlet, fill=METAL)
    sketch.box(60, 55, 70, 40, PALE)
    sketch.shape(130, 48, 160, 30, 172, 30, 172, 122, 160, 122, 130, 104, fill=GREY)
    sketch.box(126, 42, 10, 7, RED)
    sketch.box(126, 103, 10, 7, RED)
    sketch.box(190, 30, 16, 92, METAL)
    sketch.ring(190, 36, 3.5, INK)
    sketch.ring(190, 116, 3.5, INK)
    sketch.box(206, 62, 26, 28, PALE)
    sketch.box(232, 48, 120, 56, METAL)
    for left in (244, 322):
        for bottom in (86, 52):
            sketch.box(left, bottom, 18, 14, white)
            sketch.ring(left + 9, bottom + 7, 6, GREY)
    sketch.box(160, 70, 250, 12, white)
    labels = (
        (96, 140, 134, 122, "1"),
        (96, 75, 148, 66, "2"),
        (96, 18, 130, 44, "3"),
        (226, 150, 192, 117, "4"),
        (219, 120, 219, 88, "5"),
        (300, 130, 300, 103, "6"),
    )
    for x, y, to_x, to_y, label in labels:
        sketch.line(x, y, to_x, to_y, colour=INK, width=0.6)
        sketch.ring(x, y, 8)
        sketch.text(x, y - 3, label, 9)
    sketch.text(36, 73, "suction")
    sketch.text(160, 183, "discharge")
    return sketch.drawing


FIGURES: dict[str, Callable[[float], Drawing]] = {
    "head_curves": charts.head_curves,
    "npsh_curves": charts.npsh_curves,
    "noise_bars": charts.noise_bars,
    "wiring": wiring,
    "oil_circuit": oil_circuit,
    "suction_line": suction_line,
    "sectional": sectional,
}


def png(name: str, width: float, dpi: int = 200) -> bytes:
    """Render a figure to a PNG image."""
    with pymupdf.open("pdf", renderPDF.drawToString(FIGURES[name](width))) as page:
        data: bytes = page[0].get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY).tobytes("png")
    return data
