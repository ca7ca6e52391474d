"""The reader of ODS: a page for each sheet; repeated rows and cells cost nothing where they are empty."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.odf.document import OdfStyles, body_of, formats_of, open_document, qualified
from pipelines.parse.office.odf.objects import Objects, plain_text, read_paragraph, repeated, rows_of, spanned
from pipelines.parse.office.odf.story import annotation_text
from pipelines.parse.office.ooxml import Element, local
from pipelines.parse.office.regions import CellRange
from pipelines.parse.office.xlsx.formats import typed
from pipelines.parse.parsed import Parsed
from pipelines.parse.pieces import Pointer
from pipelines.parse.settings import ParseSettings

_LAST_ROW, _LAST_COLUMN = 1 << 20, 1 << 14
"""The largest sheet of LibreOffice and Excel."""
_FRAME = qualified("draw:frame")


_DIGIT = re.compile(r"\d")


def stored_value(cell: Element, shown: str) -> str:
    """Return the number that a cell stores where it shows another, rounded one; empty else, and for reckoned ones.

    Compared are the figures without the zeros around them, so that marks and percentages make no difference.
    """
    raw = cell.get(qualified("office:value"), "")
    try:
        stored = typed(raw)
    except ValueError:
        return ""
    told, kept = ("".join(_DIGIT.findall(text)).strip("0") for text in (shown, stored))
    return stored if told and told != kept else ""


class OdsReader:
    """Reads the tables, comments, charts and pictures of all sheets, cells as they are shown."""

    formats = formats_of("spreadsheet", ".ods")
    name = "ods"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            body = body_of(document, "spreadsheet")
            if body is None:
                raise Malformed("content.xml has no sheets", ids=(source.uri,))
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            styles = OdfStyles(document.styles, document.content)
            tables = body.findall(qualified("table:table"))
            headed = are_named(table.get(qualified("table:name"), "") for table in tables)
            for number, table in enumerate(tables, 1):
                _Sheet(table, number, builder, styles, Objects(document.package, builder)).write(headed)
        return builder.build()


class _Sheet:
    """Reads one sheet and appends it."""

    def __init__(
        self, table: Element, number: int, builder: DocumentBuilder, styles: OdfStyles, objects: Objects
    ) -> None:
        self._table = table
        self._builder = builder
        self._styles = styles
        self._objects = objects
        self._sheet = SheetBuilder(builder, number, table.get(qualified("table:name"), f"Sheet{number}"))
        self._grid = SheetGrid(builder.settings.limits.cells)
        self._links: list[tuple[int, int, Pointer]] = []
        self._comments: list[tuple[int, int, str]] = []
        self._frames: list[tuple[int, int, Element]] = []

    def write(self, headed: bool) -> None:
        self._read()
        hidden = self._table.get(qualified("table:style-name"), "") in self._styles.hidden_tables
        self._sheet.page(hidden=hidden, issue=self._grid.issue)
        regions = self._grid.regions()
        if headed and (regions or self._frames):
            self._sheet.heading()
        for region in regions:
            self._region(region)
        for row, column, frame in self._frames:
            self._objects.add(frame, self._sheet.place(CellRange(row, column, row, column)), with_data=False)
        for row, column, text in self._comments:
            self._builder.note(text, self._sheet.place(CellRange(row, column, row, column)))

    def _region(self, region: SheetTable) -> None:
        if not self._sheet.table(region):
            return
        for row, column, link in self._links:
            if region.area.holds(row, column):
                self._builder.reference(link.kind, link.target, link.evidence)

    def _read(self) -> None:
        shapes = self._table.find(qualified("table:shapes"))
        self._frames += [(0, 0, frame) for frame in shapes.iter(_FRAME)] if shapes is not None else []
        row = 0
        for element, _ in rows_of(self._table):
            if self._grid.full or row >= _LAST_ROW:
                break
            found = self._cells(element, row)
            times = repeated(element, "rows")
            for copy in range(1, min(times, _LAST_ROW - row)) if found else ():
                for column, text, also in found:
                    self._grid.put(row + copy, column, text, also)
                if self._grid.full:
                    break
            row += times

    def _cells(self, element: Element, row: int) -> list[tuple[int, str, str]]:
        """Put the cells of a row into the grid and return those with text, each with its number's other form."""
        column, found = 0, []
        for cell in element:
            if local(cell) not in ("table-cell", "covered-table-cell"):
                continue
            times = repeated(cell, "columns")
            if local(cell) == "table-cell" and len(cell):
                text = self._cell(cell, row, column)
                also = stored_value(cell, text)
                found += [(column + copy, text, also) for copy in range(min(times, _LAST_COLUMN)) if text]
            column += times
        for at, text, also in found:
            self._grid.put(row, at, text, also)
        return found

    def _cell(self, cell: Element, row: int, column: int) -> str:
        lines = []
        for child in cell:
            name = local(child)
            if name == "p":
                content = read_paragraph(child)
                lines.append(content.text)
                self._links += [(row, column, link) for link in content.links]
            elif name == "list":
                lines.append(plain_text(child))
            elif name == "annotation":
                self._comments.append((row, column, annotation_text(child)))
            elif name == "frame":
                self._frames.append((row, column, child))
        rows, columns = spanned(cell, "rows"), spanned(cell, "columns")
        if rows * columns > 1:
            self._grid.merged.append(CellRange(row, column, row + rows - 1, column + columns - 1))
        return "\n".join(lines)
