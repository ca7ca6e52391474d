"""Content of OpenDocument: paragraphs (OpenDocument 1.3, 6), tables, and frames with pictures, charts, formulas."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pipelines.core.document import ReferenceKind
from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell, is_data
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.charts import image_of
from pipelines.parse.office.drawing import meaningful
from pipelines.parse.office.embedded import append_file
from pipelines.parse.office.header_rows import with_deep_header
from pipelines.parse.office.odf.document import qualified
from pipelines.parse.office.ooxml import Element, local, read_xml
from pipelines.parse.office.package import Package
from pipelines.parse.pieces import Pointer
from pipelines.parse.web.inline import base64_bytes

SHAPES = frozenset(
    {"frame", "custom-shape", "g", "rect", "ellipse", "path", "polygon", "polyline", "circle", "line", "connector"}
)
"""Elements that draw something on a slide or a sheet."""
_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_MOST_DIGITS = 9
"""Number of digits from which a count is an attack; a sheet has 1,048,576 rows."""
_LONGEST_SPAN = 1_000
"""Maximum rows or columns that a cell may span; more is an attack."""
_HREF = qualified("xlink:href")


def repeated(element: Element, what: str) -> int:
    """Return how often a row or cell is repeated; `what` is "rows" or "columns"."""
    text = element.get(qualified(f"table:number-{what}-repeated"), "1")
    return max(1, int(text)) if text.isdigit() and len(text) < _MOST_DIGITS else 1


def spanned(element: Element, what: str) -> int:
    """Return how many rows or columns a cell spans; `what` is "rows" or "columns"."""
    text = element.get(qualified(f"table:number-{what}-spanned"), "1")
    return min(max(1, int(text)), _LONGEST_SPAN) if text.isdigit() and len(text) < _MOST_DIGITS else 1


def rows_of(table: Element, header: bool = False) -> Iterator[tuple[Element, bool]]:
    """Yield the rows of a table, each with whether it is a header row."""
    for child in table:
        name = local(child)
        if name == "table-row":
            yield child, header
        elif name in _GROUPS:
            yield from rows_of(child, header or name == "table-header-rows")


def read_table(table: Element, text_of: Callable[[Element], tuple[str, bool]], most: int) -> list[Cell]:
    """Return the cells of a table.

    `text_of` returns the text of a cell and whether it is rich; it is called in reading order. If no row is marked as
    a header, the first row is, unless it is data like those below it. Repeated rows and cells without text are only
    counted. Raises `TooLarge` for more than `most` cells.
    """
    rows = list(rows_of(table))
    marked = any(header for _, header in rows)
    cells: list[Cell] = []
    at = 0
    for number, (row, header) in enumerate(rows):
        own = list(_row_cells(row, at, header if marked else number == 0, text_of, most))
        cells += own
        filled = [cell for cell in own if cell.text]
        times = repeated(row, "rows")
        for copy in range(1, min(times, most // len(filled) + 2) if filled else 1):
            cells += [Cell(at + copy, cell.column, cell.text) for cell in filled]
        at += times
        if len(cells) > most:
            raise TooLarge(f"a table of more than {most} cells")
    if not marked and is_data(cells):
        return [replace(cell, header=False) for cell in cells]
    return with_deep_header(cells)


def _row_cells(
    row: Element, number: int, header: bool, text_of: Callable[[Element], tuple[str, bool]], most: int
) -> Iterator[Cell]:
    column = 0
    for cell in row:
        name, times = local(cell), 1
        if name in ("table-cell", "covered-table-cell"):
            times = repeated(cell, "columns")
        if name == "table-cell":
            text, rich = text_of(cell)
            spans = spanned(cell, "rows"), spanned(cell, "columns")
            for copy in range(min(times, most + 1) if text else min(times, 1)):
                yield Cell(number, column + copy, text, *spans, header, rich=rich)
        if name in ("table-cell", "covered-table-cell"):
            column += times


class Objects:
    """Appends the pictures, charts, formulas and embedded tables in frames.

    `with_data` says whether a chart's data are appended as a table: on a sheet they are cells.
    """

    def __init__(self, package: Package, builder: DocumentBuilder, *, with_data: bool = True) -> None:
        self._package = package
        self._builder = builder
        self._with_data = with_data
        self._most = builder.settings.limits.cells

    def add(self, frame: Element, place: Place) -> None:
        """Append the first picture or object of a frame; the others are its alternatives in other formats."""
        text = meaningful(_text_of(frame, "desc") or _text_of(frame, "title"))
        for child in frame:
            href = child.get(_HREF, "")
            if local(child) in ("table", "text-box"):
                return
            if local(child) == "object" and self._object(child, href, text, place):
                return
            if local(child) == "object-ole":
                append_file(self._package.find(posixpath.normpath(href)), posixpath.basename(href), self._builder)
            if local(child) == "image":
                self._picture(child, href, text, place)
                return

    def _picture(self, image: Element, href: str, text: str, place: Place) -> None:
        """Append a picture: a part of the package, or in a flat file the encoded `office:binary-data`."""
        written = image.findtext(qualified("office:binary-data")) or ""
        data = self._package.find(posixpath.normpath(href)) if href and "://" not in href else base64_bytes(written)
        if data or text:
            self._builder.figure(image_of(data, text), place)

    def _object(self, element: Element, href: str, text: str, place: Place) -> bool:
        """Append an embedded object; return whether it is of a supported kind with content.

        Its content is a part of the package, or in a flat file inside the element.
        """
        part = posixpath.join(posixpath.normpath(href), "content.xml")
        root = read_xml(self._package, part) if href else element
        if root is None:
            return False
        formula = next(root.iter(qualified("math:math")), None)
        if formula is not None:
            return self._formula(formula, place)
        chart = next(root.iter(qualified("chart:chart")), None)
        if chart is None:
            read = [self._cells(sheet, place) for sheet in root.iter(qualified("table:table"))]
            read = read or [self._builder.paragraph(plain_text(one), place) for one in root.iter(qualified("text:p"))]
            return any(read)
        self._chart(chart, text, place)
        return True

    def _cells(self, table: Element, place: Place, caption: str = "") -> bool:
        cells = read_table(table, lambda cell: (plain_text(cell), False), self._most)
        return self._builder.table([cell for cell in cells if cell.text], place, caption=caption)

    def _formula(self, formula: Element, place: Place) -> bool:
        written = next((node for node in formula.iter(qualified("math:annotation"))), None)
        text = (written.text or "") if written is not None else " ".join("".join(map(str, formula.itertext())).split())
        return self._builder.formula(text, place)

    def _chart(self, chart: Element, text: str, place: Place) -> None:
        heading = chart.find(qualified("chart:title"))
        title = plain_text(heading) if heading is not None else ""
        kind = chart.get(qualified("chart:class"), "").rpartition(":")[2].capitalize()
        self._builder.figure(Image(description=f"{kind} chart {text}".strip()), place)
        self._builder.caption(title, place)
        data = chart.find(qualified("table:table")) if self._with_data else None
        if data is not None:
            self._cells(data, place, title)


def _text_of(frame: Element, name: str) -> str:
    return frame.findtext(qualified(f"svg:{name}")) or ""


_SPACE = re.compile(r"[ \t\r\n]+")
_CROSS_REFERENCES = frozenset({"bookmark-ref", "reference-ref", "sequence-ref", "note-ref"})
_SKIPPED = frozenset(
    "tracked-changes bookmark-start bookmark-end change change-start change-end ruby-text title desc".split()
)
_DRAWING_NAMES = frozenset("frame custom-shape g rect ellipse line path connector polygon object".split())
_MOST_SPACES = 1_000
"""Maximum spaces of one `text:s`; more are an attack."""


@dataclass(slots=True)
class OdfParagraph:
    """A paragraph's text with its links, notes, comments and drawings; `breaks` counts its page breaks."""

    text: str = ""
    links: list[Pointer] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    comments: list[Element] = field(default_factory=list)
    drawings: list[Element] = field(default_factory=list)
    breaks: int = 0


