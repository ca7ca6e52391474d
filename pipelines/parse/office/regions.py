"""Groups of cells on a sheet that form a table: adjacent cells, and rows with gaps below a header; cell addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipelines.parse.office.cell_texts import CellIndex, SheetRows, is_note, is_number, is_word

_MOST_EMPTY_ROWS = 3
"""Maximum empty rows inside a table: people leave one or two between groups of rows."""
_NARROWEST_HEADER = 3
"""Minimum columns of a header: two adjacent words are a name and its value."""
_MOST_TABLES = 1_000
"""Maximum tables of a sheet; if more are found, the cells are scattered, and all are one table."""
_LARGEST_AREA = 1_000_000
"""Maximum area of a table in cells, empty ones included: ten times `limits.cells`. A sparse table would be rendered
with all of them."""


@dataclass(slots=True)
class CellGroup:
    """Cells that belong together, and their bounding rectangle."""

    cells: list[CellIndex]
    top: int
    left: int
    bottom: int
    right: int

    @staticmethod
    def of(cells: list[CellIndex]) -> CellGroup:
        rows, columns = [row for row, _ in cells], [column for _, column in cells]
        return CellGroup(cells, min(rows), min(columns), max(rows), max(columns))

    def add(self, other: CellGroup) -> None:
        self.cells += other.cells
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)

    def has_header(self, texts: Mapping[CellIndex, str]) -> bool:
        """Whether the first row, or the second one if the first is a label, has a word in every column."""
        columns = range(self.left, self.right + 1)
        labelled = sum((self.top, column) in texts for column in columns) == 1
        head = [texts.get((self.top + labelled, column), "") for column in columns]
        return len(head) >= _NARROWEST_HEADER and all(is_word(text) for text in head)


def group_cells(
    occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]], texts: Mapping[CellIndex, str]
) -> list[list[CellIndex]]:
    """Return the cells of each table, from top to bottom; the cells of each list in `joined` stay together."""
    groups = sorted(
        (CellGroup.of(cells) for cells in _connected(occupied, joined)), key=lambda group: (group.top, group.left)
    )
    absorbed = _absorb_continuations(groups, SheetRows(texts), texts)
    found = _join_separated_columns([group for number, group in enumerate(groups) if number not in absorbed], texts)
    if len(found) > _MOST_TABLES:
        found = [CellGroup.of([cell for group in found for cell in group.cells])]
    return [cells for group in found for cells in _split_if_sparse(group)]


def _absorb_continuations(groups: list[CellGroup], rows: SheetRows, texts: Mapping[CellIndex, str]) -> set[int]:
    """Add to each group with a header the groups that continue its table; return the indexes of the added groups."""
    absorbed: set[int] = set()
    titled: set[int] = set()
    for number, group in enumerate(groups):
        if number in absorbed or not (number in titled or group.has_header(texts)):
            continue
        found, header = _continuations(group, groups, number, absorbed, rows, texts)
        absorbed.update(found)
        parts = _below_title(group, groups, number, header, absorbed) if header is not None else []
        titled.update(parts[:1])
        absorbed.update(parts[1:])
        for other in found:
            group.add(groups[other])
        for other in parts[1:]:
            groups[parts[0]].add(groups[other])
    return absorbed


def _join_separated_columns(groups: list[CellGroup], texts: Mapping[CellIndex, str]) -> list[CellGroup]:
    """Join groups separated by one empty column if one of them is a column of labels or values of the other.

    They have nearly the same rows, and one of them is a single column: words on the left or numbers on the right.
    """
    starting = {(row, group.left): group for group in groups for row, _ in group.cells}
    kept: list[CellGroup] = []
    joined: set[int] = set()
    for group in groups:
        if id(group) in joined:
            continue
        right = {id(one): one for row, _ in group.cells if (one := starting.get((row, group.right + 2)))}
        for other in right.values():
            if id(other) not in joined and _belong_together(group, other, texts):
                group.add(other)
                joined.add(id(other))
                break
        kept.append(group)
    return [group for group in kept if id(group) not in joined]


def _belong_together(group: CellGroup, other: CellGroup, texts: Mapping[CellIndex, str]) -> bool:
    rows, other_rows = ({row for row, _ in part.cells} for part in (group, other))
    # At least two rows, and four of five in common: a total may have no label.
    if min(len(rows), len(other_rows)) < 2 or len(rows & other_rows) < 0.8 * len(rows | other_rows):
        return False
    if group.left < group.right and other.left < other.right:
        return False
    first = [texts.get(cell, "") for cell in other.cells if cell[1] == other.left]
    last = [texts.get(cell, "") for cell in group.cells if cell[1] == group.right]
    return 2 * sum(map(is_number, first)) >= len(first) and 2 * sum(map(is_word, last)) >= len(last)


def _split_if_sparse(group: CellGroup) -> list[list[CellIndex]]:
    """Return the cells of the group, by row if its bounding rectangle is too large."""
    if (group.bottom - group.top + 1) * (group.right - group.left + 1) <= _LARGEST_AREA:
        return [group.cells]
    rows: dict[int, list[CellIndex]] = {}
    for cell in sorted(group.cells):
        rows.setdefault(cell[0], []).append(cell)
    return list(rows.values())


def _connected(occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]]) -> list[list[CellIndex]]:
    """Return groups of cells that share an edge or are in the same list of `joined` (union-find)."""
    parent = {cell: cell for cell in occupied}

    def root(cell: CellIndex) -> CellIndex:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for row, column in parent:
        for neighbour in ((row, column + 1), (row + 1, column)):
            if neighbour in parent:
                parent[root(neighbour)] = root((row, column))
    for cells in joined:
        for other in cells[1:]:
            parent[root(other)] = root(cells[0])
    groups: dict[CellIndex, list[CellIndex]] = {}
    for cell in parent:
        groups.setdefault(root(cell), []).append(cell)
    return list(groups.values())


def _continuations(
    head: CellGroup,
    groups: list[CellGroup],
    at: int,
    absorbed: set[int],
    rows: SheetRows,
    texts: Mapping[CellIndex, str],
) -> tuple[list[int], int | None]:
    """Return the groups below a header that continue its table, and the row of the header of a titled table below them.

    They end above the next header, titled table or wider group. Single cells directly above the next header are labels
    of that table, and not included.
    """
    found: list[int] = []
    bottom = head.bottom
    for number in range(at + 1, len(groups)):
        other = groups[number]
        if number in absorbed or other.right < head.left or other.left > head.right:
            continue
        if other.top > bottom + 1 + _MOST_EMPTY_ROWS or other.left < head.left or other.right > head.right:
            break
        # More than two thirds of the width of the table above: a new header, not a row of words.
        if other.has_header(texts) and 3 * (other.right - other.left + 1) > 2 * (head.right - head.left + 1):
            return _without_trailing_labels(found, groups, head.bottom), None
        header = rows.titled_header(other.top, head.left, head.right)
        if header is not None:
            return _without_trailing_labels(found, groups, head.bottom), header
        found.append(number)
        bottom = max(bottom, other.bottom)
    return _without_notes(found, groups, texts), None


def _without_notes(found: list[int], groups: list[CellGroup], texts: Mapping[CellIndex, str]) -> list[int]:
    """Return the groups without the last ones that are notes: sentences below each other, and an empty row above."""
    while found and all(is_note(texts.get(cell, "")) for cell in groups[found[-1]].cells):
        if groups[found[-1]].left < groups[found[-1]].right:
            break
        found.pop()
    return found


def _below_title(above: CellGroup, groups: list[CellGroup], at: int, header: int, absorbed: set[int]) -> list[int]:
    """Return the groups that form one table: from its header row down, without an empty row between."""
    found: list[int] = []
    bottom = header
    for number in range(at + 1, len(groups)):
        other = groups[number]
        if other.top > bottom + 1:
            break
        is_inside = above.left <= other.left and other.right <= above.right
        if number not in absorbed and is_inside and other.bottom >= header:
            found.append(number)
            bottom = max(bottom, other.bottom)
    return found


def _without_trailing_labels(found: list[int], groups: list[CellGroup], bottom: int) -> list[int]:
    while found and len(groups[found[-1]].cells) == 1 and groups[found[-1]].top > bottom:
        found.pop()
    return found


_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """A rectangle of cells; rows and columns count from 0, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def contains(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def cells(self) -> Iterator[CellIndex]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column

    def __str__(self) -> str:
        start, end = address(self.top, self.left), address(self.bottom, self.right)
        return start if start == end else f"{start}:{end}"


def address(row: int, column: int) -> str:
    """Return the address of a cell: "AB1" for (0, 27)."""
    letters = ""
    column += 1
    while column:
        # Base 26 without a zero.
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def parse_cell(name: str) -> CellIndex | None:
    """Return row and column of an address such as "AB1", None if it is not an address."""
    match = _ADDRESS.fullmatch(name.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        # The inverse of `address`.
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)) - 1, column - 1


def parse_range(name: str) -> CellRange | None:
    """Return the rectangle of "A1:C3" or "A1", None if it is not a range."""
    first, _, last = name.partition(":")
    start, end = parse_cell(first), parse_cell(last or first)
    if start is None or end is None:
        return None
    return CellRange(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
