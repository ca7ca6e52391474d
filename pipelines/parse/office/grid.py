"""Sheets and the tables on them: connected regions of cells with text. Shared by XLSX, ODS and XLS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pipelines.core.document import Page
from pipelines.core.table import Cell
from pipelines.lang.word_lists import any_of
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.cell_texts import CellIndex
from pipelines.parse.office.header_rows import with_deep_header, with_header_rows
from pipelines.parse.office.labels import SheetTable, with_labels, without_titles
from pipelines.parse.office.ranges import CellRange, address
from pipelines.parse.office.regions import group_cells

_LARGEST_FILLED = 10_000
"""Maximum cells of a merged range that is kept; a larger one is a background."""


@dataclass(slots=True)
class SheetGrid:
    """The cells of one sheet: texts by cell, other forms of numbers (`also`), merged ranges, and declared tables.

    Cells beyond the first `most` are ignored, and `issue` says so.
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
        """Return the tables from top to bottom; merged ranges and tables declared in the file are never split."""
        spans = self._spans()
        occupied = dict.fromkeys(self.texts)
        for area in spans.values():
            occupied.update(dict.fromkeys(area.cells()))
        declared = [[cell for cell in self.texts if area.contains(*cell)] for area in self.tables]
        regions = [self._region(indices, spans) for indices in group_cells(occupied, declared, self.texts)]
        parts = [part for region in regions if region is not None for part in without_titles(region)]
        return with_labels(sorted(parts, key=lambda region: region.area))

    def _region(self, indices: list[CellIndex], spans: Mapping[CellIndex, CellRange]) -> SheetTable | None:
        if not any(index in self.texts for index in indices):
            return None
        rows, columns = [row for row, _ in indices], [column for _, column in indices]
        whole = CellRange(min(rows), min(columns), max(rows), max(columns))
        covered: set[CellIndex] = set()
        cells = []
        for row, column in sorted(indices):
            if (row, column) in covered:
                continue
            span = spans.get((row, column), CellRange(row, column, row, column))
            if span.size > 1:
                covered.update(span.cells())
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
        """Return the merged ranges by their first cell; if there are too many, those with text are preferred."""
        spans: dict[CellIndex, CellRange] = {}
        filled = 0
        for area in sorted(self.merged, key=lambda area: (area.top, area.left) not in self.texts):
            filled += area.size if area.size <= _LARGEST_FILLED else 0
            if area.size <= _LARGEST_FILLED and filled <= self.most:
                spans[area.top, area.left] = area
        return spans


# Default sheet names of spreadsheet programs: they are not used as headings.
_DEFAULT_NAME = re.compile(rf"{any_of('sheet')}\s?\d+|sheet", re.IGNORECASE)


def are_named(names: Iterable[str]) -> bool:
    """Whether any sheet has a name other than a default one; then the names of all sheets are headings."""
    return any(not _DEFAULT_NAME.fullmatch(name.strip()) for name in names)


class SheetBuilder:
    """Appends the content of one sheet; the place of each piece has the sheet's name and its cells."""

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
        """Append a table with its labels and notes as its caption, or lines of text as paragraphs.

        Return whether there is text.
        """
        if region.lines:
            for cell in region.cells:
                self.builder.paragraph(cell.text, self.place(region.area_of(cell)))
            return True
        return self.builder.table(region.cells, self.place(region.area), caption=region.caption)

    def comment(self, text: str, author: str, area: CellRange | None, tables: Iterable[SheetTable]) -> None:
        """Append a comment, with its author, its cells, and the names of their row and column in one of the tables."""
        if not text:
            return
        about = (table.name_of(area.top, area.left) for table in tables if area and table.area.contains(*area.start))
        where = ": ".join(filter(None, (str(area or ""), next(about, ""))))
        head = ", ".join(filter(None, (author, where)))
        self.builder.note(f"[{head}] {text}" if head else text, self.place(area or CellRange(0, 0, 0, 0)))
