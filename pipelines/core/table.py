"""Tables as cells with row and column spans, and their renderings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from pipelines.core.provenance import Box

_SIGNS = "+-−±<>≤≥~≈ "
"""Characters that may precede a number."""
_LOOKED_AT = 60
"""Number of top rows that are inspected to decide whether a table has a header."""
_LONGEST_UNIT = 9
"""Maximum characters of a unit: "W/(m²·K)" has eight."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_FIELDS = 3
"""Minimum rows of a form: of two, the first may be a header."""
_LEAST_PAIRED = 4
"""Minimum columns of a table of pairs; one of two columns is a list of names with values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell at (row, column), both from 0, covering `row_span` rows and `column_span` columns.

    `address` is its name on a sheet ("B3"). `rich` says that it contains more than one plain run of text: paragraphs, a
    list, links, formatting; its text has one line for each. `also` is the displayed form of a number, if it differs
    from the stored one: "$1,234.50" for the text "1234.5".
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
        """The text as one line, with its displayed form."""
        text = " ".join(self.text.split())
        return f"{text} ({self.also})" if self.also else text


@dataclass(frozen=True, slots=True)
class Table:
    """A table of `rows` by `columns`; cells in row-major order, without overlaps.

    `parts` are the numbers of the first rows on each page of a table that spans several pages, so that it can be split
    again; (0,) for a table on one page.
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
        """Whether no row is marked as a header and the first row is data (`is_data`), or a name with a long text."""
        return self.header_rows == 0 and (is_data(self.cells) or begins_with_text(self.cells))

    def grid(self) -> list[list[str]]:
        """Return the texts row by row; the text of a spanning cell is at its top left position, the rest is empty."""
        places = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            places[cell.row][cell.column] = cell.text
        return places

    def lines(self) -> Iterator[str]:
        """Yield each row as one line, cells separated by ` | `, as in the document's text."""
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
        """Return the table as HTML; each place that no cell covers has an empty one, so that columns stay aligned."""
        places = [["<td></td>"] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            for row in places[cell.row : cell.row + cell.row_span]:
                end = min(self.columns, cell.column + cell.column_span)
                row[cell.column : end] = [""] * (end - cell.column)
            places[cell.row][cell.column] = _cell_html(cell)
        rows = "".join(f"<tr>{''.join(row)}</tr>" for row in places)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return f"<table>{caption}{rows}</table>"


def is_data(cells: Sequence[Cell]) -> bool:
    """Whether the first row of a table, given in row-major order, is data like the rows below and not a header.

    It is if each of its cells contains a digit, like two thirds of the cells below it: a parts list without a header.
    In a table of two columns it is if its second cell begins with a number, like most below it: names with values, also
    with their units in a third column; or if it contains a digit, and half of those below are no numbers: a form
    ("Report no. | IR-118"). So it is in a table of pairs (`has_pairs`). Years or types above a table of
    values are a header, because its first column contains no numbers.
    """
    columns = _columns(cells)
    told = _below_first(cells, columns)
    valued = len(told) == len(columns) and (len(told) == 2 or (len(told) == 3 and _are_units(told)))
    if valued and _are_mostly(begins_with_number, told[1]):
        return True
    if len(told) == len(columns) == 2 and _is_form(*told):
        return True
    return bool(told) and (has_pairs(cells) or all(_are_mostly(has_digit, texts) for texts in told))


def without_group_header(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Return the cells of a table, its first row not as a header if it is a heading of rows as one below it.

    Both are one cell over all columns: "Pump" above the rows of the pump, "Motor" above those of the motor.
    """
    columns = max((cell.column + cell.column_span for cell in cells), default=0)
    whole = [cell for cell in cells if cell.column_span == columns > 1 and cell.text]
    headers = {cell.row for cell in cells if cell.header and cell.column_span < columns}
    if not whole or whole[0].row or not whole[0].header or len(whole) < 2 or headers & {0, 1}:
        return cells
    return [replace(cell, header=False) if cell is whole[0] else cell for cell in cells]


def has_pairs(cells: Sequence[Cell]) -> bool:
    """Whether each two columns of a table are a label and its text: a form with several of them side by side.

    Labels are without digits and differ. In the first row one of the texts has a digit at least: "Machine | Pump P-301
    | Date | 3 June 2025". None is a word above figures only, unless another one with a digit is above words.
    """
    columns = _columns(cells)
    told = _below_first(cells, columns)
    labels = [text for column in told[::2] for text in column]
    if len(told) < _LEAST_PAIRED or len(told) % 2 or len(told) < len(columns) or len(set(labels)) < len(labels):
        return False
    texts = told[1::2]
    named = any(not has_digit(first) and all(map(begins_with_number, below)) for first, *below in texts)
    mixed = any(has_digit(first) and not all(map(begins_with_number, below)) for first, *below in texts)
    return (mixed or not named) and not any(map(has_digit, labels)) and any(has_digit(first) for first, *_ in texts)


def _is_form(labels: Sequence[str], values: Sequence[str]) -> bool:
    """Whether a column of different labels, without digits, is beside texts with a digit in the first one.

    Half the texts below are no numbers: most of those below the name of a column, "KT 40", are.
    """
    first, *below = values
    if len(labels) < _LEAST_FIELDS or len(set(labels)) < len(labels) or any(map(has_digit, labels)):
        return False
    return has_digit(first) and not begins_with_number(first) and 2 * sum(map(begins_with_number, below)) <= len(below)


def begins_with_text(cells: Sequence[Cell]) -> bool:
    """Whether the second cell of a table of two columns has several words, and is longer than the mean of those below.

    It is no name of the column then, unless it is one of numbers ("Value at 20 °C").
    """
    columns = _columns(cells)
    told = _below_first(cells, columns)
    if not len(told) == len(columns) == 2:
        return False
    first, *below = told[1]
    figures = sum(map(begins_with_number, below))
    return " " in first and 2 * figures <= len(below) and len(first) * len(below) > sum(map(len, below))


def _are_units(columns: Sequence[Sequence[str]]) -> bool:
    """Whether the third column has short words without blanks, like units, and the second one begins with no year."""
    short = all(len(text) <= _LONGEST_UNIT and " " not in text for text in columns[2])
    return short and not any(map(has_digit, columns[2][:1])) and not _YEAR.fullmatch(columns[1][0])


def _columns(cells: Sequence[Cell]) -> dict[int, list[str]]:
    """Return the texts at the top of each column."""
    columns: dict[int, list[str]] = {}
    for cell in cells:
        if cell.text and cell.row < _LOOKED_AT:
            columns.setdefault(cell.column, []).append(cell.text)
    return columns


def _below_first(cells: Sequence[Cell], columns: Mapping[int, list[str]]) -> list[list[str]]:
    """Return the columns that the first row has texts in; nothing if it has less than two, or none in the first one."""
    first = [cell for cell in cells if cell.text and cell.row == 0]
    return [columns[cell.column] for cell in first] if len(first) > 1 and first[0].column == 0 else []


def _are_mostly(are: Callable[[str], bool], texts: Sequence[str]) -> bool:
    """Whether the predicate holds for the first text and for at least two thirds of the others (not empty)."""
    return are(texts[0]) and len(texts) > 1 and 3 * sum(map(are, texts[1:])) >= 2 * len(texts[1:])


def has_digit(text: str) -> bool:
    """Whether a text contains a digit."""
    return any(map(str.isdigit, text))


def begins_with_number(text: str) -> bool:
    """Whether a text begins with a digit, behind a sign."""
    return text.lstrip(_SIGNS)[:1].isdigit()


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    return f"<{tag}{spans}>{escape(cell.text)}</{tag}>"
