"""The reader of XLSX and XLSM: all sheets in order, each from top to bottom, with floating drawings and comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import BlockKind, ReferenceKind, Source
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.charts import Chart
from pipelines.parse.office.drawing import (
    ChartItem,
    DiagramItem,
    Graphics,
    PictureItem,
    WordArtItem,
    alternative_text,
    drawing_items,
)
from pipelines.parse.office.embedded import append_embedded
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.ooxml import (
    NAMESPACES,
    Element,
    built,
    children,
    core_properties,
    local,
    main_part,
    qualified,
    read_xml,
    related,
    relationships,
)
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import plain_text
from pipelines.parse.office.ranges import CellRange, parse_range
from pipelines.parse.office.xlsx.workbook import (
    SheetEntry,
    SheetLink,
    Workbook,
    Worksheet,
    read_sheet,
    read_workbook,
    rich_text,
)
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings


class SheetPage:
    """Reads and appends the sheet of `entry`; `number` is its number from 1."""

    def __init__(
        self, package: Package, workbook: Workbook, entry: SheetEntry, number: int, builder: DocumentBuilder
    ) -> None:
        self._package = package
        self._workbook = workbook
        self._entry = entry
        self._builder = builder
        self._sheet = SheetBuilder(builder, number, entry.name)
        self._links = relationships(package, entry.part)

    def write(self) -> None:
        if self._entry.part not in self._package:
            self._sheet.page(hidden=self._entry.hidden, issue="the sheet is missing")
            return
        sheet = self._read()
        self._sheet.page(hidden=self._entry.hidden, issue=sheet.grid.issue)
        for name, text in sheet.margins:
            kind = BlockKind.PAGE_FOOTER if "Footer" in name else BlockKind.PAGE_HEADER
            self._builder.furniture(kind, text, new_words=1)
        regions = sheet.grid.regions()
        pieces: list[tuple[int, int, SheetTable | FloatingItem]] = [
            (region.area.top, region.area.left, region) for region in regions
        ]
        pieces += [
            (item.row, item.column, item) for part in sheet.drawings for item in floating_items(self._package, part)
        ]
        if pieces and are_named(entry.name for entry in self._workbook.sheets):
            self._sheet.heading()
        for _, _, piece in sorted(pieces, key=lambda piece: piece[:2]):
            if isinstance(piece, SheetTable):
                self._table(piece, sheet)
            else:
                self._add_floating(piece)
        for comment in cell_comments(self._package, self._entry.part):
            self._sheet.comment(comment.text, comment.author, parse_range(comment.cell), regions)

    def _read(self) -> Worksheet:
        most = self._builder.settings.limits.cells
        if self._entry.kind != "worksheet":
            return Worksheet(SheetGrid(most), drawings=related(self._package, self._entry.part, "drawing"))
        sheet = read_sheet(self._package, self._entry.part, self._workbook, most)
        for part in related(self._package, self._entry.part, "table"):
            root = read_xml(self._package, part)
            if root is not None and (found := parse_range(root.get("ref", ""))) is not None:
                sheet.grid.tables.append(found)
        sheet.drawings = related(self._package, self._entry.part, "drawing")
        return sheet

    # -- tables

    def _table(self, region: SheetTable, sheet: Worksheet) -> None:
        if not self._sheet.table(region):
            return
        for link in sheet.links:
            if region.area.contains(link.row, link.column):
                self._add_link(link, sheet.grid.texts.get((link.row, link.column), ""))

    def _add_link(self, link: SheetLink, evidence: str) -> None:
        found = self._links.get(link.relationship)
        target = link.address or (found.target if found is not None and found.external else "")
        if target:
            target = f"{target}#{link.location}" if link.location else target
            self._builder.reference(ReferenceKind.HYPERLINK, target, evidence)
        elif link.location:
            self._builder.reference(ReferenceKind.CROSS_REFERENCE, link.location, evidence)

    # -- drawings

    def _add_floating(self, floating: FloatingItem) -> None:
        place = self._sheet.place(CellRange(floating.row, floating.column, floating.row, floating.column))
        graphics = Graphics(self._package, relationships(self._package, floating.part), self._builder)
        if isinstance(floating.item, ChartItem):
            chart = graphics.read_chart(floating.item.relationship)
            if chart is not None and self._is_from_workbook(chart):
                self._chart(chart, place)
                return
        graphics.add(floating.item, place)

    def _is_from_workbook(self, chart: Chart) -> bool:
        """Whether a chart's data are cells of this workbook, which are read as a table anyway."""
        names = {entry.name for entry in self._workbook.sheets}
        sources = [series.source.rpartition("!")[0].strip("'").replace("''", "'") for series in chart.series]
        return bool(sources) and all(source in names for source in sources)

    def _chart(self, chart: Chart, place: Place) -> None:
        sources = ", ".join(dict.fromkeys(series.source.replace("$", "") for series in chart.series))
        self._builder.figure(Image(description=f"{chart.summary} ({sources})"), place)
        if chart.title:
            self._builder.caption(chart.title, place)


