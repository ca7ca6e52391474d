"""Which cells of a sheet are one table: those that touch, and what stands below a header with gaps; names of places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipelines.lang.characters import CURRENCY

CellIndex = tuple[int, int]

_GAP = 3
"""Empty rows inside a table: people leave one or two between groups of rows, and one for a line."""
_NARROWEST_HEADER = 3
"""Columns: two words beside one another are a name and its value."""
_MOST_TABLES = 1_000
"""Tables on one sheet; where there seem to be more, the cells are scattered and make one."""
_VAST = 1_000_000
"""Places of a table: ten times `limits.cells`, which a table that is mostly empty would be rendered with."""
_NUMBER = re.compile(rf"[-+(]?[{CURRENCY}]?\s?\d[\d.,:/\s-]*[%)]?")


@dataclass(slots=True)
class CellGroup:
    """Places that belong together, and the rectangle around them."""

    places: list[CellIndex]
    top: int
    left: int
    bottom: int
    right: int

    @staticmethod
    def of(places: list[CellIndex]) -> CellGroup:
        rows, columns = [row for row, _ in places], [column for _, column in places]
        return CellGroup(places, min(rows), min(columns), max(rows), max(columns))

    def add(self, other: CellGroup) -> None:
        self.places += other.places
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)

    def is_headed(self, texts: Mapping[CellIndex, str]) -> bool:
        """Whether the first row, or the one below a label, has a word in every column."""
        columns = range(self.left, self.right + 1)
        labelled = sum((self.top, column) in texts for column in columns) == 1
        head = [texts.get((self.top + labelled, column), "") for column in columns]
        return len(head) >= _NARROWEST_HEADER and all(is_word(text) for text in head)


def group_places(
    occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]], texts: Mapping[CellIndex, str]
) -> list[list[CellIndex]]:
    """Return the places by table, from top to bottom; `joined` are places that belong together in any case."""
    groups = sorted(
        (CellGroup.of(places) for places in connected(occupied, joined)), key=lambda group: (group.top, group.left)
    )
    gathered: set[int] = set()
    for number, group in enumerate(groups):
        if number not in gathered and group.is_headed(texts):
            for other in _below(group, groups, number, gathered, texts):
                group.add(groups[other])
                gathered.add(other)
    found = _with_parted_columns([group for number, group in enumerate(groups) if number not in gathered], texts)
    if len(found) > _MOST_TABLES:
        found = [CellGroup.of([place for group in found for place in group.places])]
    return [places for group in found for places in _not_too_sparse(group)]


def _with_parted_columns(groups: list[CellGroup], texts: Mapping[CellIndex, str]) -> list[CellGroup]:
    """Return the groups, those put together of which one is the labels of the other: parted by one empty column.

    They have the same rows, but for a few, and one of them is a single column: of words before numbers, or of numbers
    behind the rest.
    """
    by_left: dict[int, list[CellGroup]] = {}
    for group in groups:
        by_left.setdefault(group.left, []).append(group)
    kept: list[CellGroup] = []
    joined: set[int] = set()
    for group in groups:
        if id(group) in joined:
            continue
        for other in by_left.get(group.right + 2, ()):
            if id(other) not in joined and _is_parted(group, other, texts):
                group.add(other)
                group.right = other.right
                joined.add(id(other))
                break
        kept.append(group)
    return [group for group in kept if id(group) not in joined]


def _is_parted(group: CellGroup, other: CellGroup, texts: Mapping[CellIndex, str]) -> bool:
    rows, more = ({row for row, _ in part.places} for part in (group, other))
    # Two rows are labels of two values; four of five rows in common, as a total may lack its label.
    if min(len(rows), len(more)) < 2 or len(rows & more) < 0.8 * len(rows | more):
        return False
    if group.left < group.right and other.left < other.right:
        return False
    first = [texts.get(place, "") for place in other.places if place[1] == other.left]
    last = [texts.get(place, "") for place in group.places if place[1] == group.right]
    return 2 * sum(map(is_number, first)) >= len(first) and 2 * sum(map(is_word, last)) >= len(last)


def _not_too_sparse(group: CellGroup) -> list[list[CellIndex]]:
    """Return the group, or each of its rows where the rectangle around it would be mostly empty and vast."""
    if (group.bottom - group.top + 1) * (group.right - group.left + 1) <= _VAST:
        return [group.places]
    rows: dict[int, list[CellIndex]] = {}
    for place in sorted(group.places):
        rows.setdefault(place[0], []).append(place)
    return list(rows.values())


def connected(occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]]) -> list[list[CellIndex]]:
    """Return the places in groups: those that touch by an edge, or that `joined` puts together (union-find)."""
    parent = {place: place for place in occupied}

    def root(place: CellIndex) -> CellIndex:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for row, column in parent:
        for neighbour in ((row, column + 1), (row + 1, column)):
            if neighbour in parent:
                parent[root(neighbour)] = root((row, column))
    for places in joined:
        for other in places[1:]:
            parent[root(other)] = root(places[0])
    groups: dict[CellIndex, list[CellIndex]] = {}
    for place in parent:
        groups.setdefault(root(place), []).append(place)
    return list(groups.values())


def _below(
    head: CellGroup, groups: list[CellGroup], at: int, gathered: set[int], texts: Mapping[CellIndex, str]
) -> list[int]:
    """Return the groups that continue a table below its header, up to the next header or to what is wider.

    Lone cells just above the next header are its title, not the end of this table.
    """
    found: list[int] = []
    bottom = head.bottom
    for number in range(at + 1, len(groups)):
        other = groups[number]
        if number in gathered or other.right < head.left or other.left > head.right:
            continue
        if other.top > bottom + 1 + _GAP or other.left < head.left or other.right > head.right:
            break
        # Two thirds as wide as the table above: a header of its own, not a row of words.
        if other.is_headed(texts) and 3 * (other.right - other.left + 1) > 2 * (head.right - head.left + 1):
            return _without_title(found, groups, head.bottom)
        found.append(number)
        bottom = max(bottom, other.bottom)
    return found


def _without_title(found: list[int], groups: list[CellGroup], bottom: int) -> list[int]:
    while found and len(groups[found[-1]].places) == 1 and groups[found[-1]].top > bottom:
        found.pop()
    return found


def is_number(text: str) -> bool:
    """Whether a cell is a number, a date or a share, with or without a currency."""
    return _NUMBER.fullmatch(text.strip()) is not None


def is_word(text: str) -> bool:
    """Whether a cell has letters or figures and is no number."""
    return any(char.isalnum() for char in text) and not is_number(text)


_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True, slots=True, order=True)
class CellRange:
    """A rectangle of cells, both ends included, rows and columns from 0."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def places(self) -> Iterator[CellIndex]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield row, column

    def __str__(self) -> str:
        start, end = address(self.top, self.left), address(self.bottom, self.right)
        return start if start == end else f"{start}:{end}"


def address(row: int, column: int) -> str:
    """Return the name of a place: (0, 27) is "AB1"."""
    letters = ""
    column += 1
    while column:
        # Letters of a column count in twenty-sixes, without a zero.
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def place(name: str) -> CellIndex | None:
    """Return row and column of a name such as "AB1", None for what is none."""
    match = _ADDRESS.fullmatch(name.strip())
    if match is None:
        return None
    column = 0
    for letter in match.group(1).upper():
        # As in `address`.
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)) - 1, column - 1


def area(name: str) -> CellRange | None:
    """Return the rectangle of "A1:C3" or "A1", None for what is none."""
    first, _, last = name.partition(":")
    start, end = place(first), place(last or first)
    if start is None or end is None:
        return None
    return CellRange(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
