"""The tables of a page: grids from drawn lines and from word positions, without duplicates, and merged cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from statistics import median

from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.alignment import aligned_grid, continued_grid
from pipelines.parse.pdf.items import LEAST_BOTTOM
from pipelines.parse.pdf.layout import underlines
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, RawPage, Rules
from pipelines.parse.pdf.side_by_side import rows_side_by_side
from pipelines.parse.pdf.stripes import find_lattices, find_stripes, split_at_text
from pipelines.parse.pdf.tables import CellLocator

_MOST_PAGE_LINES = 4000
"""Maximum lines of a page; with more, the library's search for tables takes too long."""
_LEAST_SIDES = 3
"""Minimum vertical lines of a ruled table: underlines of a form are not a table."""
_LEAST_COMMON = 0.6
"""Minimum ratio of intersection to union of two rectangles that are the same table."""
_LEAST_OVERLAP = 0.4
"""Minimum share of one of two rectangles inside the other if they are the same table: one of them may be incomplete,
but tables side by side only share an edge."""
_ROW_EDGE_TOLERANCE = 4.0
"""Maximum points between a row's edge and its drawn line: half of a line of 8 points, less than any row."""
_SMALL_PRINT = 0.9
"""Maximum size of a line in small print, as a share of the median size of the lines: LaTeX's \\footnotesize is 0.8."""
_LEAST_FILLED = 0.65
"""Share of the page that is taken for filled at least: a table above its middle does not go on on the next page."""
_LEAST_COVERED = 0.3
"""Minimum share of a table's width covered by lines that separate rows."""
_MOST_UNCOVERED = 0.05
"""Maximum share of a cell's width covered by lines that do not separate it from the cell below: a crossing line."""


