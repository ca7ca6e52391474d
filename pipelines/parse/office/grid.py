"""Sheets and the tables on them: connected regions of cells that hold something. Shared by XLSX, ODS and XLS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pipelines.core.document import Page
from pipelines.core.table import Cell
from pipelines.lang.wording import any_of
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.regions import CellIndex, group_places

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_LARGEST_FILLED = 10_000
"""Places of a merged range that are looked at one by one; a larger one is a background."""


def with_deep_header(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells; where the first row has groups of columns above their names, the rows of names are headers too.

    Such a header has a cell over several columns, and one over all of its rows beside it.
    """
    first = [cell for cell in cells if cell.row == 0 and cell.header]
    depth = max((cell.row_span for cell in first), default=1)
    if depth == 1 or all(cell.column_span == 1 for cell in first):
        return list(cells)
    rows = max(cell.row + cell.row_span for cell in cells)
    return [replace(cell, header=True) if cell.row < depth < rows else cell for cell in cells]


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """A rectangle of cells, both ends included, rows and columns from 0."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def places(self) -> Iterator[CellIndex]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column

    def __str__(self) -> str:
        start, end = address(self.top, self.left), address(self.bottom, self.right)
        return start if start == end else f"{start}:{end}"


@dataclass(slots=True)
class SheetGrid:
    """What one sheet holds: texts by place, merged ranges, and ranges that the file itself calls a table.

    Beyond `most` cells nothing more is taken, and `issue` says so.
    """

    most: int
    texts: dict[CellIndex, str] = field(default_factory=dict)
    merged: list[CellRange] = field(default_factory=list)
    tables: list[CellRange] = field(default_factory=list)
    issue: str = ""

    @property
    def full(self) -> bool:
        return bool(self.issue)

    def put(self, row: int, column: int, text: str) -> None:
        if not text or text.isspace():
            return
        if len(self.texts) >= self.most:
            self.issue = f"rows from {row + 1} on are left out: more than {self.most} cells"
        if not self.full:
            self.texts[row, column] = text

    def regions(self) -> list[SheetTable]:
        """Return the tables, from top to bottom; merged ranges and what the file calls a table are never divided."""
        spans = self._spans()
        occupied = dict.fromkeys(self.texts)
        for area in spans.values():
            occupied.update(dict.fromkeys(area.places()))
        groups = group_places(occupied, self._joined(), self.texts)
        regions = [_region(places, self.texts, spans) for places in groups]
        return sorted((region for region in regions if region is not None), key=lambda region: region.area)

    def _spans(self) -> dict[CellIndex, CellRange]:
        """Return the merged ranges by their corner, those with a text first where they are too many for all."""
        spans: dict[CellIndex, CellRange] = {}
        filled = 0
        for area in sorted(self.merged, key=lambda area: (area.top, area.left) not in self.texts):
            filled += area.size if area.size <= _LARGEST_FILLED else 0
            if area.size <= _LARGEST_FILLED and filled <= self.most:
                spans[area.top, area.left] = area
        return spans

    def _joined(self) -> list[list[CellIndex]]:
        """Return the places that belong together because the file says so."""
        return [[place for place in self.texts if area.holds(*place)] for area in self.tables]


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table on a sheet."""

    area: CellRange
    cells: tuple[Cell, ...]


def address(row: int, column: int) -> str:
    """Return the name of a place: (0, 27) is "AB1"."""
    letters = ""
    column += 1
    while column:
        # Letters of a column count in twenty-sixes, without a zero.
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def place(name: str) -> CellIndex | None:
    """Return row and column of a name such as "AB1", None for what is none."""
    match = _ADDRESS.fullmatch(name.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        # As in `address`.
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)) - 1, column - 1


def area(name: str) -> CellRange | None:
    """Return the rectangle of "A1:C3" or "A1", None for what is none."""
    first, _, last = name.partition(":")
    start, end = place(first), place(last or first)
    if start is None or end is None:
        return None
    return CellRange(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))


def _region(
    places: list[CellIndex], texts: dict[CellIndex, str], spans: dict[CellIndex, CellRange]
) -> SheetTable | None:
    if not any(place in texts for place in places):
        return None
    rows, columns = [place[0] for place in places], [place[1] for place in places]
    whole = CellRange(min(rows), min(columns), max(rows), max(columns))
    covered: set[CellIndex] = set()
    cells = []
    for row, column in sorted(places):
        if (row, column) in covered:
            continue
        span = spans.get((row, column), CellRange(row, column, row, column))
        if span.size > 1:
            covered.update(span.places())
        cells.append(_cell(row, column, texts.get((row, column), ""), span, whole))
    return SheetTable(whole, tuple(with_deep_header(cells)))


def _cell(row: int, column: int, text: str, span: CellRange, whole: CellRange) -> Cell:
    return Cell(
        row - whole.top,
        column - whole.left,
        text,
        span.bottom - span.top + 1,
        span.right - span.left + 1,
        row == whole.top,
        address=address(row, column),
    )


# Names that programs give; they tell nothing and make no heading.
_DEFAULT_NAME = re.compile(rf"{any_of('sheet')}\s?\d+|sheet", re.IGNORECASE)
_TITLE_GAP = 3
"""Rows from a title to its table: with two empty rows between them it is its title still, as in `regions`."""


def are_named(names: Iterable[str]) -> bool:
    """Whether somebody gave a name to a sheet; then all of them head what stands on them, else none does."""
    return any(not _DEFAULT_NAME.fullmatch(name.strip()) for name in names)


class SheetBuilder:
    """Appends what stands on one sheet; every piece knows the sheet's name and its cells."""

    def __init__(self, builder: DocumentBuilder, number: int, name: str) -> None:
        self.builder = builder
        self.number = number
        self.name = name

    def place(self, area: CellRange) -> Place:
        return Place(self.number, self.name, str(area))

    def page(self, *, hidden: bool = False, issue: str = "") -> None:
        self.builder.page(Page(self.number, self.name, issue=issue))
        if hidden:
            self.builder.remark(f"the sheet {self.name!r} is hidden")

    def heading(self) -> None:
        """Append the sheet's name as a heading."""
        self.builder.heading(self.name, 1, self.place(CellRange(0, 0, 0, 0)))

    def table(self, region: SheetTable, above: SheetTable | None = None) -> bool:
        """Append a table; a lone cell just above it is its caption too."""
        caption = above.cells[0].text if above is not None and _is_title(above, region) else ""
        return self.builder.table(region.cells, self.place(region.area), caption=caption)


def _is_title(above: SheetTable, region: SheetTable) -> bool:
    gap = region.area.top - above.area.bottom
    return len(above.cells) == 1 < len(region.cells) and 0 < gap <= _TITLE_GAP and above.area.left <= region.area.right
