"""The readers of ODT and ODS (a page per sheet)."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.odf.document import OdfStyles, formats_of, open_document, qualified
from pipelines.parse.office.odf.objects import SHAPES, Objects, plain_text, read_paragraph, repeated, rows_of, spanned
from pipelines.parse.office.odf.story import OdfStory, annotation_author
from pipelines.parse.office.ooxml import Element, built, local
from pipelines.parse.office.ranges import CellRange
from pipelines.parse.office.xlsx.formats import typed
from pipelines.parse.parsed import Parsed
from pipelines.parse.pieces import Pointer
from pipelines.parse.settings import ParseSettings

_STYLE_KINDS = (("style:header", BlockKind.PAGE_HEADER), ("style:footer", BlockKind.PAGE_FOOTER))


class OdtReader:
    """Reads text documents; pages are known if the program that saved the file marked page breaks."""

    formats = formats_of("text", ".odt")
    name = "odt"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            paged = next(document.body.iter(qualified("text:soft-page-break")), None) is not None
            styles = OdfStyles(document.styles, document.content)
            story = OdfStory(builder, styles, Objects(document.package, builder), Place(1 if paged else None))
            story.add(document.body)
            _furniture(document.styles, builder)
            for page in range(1, (story.place.page or 0) + 1):
                builder.page(Page(page))
            return built(builder, document.package)


def _furniture(styles: Element, builder: DocumentBuilder) -> None:
    seen: set[str] = set()
    for name, kind in _STYLE_KINDS:
        for element in styles.iter(qualified(name)):
            text = plain_text(element)
            if text not in seen:
                seen.add(text)
                builder.furniture(kind, text, new_words=1)


_LAST_ROW, _LAST_COLUMN = 1 << 20, 1 << 14
"""Size of the largest sheet of LibreOffice and Excel."""


_DIGIT = re.compile(r"\d")


def stored_value(cell: Element, shown: str) -> str:
    """Return a typed number that a cell displays rounded, empty if it displays all digits or was calculated.

    Only digits are compared, without leading and trailing zeros: separators and percentages make no difference.
    """
    raw = cell.get(qualified("office:value"), "")
    try:
        stored = typed(raw)
    except ValueError:
        return ""
    shown_digits, stored_digits = ("".join(_DIGIT.findall(text)).strip("0") for text in (shown, stored))
    return stored if shown_digits and shown_digits != stored_digits else ""


class OdsReader:
    """Reads tables, comments, charts and pictures of all sheets; cells have their displayed text."""

    formats = formats_of("spreadsheet", ".ods")
    name = "ods"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            styles = OdfStyles(document.styles, document.content)
            tables = document.body.findall(qualified("table:table"))
            headed = are_named(table.get(qualified("table:name"), "") for table in tables)
            objects = Objects(document.package, builder, with_data=False)
            for number, table in enumerate(tables, 1):
                _Sheet(table, number, builder, styles, objects).write(headed)
            _furniture(document.styles, builder)
            return built(builder, document.package)


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
        self._comments: list[tuple[int, int, Element]] = []
        self._shapes: list[tuple[int, int, Element]] = []

    def write(self, headed: bool) -> None:
        self._read()
        hidden = self._table.get(qualified("table:style-name"), "") in self._styles.hidden_tables
        self._sheet.page(hidden=hidden, issue=self._grid.issue)
        regions = self._grid.regions()
        if headed and (regions or self._shapes):
            self._sheet.heading()
        for region in regions:
            self._region(region)
        for row, column, shape in self._shapes:
            place = self._sheet.place(CellRange(row, column, row, column))
            OdfStory(self._builder, self._styles, self._objects, place).shape(shape)
        for row, column, comment in self._comments:
            area = CellRange(row, column, row, column)
            self._sheet.comment(plain_text(comment), annotation_author(comment), area, regions)

    def _region(self, region: SheetTable) -> None:
        if not self._sheet.table(region):
            return
        for row, column, link in self._links:
            if region.area.contains(row, column):
                self._builder.reference(link.kind, link.target, link.evidence)

    def _read(self) -> None:
        shapes = self._table.find(qualified("table:shapes"))
        self._shapes += [(0, 0, shape) for shape in shapes if local(shape) in SHAPES] if shapes is not None else []
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
        """Put the cells of a row into the grid and return those with text: column, text, stored number."""
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
                self._comments.append((row, column, child))
            elif name in SHAPES:
                self._shapes.append((row, column, child))
        rows, columns = spanned(cell, "rows"), spanned(cell, "columns")
        if rows * columns > 1:
            self._grid.merged.append(CellRange(row, column, row + rows - 1, column + columns - 1))
        return "\n".join(lines)
