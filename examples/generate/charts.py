"""Line and bar charts as ReportLab drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportlab.graphics.shapes import Circle, Drawing, Group, Line, PolyLine, Rect, String
from reportlab.lib.colors import HexColor

INK = HexColor("#222222")
GRID = HexColor("#d5d9de")
COLOURS = (HexColor("#1f4e79"), HexColor("#b3541e"), HexColor("#3d7a4a"))
MARGIN_LEFT, MARGIN_BOTTOM, MARGIN_TOP, MARGIN_RIGHT = 34.0, 28.0, 8.0, 10.0
Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    label: str
    low: float
    high: float
    step: float

    def ticks(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [self.low + number * self.step for number in range(count + 1)]


class Chart:
    """A drawing with two linear axes."""

    def __init__(self, width: float, height: float, x: Axis, y: Axis) -> None:
        self.drawing = Drawing(width, height)
        self.x, self.y = x, y
        self.right, self.top = width - MARGIN_RIGHT, height - MARGIN_TOP
        self._frame()

    def place(self, point: Point) -> Point:
        """Drawing coordinates of a data point."""
        across = (point[0] - self.x.low) / (self.x.high - self.x.low)
        up = (point[1] - self.y.low) / (self.y.high - self.y.low)
        return (
            MARGIN_LEFT + across * (self.right - MARGIN_LEFT),
            MARGIN_BOTTOM + up * (self.top - MARGIN_BOTTOM),
        )

    def _frame(self) -> None:
        for tick in self.x.ticks():
            left, _ = self.place((tick, self.y.low))
            self._line((left, MARGIN_BOTTOM), (left, self.top))
            self.text(left, MARGIN_BOTTOM - 9, f"{tick:g}", anchor="middle")
        for tick in self.y.ticks():
            _, up = self.place((self.x.low, tick))
            self._line((MARGIN_LEFT, up), (self.right, up))
            self.text(MARGIN_LEFT - 4, up - 2.5, f"{tick:g}", anchor="end")
        self.text((MARGIN_LEFT + self.right) / 2, 4, self.x.label, anchor="middle")
        turned = Group(String(0, 0, self.y.label, fontName="Sans-Regular", fontSize=7.5, textAnchor="middle"))
        turned.transform = (0, 1, -1, 0, 8, (MARGIN_BOTTOM + self.top) / 2)
        self.drawing.add(turned)

    def _line(self, start: Point, end: Point) -> None:
        self.drawing.add(Line(*start, *end, strokeColor=GRID, strokeWidth=0.5))

    def text(self, left: float, up: float, text: str, anchor: str = "start", colour: object = INK) -> None:
        """Write text at drawing coordinates."""
        self.drawing.add(
            String(left, up, text, fontName="Sans-Regular", fontSize=7.5, textAnchor=anchor, fillColor=colour)
        )

    def curve(self, points: Sequence[Point], number: int, label: str = "", dashed: bool = False) -> None:
        """Add one curve, labelled at its last point."""
        flat = [value for point in points for value in self.place(point)]
        line = PolyLine(flat, strokeColor=COLOURS[number], strokeWidth=1.4)
        if dashed:
            line.strokeDashArray = [4, 3]
        self.drawing.add(line)
        left, up = self.place(points[-1])
        self.text(left - 2, up + 4, label, "end", COLOURS[number])

    def dot(self, point: Point, number: int) -> None:
        """Mark a point."""
        self.drawing.add(Circle(*self.place(point), 2.6, fillColor=COLOURS[number], strokeColor=None))

    def bar(self, middle: float, height: float, width: float, label: str) -> None:
        """Add a bar with its value on top."""
        left, bottom = self.place((middle - width / 2, self.y.low))
        right, top = self.place((middle + width / 2, height))
        self.drawing.add(Rect(left, bottom, right - left, top - bottom, fillColor=COLOURS[0], strokeColor=None))
        self.text((left + right) / 2, top + 3, label, "middle")


def head_curves(width: float) -> Drawing:
    """Head against flow for the three pump sizes."""
    chart = Chart(width, 170, Axis("Flow, m³/h", 0, 180, 20), Axis("Head, m", 0, 100, 20))
    sizes = (("K40-160", 25, 32, 36.5), ("K65-200", 72, 50, 57.5), ("K80-250", 140, 78, 89.0))
    for number, (name, flow, head, shut_off) in enumerate(sizes):
        bend = (shut_off - head) / flow**2
        points = [(flow * part / 20, shut_off - bend * (flow * part / 20) ** 2) for part in range(25)]
        chart.curve(points, number)
        left, up = chart.place(points[-1])
        chart.text(left + 4, up - 3, name, colour=COLOURS[number])
        chart.dot((flow, head), number)
    return chart.drawing


def npsh_curves(width: float) -> Drawing:
    """Relative head against available suction head for three ring clearances."""
    chart = Chart(width, 140, Axis("NPSHa, m", 2, 8, 1), Axis("Relative head, %", 80, 105, 5))
    for number, (gap, npsh3) in enumerate((("0.3 mm", 3.4), ("0.6 mm", 3.8), ("0.9 mm", 4.3))):
        steps = [npsh3 - 0.55 + 0.05 * step for step in range(200)]
        points = [(at, 100 - 3 * 2.718 ** (-3.2 * (at - npsh3))) for at in steps if at <= 8]
        chart.curve([point for point in points if point[1] >= 80], number)
        chart.text(chart.place((6.3, 0))[0], 48 - 12 * number + 14, f"gap {gap}", colour=COLOURS[number])
    chart.curve([(2, 97), (8, 97)], 0, dashed=True)
    return chart.drawing


def noise_bars(width: float) -> Drawing:
    """Rise of the sound level at four suction heads."""
    chart = Chart(width, 120, Axis("NPSHa / NPSH3", 0.5, 2.5, 0.5), Axis("Rise, dB", 0, 15, 5))
    for ratio, rise in ((0.9, 6), (1.3, 11), (1.7, 4), (2.1, 1)):
        chart.bar(ratio, rise, 0.22, str(rise))
    return chart.drawing
