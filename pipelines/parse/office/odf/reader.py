"""The readers of ODT, ODP (a page per slide, its frames in reading order) and ODS (a page per sheet)."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.odf.document import OdfStyles, OpenDocument, formats_of, open_document, qualified
from pipelines.parse.office.odf.objects import Objects, plain_text, read_paragraph, repeated, rows_of, spanned
from pipelines.parse.office.odf.story import OdfStory, annotation_author
from pipelines.parse.office.ooxml import Element, built, local
from pipelines.parse.office.ranges import CellRange
from pipelines.parse.office.shape_order import ShapeFrame, in_reading_order
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


_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px|pc)?")
# Points per unit of length (XSL-FO 1.1, 5.9.13): 72 per inch of 2.54 cm, 0.75 per pixel, 12 per pica.
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0, None: 1.0}
_CLASS = qualified("presentation:class")
_SHAPES = frozenset(
    {"frame", "custom-shape", "g", "rect", "ellipse", "path", "polygon", "polyline", "circle", "line", "connector"}
)
_CLASS_KINDS = {
    "footer": BlockKind.PAGE_FOOTER,
    "date-time": BlockKind.PAGE_FOOTER,
    "page-number": BlockKind.PAGE_FOOTER,
    "header": BlockKind.PAGE_HEADER,
}
_DEFAULT_SIZE = (720.0, 540.0)
"""Points: a slide of 10 by 7.5 inches (4:3), the default of LibreOffice."""


class OdpReader:
    """Reads slides with tables, pictures, charts and notes, and the pages of drawings."""

    formats = (*formats_of("presentation", ".odp"), *formats_of("graphics", ".odg"))
    name = "odp"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            styles, size = OdfStyles(document.styles, document.content), _size(document)
            objects = Objects(document.package, builder)
            for number, slide in enumerate(document.body.findall(qualified("draw:page")), 1):
                builder.page(Page(number, str(number), *size))
                _Slide(number, size, builder, styles, objects).write(slide)
            return built(builder, document.package)


class _Slide:
    """Appends one slide."""

    def __init__(
        self, number: int, size: tuple[float, float], builder: DocumentBuilder, styles: OdfStyles, objects: Objects
    ) -> None:
        self._number = number
        self._size = size
        self._builder = builder
        self._styles = styles
        self._objects = objects

    def write(self, slide: Element) -> None:
        shapes = [child for child in slide if local(child) in _SHAPES]
        titles = [shape for shape in shapes if shape.get(_CLASS) == "title"]
        others = [shape for shape in shapes if shape.get(_CLASS) != "title"]
        for shape in [*titles, *in_reading_order(others, self._frame)]:
            self._shape(shape)
        notes = slide.find(qualified("presentation:notes"))
        for frame in notes.iter(qualified("draw:frame")) if notes is not None else ():
            if frame.get(_CLASS) == "notes":
                self._builder.note(plain_text(frame), Place(self._number))

    def _shape(self, shape: Element) -> None:
        kind, place = shape.get(_CLASS, ""), Place(self._number, boxes=self._boxes(shape))
        if kind in _CLASS_KINDS:
            self._builder.furniture(_CLASS_KINDS[kind], plain_text(shape), place)
        elif kind == "title":
            self._builder.heading(" ".join(plain_text(shape).split()), 1, place)
        else:
            OdfStory(self._builder, self._styles, self._objects, place).shape(shape)

    def _frame(self, shape: Element) -> ShapeFrame:
        left, top, width, height = (
            _points(shape.get(qualified(f"svg:{name}"))) for name in ("x", "y", "width", "height")
        )
        across, down = self._size
        return ShapeFrame(left / across, top / down, (left + width) / across, (top + height) / down)

    def _boxes(self, shape: Element) -> tuple[Box, ...]:
        frame = self._frame(shape)
        left, top, right, bottom = (
            min(1.0, max(0.0, edge)) for edge in (frame.left, frame.top, frame.right, frame.bottom)
        )
        return (Box(self._number, left, top, right, bottom),) if left < right and top < bottom else ()


def _points(length: str | None) -> float:
    match = _LENGTH.fullmatch((length or "").strip())
    return float(match.group(1)) * _POINTS[match.group(2)] if match and match.group(1).count(".") < 2 else 0.0


def _size(document: OpenDocument) -> tuple[float, float]:
    """Return width and height of the slides in points from the layout of the first master page."""
    styles = document.styles
    master = next(styles.iter(qualified("style:master-page")), None)
    name = master.get(qualified("style:page-layout-name")) if master is not None else None
    for layout in styles.iter(qualified("style:page-layout")):
        properties = layout.find(qualified("style:page-layout-properties"))
        if layout.get(qualified("style:name")) == name and properties is not None:
            width, height = (_points(properties.get(qualified(f"fo:page-{side}"))) for side in ("width", "height"))
            return (width, height) if width > 0 and height > 0 else _DEFAULT_SIZE
    return _DEFAULT_SIZE


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
        self._shapes += [(0, 0, shape) for shape in shapes if local(shape) in _SHAPES] if shapes is not None else []
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
            elif name in _SHAPES:
                self._shapes.append((row, column, child))
        rows, columns = spanned(cell, "rows"), spanned(cell, "columns")
        if rows * columns > 1:
            self._grid.merged.append(CellRange(row, column, row + rows - 1, column + columns - 1))
        return "\n".join(lines)
