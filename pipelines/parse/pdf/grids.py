"""Which grids of a page are tables, and which of two that cover one place to believe."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.alignment import aligned_grid, continued_grid
from pipelines.parse.pdf.grid_rules import level_lines, near_rules, spans_by_rules
from pipelines.parse.pdf.items import LOW
from pipelines.parse.pdf.layout import underlines
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageGrid, PageWord, RawPage, Rules
from pipelines.parse.pdf.side_by_side import rows_side_by_side
from pipelines.parse.pdf.stripes import lattices, striped, without_text
from pipelines.parse.pdf.tables import GridPlaces

_MOST_LINES = 4000
"""Lines of a page from which the library's search for tables does not end in any useful time."""
_SIDES = 3
"""Upright lines that a table drawn by lines has at least: a form's underlines alone make no table."""
_SAME = 0.6
"""Share that two rectangles have in common from which they are one table."""
_OVERLAP = 0.4
"""Share of one of two rectangles that lies in the other from which they are one table: of two findings one may be cut
short, and tables beside one another share an edge."""


class TableFinder:
    """Finds the tables of one page; `gutters` part the columns in which the document's running text is set.

    `words` are those of the page's own text, without its running headers and footers.
    """

    def __init__(
        self, file: PdfFile, page: RawPage, words: Sequence[PageWord], gutters: Sequence[tuple[float, float]]
    ) -> None:
        self.file, self.page, self.gutters = file, page, gutters
        self._words = list(words)

    @cached_property
    def _rules(self) -> Rules:
        """The page's lines, without those that underline words."""
        rules = self.file.rules(self.page.number, self.page.rect)
        near = Near(self.page.lines, lambda line: line.rect)
        return replace(rules, level=[rule for rule in rules.level if not underlines(rule, near.at(rule.grown(1)))])

    def grids(self, regions: Sequence[Rect], pictures: Sequence[Rect]) -> list[PageGrid]:
        """Return the grids of the page's tables from the top.

        Lines that are drawn down and across are believed; other regions that the layout model calls a table have the
        grid of their words. What is drawn within a picture is no table.
        """
        page = self.page
        if len(page.lines) > _MOST_LINES:
            return []
        rules = self._rules
        # The library's search takes as long as the rest of a page.
        drawn = self.file.grids(page.number) if len(rules.upright) >= _SIDES else []
        drawn = [grid for grid in drawn if _is_table(grid, page.lines, drawn=self._has_sides(grid))]
        # Most of it: a table may reach into the frame of a picture beside it.
        drawn = [g for g in drawn if _fits(g, regions) or not any(g.rect.share_in(p) > 0.7 for p in pictures)]
        ruled = [grid for grid in drawn if self._has_sides(grid)]
        likely = self._likely(regions)
        missing = [region for region in likely if not any(_common(region, grid.rect) > 0.5 for grid in ruled)]
        own = zip(missing, self._words_for(missing), strict=True)
        aligned = [aligned_grid(region, words, rules) for region, words in own]
        found = ruled + [grid for grid in aligned if grid and _is_table(grid, page.lines, drawn=False)]
        found = [spans_by_rules(grid, level_lines(rules, grid.rect)) for grid in found]
        return _apart(found)

    def _has_sides(self, grid: PageGrid) -> bool:
        return len(near_rules(self._rules, grid.rect).upright) >= _SIDES

    def _likely(self, regions: Sequence[Rect]) -> list[Rect]:
        """Return where tables may be: the model's regions as far as drawn lines and colours agree, and where these are.

        A region over several stripes is those, one over cells with lines of their own reaches as far as they do.
        """
        cells = lattices(self._rules, self._words)
        stripes = [*cells, *(stripe for stripe in striped(self._rules) if not _fits_any(stripe, cells))]
        found: list[Rect] = []
        for region in regions:
            own = [stripe for stripe in stripes if _overlap(stripe, region)]
            if len(own) > 1:
                own = _shared_out(region, own)
            else:
                own = [around((region, *(stripe for stripe in own if stripe in cells)))]
            found += [rect for rect in own if rect not in found]
        found += [stripe for stripe in stripes if not _fits_any(stripe, found)]
        found += [rows for rows in rows_side_by_side(self.page.lines, self.gutters) if not _fits_any(rows, found)]
        return [part for region in found for part in without_text(region, self._words, self._rules)]

    def _words_for(self, regions: Sequence[Rect]) -> list[list[PageWord]]:
        """Return the words that each table may have: those that none before it holds."""
        near = Near(range(len(regions)), lambda number: regions[number])
        homes: list[tuple[PageWord, list[int]]] = []
        for word in self._words:
            x, y = word.rect.middle
            homes.append((word, [n for n in near.at(Rect(x, y, x, y)) if regions[n].holds(x, y)]))
        return [[word for word, held in homes if not held or held[0] == number] for number in range(len(regions))]

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
            if part is not None and any(_shows_more(grid, part) for grid in found):
                found = [replace(grid, continues=_goes_on(grid, part)) for grid in found]
            elif part is not None:
                found = _apart([part, *found])
            above = _open_grid([grid for grid in found if frame.holds(*grid.rect.middle)], lines, bottom)
            above = above and replace(above, edge=frame.left)
        return sorted(found, key=lambda grid: (grid.rect.top, grid.rect.left)), above

    def _columns(self) -> list[list[Line]]:
        edges = [0.0, *((left + right) / 2 for left, right in self.gutters), math.inf]
        columns = [[line for line in self.page.lines if a <= line.rect.left < b] for a, b in pairwise(edges)]
        return [column for column in columns if column]

    def _part(self, above: PageGrid, frame: Rect) -> PageGrid | None:
        """Return what goes on of a table, in the place where it stands before or as far from the column's left edge."""
        words = [word for word in self._words if frame.holds(*word.rect.middle)]
        moves = (0.0, frame.left - above.edge)
        parts = [continued_grid(above.moved(across), words, self._rules) for across in moves]
        part = max((part for part in parts if part), key=lambda part: len(part.cells), default=None)
        return part and spans_by_rules(part, level_lines(self._rules, part.rect))


