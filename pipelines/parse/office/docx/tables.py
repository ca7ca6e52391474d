"""Tables of Word: cells with spans, from rows that state the widths of their cells (ECMA-376 1, 17.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell, is_data
from pipelines.parse.office.docx.styles import as_int
from pipelines.parse.office.header_rows import with_deep_header
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, is_on, qualified, value

_ROW, _CELL, _TABLE = qualified("w:tr"), qualified("w:tc"), qualified("w:tbl")
_WRAPPERS = frozenset(
    qualified(f"w:{name}") for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")
)
_RICH = tuple(
    qualified(f"w:{name}")
    for name in ("numPr", "hyperlink", "drawing", "pict", "tbl", "b", "i", "u", "strike", "vertAlign", "highlight")
)
_MOST_COLUMNS = 1_000
"""Maximum columns that a cell may span; Word allows 63."""


@dataclass(frozen=True, slots=True)
class CellText:
    """The text of a cell; it is `rich` if it is more than one plain paragraph."""

    text: str
    rich: bool = False


@dataclass(slots=True)
class _OpenCell:
    """A cell that rows below may continue by a vertical merge."""

    row: int
    column: int
    width: int
    text: str
    header: bool
    rich: bool = False
    height: int = 1

    def close(self) -> Cell:
        return Cell(self.row, self.column, self.text, self.height, self.width, self.header, rich=self.rich)


def unwrapped_children(parent: Element, *tags: str) -> Iterator[Element]:
    """Yield the children with one of the tags, including those in content controls and tracked insertions."""
    for child in children(parent):
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from unwrapped_children(child, *tags)


def table_rows(table: Element) -> list[Element]:
    """Return the rows that are not deleted by a tracked change."""
    return [row for row in unwrapped_children(table, _ROW) if row.find("w:trPr/w:del", NAMESPACES) is None]


def row_cells(row: Element) -> list[Element]:
    return list(unwrapped_children(row, _CELL))


def is_frame(table: Element) -> bool:
    """Whether a table is only a frame around text: one row of one cell."""
    rows = table_rows(table)
    return len(rows) == 1 and len(row_cells(rows[0])) == 1


def is_formatted(cell: Element) -> bool:
    """Whether a cell has a list, a link, a picture, or formatted text."""
    off = ("0", "false", "off", "none", "baseline")
    return any(mark.get(qualified("w:val")) not in off for mark in cell.iter(*_RICH))


def read_table(table: Element, text_of: Callable[[Element], CellText], most: int) -> list[Cell]:
    """Return the cells of a table; `text_of` returns the text of a `w:tc` and is called in reading order.

    Header cells are those in rows marked as repeated headers, or in the first row if no row is marked, unless it is
    data like those below it. Raises `TooLarge` for more than `most` cells.
    """
    rows = table_rows(table)
    marked = _header_rows(rows)
    headers = marked or 1
    done: list[_OpenCell] = []
    above: dict[int, _OpenCell] = {}
    for number, row in enumerate(rows):
        above = _read_row(row, number, number < headers, above, done, text_of)
        if len(done) > most:
            raise TooLarge(f"a table of more than {most} cells")
    cells = [cell.close() for cell in done]
    if not marked and is_data(cells):
        return [replace(cell, header=False) for cell in cells]
    return with_deep_header(cells)


def _header_rows(rows: list[Element]) -> int:
    """Return the number of rows that are marked as headers, 0 if all are."""
    count = 0
    while count < len(rows) and is_on(rows[count], "w:trPr/w:tblHeader"):
        count += 1
    return count if count < len(rows) else 0


def _read_row(
    row: Element,
    number: int,
    header: bool,
    above: dict[int, _OpenCell],
    done: list[_OpenCell],
    text_of: Callable[[Element], CellText],
) -> dict[int, _OpenCell]:
    """Append the row's cells to `done` and return those that the next row may continue, by column."""
    column = as_int(value(row, "w:trPr/w:gridBefore")) or 0
    open_cells: dict[int, _OpenCell] = {}
    last: _OpenCell | None = None
    if column:  # the row skips its first columns, which are one empty cell
        done.append(_OpenCell(number, 0, column, "", header))
    for element in row_cells(row):
        width = min(max(1, as_int(value(element, "w:tcPr/w:gridSpan")) or 1), _MOST_COLUMNS)
        content = text_of(element)
        if _merge(element, "hMerge") == "continue" and last is not None:
            last.width += width
        else:
            cell = _OpenCell(number, column, width, content.text, header, content.rich)
            last = _add_or_extend(element, cell, above, done)
            open_cells[column] = last
        column += width
    return open_cells


def _add_or_extend(element: Element, cell: _OpenCell, above: dict[int, _OpenCell], done: list[_OpenCell]) -> _OpenCell:
    """Append the cell to `done` and return it, or extend and return the cell above that it continues."""
    upper = above.get(cell.column)
    if _merge(element, "vMerge") == "continue" and upper is not None and upper.width == cell.width:
        upper.height += 1
        if cell.text:
            upper.text, upper.rich = f"{upper.text}\n{cell.text}".strip(), True
        return upper
    done.append(cell)
    return cell


def _merge(cell: Element, name: str) -> str:
    """Return "restart", "continue" or "" for no merge; an element without a value means "continue"."""
    mark = cell.find(f"w:tcPr/w:{name}", NAMESPACES)
    return "" if mark is None else mark.get(qualified("w:val"), "continue")
