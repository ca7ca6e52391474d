"""Tables as cells with spans, and their renderings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pipelines.core.provenance import Box

_SIGNS = "+-−±<>≤≥~≈ "
"""What stands before a number."""
_LOOKED_AT = 60
"""Rows from the top that tell what the columns of a table hold."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell at (row, column), both from 0, covering `row_span` by `column_span` places.

    `address` is its name on a sheet ("B3"). `rich` says that it holds more than one plain run of text: paragraphs, a
    list, links, formatting; its text has a line for each piece. `also` is a number in its other form, where a sheet
    shows another than it stores: "$1,234.50" with the text "1234.5".
    """

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    boxes: tuple[Box, ...] = ()
    address: str = ""
    rich: bool = False
    also: str = ""

    @property
    def told(self) -> str:
        """The text in one line, with its other form."""
        text = " ".join(self.text.split())
        return f"{text} ({self.also})" if self.also else text


@dataclass(frozen=True, slots=True)
class Table:
    """A table of `rows` by `columns`; cells in row-major order, no two on one place.

    `parts` are the row numbers at which a table that runs over several pages begins on each of them, so that
    merging it can be undone; (0,) for a table on one page.
    """

    id: str
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    caption: str = ""
    parts: tuple[int, ...] = (0,)

    @property
    def header_rows(self) -> int:
        """The number of leading rows in which every cell is a header."""
        count = 0
        while count < self.rows:
            row = [cell for cell in self.cells if cell.row == count]
            if not row or not all(cell.header for cell in row):
                break
            count += 1
        return count

    @property
    def begins_with_data(self) -> bool:
        """Whether no row is marked as a header and the first is not one either (`is_data`)."""
        return self.header_rows == 0 and is_data(self.cells)

    def grid(self) -> list[list[str]]:
        """Return the texts, row by row; a spanning cell stands in its top left place, the rest is empty."""
        places = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            places[cell.row][cell.column] = cell.text
        return places

    def lines(self) -> Iterator[str]:
        """Yield each row as one line, cells divided by ` | `: how a table stands in a document's text."""
        places = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            places[cell.row][cell.column] = cell.told
        for row in places:
            yield " | ".join(row).strip()

    def to_text(self) -> str:
        return "\n".join(self.lines())

    def to_markdown(self) -> str:
        rows = [[" ".join(text.split()).replace("|", "\\|") for text in row] for row in self.grid()]
        if not rows:
            return ""
        rule = ["---"] * self.columns
        return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]])

    def to_html(self) -> str:
        rows = "".join(f"<tr>{self._row_html(number)}</tr>" for number in range(self.rows))
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{caption}{rows}</table>"

    def _row_html(self, number: int) -> str:
        return "".join(_cell_html(cell) for cell in self.cells if cell.row == number)


def is_data(cells: Sequence[Cell]) -> bool:
    """Whether the first row of a table, given in row-major order, is data as those below it are and names no columns.

    It has a digit in each cell, as two thirds of the cells below each have: a list of parts without a header. Where
    there are two columns, its second cell begins with a number as most below it do: names with their values. The years
    or types above a table of values are a header: the first column has none.
    """
    columns: dict[int, list[str]] = {}
    for cell in cells:
        if cell.text and cell.row < _LOOKED_AT:
            columns.setdefault(cell.column, []).append(cell.text)
    first = [cell for cell in cells if cell.text and cell.row == 0]
    if len(first) < 2 or first[0].column != 0:
        return False
    told = [columns[cell.column] for cell in first]
    if len(columns) == 2 and _are_mostly(_begins_with_number, told[1]):
        return True
    return all(_are_mostly(_has_digit, texts) for texts in told)


def _are_mostly(are: Callable[[str], bool], texts: Sequence[str]) -> bool:
    """Whether the first text is such a one, and two thirds of those below it, of which there are some."""
    return are(texts[0]) and len(texts) > 1 and 3 * sum(map(are, texts[1:])) >= 2 * len(texts[1:])


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _begins_with_number(text: str) -> bool:
    return text.lstrip(_SIGNS)[:1].isdigit()


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    return f"<{tag}{spans}>{escape(cell.text)}</{tag}>"
