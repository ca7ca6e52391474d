"""Tables of sheets that are wider than a page: the columns that did not fit are on the next page, at the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipelines.core.document import BlockKind
from pipelines.core.table import Cell
from pipelines.parse.pdf.items import LEAST_BOTTOM, PageItem, columns

_SAME_TOP = 0.004
"""Maximum distance of the tops of a row on both pages, as a share of the page's height: 3 points."""
_LEAST_ROWS = 3
"""Minimum rows in common: a header and two rows."""
_MOST_LEFT_FREE = 0.03
"""Maximum share of the page's width that would be left free if the first part had one column more: 18 points."""


def merge_pages_beside(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with the tables joined whose further columns are on the next page.

    The rows of the second part are at the heights of rows of the first one, which ends above the last third of its
    page, so that the table does not go on below, and has no room for a further column. The second part is at the top of
    its page, and has none of the first part's column names. Pages of one form, such as data sheets alike, are not
    joined.
    """
    merged: list[PageItem] = []
    tables: dict[int, list[int]] = {}
    with_text: set[int] = set()
    for item in items:
        if item.kind is not BlockKind.TABLE:
            with_text.add(item.page)
            merged.append(item)
            continue
        before = tables.get(item.page - 1, []) if item.page not in with_text else []
        left = next((at for at in before if _is_beside(merged[at], item)), len(merged))
        merged[left : left + 1] = [_joined(merged[left], item) if left < len(merged) else item]
        tables.setdefault(item.page, []).append(left)
    return merged


def _is_beside(left: PageItem, right: PageItem) -> bool:
    last, first = left.boxes[-1], right.boxes[0]
    if first.page != last.page + 1 or last.bottom > LEAST_BOTTOM or _has_room(left, right):
        return False
    at_edge = abs(first.left - left.boxes[0].left) < _SAME_TOP
    rows = _rows_by_top(left.cells, right.cells)
    names = {cell.text for cell in left.cells if cell.text and cell.row == min(rows.values(), default=0)}
    repeated = any(cell.text in names for cell in right.cells if cell.row == 0)
    return at_edge and len(rows) >= _LEAST_ROWS and not repeated and not _are_of_one_form(left.cells, right.cells)


def _has_room(left: PageItem, right: PageItem) -> bool:
    """Whether the first column of the second part would have been beside the first part, within the same margins."""
    starts = [cell.boxes[0].left for cell in right.cells if cell.boxes and cell.column == 1]
    first, margin = right.boxes[0], left.boxes[0].left
    width = min(starts, default=first.right) - first.left
    return left.boxes[-1].right + width + _MOST_LEFT_FREE < 1 - margin


def _are_of_one_form(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
    """Whether two tables have texts in common in their first columns."""
    names, others = ({cell.text for cell in cells if cell.column == 0 and cell.text} for cells in (one, other))
    return not names.isdisjoint(others)


def _rows_by_top(left: Sequence[Cell], right: Sequence[Cell]) -> dict[int, int]:
    """Return the row of the first part beside each row of the second part; nothing if one has none."""
    tops, others = _tops(left), _tops(right)
    found = {row: min(tops, key=lambda number: abs(tops[number] - top)) for row, top in others.items() if tops}
    beside = all(abs(tops[found[row]] - top) <= _SAME_TOP for row, top in others.items() if row in found)
    return found if beside and len(set(found.values())) == len(found) else {}


def _tops(cells: Sequence[Cell]) -> Mapping[int, float]:
    """Return the top of each row that cells with a place begin in."""
    found: dict[int, float] = {}
    for cell in cells:
        if cell.boxes:
            found[cell.row] = min(found.get(cell.row, 1.0), cell.boxes[0].top)
    return found


def _joined(left: PageItem, right: PageItem) -> PageItem:
    rows, across = _rows_by_top(left.cells, right.cells), columns(left.cells)
    headers = {cell.row for cell in left.cells if cell.header} | {rows[cell.row] for cell in right.cells if cell.header}
    beside = (replace(cell, row=rows[cell.row], column=cell.column + across) for cell in right.cells)
    cells = sorted((*left.cells, *beside), key=lambda cell: (cell.row, cell.column))
    return replace(
        left,
        text=f"{left.text}\n{right.text}",
        cells=tuple(replace(cell, header=cell.row in headers) for cell in cells),
        boxes=left.boxes + right.boxes,
        pointers=left.pointers + right.pointers,
    )
