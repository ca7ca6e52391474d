"""Lines of text on a page, whoever read them, a text layer or an OCR engine; in points or pixels, y down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pipelines.core.provenance import Box


class Rect(NamedTuple):
    """A rectangle on a page, origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def meet(self, other: Rect) -> Rect:
        """Return what both cover; its area is 0 where they do not touch."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def share_in(self, other: Rect) -> float:
        """Return how much of this rectangle lies in `other`, 0 to 1."""
        if self.area > 0:
            return self.meet(other).area / self.area
        return 1.0 if other.holds(*self.middle) else 0.0

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def grown(self, by: float) -> Rect:
        return Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def box(self, page: int, width: float, height: float) -> Box:
        """Return the rectangle in fractions of a page of that size, cut to the page."""
        across, down = max(width, 1e-6), max(height, 1e-6)
        left, right = _fraction(self.left, across), _fraction(self.right, across)
        top, bottom = _fraction(self.top, down), _fraction(self.bottom, down)
        return Box(page, left, top, max(left, right), max(top, bottom))


def turned_box(box: Box, turn: int) -> Box:
    """Return where a box lies on the page when the page is turned clockwise by `turn` degrees, a multiple of 90."""
    for _ in range(turn // 90 % 4):
        box = Box(box.page, round(1 - box.bottom, 5), box.left, round(1 - box.top, 5), box.right)
    return box


def _fraction(value: float, whole: float) -> float:
    return round(min(1.0, max(0.0, value / whole)), 5)


def around(rects: Iterable[Rect]) -> Rect:
    """Return the least rectangle that holds all of them, of which there is at least one."""
    lefts, tops, rights, bottoms = zip(*rects, strict=True)
    return Rect(min(lefts), min(tops), max(rights), max(bottoms))


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a line is set: size in points to a half, the font's name without its subset prefix."""

    size: float = 0.0
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: int = 0


PLAIN = TextStyle()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one column. `raised` says that it begins with a superscript, as footnotes do."""

    text: str
    rect: Rect
    style: TextStyle = PLAIN
    confidence: float = 1.0
    raised: bool = False

    @property
    def size(self) -> float:
        return self.style.size or self.rect.height
