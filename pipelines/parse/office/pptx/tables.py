"""Tables of slides (ECMA-376 1, 21.1.3)."""

from __future__ import annotations

from pipelines.core.table import Cell
from pipelines.parse.office.ooxml import NAMESPACES, Element
from pipelines.parse.office.pptx.text import SlideLink, paragraphs

_LONGEST_SPAN = 1_000


def table_cells(table: Element) -> tuple[list[Cell], list[SlideLink]]:
    """Return the cells of an `a:tbl` and their links; the first row is a header where the table's style says so."""
    cells: list[Cell] = []
    links: list[SlideLink] = []
    properties = table.find("a:tblPr", NAMESPACES)
    headed = properties is not None and properties.get("firstRow") in ("1", "true")
    for row, element in enumerate(table.iterfind("a:tr", NAMESPACES)):
        for column, cell in enumerate(element.iterfind("a:tc", NAMESPACES)):
            if _is_covered(cell):
                continue
            body = cell.find("a:txBody", NAMESPACES)
            lines = list(paragraphs(body)) if body is not None else []
            text = "\n".join(f"${line.text}$" if line.formula else line.text.strip() for line in lines)
            links += [link for line in lines for link in line.links]
            cells.append(Cell(row, column, text, _span(cell, "rowSpan"), _span(cell, "gridSpan"), headed and row == 0))
    return cells, links


def _is_covered(cell: Element) -> bool:
    """Whether a cell only continues one to its left or above it."""
    return cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")


def _span(cell: Element, name: str) -> int:
    text = cell.get(name, "1")
    return min(max(1, int(text)), _LONGEST_SPAN) if text.isdigit() else 1
