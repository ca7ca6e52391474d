"""Which grids of a page are tables, and which of two that cover one place to believe."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.parse.lines import Line, Rect
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import Grid, RawPage

_SAME = 0.6
"""Share that two rectangles have in common from which they are one table."""


def table_grids(file: PdfFile, page: RawPage, regions: Sequence[Rect], pictures: Sequence[Rect]) -> list[Grid]:
    """Return the grids of the page's tables from the top.

    Drawn lines are believed where they make a table of their own or fit a region that the layout model calls one;
    regions without lines have the model's grid. What is drawn within a picture is no table.
    """
    drawn = [grid for grid in file.grids(page.number, model=False) if _is_table(grid, page.lines)]
    drawn = [grid for grid in drawn if _fits(grid, regions) or not any(grid.rect.share_in(p) > 0.7 for p in pictures)]
    drawn = [grid for grid in drawn if _upright_rules(grid, page) >= 2 or _fits(grid, regions)]
    missing = [region for region in regions if not any(_common(region, grid.rect) > 0.5 for grid in drawn)]
    if missing:
        modelled = [grid for grid in file.grids(page.number, model=True) if _is_table(grid, page.lines)]
        drawn += [grid for grid in modelled if any(_common(grid.rect, region) > 0.5 for region in missing)]
    return sorted(_apart(drawn), key=lambda grid: (grid.rect.top, grid.rect.left))


def _is_table(grid: Grid, lines: Sequence[Line]) -> bool:
    """Two rows and two columns at least, with text in more than one place of each."""
    if grid.rows < 2 or grid.columns < 2:
        return False
    filled = {
        (cell.row, cell.column) for cell in grid.cells if any(cell.rect.holds(*line.rect.middle) for line in lines)
    }
    spread = any(len({column for row, column in filled if row == wanted}) > 1 for wanted, _ in filled)
    return len(filled) >= 3 and spread and len({row for row, _ in filled}) > 1


def _fits(grid: Grid, regions: Sequence[Rect]) -> bool:
    return any(_common(grid.rect, region) > _SAME for region in regions)


def _upright_rules(grid: Grid, page: RawPage) -> int:
    """Return how many lines or sides of boxes stand upright within a grid: a form's underlines alone make no table."""
    inside = grid.rect.grown(3)
    rules = [rect for rect in page.paint.vertical if rect.share_in(inside) > 0.5]
    boxes = [rect for rect in page.paint.shapes if rect.share_in(inside) > 0.5 and rect.height > 6]
    return len(rules) + 2 * len(boxes)


def _common(one: Rect, other: Rect) -> float:
    """Return the area both cover over the area that either covers."""
    both = one.meet(other)
    if both.width <= 0 or both.height <= 0:
        return 0.0
    return both.area / (one.area + other.area - both.area)


def _apart(grids: Sequence[Grid]) -> list[Grid]:
    """Return the grids without those that lie in another: the first stays."""
    kept: list[Grid] = []
    for grid in grids:
        if not any(grid.rect.share_in(other.rect) > 0.4 or other.rect.share_in(grid.rect) > 0.4 for other in kept):
            kept.append(grid)
    return kept
