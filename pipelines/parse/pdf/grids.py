"""Which grids of a page are tables, and which of two that cover one place to believe."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.pdf.alignment import aligned_grid, continued_grid
from pipelines.parse.pdf.items import LOW
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, RawPage, Rules
from pipelines.parse.pdf.tables import GridPlaces

_NEAR = 4.0
"""Points between a row's edge and a drawn line that is taken for it: half a line of 8 points, less than any row."""
_PASSAGE_LINES, _PASSAGE = 4, 150
"""Lines of a passage, and characters that passages have in the mean."""
_MOST_LINES = 4000
"""Lines of a page from which the library's search for tables does not end in any useful time."""
_BESIDE = 0.3
"""Share of a table's width that a line must cover to part rows at all."""
_SIDES = 3
"""Upright lines that a table drawn by lines has at least: a form's underlines alone make no table."""
_COVERED, _BARE = 0.5, 0.05
"""Shares of a width that a line covers which parts rows, and of one that does not: a dash or a crossing line."""
_STRIPES, _ROW = 4, 80.0
"""Level lines of one width that make a table, and points between two of them at most: six lines of text."""
_TINTED = 3
"""Edges of colour of one width that make one: two rows of coloured cells; each second row of a table has such."""
_SAME = 0.6
"""Share that two rectangles have in common from which they are one table."""


class TableFinder:
    """Finds the tables of one page; `gutters` part the columns in which the document's running text is set."""

    def __init__(self, file: PdfFile, page: RawPage, gutters: Sequence[tuple[float, float]]) -> None:
        self.file, self.page, self.gutters = file, page, gutters

    @property
    def _words(self) -> list[PageWord]:
        return self.file.words(self.page.number)

    @cached_property
    def _rules(self) -> Rules:
        return self.file.rules(self.page.number, self.page.rect)

    def grids(self, regions: Sequence[Rect], pictures: Sequence[Rect]) -> list[PageGrid]:
        """Return the grids of the page's tables from the top.

        Lines that are drawn down and across are believed; other regions that the layout model calls a table have the
        grid of their words. What is drawn within a picture is no table.
        """
        page = self.page
        if len(page.lines) > _MOST_LINES:
            return []
        rules = self._rules
        regions = in_columns(regions, self.gutters, page.lines)
        # The library's search takes as long as the rest of a page.
        drawn = self.file.grids(page.number) if len(rules.upright) >= _SIDES else []
        drawn = [grid for grid in drawn if _is_table(grid, page.lines)]
        # Most of it: a table may reach into the frame of a picture beside it.
        drawn = [g for g in drawn if _fits(g, regions) or not any(g.rect.share_in(p) > 0.7 for p in pictures)]
        ruled = [grid for grid in drawn if len(_near(rules, grid.rect).upright) >= _SIDES]
        likely = [*regions, *(region for region in striped(rules) if not _fits_any(region, regions))]
        missing = [region for region in likely if not any(_common(region, grid.rect) > 0.5 for grid in ruled)]
        aligned = [aligned_grid(region, self._words, rules) for region in missing]
        found = [rows_by_rules(grid, _lines(rules, grid.rect)) for grid in ruled]
        found += [grid for grid in aligned if grid is not None and _is_table(grid, page.lines)]
        found = [spans_by_rules(grid, _lines(rules, grid.rect)) for grid in found]
        return _apart(found)

    def with_continued(
        self, grids: Sequence[PageGrid], above: PageGrid | None
    ) -> tuple[list[PageGrid], PageGrid | None]:
        """Return the grids with what goes on of a table from one column or page to the next, and one left open.

        Args:
            grids: the tables that the page shows by itself.
            above: the table with which the page before ends, None where it ends with something else.
        """
        found = list(grids)
        bottom = max((line.rect.bottom for line in self.page.lines), default=0.0)
        for lines in self._columns():
            frame = around(line.rect for line in lines).grown(1)
            part = self._part(above, frame) if above is not None else None
            if part is not None and not any(_shows_more(grid, part) for grid in found):
                found = _apart([part, *found])
            above = _open_grid([grid for grid in found if frame.holds(*grid.rect.middle)], lines, bottom)
            # What it goes on in has its own left edge.
            above = above and above.moved(-frame.left)
        return sorted(found, key=lambda grid: (grid.rect.top, grid.rect.left)), above

    def _columns(self) -> list[list[Line]]:
        edges = [0.0, *((left + right) / 2 for left, right in self.gutters), math.inf]
        columns = [[line for line in self.page.lines if a <= line.rect.left < b] for a, b in pairwise(edges)]
        return [column for column in columns if column]

    def _part(self, above: PageGrid, frame: Rect) -> PageGrid | None:
        words = [word for word in self._words if frame.holds(*word.rect.middle)]
        part = continued_grid(above.moved(frame.left), words, self._rules)
        return part and spans_by_rules(part, _lines(self._rules, part.rect))


