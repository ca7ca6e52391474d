"""Merged cells of a grid by the lines that are drawn in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import GridCell, PageGrid, Rules

_NEAR = 4.0
"""Points between a row's edge and a drawn line that is taken for it: half a line of 8 points, less than any row."""
_BESIDE = 0.3
"""Share of a table's width that a line must cover to part rows at all."""
_BARE = 0.05
"""Share of a width that a line covers which does not part rows: a dash or a crossing line."""


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


def _cover(height: float, table: Rect, rules: Sequence[Rect]) -> float:
    """Return how much of a table's width the lines at one height cover, 0 to 1."""
    near = sorted((rule.left, rule.right) for rule in rules if abs(rule.top - height) < _NEAR)
    covered, end = 0.0, table.left
    for left, right in near:
        covered += max(0.0, min(right, table.right) - max(left, end))
        end = max(end, right)
    return covered / max(1.0, table.width)
