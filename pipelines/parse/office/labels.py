"""Labels and notes around the tables on a sheet that describe them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.table import Cell
from pipelines.parse.office.cell_texts import is_note, is_number, is_word
from pipelines.parse.office.header_rows import first_rows, has_headings, label_rows, with_deep_header, with_header_rows
from pipelines.parse.office.ranges import CellRange

_MOST_DISTANCE = 3
"""Maximum rows or columns from a label to its table: two empty ones in between."""
_MOST_LABELS = 200
"""Maximum labels of a sheet; if more are found, they are scattered cells."""
_LONGEST = 300
"""Maximum characters of a label, three lines; longer text is cut."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table on a sheet, or a single cell; `caption` has its labels and notes, one per line."""

    area: CellRange
    cells: tuple[Cell, ...]
    caption: str = ""
    lines: bool = False
    """Whether these are no table but lines of text: the title rows of a table below, or notes on one above."""

    def area_of(self, cell: Cell) -> CellRange:
        """Return the place of one of the cells on the sheet."""
        top, left = self.area.top + cell.row, self.area.left + cell.column
        return CellRange(top, left, top + cell.row_span - 1, left + cell.column_span - 1)

    def name_of(self, row: int, column: int) -> str:
        """Return the names of a cell on the sheet: the first text of its row, and those above it in the header."""
        row, column = row - self.area.top, column - self.area.left
        beside = [cell.text for cell in self.cells if cell.row <= row < cell.row + cell.row_span and cell.text]
        above = [cell.text for cell in self.cells if cell.header and cell.row <= row and _is_in_column(cell, column)]
        return ", ".join(" ".join(text.split()) for text in dict.fromkeys([*beside[:1], *above]) if text)

    @property
    def label(self) -> str:
        """The text, if this is not a table but a label or note, else empty.

        A label is a row of one cell, a name with its value, a title over several columns with lines below it, or notes
        below each other.
        """
        texts = [" ".join(cell.text.split()) for cell in self.cells if cell.text]
        if self.has_notes():
            return "\n".join(texts)[:_LONGEST]
        if any(map(is_number, texts)) or not texts or not is_word(texts[0]):
            return ""
        if self.is_titled():
            return "\n".join(texts)[:_LONGEST]
        alone = self.area.top == self.area.bottom or len(self.cells) == 1
        return ": ".join(text.rstrip(":") for text in texts)[:_LONGEST] if alone and len(texts) <= 2 else ""

    def has_notes(self) -> bool:
        """Whether all texts are notes below each other."""
        texts = [cell.text for cell in self.cells if cell.text]
        return bool(texts) and self.area.left == self.area.right and all(map(is_note, texts))

    def is_titled(self) -> bool:
        """Whether these are title rows: the first is a word over several columns, each below has one text or none."""
        if self.lines:
            return True
        rows = Counter(cell.row for cell in self.cells if cell.text)
        merged = any(cell.row == 0 and cell.column_span > 1 for cell in self.cells)
        return (
            merged
            and max(rows.values(), default=0) == 1
            and is_word(next(cell.text for cell in self.cells if cell.text))
        )


def _is_in_column(cell: Cell, column: int) -> bool:
    return cell.column <= column < cell.column + cell.column_span


def without_titles(table: SheetTable) -> list[SheetTable]:
    """Return the title rows of a table, if it has any, and the table without them.

    A title is in the first column, and the row below it is a header of words. In another column, or above values, it
    is the name of columns, and stays in the header.
    """
    count = label_rows(table.cells)
    titles = tuple(cell for cell in table.cells if cell.row < count)
    if any(cell.row + cell.row_span > count or (cell.text and cell.column) for cell in titles) or not titles:
        return [table]
    if not all(is_word(cell.text) for cell in table.cells if cell.row == count and cell.text):
        return [table]
    top, area = table.area.top, table.area
    body = [replace(cell, row=cell.row - count, header=cell.row == count) for cell in table.cells if cell.row >= count]
    named = tuple(cell for cell in titles if cell.text)
    right = area.left + max(cell.column_span for cell in named) - 1
    return [
        SheetTable(CellRange(top, area.left, top + count - 1, right), named, lines=True),
        SheetTable(replace(area, top=top + count), tuple(with_header_rows(with_deep_header(body)))),
    ]


