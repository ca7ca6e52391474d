"""A table of cells as they come, within the limits."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell, Table
from pipelines.parse.cleaning import clean
from pipelines.parse.settings import Limits
from pipelines.parse.tidy import tidy_cells

_SPARSEST = 50
"""Places of a table for each cell allowed: renderings are dense, a table must not be much larger than its cells."""


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
