"""Tables on a sheet split into cells that touch: the convention of evaluation files, which know no table with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pipelines.core.document import Block
from pipelines.core.table import Cell, Table
from pipelines.parse.office.ranges import CellRange, parse_range
from pipelines.parse.office.regions import connected


def touching_tables(block: Block) -> Iterator[Block]:
    """Yield a block, once for each part of its table whose cells touch if it is on a sheet."""
    table, area = block.table, parse_range(block.provenance.cells)
    if table is None or area is None:
        yield block
        return
    cells = [cell for cell in table.cells if cell.text or cell.row_span * cell.column_span > 1]
    covered = {place: cell for cell in cells for place in _range(cell).cells()}
    merged = [list(_range(cell).cells()) for cell in cells]
    parts = [{id(covered[place]): covered[place] for place in part} for part in connected(covered, merged)]
    for part in parts if len(parts) > 1 else ():
        yield _part(block, table, area, list(part.values()))
    if len(parts) < 2:
        yield block


def _range(cell: Cell) -> CellRange:
    return CellRange(cell.row, cell.column, cell.row + cell.row_span - 1, cell.column + cell.column_span - 1)


def _part(block: Block, table: Table, area: CellRange, cells: list[Cell]) -> Block:
    ranges = [_range(cell) for cell in cells]
    top, left = min(one.top for one in ranges), min(one.left for one in ranges)
    bottom, right = max(one.bottom for one in ranges), max(one.right for one in ranges)
    moved = tuple(replace(cell, row=cell.row - top, column=cell.column - left) for cell in cells)
    at = CellRange(area.top + top, area.left + left, area.top + bottom, area.left + right)
    part = replace(table, rows=bottom - top + 1, columns=right - left + 1, cells=moved)
    return replace(block, table=part, provenance=replace(block.provenance, cells=str(at)))
