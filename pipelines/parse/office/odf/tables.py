"""Tables of text documents and slides (OpenDocument 1.3, 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell
from pipelines.parse.office.headers import with_deep_header
from pipelines.parse.office.odf.names import qualified
from pipelines.parse.office.ooxml import Element, local

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_LONGEST_SPAN = 1_000


def repeated(element: Element, what: str) -> int:
    """Return how often a row or cell stands; `what` is rows or columns."""
    text = element.get(qualified(f"table:number-{what}-repeated"), "1")
    return max(1, int(text)) if text.isdigit() and len(text) < 9 else 1


def spanned(element: Element, what: str) -> int:
    """Return how many rows or columns a cell covers."""
    text = element.get(qualified(f"table:number-{what}-spanned"), "1")
    return min(max(1, int(text)), _LONGEST_SPAN) if text.isdigit() and len(text) < 9 else 1


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
