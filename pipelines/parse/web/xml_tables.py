"""Tables of XML (CALS, HTML, DITA, TEI) as tables of HTML."""

from __future__ import annotations

from typing import Final

from lxml import etree

from pipelines.parse.web.dom import text_of
from pipelines.parse.web.xml_names import Node, XmlNames, attributes_of, name_of

PARTS: Final = frozenset({"table", "thead", "tbody", "tr"})
"""Elements of HTML that contain only parts of a table."""
_ROWS: Final = ("row", "heading_row")
_CELLS: Final = ("cell", "heading_cell")
_HEADING: Final = ("label", "head", "header")
"""Values of the attribute `role` of a heading cell or row (TEI)."""
_DIGITS = 6
"""Number of digits at which the value of a span is ignored as an attack."""


class XmlTables:
    """Opens the parts of tables, and knows the names of their columns, by which CALS tables tell spans."""

    def __init__(self, names: XmlNames) -> None:
        self._names = names
        self._columns: dict[Node, list[str]] = {}
        self._filled: set[Node] = set()

    def role(self, out: Node, element: Node) -> str:
        """Return the role of an element in the table that `out` belongs to; empty outside of tables."""
        return self._names.cells.get(name_of(element), "") if out.tag in PARTS else ""

    def is_table(self, element: Node) -> bool:
        """Whether an element has rows with cells."""
        cells = self._names.cells
        rows = (one for one in element.iter(etree.Element) if cells.get(name_of(one)) in _ROWS)
        return any(cells.get(name_of(cell)) in _CELLS for row in rows for cell in row)

    def opened(self, out: Node, element: Node, role: str) -> Node:
        """Return the part of a table in which the content of `element` goes; `out` for one without an own."""
        if role in _CELLS:
            return self._cell(out, element, heading=role == "heading_cell")
        if role in _ROWS:
            self._filled.add(table_of(out))
        if role == "heading_row":
            return etree.SubElement(etree.SubElement(out, "thead"), "tr")
        if role == "row":
            return etree.SubElement(out, "tr")
        if role == "head":
            return etree.SubElement(out, "thead")
        if name_of(element) == "tgroup":
            return self._group(out, element)
        return etree.SubElement(out, "tbody")

    def _group(self, out: Node, group: Node) -> Node:
        """Return the table of a CALS group: the second group of a table is a table of its own."""
        parent = out.getparent()
        table = etree.SubElement(parent, "table") if parent is not None and out in self._filled else out
        columns = [child for child in group if name_of(child) == "colspec"]
        self._columns[table] = [column.get("colname") or str(place) for place, column in enumerate(columns, 1)]
        return table

    def _cell(self, row: Node, element: Node, *, heading: bool) -> Node:
        marked = any(one.get("role") in _HEADING for one in (element, element.getparent()) if one is not None)
        cell = etree.SubElement(row, "th" if heading or marked else "td")
        height = _number(element, "rowspan", "rows") or _number(element, "morerows") + 1
        width = _number(element, "colspan", "cols") or self._width(row, element)
        for name, value in (("rowspan", height), ("colspan", width)):
            if value > 1:
                cell.set(name, str(value))
        return cell

    def _width(self, row: Node, element: Node) -> int:
        """Return the number of columns from `namest` to `nameend` (CALS)."""
        columns = self._columns.get(table_of(row), [])
        first, last = element.get("namest"), element.get("nameend")
        if first not in columns or last not in columns:
            return 1
        return columns.index(last) - columns.index(first) + 1


def add_caption(out: Node, element: Node) -> None:
    """Set the caption of the table that `out` belongs to, or add to it."""
    table = table_of(out)
    caption = table.find("caption")
    if caption is None:
        caption = etree.Element("caption")
        table.insert(0, caption)
    part = etree.SubElement(caption, "span")
    part.text, part.tail = text_of(element), " "


def table_of(out: Node) -> Node:
    """Return the table that a part belongs to, which may be the table."""
    return out if out.tag == "table" else next(out.iterancestors("table"))


def _number(element: Node, *names: str) -> int:
    value = next((value for name, value in attributes_of(element) if name in names), "")
    return int(value) if value.isdecimal() and len(value) < _DIGITS else 0
