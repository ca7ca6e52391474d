"""Tables of OpenDocument, and what its frames hold: pictures, charts, equations."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.drawing import meaningful
from pipelines.parse.office.headers import with_deep_header
from pipelines.parse.office.media import image_of
from pipelines.parse.office.odf.document import qualified
from pipelines.parse.office.odf.inline import plain_text
from pipelines.parse.office.ooxml import Element, local, read_xml
from pipelines.parse.office.package import Package

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_DIGITS = 9
"""Digits from which a count is an attack; a sheet has 1,048,576 rows."""
_LONGEST_SPAN = 1_000
"""Rows or columns that a cell may cover; more is an attack."""
_HREF = qualified("xlink:href")


def repeated(element: Element, what: str) -> int:
    """Return how often a row or cell stands; `what` is rows or columns."""
    text = element.get(qualified(f"table:number-{what}-repeated"), "1")
    return max(1, int(text)) if text.isdigit() and len(text) < _DIGITS else 1


def spanned(element: Element, what: str) -> int:
    """Return how many rows or columns a cell covers."""
    text = element.get(qualified(f"table:number-{what}-spanned"), "1")
    return min(max(1, int(text)), _LONGEST_SPAN) if text.isdigit() and len(text) < _DIGITS else 1


def rows_of(table: Element, header: bool = False) -> Iterator[tuple[Element, bool]]:
    """Yield the rows of a table, and whether they are repeated as headers."""
    for child in table:
        name = local(child)
        if name == "table-row":
            yield child, header
        elif name in _GROUPS:
            yield from rows_of(child, header or name == "table-header-rows")


def read_table(table: Element, text_of: Callable[[Element], tuple[str, bool]], most: int) -> list[Cell]:
    """Return the cells; `text_of` gives the text of a cell and whether it is rich, and is asked in reading order.

    Without rows marked as headers the first row is one. Repeated rows and cells without text are only counted.
    Raises `TooLarge` for more than `most` cells.
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
    """Appends what frames hold besides text."""

    def __init__(self, package: Package, builder: DocumentBuilder) -> None:
        self._package = package
        self._builder = builder
        self._most = builder.settings.limits.cells

    def add(self, frame: Element, place: Place, *, with_data: bool = True) -> None:
        """Append the first picture or object of a frame; the others are the same in other formats.

        `with_data` says whether a chart's data is wanted as a table.
        """
        text = meaningful(_text_of(frame, "desc") or _text_of(frame, "title"))
        for child in frame:
            href = child.get(_HREF, "")
            if local(child) in ("table", "text-box"):
                return
            if local(child) == "object" and self._object(child, href, text, place, with_data):
                return
            if local(child) == "image":
                self._picture(href, text, place)
                return

    def _picture(self, href: str, text: str, place: Place) -> None:
        data = self._package.find(posixpath.normpath(href)) if href and "://" not in href else b""
        if data or text:
            self._builder.figure(image_of(data, text), place)

    def _object(self, element: Element, href: str, text: str, place: Place, with_data: bool) -> bool:
        """Append an embedded object; whether it was one that is understood."""
        root = (
            element
            if len(element)
            else read_xml(self._package, posixpath.join(posixpath.normpath(href), "content.xml"))
        )
        if root is None:
            return False
        formula = next(root.iter(qualified("math:math")), None)
        if formula is not None:
            return self._formula(formula, place)
        chart = next(root.iter(qualified("chart:chart")), None)
        if chart is None:
            return False
        self._chart(chart, text, place, with_data)
        return True

    def _formula(self, formula: Element, place: Place) -> bool:
        written = next((node for node in formula.iter(qualified("math:annotation"))), None)
        text = (written.text or "") if written is not None else " ".join("".join(map(str, formula.itertext())).split())
        return self._builder.formula(text, place)

    def _chart(self, chart: Element, text: str, place: Place, with_data: bool) -> None:
        title = _title(chart)
        kind = chart.get(qualified("chart:class"), "").rpartition(":")[2].capitalize()
        self._builder.figure(Image(description=f"{kind} chart {text}".strip()), place)
        self._builder.caption(title, place)
        data = chart.find(qualified("table:table")) if with_data else None
        if data is not None:
            self._builder.table(
                read_table(data, lambda cell: (plain_text(cell), False), self._most), place, caption=title
            )


def _title(chart: Element) -> str:
    found = chart.find(qualified("chart:title"))
    return plain_text(found) if found is not None else ""


def _text_of(frame: Element, name: str) -> str:
    return frame.findtext(qualified(f"svg:{name}")) or ""
