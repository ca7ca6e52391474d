"""How far the header of a table reaches down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.core.table import Cell


def with_deep_header(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells; where the first row has groups of columns above their names, the rows of names are headers too.

    Such a header has a cell over several columns, and one over all of its rows beside it.
    """
    first = [cell for cell in cells if cell.row == 0 and cell.header]
    depth = max((cell.row_span for cell in first), default=1)
    if depth == 1 or all(cell.column_span == 1 for cell in first):
        return list(cells)
    rows = max(cell.row + cell.row_span for cell in cells)
    return [replace(cell, header=True) if cell.row < depth < rows else cell for cell in cells]