class XlsxReader:
    """Reads tables, charts, pictures, text boxes, comments and embedded files of all sheets, also of hidden ones."""

    formats = (
        signed("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", also=(".xlsm",)),
        signed("application/vnd.ms-excel.sheet.macroenabled.12", ".xlsm"),
    )
    name = "xlsx"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            builder = DocumentBuilder(source, settings, self.name, core_properties(package))
            workbook = read_workbook(package, main_part(package, "xl/workbook.xml"))
            for number, entry in enumerate(workbook.sheets, 1):
                SheetPage(package, workbook, entry, number, builder).write()
            append_embedded(package, builder)
            return built(builder, package)


_ANCHORS = frozenset({"twoCellAnchor", "oneCellAnchor", "absoluteAnchor"})
_BODY = qualified("xdr:txBody")
_THREAD_PLACEHOLDER = "[Threaded comment]"


@dataclass(frozen=True, slots=True)
class FloatingItem:
    """A drawing on a sheet; `part` is the drawing part, row and column (from 0) are those of its top left corner."""

    part: str
    row: int
    column: int
    item: ChartItem | DiagramItem | PictureItem | WordArtItem


def floating_items(package: Package, part: str) -> list[FloatingItem]:
    """Return the items of a drawing part, from top to bottom."""
    root = read_xml(package, part)
    found = []
    for anchor in children(root) if root is not None else ():
        if local(anchor) in _ANCHORS:
            row, column = _corner(anchor, "row"), _corner(anchor, "col")
            found += [FloatingItem(part, row, column, item) for item in _items(anchor)]
    return sorted(found, key=lambda item: (item.row, item.column))


def _items(anchor: Element) -> Iterator[ChartItem | DiagramItem | PictureItem | WordArtItem]:
    for child in children(anchor):
        name = local(child)
        if name == "grpSp":
            yield from _items(child)
        elif name == "sp":
            body = child.find(_BODY)
            text = plain_text(body) if body is not None else ""
            if text:
                yield WordArtItem(text)
        elif name in ("pic", "graphicFrame"):
            for item in drawing_items(child, alternative_text(next(child.iter(qualified("xdr:cNvPr")), None))):
                if isinstance(item, ChartItem | DiagramItem | PictureItem):
                    yield item


def _corner(anchor: Element, name: str) -> int:
    found = anchor.find(f"xdr:from/xdr:{name}", NAMESPACES)
    text = (found.text or "").strip() if found is not None else ""
    return int(text) if text.isdigit() else 0


@dataclass(frozen=True, slots=True)
class CellComment:
    """A comment on a cell."""

    cell: str
    author: str
    text: str


def cell_comments(package: Package, sheet: str) -> list[CellComment]:
    """Return the comments of a sheet; those of threads are read from the thread, not from its placeholder comment."""
    found = []
    for part in related(package, sheet, "threadedComment"):
        root = read_xml(package, part)
        people = _people(package)
        for comment in root if root is not None else ():
            text = next((child.text or "" for child in comment if local(child) == "text"), "")
            found.append(CellComment(comment.get("ref", ""), people.get(comment.get("personId", ""), ""), text.strip()))
    for part in related(package, sheet, "comments"):
        root = read_xml(package, part)
        found += (
            [note for note in _notes(root) if not note.text.startswith(_THREAD_PLACEHOLDER)] if root is not None else []
        )
    return [comment for comment in found if comment.text]


def _notes(root: Element) -> list[CellComment]:
    authors = [author.text or "" for author in root.iterfind("x:authors/x:author", NAMESPACES)]
    notes = []
    for comment in root.iter(qualified("x:comment")):
        number = comment.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        body = comment.find("x:text", NAMESPACES)
        text = rich_text(body).strip() if body is not None else ""
        author = author.strip() if not author.startswith("tc=") else ""
        notes.append(CellComment(comment.get("ref", ""), author, text.removeprefix(f"{author}:").strip()))
    return notes


def _people(package: Package) -> dict[str, str]:
    people = {}
    for name in package.names():
        if name.startswith("xl/persons/") and name.endswith(".xml"):
            root = read_xml(package, name)
            for person in root if root is not None else ():
                people[person.get("id", "")] = person.get("displayName", "")
    return people
