"""Tabular knowledge: table rows as typed fields under their column names (PIKE-RAG figure 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.core.ids import normalize
from pipelines.core.knowledge import Field
from pipelines.core.table import Table, has_pairs
from pipelines.lang.characters import CURRENCY, HAN
from pipelines.lang.numbers import WRITTEN_DATE
from pipelines.lang.numbers import WRITTEN_NUMBER as _NUMBER
from pipelines.lang.quantities import CURRENCY_CODES

_TYPES = (
    ("date", WRITTEN_DATE),
    ("number", re.compile(_NUMBER)),
    ("percent", re.compile(rf"(?:{_NUMBER})\s*[%％]")),
    ("money", re.compile(rf"[{CURRENCY}]\s*+(?:{_NUMBER})|(?:{_NUMBER})\s*(?:[{CURRENCY}元]|{CURRENCY_CODES})")),
    ("quantity", re.compile(rf"(?:{_NUMBER})\s*(?:[°µμΩa-zA-Z℃]|[²³/·^%-]|[{HAN}]){{1,10}}\d?")),
    ("boolean", re.compile(r"yes|no|true|false|是|否|✓|✗|[xX]", re.IGNORECASE)),
    ("email", re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")),
    ("url", re.compile(r"https?://\S+|www\.\S+")),
    ("identifier", re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z0-9]+(?:[-/._][A-Za-z0-9]+)*[A-Za-z]?")),
)


def value_type(value: str) -> str:
    """Return the type of a cell's text; the first that matches as a whole, in the order of `_TYPES`.

    One of "date", "number", "percent", "money", "quantity", "boolean", "email", "url", "identifier" and "text":
    `value_type("16 bar") == "quantity"`, `value_type("P-101A") == "identifier"`.
    """
    stripped = value.strip()
    return next((name for name, pattern in _TYPES if pattern.fullmatch(stripped)), "text")


_LONGEST_NAME = 60
"""Maximum characters of a column name in a table without marked headers."""
_BESIDE_GROUPS = 2
"""Minimum columns right of one that names groups of rows: the name of a row, and a value."""
_TITLED = 3
"""Minimum columns of a table with names of columns below its title; two are labels and values."""
_UNNAMED_VALUE = frozenset(["", "value", "entry", "description", "details", "data", "值", "数值", "内容", "说明"])
"""Headers of the second column of a two-column table that do not describe its values (normalized)."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table as rows of cell texts of equal length; the text of a spanning cell is repeated in each cell it covers.

    So is a text in a leading column that names a group of rows and is written in the first of them only.

    `names` are the column names; several header rows are joined by spaces, without labels over the whole table.
    `first_row` is the number of the first row below the header. `id` is the table's. `paired` says that each two cells
    of a row are a label and its text.
    """

    id: str
    caption: str
    names: tuple[str, ...]
    first_row: int
    rows: tuple[tuple[str, ...], ...]
    paired: bool = False

    @staticmethod
    def of(table: Table) -> TableRows:
        rows = _cell_texts(table)
        headers = 0 if table.begins_with_data else table.header_rows or _implied_headers(table, rows)
        if headers < 2 and _has_title(table):
            headers = 1 + _implied_headers(table, rows[1:])
        named = [row for row in rows[:headers] if len(set(filter(None, row))) > 1] or rows[:headers]
        names = tuple(_name(named, column) for column in range(table.columns))
        paired = not headers and has_pairs(table.cells)
        if paired:  # an empty column may separate the pairs
            rows = list(zip(*(column for column in zip(*rows, strict=True) if any(column)), strict=True))
        rows = [*rows[:headers], *_with_groups(rows[headers:])]
        return TableRows(table.id, table.caption, names, headers, tuple(rows), paired)

    def fields(self, number: int) -> tuple[Field, ...]:
        """Return the typed values of a row, in pairs under their labels; empty cells are omitted."""
        row = self.rows[number]
        cells = zip(row[::2], row[1::2], strict=True) if self.paired else zip(self.names, row, strict=True)
        return tuple(Field(name, value, value_type(value)) for name, value in cells if value)

    def statement(self, number: int) -> str:
        """Return a row as a statement: "P-101A: pressure: 16 bar; material: steel". Empty for an empty row.

        The first cell is the subject, unless it is a number.
        """
        fields = list(self.fields(number))
        lead = ""
        if not self.paired and len(fields) > 1 and fields[0].name == self.names[0] and fields[0].type != "number":
            lead = fields.pop(0).value
        if lead and len(self.names) == 2 and normalize(self.names[1]) in _UNNAMED_VALUE:
            return f"{lead}: {fields[0].value}"
        # A cell that spans several columns is stated once.
        parts = dict.fromkeys(f"{field.name}: {field.value}" if field.name else field.value for field in fields)
        return ": ".join(filter(None, [lead, "; ".join(parts)]))


def _cell_texts(table: Table) -> list[tuple[str, ...]]:
    texts = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        text = " ".join(cell.text.split())
        for row in range(cell.row, min(cell.row + cell.row_span, table.rows)):
            for column in range(cell.column, min(cell.column + cell.column_span, table.columns)):
                texts[row][column] = text
    return [tuple(row) for row in texts]


def _with_groups(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return rows with the names of their groups: the texts of leading columns, repeated in the empty cells below.

    >>> _with_groups([("MCC-1", "W1", "42"), ("", "W2", "57"), ("MCC-2", "W3", "31"), ("", "W4", "88")])[1]
    ('MCC-1', 'W2', '57')
    """
    filled = [list(row) for row in rows]
    begins = [not number for number in range(len(rows))]
    for column in range(len(rows[0]) - _BESIDE_GROUPS if rows else 0):
        if not _names_groups(column, rows, begins):
            break
        name = ""
        for number, row in enumerate(rows):
            name = row[column] or ("" if begins[number] else name)
            begins[number] = begins[number] or bool(row[column])
            filled[number][column] = name
    return list(map(tuple, filled))


