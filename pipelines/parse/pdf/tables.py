"""Tables of a page: grids filled with the words that stand in their places, and the numbers in them counted over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise

from pipelines.core.table import Cell
from pipelines.lang.characters import right_to_left
from pipelines.lang.numbers import FIGURE
from pipelines.parse.lines import Rect, around, join_lines
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, RawPage

_CODE = re.compile(r"[A-Z]{0,3}[-+±]?\d[\d.,%]{0,6}|[A-Z]{1,3}")
TIGHT = 1.35
"""Of a line's height: a step from line to line within a cell at most."""
_LEAST_RECORDS = 3
"""Two lines in each of two columns are an entry that runs over two lines."""
_FIGURE = re.compile(r"[-+±<>≤≥~]?\s?\d[\d.,:/ ]*\s?[%°]?")
_LEAST_HEADED = 3
"""Rows of a table whose first may name the columns without being bold: of two either may be the other's name."""
_SHORTER = 0.8
"""Of the length of the other rows in the mean, the length of one that names columns at most: names are shorter than
what they name. Rows of equal length (a title block, pairs of names and values) name nothing."""
_LEAST_ROW = 8.0
"""Points of height of a drawn row at least that is one though nothing stands in it: a line of small type."""
_BAND = 12.0
"""Points of height by which places are looked up."""


def numbers(text: str) -> Counter[str]:
    """Return the numbers of a text, with decimals and thousands as they are written."""
    return Counter(FIGURE.findall(text))


def missing_numbers(words: Sequence[PageWord], cells: Sequence[Cell]) -> list[str]:
    """Return the numbers among a table's words that no cell has, in order; empty when the table is whole."""
    in_page = numbers(" ".join(word.text for word in words))
    in_cells = numbers(" ".join(cell.text for cell in cells))
    return sorted((in_page - in_cells).elements())


