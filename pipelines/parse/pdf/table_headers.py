"""The headers of a table: its first rows, and a header above others that was read as one cell with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from pipelines.core.table import Cell, begins_with_number, is_data
from pipelines.parse.lines import Rect
from pipelines.parse.pdf.cell_words import cell_text, text_lines
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord
from pipelines.parse.pdf.table_cells import pieces_of

_NUMBER = re.compile(r"[-+±<>≤≥~]?\s?\d[\d.,:/ ]*\s?[%°]?")
_LEAST_ROWS_WITH_HEADER = 3
"""Minimum rows of a table with a header that is not bold: of two rows, either may be the header."""
_HEADER_LENGTH = 0.8
"""Maximum length of a header in mean lengths of the other rows: names of columns are shorter than values. Tables with
rows of equal length (a title block, pairs of names and values) have no header."""
_LEAST_OF_VALUES = 2
"""Minimum columns of numbers with units that have a header: models side by side. A single one has names beside it."""


def header_rows(grid: PageGrid, cell_words: Sequence[Sequence[PageWord]]) -> int:
    """Return the number of header rows of a table.

    They are bold and the others are not. Otherwise the first row is the header if it has no numbers and either has
    columns of numbers below, or of at least two with units, or is shorter than the other rows, unless it is data like
    them.
    """
    placed = list(zip(grid.cells, cell_words, strict=True))
    bold = min((cell.row for cell, words_of_cell in placed if not all(word.bold for word in words_of_cell)), default=0)
    if bold or grid.rows < _LEAST_ROWS_WITH_HEADER:
        return bold
    texts = [Cell(cell.row, cell.column, cell_text(words_of_cell)) for cell, words_of_cell in placed]
    if is_data(texts):
        return 0
    first = [cell.text for cell in texts if cell.row == 0]
    if not all(first[1:]) or any(_NUMBER.fullmatch(text) for text in first):
        return 0
    below = [(cell.column, cell.text) for cell in texts if cell.row and cell.text]
    mean = sum(len(text) for _, text in below) / (grid.rows - 1)
    values = _columns_of_kind(below, begins_with_number) if not any(map(begins_with_number, first)) else 0
    named = _columns_of_kind(below, _NUMBER.fullmatch) or values >= _LEAST_OF_VALUES
    if not named and sum(map(len, first)) > _HEADER_LENGTH * mean:
        return 0
    return max(cell.row_span for cell in grid.cells if cell.row == 0)


def _columns_of_kind(cells: Sequence[tuple[int, str]], is_kind: Callable[[str], object]) -> int:
    """Return the number of columns in which more than half of the entries are of a kind."""
    filled = Counter(column for column, _ in cells)
    found = Counter(column for column, text in cells if is_kind(text))
    return sum(2 * count > filled[column] for column, count in found.items())


def with_two_headers(grid: PageGrid, words: Sequence[PageWord]) -> PageGrid:
    """Return a grid with its first row divided if a cell across columns has a header and, below it, one of each column.

    "Pressure range [bar]" above "NBR" and "FKM", where no line is drawn between them. Other cells are as high as both.
    """
    columns = {cell.column: cell.rect for cell in grid.cells if cell.row and cell.column_span == 1}
    first = [cell for cell in grid.cells if cell.row == 0]
    divided = {cell: height for cell in first if (height := _height_between(cell, columns, words)) is not None}
    if not divided or any(cell.row_span > 1 for cell in first):
        return grid
    cells = [replace(cell, row=cell.row + 1) for cell in grid.cells if cell.row]
    for cell in first:
        if cell not in divided:
            cells.append(replace(cell, row_span=2))
            continue
        cells.append(replace(cell, rect=cell.rect._replace(bottom=divided[cell])))
        for column in range(cell.column, cell.column + cell.column_span):
            rect = Rect(columns[column].left, divided[cell], columns[column].right, cell.rect.bottom)
            cells.append(GridCell(1, column, 1, 1, rect))
    return replace(grid, cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))))


def _height_between(cell: GridCell, columns: Mapping[int, Rect], words: Sequence[PageWord]) -> float | None:
    """Return the height between the header across columns and those of each column, None if there are no such."""
    own = range(cell.column, cell.column + cell.column_span)
    lines = text_lines([word for word in words if cell.rect.holds(*word.rect.middle)])
    if len(own) < 2 or len(lines) < 2 or not all(column in columns for column in own):
        return None
    held = [_columns_of(line, {column: columns[column] for column in own}) for line in lines]
    above = next((number for number, found in enumerate(held) if found), 0)
    if not above or set().union(*held[above:]) != set(own) or not all(held[above:]):
        return None
    return (max(word.rect.bottom for word in lines[above - 1]) + min(word.rect.top for word in lines[above])) / 2


def _columns_of(line: Sequence[PageWord], columns: Mapping[int, Rect]) -> set[int]:
    """Return the columns in which the pieces of a line are, empty if one of them is across columns."""
    height = median(word.rect.height for word in line)
    found = [
        next(
            (column for column, rect in columns.items() if rect.left - 1 < piece.left and piece.right < rect.right + 1),
            None,
        )
        for piece in pieces_of(line, height)
    ]
    whole = [column for column in found if column is not None]
    return set(whole) if len(whole) == len(found) else set()
