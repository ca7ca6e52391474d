"""Tables as knowledge: rows by the headers of their columns, values with their types (PIKE-RAG figure 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.core.ids import normalize
from pipelines.core.knowledge import Field
from pipelines.core.table import Table
from pipelines.lang.characters import HAN
from pipelines.lang.dates import WRITTEN_DATE
from pipelines.lang.numbers import WRITTEN_NUMBER as _NUMBER

_TYPES = (
    ("date", WRITTEN_DATE),
    ("number", re.compile(_NUMBER)),
    ("percent", re.compile(rf"(?:{_NUMBER})\s*[%％]")),
    ("money", re.compile(rf"[$€£¥￥]\s*+(?:{_NUMBER})|(?:{_NUMBER})\s*(?:[$€£¥￥元]|USD|EUR|GBP|CNY|RMB)")),
    ("quantity", re.compile(rf"(?:{_NUMBER})\s*(?:[°µμΩa-zA-Z℃]|[²³/·^%-]|[{HAN}]){{1,10}}\d?")),
    ("boolean", re.compile(r"yes|no|true|false|是|否|✓|✗|[xX]", re.IGNORECASE)),
    ("email", re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")),
    ("url", re.compile(r"https?://\S+|www\.\S+")),
    ("identifier", re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z0-9]+(?:[-/._][A-Za-z0-9]+)*[A-Za-z]?")),
)


def value_type(value: str) -> str:
    """Return "date", "number", "percent", "money", "quantity", "boolean", "email", "url", "identifier" or "text"."""
    stripped = value.strip()
    return next((name for name, pattern in _TYPES if pattern.fullmatch(stripped)), "text")


_PAIR = 2
_ANY_VALUE = frozenset(["", "value", "entry", "description", "details", "data", "值", "数值", "内容", "说明"])
"""Headers of the second column of two that say nothing of what stands below them."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as rows of texts, a spanning cell repeated in each place it covers.

    `names` are the columns' names, the header rows of one column joined; `first_row` is the first row below them.
    """

    id: str
    caption: str
    names: tuple[str, ...]
    first_row: int
    rows: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(table: Table) -> Grid:
        rows = _filled(table)
        headers = table.header_rows or _implied_headers(rows)
        names = tuple(_name(rows[:headers], column) for column in range(table.columns))
        return Grid(table.id, table.caption, names, headers, tuple(rows))

    def fields(self, number: int) -> tuple[Field, ...]:
        """Return the typed values of a row; empty cells are left out."""
        cells = zip(self.names, self.rows[number], strict=True)
        return tuple(Field(name, value, value_type(value)) for name, value in cells if value)

    def statement(self, number: int) -> str:
        """Return a row as a statement by column headers: "P-101A: pressure: 16 bar; material: steel".

        The first cell stands for the row, unless it is a plain number. Empty where the row has nothing to state.
        """
        fields = list(self.fields(number))
        lead = ""
        if len(fields) > 1 and fields[0].name == self.names[0] and fields[0].type != "number":
            lead = fields.pop(0).value
        if lead and len(self.names) == _PAIR and normalize(self.names[1]) in _ANY_VALUE:
            return f"{lead}: {fields[0].value}"
        # A cell that spans the row is said once.
        told = dict.fromkeys(f"{field.name}: {field.value}" if field.name else field.value for field in fields)
        return ": ".join(filter(None, [lead, "; ".join(told)]))


def _filled(table: Table) -> list[tuple[str, ...]]:
    places = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        text = " ".join(cell.text.split())
        for row in range(cell.row, min(cell.row + cell.row_span, table.rows)):
            for column in range(cell.column, min(cell.column + cell.column_span, table.columns)):
                places[row][column] = text
    return [tuple(row) for row in places]


def _implied_headers(rows: list[tuple[str, ...]]) -> int:
    """1 where the first row reads like names: all different, none empty, none a value."""
    if len(rows) < 2:
        return 0
    first = rows[0]
    named = all(text and value_type(text) in ("text", "identifier") and len(text) <= 60 for text in first)
    return int(named and len(set(first)) == len(first))


def _name(headers: list[tuple[str, ...]], column: int) -> str:
    return " ".join(dict.fromkeys(filter(None, (row[column] for row in headers))))