def read_paragraph(element: Element) -> OdfParagraph:
    """Return the content of a `text:p`, `text:h` or `text:span`, with white space collapsed."""
    content = OdfParagraph()
    parts: list[str] = []
    _walk(element, parts, content)
    content.text = "".join(parts).strip(" ")
    return content


def plain_text(element: Element) -> str:
    """Return the text of all paragraphs below an element, one per line, without notes and comments."""
    tags = (qualified("text:p"), qualified("text:h"))
    lines = [read_paragraph(item).text for item in element.iter(*tags) if not _is_in_note(item, element)]
    return "\n".join(line for line in lines if line)


def _is_in_note(item: Element, top: Element) -> bool:
    parent = item.getparent()
    while parent is not None and parent is not top:
        if local(parent) in ("annotation", "note", "p"):
            return True
        parent = parent.getparent()
    return False


def _walk(element: Element, parts: list[str], content: OdfParagraph) -> None:
    _append_text(element.text, parts)
    for child in element:
        _child(child, parts, content)
        _append_text(child.tail, parts)


def _append_text(text: str | None, parts: list[str]) -> None:
    if not text:
        return
    text = _SPACE.sub(" ", text)
    parts.append(text.lstrip(" ") if not parts or parts[-1].endswith((" ", "\n", "\t")) else text)


def _child(child: Element, parts: list[str], content: OdfParagraph) -> None:
    name = local(child)
    if name in _SKIPPED or not name:
        return
    if name in _CHARACTERS:
        parts.append(_CHARACTERS[name](child))
    elif name == "soft-page-break":
        content.breaks += 1
    elif name == "note":
        content.notes.append(child)
    elif name == "annotation":
        content.comments.append(child)
    elif name in _DRAWING_NAMES:
        content.drawings.append(child)
    else:
        start = len(parts)
        _walk(child, parts, content)
        _link(child, name, "".join(parts[start:]).strip(), content)


def _link(child: Element, name: str, evidence: str, content: OdfParagraph) -> None:
    if name == "a":
        target = child.get(qualified("xlink:href"), "")
        if target.startswith("#"):
            content.links.append(Pointer(ReferenceKind.CROSS_REFERENCE, evidence, evidence))
        elif target:
            content.links.append(Pointer(ReferenceKind.HYPERLINK, target, evidence))
    elif name in _CROSS_REFERENCES and evidence:
        content.links.append(Pointer(ReferenceKind.CROSS_REFERENCE, evidence, evidence))


def _spaces(element: Element) -> str:
    count = element.get(qualified("text:c"), "1")
    return " " * min(int(count), _MOST_SPACES) if count.isdigit() else " "


_CHARACTERS: dict[str, Callable[[Element], str]] = {
    "s": _spaces,
    "tab": lambda element: "\t",
    "line-break": lambda element: "\n",
}