def _shows_more(grid: PageGrid, part: PageGrid) -> bool:
    return _fits_any(part.rect, [grid.rect]) and grid.columns >= part.columns and grid.rows >= part.rows


def _goes_on(grid: PageGrid, part: PageGrid) -> bool:
    return grid.continues or (_shows_more(grid, part) and grid.columns == part.columns)


def _open_grid(grids: Sequence[PageGrid], lines: Sequence[Line], bottom: float) -> PageGrid | None:
    """Return the table that a column ends with, None where text stands below it or it ends further up."""
    last = max(grids, key=lambda grid: grid.rect.bottom, default=None)
    if last is None or last.rect.bottom < LOW * bottom:
        return None
    return None if any(line.rect.middle[1] > last.rect.bottom for line in lines) else last


def _is_table(grid: PageGrid, lines: Sequence[Line], *, drawn: bool) -> bool:
    """Two rows and two columns at least, with text in three places, of one row two; a `drawn` form has one in each.

    One row of three columns and more may be a table's, where a page ends.
    """
    # One row of two columns may be a line of text with its number.
    if grid.columns < (2 if grid.rows > 1 else 3):
        return False
    places = GridPlaces(grid.cells)
    filled = {number for line in lines if (number := places.at(*line.rect.middle)) is not None}
    rows = Counter(grid.cells[number].row for number in filled)
    if grid.rows == 1:
        return len(filled) > 1
    # Two by two with one place empty is the least table.
    return len(filled) >= 3 and len(rows) > 1 and (max(rows.values()) > 1 or (drawn and len(rows) == grid.rows))


def _shared_out(region: Rect, stripes: Sequence[Rect]) -> list[Rect]:
    """Return a region parted at the upper ends of the stripes in it: the head of one may stand above its first line."""
    downward = sorted(stripes, key=lambda stripe: stripe.top)
    tops = [min(region.top, downward[0].top), *(above.bottom for above in downward[:-1])]
    bottoms = [*(stripe.bottom for stripe in downward[:-1]), max(region.bottom, downward[-1].bottom)]
    return [
        Rect(stripe.left, top, stripe.right, bottom)
        for stripe, top, bottom in zip(downward, tops, bottoms, strict=True)
        if bottom > top
    ]


def _fits_any(rect: Rect, regions: Sequence[Rect]) -> bool:
    return any(_overlap(rect, region) for region in regions)


def _overlap(one: Rect, other: Rect) -> bool:
    """Whether two rectangles are one table: such beside one another share an edge, two findings of one most of it."""
    return max(one.share_in(other), other.share_in(one)) > _OVERLAP


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
        if not any(_overlap(grid.rect, other.rect) for other in kept):
            kept.append(grid)
    return kept
