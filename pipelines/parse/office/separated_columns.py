"""Columns of one table on a sheet that an empty column separates."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pipelines.core.table import Cell, has_pairs
from pipelines.parse.office.cell_texts import CellIndex, is_number, is_word
from pipelines.parse.office.ranges import CellGroup

_LEAST_NUMBERS = 3
"""Minimum numbers of a column of row numbers: two may be values."""


def join_separated_columns(groups: list[CellGroup], texts: Mapping[CellIndex, str]) -> list[CellGroup]:
    """Join groups separated by one empty column that have nearly the same rows and are parts of one table.

    One is a single column of the other: words on the left, or numbers on the right. Or both are labels with values; or
    the left one has the numbers of the rows.
    """
    starting = {(row, group.left): group for group in groups for row, _ in group.cells}
    joined: set[int] = set()
    for group in groups:
        if id(group) in joined:
            continue
        numbered = _has_row_numbers(group, texts)
        while found := _columns_beside(group, starting, joined, texts, numbered=numbered):
            for other in found:
                group.add(other)
            joined.update(map(id, found))
    return [group for group in groups if id(group) not in joined]


def _columns_beside(
    group: CellGroup,
    starting: Mapping[CellIndex, CellGroup],
    joined: Set[int],
    texts: Mapping[CellIndex, str],
    *,
    numbered: bool,
) -> list[CellGroup]:
    """Return the groups to be joined to one; `starting` are groups by the first cells of rows, `joined` those done.

    If a group has the numbers of its rows (`numbered`), all groups beside it with no other rows belong to it.
    """
    rows = _rows_with_text(group, texts)
    last = group.right + 2  # behind one empty column
    columns = range(group.left + 1, last + 1) if numbered else (last,)
    right = {id(one): one for row in sorted(rows) for column in columns if (one := starting.get((row, column)))}
    beside = [other for other in right.values() if id(other) not in joined and other is not group]
    if not numbered:
        return [other for other in beside if _belong_together(group, other, texts)][:1]
    found = [other for other in beside if _rows_with_text(other, texts) <= rows]
    has_words = any(is_word(texts.get(cell, "")) for other in found for cell in other.cells)
    return found if has_words or group.left < group.right else []


def _belong_together(group: CellGroup, other: CellGroup, texts: Mapping[CellIndex, str]) -> bool:
    rows, other_rows = (_rows_with_text(part, texts) for part in (group, other))
    # At least two rows, and four of five in common: a total may have no label.
    if min(len(rows), len(other_rows)) < 2 or len(rows & other_rows) < 0.8 * len(rows | other_rows):
        return False
    if group.left < group.right and other.left < other.right:
        return other.right - other.left == 1 and _are_pairs(group, other, texts)
    first = [texts.get(cell, "") for cell in other.cells if cell[1] == other.left]
    last = [texts.get(cell, "") for cell in group.cells if cell[1] == group.right]
    return 2 * sum(map(is_number, first)) >= len(first) and 2 * sum(map(is_word, last)) >= len(last)


def _rows_with_text(group: CellGroup, texts: Mapping[CellIndex, str]) -> set[int]:
    return {cell[0] for cell in group.cells if cell in texts}


def _are_pairs(group: CellGroup, other: CellGroup, texts: Mapping[CellIndex, str]) -> bool:
    """Whether each two columns of both groups are labels with their values: a form (`has_pairs`)."""
    top = min(group.top, other.top)
    cells = sorted(cell for cell in (*group.cells, *other.cells) if cell in texts)
    return has_pairs([Cell(row - top, column - group.left, texts[row, column]) for row, column in cells])


def _has_row_numbers(group: CellGroup, texts: Mapping[CellIndex, str]) -> bool:
    """Whether a single column has the numbers of rows, and perhaps headings of some of them."""
    numbers = [is_number(texts[cell]) for cell in group.cells if cell in texts]
    return group.left == group.right and sum(numbers) >= _LEAST_NUMBERS and 2 * sum(numbers) >= len(numbers)
