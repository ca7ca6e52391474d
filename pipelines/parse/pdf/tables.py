"""Grids filled with the words of a page, and a check that no number is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise

from pipelines.core.document import BlockKind
from pipelines.core.table import Cell
from pipelines.lang.identify import detect_language
from pipelines.lang.numbers import FIGURE
from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.cell_words import cell_text, text_lines
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.labelled_values import with_form_cells
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, RawPage
from pipelines.parse.pdf.table_headers import header_rows, with_two_headers

_CODE_OR_NUMBER = re.compile(r"[A-Z]{0,3}[-+±]?\d[\d.,%]{0,6}|[A-Z]{1,3}")
MOST_LEADING = 1.35
"""Maximum step between the lines of a cell, in line heights."""
_LEAST_RECORDS = 3
"""Minimum records of a row that is split: two lines in each of two columns are entries of two lines."""
_LEAST_ROW_HEIGHT = 8.0
"""Minimum height in points of a drawn row that is kept although it is empty: a line of small type."""
_BAND_HEIGHT = 12.0
"""Height in points of the bands by which cells are indexed."""


def missing_numbers(words: Sequence[PageWord], cells: Sequence[Cell]) -> list[str]:
    """Return the numbers among a table's words that no cell has, in order; each as often as it is missing."""
    in_page = Counter(FIGURE.findall(" ".join(word.text for word in words)))
    in_cells = Counter(FIGURE.findall(" ".join(cell.text for cell in cells)))
    return sorted((in_page - in_cells).elements())