class TableFinder:
    """Finds the tables of one page.

    `gutters` separate the columns of the document's running text; `words` are those of the page without running headers
    and footers.
    """

    def __init__(
        self, file: PdfFile, page: RawPage, words: Sequence[PageWord], gutters: Sequence[tuple[float, float]]
    ) -> None:
        self.file, self.page, self.gutters = file, page, gutters
        self._words = list(words)

    @cached_property
    def _rules(self) -> Rules:
        """The page's rules without underlines."""
        rules = self.file.rules(self.page.number, self.page.rect)
        near = Near(self.page.lines, lambda line: line.rect)
        plain = [rule for rule in rules.horizontal if not underlines(rule, near.at(rule.grown(1)))]
        return replace(rules, horizontal=plain)

    def grids(self, regions: Sequence[Rect], pictures: Sequence[Rect]) -> list[PageGrid]:
        """Return the grids of the page's tables, from the top.

        Args:
            regions: tables found by the layout model.
            pictures: pictures found by the layout model; grids inside them are not tables.

        Grids of horizontal and vertical lines are preferred; other regions get the grid of their words.
        """
        page = self.page
        if len(page.lines) > _MOST_PAGE_LINES:
            return []
        rules = self._rules
        # The library's search takes as long as reading the rest of a page.
        drawn = self.file.grids(page.number) if len(rules.vertical) >= _LEAST_SIDES else []
        drawn = [grid for grid in drawn if _is_table(grid, page.lines, drawn=self._has_sides(grid))]
        # More than a part: a table may overlap the frame of a picture beside it.
        drawn = [
            grid
            for grid in drawn
            if any(_common_share(grid.rect, region) > _LEAST_COMMON for region in regions)
            or not any(grid.rect.share_in(picture) > 0.7 for picture in pictures)
        ]
        ruled = [self._with_rows_of_text(grid) for grid in drawn if self._has_sides(grid)]
        areas = self._table_areas(regions)
        missing = [region for region in areas if not any(_common_share(region, grid.rect) > 0.5 for grid in ruled)]
        own = zip(missing, self._words_for(missing), strict=True)
        aligned = [aligned_grid(region, words, rules) for region, words in own]
        found = ruled + [grid for grid in aligned if grid and _is_table(grid, page.lines, drawn=False)]
        found = [spans_by_rules(grid, self._words, rules) for grid in found]
        return _without_duplicates(found)

    def _with_rows_of_text(self, grid: PageGrid) -> PageGrid:
        """Return a grid with the rows of its text if lines only separate its columns, or groups of rows."""
        words = [word for word in self._words if grid.rect.holds(*word.rect.middle)]
        aligned = aligned_grid(grid.rect, words, self._rules)
        more = aligned is not None and aligned.columns == grid.columns and aligned.rows > 2 * grid.rows
        return aligned if aligned is not None and more else grid

    def _has_sides(self, grid: PageGrid) -> bool:
        return len(_rules_near(self._rules, grid.rect).vertical) >= _LEAST_SIDES

    def _table_areas(self, regions: Sequence[Rect]) -> list[Rect]:
        """Return the possible areas of tables: the model's regions, adjusted to drawn lines and colours, and the others
        with such lines.

        A region over several striped areas is split into these; one over a lattice is extended to it.
        """
        lattices = find_lattices(self._rules, self._words)
        stripes = [*lattices, *(stripe for stripe in find_stripes(self._rules) if not _overlaps_any(stripe, lattices))]
        found: list[Rect] = []
        for region in regions:
            own = [stripe for stripe in stripes if _overlaps(stripe, region)]
            if len(own) > 1:
                own = _split_by_stripes(region, own)
            else:
                own = [around((region, *(stripe for stripe in own if stripe in lattices)))]
            found += [rect for rect in own if rect not in found]
        rows = rows_side_by_side(self.page.lines, self.gutters)
        # The lines of a table may only underline one of its columns.
        wider = [around((stripe, *(area for area in rows if _overlaps(stripe, area)))) for stripe in stripes]
        for area in (*wider, *rows):
            if not _overlaps_any(area, found):
                found.append(area)
        return [part for region in found for part in split_at_text(region, self._words, self._rules)]

    def _words_for(self, regions: Sequence[Rect]) -> list[list[PageWord]]:
        """Return the words for each table: those that are in no table before it."""
        near = Near(range(len(regions)), lambda number: regions[number])
        containing: list[tuple[PageWord, list[int]]] = []
        for word in self._words:
            x, y = word.rect.middle
            containing.append((word, [n for n in near.at(Rect(x, y, x, y)) if regions[n].holds(x, y)]))
        return [[word for word, held in containing if not held or held[0] == number] for number in range(len(regions))]

    def with_continued(
        self, grids: Sequence[PageGrid], above: PageGrid | None
    ) -> tuple[list[PageGrid], PageGrid | None]:
        """Return the grids with tables continued from the column or page before, and the table at the page's end.

        Args:
            grids: the tables found on this page.
            above: the table at the end of the page before, None if there is none.
        """
        found = list(grids)
        bottom = max((line.rect.bottom for line in self.page.lines), default=0.0)
        bottom = max(bottom, _LEAST_FILLED * self.page.height)
        for lines in self._columns():
            frame = around(line.rect for line in lines).grown(1)
            part = self._continuation(above, frame) if above is not None else None
            if part is not None and any(_covers(grid, part) for grid in found):
                found = [
                    replace(grid, continues=True) if _covers(grid, part) and grid.columns == part.columns else grid
                    for grid in found
                ]
            elif part is not None:
                found = _without_duplicates([part, *found])
            above = _open_grid([grid for grid in found if frame.holds(*grid.rect.middle)], lines, bottom)
            above = above and replace(above, edge=frame.left)
        return sorted(found, key=lambda grid: (grid.rect.top, grid.rect.left)), above

    def _columns(self) -> list[list[Line]]:
        edges = [0.0, *((left + right) / 2 for left, right in self.gutters), math.inf]
        columns = [[line for line in self.page.lines if a <= line.rect.left < b] for a, b in pairwise(edges)]
        return [column for column in columns if column]

    def _continuation(self, above: PageGrid, frame: Rect) -> PageGrid | None:
        """Return the continuation of a table, at the same position or at the same distance from the column's edge."""
        words = [word for word in self._words if frame.holds(*word.rect.middle)]
        moves = (0.0, frame.left - above.edge)
        parts = [continued_grid(above.moved(across), words, self._rules) for across in moves]
        part = max((part for part in parts if part), key=lambda part: len(part.cells), default=None)
        return part and spans_by_rules(part, self._words, self._rules)


def _covers(grid: PageGrid, part: PageGrid) -> bool:
    return _overlaps_any(part.rect, [grid.rect]) and grid.columns >= part.columns and grid.rows >= part.rows


def _open_grid(grids: Sequence[PageGrid], lines: Sequence[Line], bottom: float) -> PageGrid | None:
    """Return the table at the end of a column, None if text is below it or it ends too high.

    Lines in smaller print are ignored: they are footnotes, or belong to the whole page.
    """
    last = max(grids, key=lambda grid: grid.rect.bottom, default=None)
    if last is None or last.rect.bottom < LEAST_BOTTOM * bottom:
        return None
    usual = _SMALL_PRINT * median(line.size for line in lines)
    return None if any(line.rect.middle[1] > last.rect.bottom and line.size >= usual for line in lines) else last


def _is_table(grid: PageGrid, lines: Sequence[Line], *, drawn: bool) -> bool:
    """Whether a grid is a table: at least two rows and columns, with text in three cells, two of them in one row.

    A `drawn` form has text in each row. A single row of at least three columns may be the end of a table.
    """
    # A single row of two columns may be a line of text with its number.
    if grid.columns < (2 if grid.rows > 1 else 3):
        return False
    places = CellLocator(grid.cells)
    filled = {number for line in lines if (number := places.at(*line.rect.middle)) is not None}
    rows = Counter(grid.cells[number].row for number in filled)
    if grid.rows == 1:
        return len(filled) > 1
    # The smallest table is two by two with one empty cell.
    return len(filled) >= 3 and len(rows) > 1 and (max(rows.values()) > 1 or (drawn and len(rows) == grid.rows))


