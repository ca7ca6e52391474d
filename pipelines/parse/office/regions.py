"""Groups of cells on a sheet that form a table: adjacent cells, and rows with gaps below a header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipelines.parse.office.cell_texts import CellIndex, SheetRows, is_note, is_number, is_word
from pipelines.parse.office.ranges import CellGroup
from pipelines.parse.office.separated_columns import join_separated_columns
from pipelines.parse.office.title_blocks import table_rows

_MOST_EMPTY_ROWS = 3
"""Maximum empty rows inside a table: people leave one or two between groups of rows."""
_MOST_TABLES = 1_000
"""Maximum tables of a sheet; if more are found, the cells are scattered, and all are one table."""
_LARGEST_AREA = 1_000_000
"""Maximum area of a table in cells, empty ones included: ten times `limits.cells`. A sparse table would be rendered
with all of them."""


def group_cells(
    occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]], texts: Mapping[CellIndex, str]
) -> list[list[CellIndex]]:
    """Return the cells of each table, from top to bottom; the cells of each list in `joined` stay together."""
    rows, joined = SheetRows(texts), list(joined)
    parts = (part for cells in connected(occupied, joined) for part in _separated(cells, joined, rows))
    groups = sorted(map(CellGroup.of, parts), key=lambda group: (group.top, group.left))
    absorbed = _absorb_continuations(groups, rows, texts)
    found = join_separated_columns([group for number, group in enumerate(groups) if number not in absorbed], texts)
    if len(found) > _MOST_TABLES:
        found = [CellGroup.of([cell for group in found for cell in group.cells])]
    return [cells for group in found for cells in _split_if_sparse(group)]


def _separated(cells: list[CellIndex], joined: Iterable[list[CellIndex]], rows: SheetRows) -> list[list[CellIndex]]:
    """Return the cells of a table, and the connected parts of its title block and of the notes below it.

    Lines below each other in one column are separate parts.
    """
    first, last = table_rows(cells, rows)
    if all(first <= row <= last for row, _ in cells):
        return [cells]
    own = frozenset(cells)
    whole = [row for one in joined if own.issuperset(one) for row, _ in one]
    first, last = min((first, *whole)), max((last, *whole))
    others = [cell for cell in cells if not first <= cell[0] <= last]
    table = [cell for cell in cells if first <= cell[0] <= last]
    parts = [table]
    for part in connected(others, ()):
        is_column = len({column for _, column in part}) == 1
        parts += [[cell] for cell in part] if is_column else [part]
    return parts


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


def _split_if_sparse(group: CellGroup) -> list[list[CellIndex]]:
    """Return the cells of the group, by row if its bounding rectangle is too large."""
    if (group.bottom - group.top + 1) * (group.right - group.left + 1) <= _LARGEST_AREA:
        return [group.cells]
    rows: dict[int, list[CellIndex]] = {}
    for cell in sorted(group.cells):
        rows.setdefault(cell[0], []).append(cell)
    return list(rows.values())


def connected(occupied: Iterable[CellIndex], joined: Iterable[list[CellIndex]]) -> list[list[CellIndex]]:
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
        if _is_form_below(other, head, rows):
            break
        header = rows.titled_header(other.top, head.left, head.right)
        if header is not None:
            return _without_trailing_labels(found, groups, head.bottom), header
        found.append(number)
        bottom = max(bottom, other.bottom)
    return _without_notes(found, groups, texts), None


def _is_form_below(group: CellGroup, table: CellGroup, rows: SheetRows) -> bool:
    """Whether a group of two columns has words beside words where the table has only numbers: labels with texts."""
    left, beside = table.left, table.left + 1
    if (group.left, group.right) != (left, beside) or table.right == beside:
        return False
    lines = [rows.row(row, left, beside) for row in range(group.top, group.bottom + 1)]
    above = [rows.row(row, beside, beside) for row in range(table.top + 1, table.bottom + 1)]
    numbers = [is_number(text) for row in above for text in row.values()]
    return bool(numbers) and all(numbers) and all(len(row) == 2 and all(map(is_word, row.values())) for row in lines)


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