class GridPlaces:
    """The places of a grid by their height on the page, so that what stands in each is found without asking all."""

    def __init__(self, cells: Sequence[GridCell]) -> None:
        self._cells = cells
        self._bands: dict[int, list[int]] = {}
        for number, cell in enumerate(cells):
            for band in range(int(cell.rect.top // _BAND), int(cell.rect.bottom // _BAND) + 1):
                self._bands.setdefault(band, []).append(number)

    def at(self, x: float, y: float) -> int | None:
        """Return the number of the first place that holds a point, None where none does."""
        near = self._bands.get(int(y // _BAND), ())
        return next((number for number in near if self._cells[number].rect.holds(x, y)), None)

    def nearest(self, x: float, y: float) -> int:
        """Return the number of the place that holds a point or lies nearest to it."""
        found = self.at(x, y)
        if found is not None:
            return found
        return min(range(len(self._cells)), key=lambda number: _distance(self._cells[number].rect, x, y))


def _distance(rect: Rect, x: float, y: float) -> float:
    return max(rect.left - x, 0.0, x - rect.right) + max(rect.top - y, 0.0, y - rect.bottom)


def fill_grid(
    grid: PageGrid, words: Sequence[PageWord], page: RawPage, vocabulary: Container[str] = frozenset()
) -> tuple[Cell, ...]:
    """Return the cells of a grid with the words whose middle lies in them; a word beside all goes to the nearest.

    `vocabulary` tells the words of the document that a narrow cell breaks without a hyphen.
    """
    homes = _homes(grid, words)
    cut = split_rows(grid, homes)
    if cut is not grid:
        grid, homes = cut, _homes(cut, words)
    heads = _heads(grid, homes)
    cells = [
        Cell(
            place.row,
            place.column,
            cell_text(home, vocabulary),
            place.row_span,
            place.column_span,
            place.row < heads,
            (page.box(place.rect),),
        )
        for place, home in zip(grid.cells, homes, strict=True)
    ]
    # A drawn row is there to be seen; what goes on has the columns of the part before, though some are blank.
    drawn = {cell.row for cell in grid.cells if not grid.gutters and cell.rect.height > _LEAST_ROW}
    rows = {cell.row for cell in cells if cell.text} | drawn
    return _without_blanks(cells, rows, {cell.column for cell in cells if cell.text or grid.continues})


def _heads(grid: PageGrid, homes: Sequence[Sequence[PageWord]]) -> int:
    """Return how many rows a table begins with that name its columns.

    They are bold and the rest is not; or else the first row has no figure and either figures stand below it or it is
    shorter than other rows are.
    """
    placed = list(zip(grid.cells, homes, strict=True))
    bold = min((cell.row for cell, home in placed if not all(word.bold for word in home)), default=0)
    if bold or grid.rows < _LEAST_HEADED:
        return bold
    first = [cell_text(home) for cell, home in placed if cell.row == 0]
    if not all(first[1:]) or any(_FIGURE.fullmatch(text) for text in first):
        return 0
    below = [(cell.column, text) for cell, home in placed if cell.row and (text := cell_text(home))]
    figures = Counter(column for column, text in below if _FIGURE.fullmatch(text))
    filled = Counter(column for column, _ in below)
    mean = sum(len(text) for _, text in below) / (grid.rows - 1)
    named = any(2 * count > filled[column] for column, count in figures.items())
    if not named and sum(map(len, first)) > _SHORTER * mean:
        return 0
    return max(cell.row_span for cell in grid.cells if cell.row == 0)


def _homes(grid: PageGrid, words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Return the words of each place, in the order of the grid's cells."""
    homes: list[list[PageWord]] = [[] for _ in grid.cells]
    places = GridPlaces(grid.cells)
    for word in words:
        homes[places.nearest(*word.rect.middle)].append(word)
    return homes


def split_rows(grid: PageGrid, homes: Sequence[Sequence[PageWord]]) -> PageGrid:
    """Return a grid in which a row that holds several records one below the other is cut into them.

    Such a row has a column of codes or figures, three at least, and entries of its first column at the same heights;
    or the lines of all its columns are level, and further apart than those of one entry.
    """
    rows: dict[int, list[Sequence[PageWord]]] = {}
    spanned: set[int] = set()
    for cell, home in zip(grid.cells, homes, strict=True):
        rows.setdefault(cell.row, []).append(home)
        if cell.row_span > 1:
            spanned.update(range(cell.row, cell.row + cell.row_span))
    for row in sorted(rows, reverse=True):
        tops = _record_tops(rows[row]) if row not in spanned else []
        if tops:
            grid = _cut_row(grid, row, tops)
    return grid


def _record_tops(homes: Sequence[Sequence[PageWord]]) -> list[float]:
    """Return the heights at which the records of a row begin, none where it is one record."""
    columns = [text_lines(home) for home in homes]
    if len(columns) < 2 or len(columns[0]) < _LEAST_RECORDS:
        return []
    keys = [around(word.rect for word in line) for line in columns[0]]
    level = [_level(keys, [around(word.rect for word in line) for line in column]) for column in columns]
    codes = [all(len(line) == 1 and _CODE.fullmatch(line[0].text) for line in column) for column in columns]
    loose = all(below.top - above.top > TIGHT * above.height for above, below in pairwise(keys))
    told = (loose and all(level)) or any(short and beside for short, beside in zip(codes, level, strict=True))
    return [key.top for key in keys] if told else []


def _level(one: Sequence[Rect], other: Sequence[Rect]) -> bool:
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(abs(a.middle[1] - b.middle[1]) < 0.5 * a.height for a, b in pairs)


def _cut_row(grid: PageGrid, row: int, tops: Sequence[float]) -> PageGrid:
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


def cell_text(words: Sequence[PageWord], vocabulary: Container[str] = frozenset()) -> str:
    """Return the words of a cell line by line, joined as running text is; a word broken at a line's end is whole."""
    texts: list[str] = []
    for line in text_lines(words):
        first, *rest = [word.text for word in line]
        end = texts[-1].split()[-1] if texts else ""
        broken = (end + first).lower() in vocabulary and first.islower() and first not in vocabulary
        if end and broken:
            texts[-1] += first
        else:
            rest = [first, *rest]
        texts += [" ".join(rest)] if rest else []
    return join_lines(texts, vocabulary)


def text_lines(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Return words in lines from the top, each in the order in which its script is read."""
    lines: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: word.rect.middle[1]):
        if lines and _same_line(lines[-1], word):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [_in_order(line) for line in lines]


def _in_order(words: Sequence[PageWord]) -> list[PageWord]:
    backwards = right_to_left(" ".join(word.text for word in words))
    return sorted(words, key=lambda word: word.rect.left, reverse=backwards)


def _same_line(line: Sequence[PageWord], word: PageWord) -> bool:
    rect = around(other.rect for other in line)
    common = min(rect.bottom, word.rect.bottom) - max(rect.top, word.rect.top)
    return common > 0.5 * min(rect.height, word.rect.height)


def _without_blanks(cells: Sequence[Cell], used_rows: set[int], used_columns: set[int]) -> tuple[Cell, ...]:
    """Return the cells of the rows and columns that are used."""
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