def _split_by_stripes(region: Rect, stripes: Sequence[Rect]) -> list[Rect]:
    """Return a region split into its stripes: those side by side, and those of each column at their bottoms.

    A header may be above the first line of a stripe.
    """
    columns: list[list[Rect]] = []
    for stripe in sorted(stripes, key=lambda stripe: stripe.left):
        if columns and stripe.left < max(other.right for other in columns[-1]):
            columns[-1].append(stripe)
        else:
            columns.append([stripe])
    return [part for column in columns for part in _split_at_bottoms(region, column)]


def _split_at_bottoms(region: Rect, stripes: Sequence[Rect]) -> list[Rect]:
    downward = sorted(stripes, key=lambda stripe: stripe.top)
    tops = [min(region.top, downward[0].top), *(above.bottom for above in downward[:-1])]
    bottoms = [*(stripe.bottom for stripe in downward[:-1]), max(region.bottom, downward[-1].bottom)]
    return [
        Rect(stripe.left, top, stripe.right, bottom)
        for stripe, top, bottom in zip(downward, tops, bottoms, strict=True)
        if bottom > top
    ]


def _overlaps_any(rect: Rect, regions: Sequence[Rect]) -> bool:
    return any(_overlaps(rect, region) for region in regions)


def _overlaps(one: Rect, other: Rect) -> bool:
    """Whether two rectangles are the same table."""
    return max(one.share_in(other), other.share_in(one)) > _LEAST_OVERLAP


def _common_share(one: Rect, other: Rect) -> float:
    """Return the intersection over union of two rectangles."""
    both = one.meet(other)
    if both.width <= 0 or both.height <= 0:
        return 0.0
    return both.area / (one.area + other.area - both.area)


def _without_duplicates(grids: Sequence[PageGrid]) -> list[PageGrid]:
    """Return the grids without those that overlap one before."""
    kept: list[PageGrid] = []
    for grid in grids:
        if not any(_overlaps(grid.rect, other.rect) for other in kept):
            kept.append(grid)
    return kept


def _rules_near(rules: Rules, table: Rect) -> Rules:
    # The outer lines are on the edge, and half of their width, at most 3 points, is outside.
    return rules.within(table.grown(3))


def spans_by_rules(grid: PageGrid, words: Sequence[PageWord], rules: Rules) -> PageGrid:
    """Return a grid with cells merged downward if there is no line between them, but one beside them.

    There is a line between other cells of their column: in some tables, only the first column is underlined. A colour
    edge beside two cells without colour only merges an empty one: every second row is coloured.
    """
    near = _rules_near(rules, grid.rect)
    drawn = [*near.horizontal, *near.horizontal_edges]
    lined = {
        cell.column
        for cell in grid.cells
        if 0 < cell.row + cell.row_span < grid.rows and not _is_open(cell, cell.rect.bottom, drawn)
    }
    places = CellLocator(grid.cells)
    filled = {grid.cells[at] for word in words if (at := places.at(*word.rect.middle)) is not None}
    by_place = {(cell.row, cell.column): cell for cell in grid.cells}
    for cell in sorted(grid.cells, key=lambda cell: (-cell.row, cell.column)):
        below = by_place.get((cell.row + cell.row_span, cell.column))
        if below is None or below.column_span != cell.column_span or cell.column not in lined:
            continue
        height = (cell.rect.bottom + below.rect.top) / 2
        coloured = any(_covers_edge(area, cell, height) for area in near.areas)
        between = drawn if coloured or below not in filled else near.horizontal
        if _coverage(height, grid.rect, between) > _LEAST_COVERED and _is_open(cell, height, drawn):
            joined = replace(cell, row_span=cell.row_span + below.row_span, rect=around((cell.rect, below.rect)))
            by_place[cell.row, cell.column] = joined
            filled |= {joined} if filled & {cell, below} else set()
            del by_place[below.row, below.column]
    return replace(grid, cells=tuple(sorted(by_place.values(), key=lambda cell: (cell.row, cell.column))))


def _covers_edge(area: Rect, cell: GridCell, height: float) -> bool:
    """Whether a coloured area runs down over the edge below a cell."""
    return area.top < height - 1 and area.bottom > height + 1 and area.holds(cell.rect.middle[0], height)


def _is_open(cell: GridCell, height: float, rules: Sequence[Rect]) -> bool:
    return _coverage(height, cell.rect.grown(-1), rules) < _MOST_UNCOVERED


def _coverage(height: float, table: Rect, rules: Sequence[Rect]) -> float:
    """Return the share of a table's width covered by the lines at one height."""
    near = sorted((rule.left, rule.right) for rule in rules if abs(rule.top - height) < _ROW_EDGE_TOLERANCE)
    covered, end = 0.0, table.left
    for left, right in near:
        covered += max(0.0, min(right, table.right) - max(left, end))
        end = max(end, right)
    return covered / max(1.0, table.width)
