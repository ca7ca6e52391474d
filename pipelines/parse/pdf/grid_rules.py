"""Rows and merged cells of a grid by the lines that are drawn in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import GridCell, PageGrid, Rules

_NEAR = 4.0
"""Points between a row's edge and a drawn line that is taken for it: half a line of 8 points, less than any row."""
_BESIDE = 0.3
"""Share of a table's width that a line must cover to part rows at all."""
_COVERED, _BARE = 0.5, 0.05
"""Shares of a width that a line covers which parts rows, and of one that does not: a dash or a crossing line."""


def near_rules(rules: Rules, table: Rect) -> Rules:
    # 3 points: the outer lines lie on the edge, half their width (`_THIN`) outside of it.
    return rules.within(table.grown(3))


def level_lines(rules: Rules, table: Rect) -> list[Rect]:
    """Return the level lines and edges of colour in a table."""
    near = near_rules(rules, table)
    return [*near.level, *near.shaded]


def spans_by_rules(grid: PageGrid, rules: Sequence[Rect]) -> PageGrid:
    """Return a grid with the places joined downward between which no line is drawn though one is beside them."""
    by_place = {(cell.row, cell.column): cell for cell in grid.cells}
    for cell in sorted(grid.cells, key=lambda cell: (-cell.row, cell.column)):
        below = by_place.get((cell.row + cell.row_span, cell.column))
        if below is None or below.column_span != cell.column_span or not _open_below(cell, below, grid, rules):
            continue
        joined = replace(cell, row_span=cell.row_span + below.row_span, rect=around((cell.rect, below.rect)))
        by_place[cell.row, cell.column] = joined
        del by_place[below.row, below.column]
    return replace(grid, cells=tuple(sorted(by_place.values(), key=lambda cell: (cell.row, cell.column))))


def _open_below(cell: GridCell, below: GridCell, grid: PageGrid, rules: Sequence[Rect]) -> bool:
    height = (cell.rect.bottom + below.rect.top) / 2
    return _cover(height, grid.rect, rules) > _BESIDE and _cover(height, cell.rect.grown(-1), rules) < _BARE


def rows_by_rules(grid: PageGrid, rules: Sequence[Rect]) -> PageGrid:
    """Return a grid whose rows are parted by drawn lines without the rows that were made of lines of text alone.

    Only where the body is ruled throughout: at least two lines, and one for two rows that have none.
    """
    tops = _row_tops(grid)
    covered = {row: _cover(tops[row], grid.rect, rules) for row in range(1, grid.rows) if row in tops}
    ruled = sum(1 for share in covered.values() if share > _COVERED)
    bare = {row for row, share in covered.items() if share < _BARE}
    if ruled < 2 or 2 * ruled < len(bare) or not bare:
        return grid
    number, new_rows = 0, [0]
    for row in range(1, grid.rows):
        number += row not in bare
        new_rows.append(number)
    return _with_rows(grid, new_rows)


def _row_tops(grid: PageGrid) -> dict[int, float]:
    """Return where each row begins, by the lowest of its cells' upper sides."""
    tops: dict[int, float] = {}
    for cell in grid.cells:
        tops[cell.row] = max(tops.get(cell.row, cell.rect.top), cell.rect.top)
    return tops


def _cover(height: float, table: Rect, rules: Sequence[Rect]) -> float:
    """Return how much of a table's width the lines at one height cover, 0 to 1."""
    near = sorted((rule.left, rule.right) for rule in rules if abs(rule.top - height) < _NEAR)
    covered, end = 0.0, table.left
    for left, right in near:
        covered += max(0.0, min(right, table.right) - max(left, end))
        end = max(end, right)
    return covered / max(1.0, table.width)


def _with_rows(grid: PageGrid, new_rows: Sequence[int]) -> PageGrid:
    """Return the grid with its rows renumbered; cells that come to lie on one place are one."""
    places: dict[tuple[int, int, int], GridCell] = {}
    for cell in grid.cells:
        row, last = new_rows[cell.row], new_rows[cell.row + cell.row_span - 1]
        key = (row, cell.column, cell.column_span)
        other = places.get(key)
        span = last - row + 1
        rect = cell.rect if other is None else around((cell.rect, other.rect))
        span = span if other is None else max(span, other.row_span)
        places[key] = GridCell(row, cell.column, span, cell.column_span, rect)
    return replace(grid, cells=tuple(sorted(places.values(), key=lambda cell: (cell.row, cell.column))))