def _names_groups(column: int, rows: Sequence[tuple[str, ...]], begins: Sequence[bool]) -> bool:
    """Whether a column names groups of rows: no text is repeated below itself, and half of them have empty cells below.

    Another column on the right has no empty cell. `begins` are the rows at which groups of the column before begin.
    """
    names = [row[column] for row in rows]
    complete = any(all(row[other] for row in rows) for other in range(column + 1, len(rows[0])))
    if not names[0] or all(names) or not complete:
        return False
    filled = [number for number, name in enumerate(names) if name]
    repeated = any(names[one] == names[other] and not begins[other] for one, other in pairwise(filled))
    below = [not names[number + 1] and not begins[number + 1] for number in filled if number + 1 < len(names)]
    return not repeated and 2 * sum(below) >= len(filled)


def _has_title(table: Table) -> bool:
    """Whether the first row is one cell over all columns, three at least, and no other row is: then it names groups."""
    whole = [cell.row for cell in table.cells if cell.text and cell.column_span == table.columns >= _TITLED]
    return whole == [0]


def _implied_headers(table: Table, rows: list[tuple[str, ...]]) -> int:
    """Return 1 if the first row can be column names: all different, none empty, none longer than a name or a value.

    They are words or codes; behind a column of row headers, they may be numbers: "Version | 2.3 | 2.2".
    """
    if len(rows) < 2:
        return 0
    first = rows[0]
    beside = table.columns > 2 and sum(cell.header and not cell.column for cell in table.cells) == table.rows
    named = all(text and len(text) <= _LONGEST_NAME for text in first)
    worded = all(value_type(text) in ("text", "identifier") for text in (first[:1] if beside else first))
    return int(named and worded and len(set(first)) == len(first))


def _name(headers: list[tuple[str, ...]], column: int) -> str:
    return " ".join(dict.fromkeys(filter(None, (row[column] for row in headers))))
