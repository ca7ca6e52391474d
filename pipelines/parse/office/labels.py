"""Tables of a sheet with the labels and notes that speak of them: lone cells above, beside and below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.table import Cell
from pipelines.parse.office.headers import label_rows
from pipelines.parse.office.ranges import CellRange
from pipelines.parse.office.regions import is_number, is_word

_NEAR = 3
"""Rows and columns from a label to its table: with two empty ones between them it is its label still."""
_LEAST_WORDS = 3
"""Words of a note in the last row of a table; fewer are a name in its first column."""
_MOST = 200
"""Labels of a sheet; where there seem to be more, they are scattered cells."""
_LONGEST = 300
"""Characters of a label: three lines; what is longer is a text of its own."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table on a sheet, or one lone cell; `caption` has its labels and notes, one to a line."""

    area: CellRange
    cells: tuple[Cell, ...]
    caption: str = ""

    @property
    def label(self) -> str:
        """The text, if this is no table but a label or note: a row of one cell, a name with its value, or a title over
        several columns with lines below it."""
        texts = [" ".join(cell.text.split()) for cell in self.cells if cell.text]
        if any(map(is_number, texts)) or not texts or not is_word(texts[0]):
            return ""
        if self._is_titled():
            return "\n".join(texts)[:_LONGEST]
        alone = self.area.top == self.area.bottom or len(self.cells) == 1
        return ": ".join(text.rstrip(":") for text in texts)[:_LONGEST] if alone and len(texts) <= 2 else ""

    def _is_titled(self) -> bool:
        """Whether the first row is one cell over several columns, and each row below has one text at most."""
        rows = Counter(cell.row for cell in self.cells if cell.text)
        merged = any(cell.row == 0 and cell.column_span > 1 for cell in self.cells)
        return merged and len(rows) > 1 and max(rows.values()) == 1


def with_labels(tables: Sequence[SheetTable]) -> list[SheetTable]:
    """Return the tables, from the top, with their captions; labels and notes stay what they are, too.

    A label is that of the nearest table below it, beside it, or else above it. Of several labels above the first table
    of a sheet the last is its own; the others speak of all tables.
    """
    labels = [at for at, table in enumerate(tables) if table.label]
    bodies = [at for at, table in enumerate(tables) if not table.label and len(table.cells) > 1]
    owners: dict[int, int] = {}
    for at in reversed(labels if len(labels) <= _MOST else []):
        if (owner := _owner(tables[at], tables, bodies, owners)) is not None:
            owners[at] = owner
    told: dict[int, list[str]] = {at: [] for at in bodies}
    general = _general(tables, owners, bodies)
    for at, owner in sorted(owners.items()):
        for body in bodies if at in general else [owner]:
            told[body].append(tables[at].label)
    return [
        replace(table, caption="\n".join(dict.fromkeys([*told[at], *_own(table)]))) if at in told else table
        for at, table in enumerate(tables)
    ]


def _owner(
    label: SheetTable, tables: Sequence[SheetTable], bodies: Sequence[int], owners: Mapping[int, int]
) -> int | None:
    """Return the table that a label speaks of; labels below one another speak of one table, as `owners` has it."""
    found = [(distance, at) for at in bodies if (distance := _distance(label.area, tables[at].area)) is not None]
    if found:
        return min(found)[1]
    for at, owner in reversed(list(owners.items())):
        if 0 < tables[at].area.top - label.area.bottom <= _NEAR and _common(label.area, tables[at].area):
            return owner
    return None


def _distance(label: CellRange, table: CellRange) -> tuple[int, int] | None:
    """Return how far a table is, and whether it lies below (0), beside (1) or above (2); None for too far."""
    above, below = label.top - table.bottom, table.top - label.bottom
    if _common(label, table):
        if 0 < below <= _NEAR:
            return below, 0
        return (above, 2) if 0 < above <= _NEAR else None
    beside = table.left - label.right
    return (beside, 1) if table.top <= label.top <= table.bottom and 0 < beside <= _NEAR else None


def _common(one: CellRange, other: CellRange) -> bool:
    """Whether two areas have a column in common."""
    return one.left <= other.right and other.left <= one.right


def _general(tables: Sequence[SheetTable], owners: dict[int, int], bodies: Sequence[int]) -> set[int]:
    """Return the labels at the top of a sheet that speak of all its tables."""
    first = min((tables[at].area.top for at in bodies), default=0)
    top = [at for at in sorted(owners) if tables[at].area.bottom < first]
    own = {at for at in bodies if label_rows(tables[at].cells)}
    return {at for at in top if owners[at] in own or any(owners[later] == owners[at] for later in top if later > at)}


def _own(table: SheetTable) -> Iterator[str]:
    """Yield the labels in the first rows of a table, and the note in its last."""
    rows: dict[int, list[str]] = {}
    labels, last = label_rows(table.cells), table.area.bottom - table.area.top
    for cell in table.cells:
        if cell.text and (cell.row < labels or cell.row == last):
            rows.setdefault(cell.row, []).append(" ".join(cell.text.split()))
    yield from (rows[row][0][:_LONGEST] for row in range(labels))
    end = rows.get(last, [])
    if labels < last and len(end) == 1 and len(end[0].split()) >= _LEAST_WORDS and table.area.left < table.area.right:
        yield end[0][:_LONGEST]