class CellLocator:
    """Finds the cell of a grid at a point by an index of their heights on the page."""

    def __init__(self, cells: Sequence[GridCell]) -> None:
        self._cells = cells
        self._bands: dict[int, list[int]] = {}
        for number, cell in enumerate(cells):
            for band in range(int(cell.rect.top // _BAND_HEIGHT), int(cell.rect.bottom // _BAND_HEIGHT) + 1):
                self._bands.setdefault(band, []).append(number)

    def at(self, x: float, y: float) -> int | None:
        """Return the index of the first cell that contains a point, None if there is none."""
        near = self._bands.get(int(y // _BAND_HEIGHT), ())
        return next((number for number in near if self._cells[number].rect.holds(x, y)), None)

    def nearest(self, x: float, y: float) -> int:
        """Return the index of the cell that contains a point, or of the nearest one."""
        found = self.at(x, y)
        if found is not None:
            return found
        return min(range(len(self._cells)), key=lambda number: _distance(self._cells[number].rect, x, y))


def _distance(rect: Rect, x: float, y: float) -> float:
    return max(rect.left - x, 0.0, x - rect.right) + max(rect.top - y, 0.0, y - rect.bottom)


def fill_grid(
    grid: PageGrid,
    words: Sequence[PageWord],
    page: RawPage,
    vocabulary: Container[str] = frozenset(),
    language: str = "",
) -> tuple[Cell, ...]:
    """Return the cells of a grid with the words whose middle is in them; a word outside all is added to the nearest.

    `vocabulary` are the words of the document, in `language` (ISO 639-1), for joining those that a narrow cell breaks
    without a hyphen.
    """
    cell_words = _words_by_cell(grid, words)
    cut = with_two_headers(split_rows(grid, cell_words), words)
    if cut is not grid:
        grid, cell_words = cut, _words_by_cell(cut, words)
    form = with_form_cells(grid, cell_words)
    grid, cell_words = form or (grid, cell_words)
    headers = 0 if form else header_rows(grid, cell_words)
    cells = [
        Cell(
            place.row,
            place.column,
            cell_text(words_of_cell, vocabulary, language),
            place.row_span,
            place.column_span,
            place.row < headers,
            (page.box(place.rect),),
        )
        for place, words_of_cell in zip(grid.cells, cell_words, strict=True)
    ]
    # Drawn rows are kept even if empty; a continued table has all columns of the part before.
    drawn = {cell.row for cell in grid.cells if not grid.gutters and cell.rect.height > _LEAST_ROW_HEIGHT}
    rows = {cell.row for cell in cells if cell.text} | drawn
    return _without_empty(cells, rows, {cell.column for cell in cells if cell.text or grid.continues})


def table_items(
    page: RawPage,
    words: Sequence[PageWord],
    grids: Sequence[PageGrid],
    vocabulary: Container[str],
    *,
    backwards: bool = False,
) -> tuple[list[PageItem], list[str]]:
    """Return the tables of the grids, filled with words, and remarks on numbers that are missing in them.

    If the document is read `backwards`, from right to left, the first column of its tables is the rightmost one.
    """
    items: list[PageItem] = []
    remarks: list[str] = []
    language = detect_language(" ".join(word.text for word in words)) if grids else ""
    for grid in grids:
        held = [word for word in words if grid.rect.grown(1).holds(*word.rect.middle)]
        cells = fill_grid(grid, held, page, vocabulary, language)
        missing = missing_numbers(held, cells)
        if missing:
            # Five numbers identify the table.
            remarks.append(f"a table lacks {', '.join(missing[:5])}")
        if backwards:
            cells = _mirrored(cells)
        text = "\n".join(cell.text for cell in cells)
        items.append(PageItem(BlockKind.TABLE, text, page.number, grid.rect, cells=cells, continues=grid.continues))
    return items, remarks


def _mirrored(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    last = max((cell.column + cell.column_span for cell in cells), default=0)
    mirrored = (replace(cell, column=last - cell.column - cell.column_span) for cell in cells)
    return tuple(sorted(mirrored, key=lambda cell: (cell.row, cell.column)))


def _words_by_cell(grid: PageGrid, words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Return the words of each cell, in the order of the grid's cells."""
    cell_words: list[list[PageWord]] = [[] for _ in grid.cells]
    places = CellLocator(grid.cells)
    for word in words:
        cell_words[places.nearest(*word.rect.middle)].append(word)
    return cell_words


def split_rows(grid: PageGrid, cell_words: Sequence[Sequence[PageWord]]) -> PageGrid:
    """Return the grid with rows that contain several records split into these.

    Such a row has a column of at least three codes or numbers at the heights of the entries in its first column; or the
    lines of all its columns are at the same heights, and further apart than those of one entry.
    """
    rows: dict[int, list[Sequence[PageWord]]] = {}
    spanned: set[int] = set()
    for cell, words_of_cell in zip(grid.cells, cell_words, strict=True):
        rows.setdefault(cell.row, []).append(words_of_cell)
        if cell.row_span > 1:
            spanned.update(range(cell.row, cell.row + cell.row_span))
    for row in sorted(rows, reverse=True):
        tops = _record_tops(rows[row]) if row not in spanned else []
        if tops:
            grid = _split_row(grid, row, tops)
    return grid


def _record_tops(cell_words: Sequence[Sequence[PageWord]]) -> list[float]:
    """Return the tops of the records of a row, empty if it is one record."""
    columns = [text_lines(words_of_cell) for words_of_cell in cell_words]
    if len(columns) < 2 or len(columns[0]) < _LEAST_RECORDS:
        return []
    keys = [around(word.rect for word in line) for line in columns[0]]
    level = [_are_aligned(keys, [around(word.rect for word in line) for line in column]) for column in columns]
    codes = [all(len(line) == 1 and _CODE_OR_NUMBER.fullmatch(line[0].text) for line in column) for column in columns]
    loose = all(below.top - above.top > MOST_LEADING * above.height for above, below in pairwise(keys))
    has_records = (loose and all(level)) or any(short and beside for short, beside in zip(codes, level, strict=True))
    return [key.top for key in keys] if has_records else []


def _are_aligned(one: Sequence[Rect], other: Sequence[Rect]) -> bool:
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(abs(a.middle[1] - b.middle[1]) < 0.5 * a.height for a, b in pairs)


def _split_row(grid: PageGrid, row: int, tops: Sequence[float]) -> PageGrid:
    cells: list[GridCell] = []
    for cell in grid.cells:
        if cell.row != row:
            cells.append(replace(cell, row=cell.row + (len(tops) - 1 if cell.row > row else 0)))
            continue
        edges = [cell.rect.top, *(top - 1 for top in tops[1:]), cell.rect.bottom]
        for number, (top, bottom) in enumerate(pairwise(edges)):
            rect = Rect(cell.rect.left, top, cell.rect.right, bottom)
            cells.append(replace(cell, row=row + number, rect=rect))
    return PageGrid(grid.rect, tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))))


def _without_empty(cells: Sequence[Cell], used_rows: set[int], used_columns: set[int]) -> tuple[Cell, ...]:
    """Return the cells in used rows and columns, renumbered."""
    rows, columns = _renumbered(used_rows), _renumbered(used_columns)
    kept: list[Cell] = []
    for cell in cells:
        in_rows = [row for row in range(cell.row, cell.row + cell.row_span) if row in rows]
        in_columns = [column for column in range(cell.column, cell.column + cell.column_span) if column in columns]
        if in_rows and in_columns:
            kept.append(
                replace(
                    cell,
                    row=rows[in_rows[0]],
                    column=columns[in_columns[0]],
                    row_span=len(in_rows),
                    column_span=len(in_columns),
                )
            )
    return tuple(kept)


def _renumbered(used: set[int]) -> dict[int, int]:
    return {number: position for position, number in enumerate(sorted(used))}
