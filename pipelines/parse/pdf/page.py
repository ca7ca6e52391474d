"""Data of a PDF page as read from the library. Rectangles are in points on the upright page, with y downward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from pipelines.core.provenance import Box
from pipelines.parse.lines import Line, Projection, Rect, turned_box

MOST_SHAPES = 2000
"""Maximum coloured areas or lines of a page that are searched for tables; if there are more, they are a drawing."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A clickable area with a `uri` or a page of this file, from 1."""

    rect: Rect
    uri: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class ImageArea:
    """A bitmap on the page, `width` by `height` pixels; `number` is its id in the file, 0 if unknown or inline."""

    rect: Rect
    number: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Paint:
    """Vector graphics: thin straight lines by direction, and the rectangles of all other shapes."""

    horizontal: tuple[Rect, ...] = ()
    vertical: tuple[Rect, ...] = ()
    shapes: tuple[Rect, ...] = ()

    @property
    def all(self) -> tuple[Rect, ...]:
        return self.horizontal + self.vertical + self.shapes


@dataclass(frozen=True, slots=True)
class Rules:
    """Straight lines on a page, as rectangles without height or width.

    `areas` are the coloured areas, `horizontal_edges` and `vertical_edges` the edges of these.
    """

    horizontal: list[Rect] = field(default_factory=list)
    horizontal_edges: list[Rect] = field(default_factory=list)
    vertical: list[Rect] = field(default_factory=list)
    vertical_edges: list[Rect] = field(default_factory=list)
    areas: list[Rect] = field(default_factory=list)

    def within(self, clip: Rect) -> Rules:
        """Return the lines, edges and areas that are partly in `clip`."""
        horizontal, horizontal_edges = (
            [rule for rule in rules if clip.top <= rule.top <= clip.bottom and rule.meet(clip).width > 0]
            for rules in (self.horizontal, self.horizontal_edges)
        )
        vertical, vertical_edges = (
            [rule for rule in rules if clip.left <= rule.left <= clip.right and rule.meet(clip).height > 0]
            for rules in (self.vertical, self.vertical_edges)
        )
        areas = [area for area in self.areas if min(area.meet(clip).width, area.meet(clip).height) > 0]
        return Rules(horizontal, horizontal_edges, vertical, vertical_edges, areas)

    def without_hidden(self) -> Rules:
        """Return the rules without the edges of coloured areas that are covered by areas painted later.

        Stripes of a table continue below merged cells that are painted over them. A drawing is returned unchanged.
        """
        if len(self.areas) > MOST_SHAPES:
            return self
        corners = np.array(self.areas, dtype=np.float64).reshape(len(self.areas), len(Rect._fields))
        horizontal_edges: list[Rect] = []
        vertical_edges: list[Rect] = []
        for number, (left, top, right, bottom) in enumerate(self.areas, start=1):
            begin_x, begin_y, end_x, end_y = corners[number:].T
            for y in (top, bottom):
                over = (begin_y < y - 1) & (end_y > y + 1) & (begin_x < right) & (end_x > left)
                parts = _visible_parts(left, right, zip(begin_x[over].tolist(), end_x[over].tolist(), strict=True))
                horizontal_edges += (Rect(begin, y, end, y) for begin, end in parts)
            for x in (left, right):
                over = (begin_x < x - 1) & (end_x > x + 1) & (begin_y < bottom) & (end_y > top)
                parts = _visible_parts(top, bottom, zip(begin_y[over].tolist(), end_y[over].tolist(), strict=True))
                vertical_edges += (Rect(x, begin, x, end) for begin, end in parts)
        return replace(self, horizontal_edges=horizontal_edges, vertical_edges=vertical_edges)


def _visible_parts(begin: float, end: float, covers: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield the uncovered parts of an interval that are longer than a point."""
    for first, last in sorted(covers):
        if first - begin > 1:
            yield begin, min(first, end)
        begin = max(begin, last)
    if end - begin > 1:
        yield begin, end


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page as read, with its lines in file order."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    images: tuple[ImageArea, ...]
    paint: Paint
    links: tuple[PageLink, ...] = ()
    watermarks: tuple[Line, ...] = ()
    turn: int = 0
    """Clockwise rotation from this upright page to the displayed page, in degrees."""
    projection: Projection | None = None
    """That of a scan or photograph which is laid flat here."""

    @property
    def rect(self) -> Rect:
        return Rect(0.0, 0.0, self.width, self.height)

    def box(self, rect: Rect) -> Box:
        """Return a rectangle of this upright page as a box on the displayed page, in fractions of its size."""
        box = rect.box(self.number, self.width, self.height)
        return turned_box(self.projection.box(box) if self.projection else box, self.turn)

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class RegionKind(StrEnum):
    """The kind of a region of a page; the values are the class names of PyMuPDF's layout model."""

    TEXT = "text"
    TITLE = "title"
    HEADING = "section-header"
    LIST_ITEM = "list-item"
    TABLE = "table"
    PICTURE = "picture"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FORMULA = "formula"
    HEADER = "page-header"
    FOOTER = "page-footer"


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A region of a page found by a layout model."""

    kind: RegionKind
    rect: Rect


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a table's grid, without text."""

    row: int
    column: int
    row_span: int
    column_span: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class PageGrid:
    """The cells of a table as rectangles on the page, to be filled with words.

    `gutters` are the left and right edges of the gaps between its columns, for a table without drawn lines.
    `continues` says that it is the continuation of a table in the column or page before. `edge` is the left edge of
    the text of its page or column.
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
        """Return the grid with its rectangle and gutters moved right by `across`; its cells are not moved."""
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
    """A word: a run of characters without white space."""

    text: str
    rect: Rect
    bold: bool = False
    mono: bool = False


@dataclass(frozen=True, slots=True)
class TextLayer:
    """Text and straight lines that OCR found on a page, in points of the page after `turn` degrees clockwise."""

    lines: tuple[Line, ...]
    words: tuple[PageWord, ...]
    rules: tuple[Rect, ...]
    turn: int = 0
    projection: Projection | None = None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the PDF's outline; `level` and `page` count from 1."""

    level: int
    title: str
    page: int