def with_labels(tables: Sequence[SheetTable]) -> list[SheetTable]:
    """Return the tables, from the top, with their captions; labels and notes are also kept as separate entries.

    A label belongs to the nearest table below it, else beside it, else above it. Of several labels above the first
    table of a sheet, the last one belongs to this table, the others to all tables.
    """
    several = [at for at, table in enumerate(tables) if len(table.cells) > 1]
    bodies = [at for at in several if not tables[at].label]
    bodies = bodies or [at for at in several if tables[at].has_notes()]  # a list of sentences is no note on a table
    labels = [at for at, table in enumerate(tables) if table.label and at not in bodies]
    owners: dict[int, int] = {}
    for at in reversed(labels if len(labels) <= _MOST_LABELS else []):
        if (owner := _table_of(tables[at], tables, bodies, owners)) is not None:
            owners[at] = owner
    captions: dict[int, list[str]] = {at: [] for at in bodies}
    shared = _labels_of_all(tables, owners, bodies)
    for at, owner in sorted(owners.items()):
        for body in bodies if at in shared else [owner]:
            captions[body].append(tables[at].label)
    above = {at for at, owner in owners.items() if tables[at].area.bottom < tables[owner].area.top}
    below = {at for at, owner in owners.items() if tables[at].area.top > tables[owner].area.bottom}
    return [
        replace(table, caption="\n".join(dict.fromkeys([*captions[at], *_inner_labels(table)])))
        if at in captions
        else replace(table, lines=table.is_titled() if at in above else at in below and table.has_notes())
        for at, table in enumerate(tables)
    ]


def _table_of(
    label: SheetTable, tables: Sequence[SheetTable], bodies: Sequence[int], owners: Mapping[int, int]
) -> int | None:
    """Return the index of the table that a label belongs to, None if there is none.

    `owners` are the tables of the labels further down: a label directly above another one belongs to the same table.
    """
    found = [(distance, at) for at in bodies if (distance := _distance(label.area, tables[at].area)) is not None]
    if found:
        return min(found)[1]
    for at, owner in reversed(list(owners.items())):
        if 0 < tables[at].area.top - label.area.bottom <= _MOST_DISTANCE and _share_column(label.area, tables[at].area):
            return owner
    return None


def _distance(label: CellRange, table: CellRange) -> tuple[int, int] | None:
    """Return the distance of a table and whether it is below (0), beside (1) or above (2); None if it is too far."""
    above, below = label.top - table.bottom, table.top - label.bottom
    if _share_column(label, table):
        if 0 < below <= _MOST_DISTANCE:
            return below, 0
        return (above, 2) if 0 < above <= _MOST_DISTANCE else None
    beside = table.left - label.right
    return (beside, 1) if table.top <= label.top <= table.bottom and 0 < beside <= _MOST_DISTANCE else None


def _share_column(one: CellRange, other: CellRange) -> bool:
    """Whether two ranges have a column in common."""
    return one.left <= other.right and other.left <= one.right


def _labels_of_all(tables: Sequence[SheetTable], owners: dict[int, int], bodies: Sequence[int]) -> set[int]:
    """Return the labels at the top of a sheet that apply to all its tables."""
    first = min((tables[at].area.top for at in bodies), default=0)
    top = [at for at in sorted(owners) if tables[at].area.bottom < first]
    own = {at for at in bodies if label_rows(tables[at].cells)}
    return {
        at
        for at in top
        if not tables[at].lines
        and (owners[at] in own or any(owners[later] == owners[at] for later in top if later > at))
    }


def _inner_labels(table: SheetTable) -> Iterator[str]:
    """Yield the labels in the first rows of a table, and the note in its last row.

    Above rows without a header, a label is only the heading of some of them if others have one too.
    """
    rows: dict[int, list[str]] = {}
    labels, last = label_rows(table.cells), table.area.bottom - table.area.top
    if labels and not any(cell.header for cell in table.cells) and has_headings(first_rows(table.cells), labels):
        labels = 0
    for cell in table.cells:
        if cell.text and (cell.row < labels or cell.row == last):
            rows.setdefault(cell.row, []).append(" ".join(cell.text.split()))
    yield from (rows[row][0][:_LONGEST] for row in range(labels))
    end = rows.get(last, [])
    if labels < last and len(end) == 1 and is_note(end[0]) and table.area.left < table.area.right:
        yield end[0][:_LONGEST]