def _shows_more(grid: PageGrid, part: PageGrid) -> bool:
    return _fits_any(part.rect, [grid.rect]) and grid.columns >= part.columns and grid.rows >= part.rows


def in_columns(regions: Sequence[Rect], gutters: Sequence[tuple[float, float]], lines: Sequence[Line]) -> list[Rect]:
    """Return where tables are, one that a model sees over several columns of text in those that have rows of it."""
    parts = list(regions)
    for left, right in gutters:
        parts = [part for region in parts for part in _at_gutter(region, left, right, lines)]
    return parts


def _at_gutter(region: Rect, left: float, right: float, lines: Sequence[Line]) -> list[Rect]:
    within = [line for line in lines if region.holds(*line.rect.middle)]
    across = any(line.rect.left < left and line.rect.right > right for line in within)
    # Less than a table's narrowest column is a frame that was drawn roughly.
    beyond = min(left - region.left, region.right - right) > 2 * _NEAR
    if across or not beyond:
        return [region]
    middle = (left + right) / 2
    sides = [[line for line in within if (line.rect.left > middle) is after] for after in (False, True)]
    return [around(line.rect for line in rows) for side in sides if (rows := _tabular(side))]


def _tabular(lines: Sequence[Line]) -> list[Line]:
    """Return the lines from the first to the last row of several pieces, none where there are no two such rows."""
    inward = sorted(lines, key=lambda line: line.rect.top)
    beside = [n for n, line in enumerate(inward) if any(_level(line, other) for other in inward if other is not line)]
    # Two rows of two pieces each.
    return inward[beside[0] : beside[-1] + 1] if len(beside) >= 4 else []


def _level(one: Line, other: Line) -> bool:
    return abs(one.rect.middle[1] - other.rect.middle[1]) < 0.5 * min(one.rect.height, other.rect.height)


def _open_grid(grids: Sequence[PageGrid], lines: Sequence[Line], bottom: float) -> PageGrid | None:
    """Return the table that a column ends with, None where text stands below it or it ends further up."""
    last = max(grids, key=lambda grid: grid.rect.bottom, default=None)
    if last is None or last.rect.bottom < LOW * bottom:
        return None
    return None if any(line.rect.middle[1] > last.rect.bottom for line in lines) else last


def _is_table(grid: PageGrid, lines: Sequence[Line]) -> bool:
    """Two rows and two columns at least, with text in more than one place of each, and not whole columns of prose."""
    if grid.rows < 2 or grid.columns < 2:
        return False
    filled: dict[tuple[int, int], list[Line]] = {}
    places = GridPlaces(grid.cells)
    for line in lines:
        if (number := places.at(*line.rect.middle)) is not None:
            filled.setdefault((grid.cells[number].row, grid.cells[number].column), []).append(line)
    rows = Counter(row for row, _ in filled)
    spread = max(rows.values(), default=0) > 1
    # Two by two with one place empty is the least table.
    return len(filled) >= 3 and spread and len(rows) > 1 and not _prose_in_boxes(filled)


