"""Sheets and the tables on them: connected regions of cells that hold something. Shared by XLSX, ODS and XLS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipelines.core.document import Page
from pipelines.core.table import Cell
from pipelines.lang.word_lists import any_of
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.labels import SheetTable, with_deep_header, with_header_rows, with_labels
from pipelines.parse.office.regions import CellIndex, CellRange, address, group_places

_LARGEST_FILLED = 10_000
"""Places of a merged range that are looked at one by one; a larger one is a background."""


@dataclass(slots=True)
class SheetGrid:
    """What one sheet holds: texts by place, with their numbers' other forms, merged ranges, and ranges that the file
    itself calls a table.

    Beyond `most` cells nothing more is taken, and `issue` says so.
    """

    most: int
    texts: dict[CellIndex, str] = field(default_factory=dict)
    also: dict[CellIndex, str] = field(default_factory=dict)
    merged: list[CellRange] = field(default_factory=list)
    tables: list[CellRange] = field(default_factory=list)
    issue: str = ""

    @property
    def full(self) -> bool:
        return bool(self.issue)

    def put(self, row: int, column: int, text: str, also: str = "") -> None:
        if not text or text.isspace():
            return
        if len(self.texts) >= self.most:
            self.issue = f"rows from {row + 1} on are left out: more than {self.most} cells"
        if not self.full:
            self.texts[row, column] = text
            if also:
                self.also[row, column] = also

    def regions(self) -> list[SheetTable]:
        """Return the tables, from top to bottom; merged ranges and what the file calls a table are never divided."""
        spans = self._spans()
        occupied = dict.fromkeys(self.texts)
        for area in spans.values():
            occupied.update(dict.fromkeys(area.places()))
        groups = group_places(occupied, self._joined(), self.texts)
        regions = [self._region(places, spans) for places in groups]
        return with_labels(sorted((region for region in regions if region is not None), key=lambda region: region.area))

    def _region(self, places: list[CellIndex], spans: Mapping[CellIndex, CellRange]) -> SheetTable | None:
        if not any(place in self.texts for place in places):
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
            cells.append(self._cell(row, column, span, whole))
        return SheetTable(whole, tuple(with_header_rows(with_deep_header(cells))))

    def _cell(self, row: int, column: int, span: CellRange, whole: CellRange) -> Cell:
        return Cell(
            row - whole.top,
            column - whole.left,
            self.texts.get((row, column), ""),
            span.bottom - span.top + 1,
            span.right - span.left + 1,
            row == whole.top,
            address=address(row, column),
            also=self.also.get((row, column), ""),
        )

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


# Names that programs give; they tell nothing and make no heading.
_DEFAULT_NAME = re.compile(rf"{any_of('sheet')}\s?\d+|sheet", re.IGNORECASE)


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

    def table(self, region: SheetTable) -> bool:
        """Append a table; its labels and notes are its caption."""
        return self.builder.table(region.cells, self.place(region.area), caption=region.caption)
