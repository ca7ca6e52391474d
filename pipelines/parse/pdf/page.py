"""What a PDF library tells of a page, and where it stands. Rectangles in points on the page as it is shown, y down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from pipelines.core.provenance import Box
from pipelines.parse.lines import Line, Rect, turned_box

MOST_AREAS = 2000
"""Coloured areas of a page from which they are a drawing; each is compared with those painted later."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A clickable area: a `uri`, or a page of this file from 1."""

    rect: Rect
    uri: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class ImageArea:
    """A bitmap on the page; `number` finds its bytes, 0 for one inside the page's own stream."""

    rect: Rect
    number: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Paint:
    """What is drawn: thin straight lines by direction, and the rectangles of all other vector shapes."""

    horizontal: tuple[Rect, ...] = ()
    vertical: tuple[Rect, ...] = ()
    shapes: tuple[Rect, ...] = ()

    @property
    def all(self) -> tuple[Rect, ...]:
        return self.horizontal + self.vertical + self.shapes


@dataclass(frozen=True, slots=True)
class Rules:
    """Straight lines drawn on a page, as rectangles of no height or no width.

    `shaded` are the level edges of coloured areas, `sides` their upright ones, `areas` these areas themselves.
    """

    level: list[Rect] = field(default_factory=list)
    shaded: list[Rect] = field(default_factory=list)
    upright: list[Rect] = field(default_factory=list)
    sides: list[Rect] = field(default_factory=list)
    areas: list[Rect] = field(default_factory=list)

    def within(self, clip: Rect) -> Rules:
        """Return the lines of which some part lies in `clip`."""
        level, shaded = (
            [rule for rule in rules if clip.top <= rule.top <= clip.bottom and rule.meet(clip).width > 0]
            for rules in (self.level, self.shaded)
        )
        upright, sides = (
            [rule for rule in rules if clip.left <= rule.left <= clip.right and rule.meet(clip).height > 0]
            for rules in (self.upright, self.sides)
        )
        areas = [area for area in self.areas if min(area.meet(clip).width, area.meet(clip).height) > 0]
        return Rules(level, shaded, upright, sides, areas)

    def without_hidden(self) -> Rules:
        """Return the lines without the edges of coloured areas that areas painted later lie over.

        Stripes under a table run on below a merged cell, which is painted over them. A drawing stays as it is.
        """
        if len(self.areas) > MOST_AREAS:
            return self
        corners = np.array(self.areas, dtype=np.float64).reshape(len(self.areas), len(Rect._fields))
        shaded: list[Rect] = []
        sides: list[Rect] = []
        for number, (left, top, right, bottom) in enumerate(self.areas, start=1):
            begin_x, begin_y, end_x, end_y = corners[number:].T
            for y in (top, bottom):
                over = (begin_y < y - 1) & (end_y > y + 1) & (begin_x < right) & (end_x > left)
                parts = _uncovered(left, right, zip(begin_x[over].tolist(), end_x[over].tolist(), strict=True))
                shaded += (Rect(begin, y, end, y) for begin, end in parts)
            for x in (left, right):
                over = (begin_x < x - 1) & (end_x > x + 1) & (begin_y < bottom) & (end_y > top)
                parts = _uncovered(top, bottom, zip(begin_y[over].tolist(), end_y[over].tolist(), strict=True))
                sides += (Rect(x, begin, x, end) for begin, end in parts)
        return replace(self, shaded=shaded, sides=sides)


def _uncovered(begin: float, end: float, covers: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield what is left of a stretch, without what is shorter than a point."""
    for first, last in sorted(covers):
        if first - begin > 1:
            yield begin, min(first, end)
        begin = max(begin, last)
    if end - begin > 1:
        yield begin, end


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page as read: its lines in the order of the file."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    images: tuple[ImageArea, ...]
    paint: Paint
    links: tuple[PageLink, ...] = ()
    watermarks: tuple[Line, ...] = ()
    turn: int = 0
    """Degrees clockwise from this upright page to the page as it is shown."""

    @property
    def rect(self) -> Rect:
        return Rect(0.0, 0.0, self.width, self.height)

    def box(self, rect: Rect) -> Box:
        """Return a rectangle of this upright page as fractions of the page as it is shown."""
        return turned_box(rect.box(self.number, self.width, self.height), self.turn)

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class RegionKind(StrEnum):
    """What a region of a page is."""

    TEXT = "text"
    TITLE = "title"
    HEADING = "heading"
    LIST_ITEM = "list item"
    TABLE = "table"
    PICTURE = "picture"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FORMULA = "formula"
    HEADER = "page header"
    FOOTER = "page footer"


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A rectangle that belongs together, as a layout model sees it."""

    part: RegionKind
    rect: Rect


@dataclass(frozen=True, slots=True)
class GridCell:
    """A place of a table's grid, as the library found it."""

    row: int
    column: int
    row_span: int
    column_span: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class PageGrid:
    """A table as places on the page; what stands in them is read from the words there.

    `gutters` are the left and right edges of the white between its columns, of one without drawn lines; one that
    `continues` goes on from the column or page before. `edge` is where the text of its page or column begins.
    """

    rect: Rect
    cells: tuple[GridCell, ...]
    gutters: tuple[tuple[float, float], ...] = ()
    continues: bool = False
    edge: float = 0.0

    @property
    def rows(self) -> int:
        return max((cell.row + cell.row_span for cell in self.cells), default=0)

    @property
    def columns(self) -> int:
        return max((cell.column + cell.column_span for cell in self.cells), default=0)

    def moved(self, across: float) -> PageGrid:
        """Return the grid as far to the right, with the white between its columns and without its places."""
        lefts = {cell.column: cell.rect.left for cell in self.cells if cell.column}
        gutters = self.gutters or [(lefts[column], lefts[column]) for column in sorted(lefts)]
        left, top, right, bottom = self.rect
        return replace(
            self,
            rect=Rect(left + across, top, right + across, bottom),
            gutters=tuple((start + across, end + across) for start, end in gutters),
        )


@dataclass(frozen=True, slots=True)
class PageWord:
    """A run of characters without a blank, in the order of the file."""

    text: str
    rect: Rect
    bold: bool = False
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: `level` from 1, `page` from 1."""

    level: int
    title: str
    page: int
