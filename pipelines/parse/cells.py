"""The cells of a table as readers give them, brought into order and within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell, Table
from pipelines.parse.pieces import clean
from pipelines.parse.settings import Limits

_LARGEST_SPAN = 10_000
"""Places that one cell may cover; more is a mistake or an attack, and the cell is taken as a single one."""
_SPARSEST = 50
"""Places of a table for each cell allowed: renderings are dense, a table must not be much larger than its cells."""


def tidy_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells in row-major order with clean texts, no two on one place.

    Of two cells that begin at one place the first stays; a span that runs into another cell is cut to one place,
    one that runs below the last row ends there.
    """
    last_row = max((cell.row for cell in cells), default=0)
    taken: set[tuple[int, int]] = set()
    kept: list[Cell] = []
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        if (cell.row, cell.column) not in taken:
            fitting = _fitting(cell, last_row, taken)
            taken.update(_places(fitting))
            kept.append(replace(fitting, text=clean(cell.text)))
    return tuple(kept)


def _fitting(cell: Cell, last_row: int, taken: set[tuple[int, int]]) -> Cell:
    if cell.row_span == cell.column_span == 1:
        return cell
    rows, columns = max(1, min(cell.row_span, last_row - cell.row + 1)), max(1, cell.column_span)
    fitting = replace(cell, row_span=rows, column_span=columns)
    if rows * columns > _LARGEST_SPAN or not taken.isdisjoint(_places(fitting)):
        return replace(cell, row_span=1, column_span=1)
    return fitting


def _places(cell: Cell) -> list[tuple[int, int]]:
    rows = range(cell.row, cell.row + cell.row_span)
    return [(row, column) for row in rows for column in range(cell.column, cell.column + cell.column_span)]


def table_of(id: str, cells: Sequence[Cell], caption: str, parts: tuple[int, ...], limits: Limits, uri: str) -> Table:
    """Return the table of `cells`, in any order; its size is the least that holds them.

    Of two cells on one place the first stays. Raises `TooLarge` for more cells with text than `limits.cells`.
    """
    kept = tidy_cells(cells)
    if sum(1 for cell in kept if cell.text) > limits.cells:
        raise TooLarge(f"a table of more than {limits.cells} cells", ids=(uri,))
    rows = max((cell.row + cell.row_span for cell in kept), default=0)
    columns = max((cell.column + cell.column_span for cell in kept), default=0)
    if rows * columns > _SPARSEST * limits.cells:
        raise TooLarge(f"a table of {rows} by {columns} places", ids=(uri,))
    return Table(id, rows, columns, kept, clean(caption), parts)