def _prose_in_boxes(filled: Mapping[tuple[int, int], Sequence[Line]]) -> bool:
    """Whether nearly all the text stands in a few long passages beside one another: boxes or columns, no table."""
    passages = {place: held for place, held in filled.items() if len(held) >= _PASSAGE_LINES}
    long = sum(len(line.text) for held in passages.values() for line in held)
    total = sum(len(line.text) for held in filled.values() for line in held)
    in_one_row = len(passages) > 1 and len({row for row, _ in passages}) == 1
    # The rest are headings over the boxes: less than a third.
    return in_one_row and long > max(0.7 * total, _PASSAGE * len(passages))


def _near(rules: Rules, table: Rect) -> Rules:
    # 3 points: the outer lines lie on the edge, half their width (`_THIN`) outside of it.
    return rules.within(table.grown(3))


def _lines(rules: Rules, table: Rect) -> list[Rect]:
    """Return the level lines and edges of colour in a table."""
    near = _near(rules, table)
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
        header = cell.header if other is None else other.header
        places[key] = GridCell(row, cell.column, span, cell.column_span, rect, header)
    return replace(grid, cells=tuple(sorted(places.values(), key=lambda cell: (cell.row, cell.column))))


def striped(rules: Rules) -> list[Rect]:
    """Return where level lines of one width, or edges of colour, follow one another as rows of a table do.

    Of colour alone some must stand side by side, as cells do and boxes around text do not.
    """
    found: list[list[Rect]] = []
    for line in _whole([*rules.level, *rules.shaded]):
        group = next((g for g in found if _same_width(g[-1], line) and line.top - g[-1].top < _ROW), None)
        if group is None:
            found.append([line])
        else:
            group.append(line)
    stripes = [around(group) for group in found if len(group) >= _TINTED]
    return [stripe for stripe in stripes if _has_rows(stripe, rules.within(stripe.grown(1)))]


def _has_rows(stripe: Rect, rules: Rules) -> bool:
    inner = stripe.grown(-_NEAR)
    beside = sum(1 for side in rules.sides if inner.left < side.left < inner.right)
    # A side of the cell on the left and one of that on the right, for each row.
    return len(rules.level) >= _STRIPES or beside >= 2 * (_TINTED - 1)


def _whole(lines: Sequence[Rect]) -> list[Rect]:
    """Return level lines from the top, those that continue one another as one: each cell may have its own."""
    whole: list[Rect] = []
    for line in sorted(lines, key=lambda line: (round(line.top), line.left)):
        if whole and abs(whole[-1].top - line.top) < 1 and line.left - whole[-1].right < 1:
            whole[-1] = around((whole[-1], line))
        else:
            whole.append(line)
    return whole


def _same_width(one: Rect, other: Rect) -> bool:
    return abs(one.left - other.left) < 2 and abs(one.right - other.right) < 2


def _fits_any(rect: Rect, regions: Sequence[Rect]) -> bool:
    # As in `_apart`.
    return any(rect.share_in(region) > 0.4 or region.share_in(rect) > 0.4 for region in regions)


def _fits(grid: PageGrid, regions: Sequence[Rect]) -> bool:
    return any(_common(grid.rect, region) > _SAME for region in regions)


def _common(one: Rect, other: Rect) -> float:
    """Return the area both cover over the area that either covers."""
    both = one.meet(other)
    if both.width <= 0 or both.height <= 0:
        return 0.0
    return both.area / (one.area + other.area - both.area)


def _apart(grids: Sequence[PageGrid]) -> list[PageGrid]:
    """Return the grids without those that lie in another: the first stays."""
    kept: list[PageGrid] = []
    for grid in grids:
        # Tables beside one another share an edge at most; two findings of one table share most of it.
        if not any(grid.rect.share_in(other.rect) > 0.4 or other.rect.share_in(grid.rect) > 0.4 for other in kept):
            kept.append(grid)
    return kept
