"""Tables of a page: grids filled with the words that stand in their places, and the numbers in them counted over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pipelines.core.table import Cell
from pipelines.parse.lines import Rect, around
from pipelines.parse.paragraphs import join_lines
from pipelines.parse.pdf.page import Grid, GridCell, RawPage, Word

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numbers(text: str) -> Counter[str]:
    """Return the numbers of a text, with decimals and thousands as they are written."""
    return Counter(_NUMBER.findall(text))


def missing_numbers(words: Sequence[Word], cells: Sequence[Cell]) -> list[str]:
    """Return the numbers among a table's words that no cell has, in order; empty when the table is whole."""
    in_page = numbers(" ".join(word.text for word in words))
    in_cells = numbers(" ".join(cell.text for cell in cells))
    return sorted((in_page - in_cells).elements())


def fill_grid(grid: Grid, words: Sequence[Word], page: RawPage) -> tuple[Cell, ...]:
    """Return the cells of a grid with the words whose middle lies in them; a word beside all goes to the nearest."""
    homes: list[list[Word]] = [[] for _ in grid.cells]
    for word in words:
        homes[_nearest(word.rect, grid.cells)].append(word)
    cells = [
        Cell(
            place.row,
            place.column,
            cell_text(home),
            place.row_span,
            place.column_span,
            place.header,
            (page.box(place.rect),),
        )
        for place, home in zip(grid.cells, homes, strict=True)
    ]
    return _without_blanks(cells)


def _nearest(rect: Rect, places: Sequence[GridCell]) -> int:
    x, y = rect.middle
    best, distance = 0, float("inf")
    for number, place in enumerate(places):
        across = max(place.rect.left - x, 0.0, x - place.rect.right)
        down = max(place.rect.top - y, 0.0, y - place.rect.bottom)
        if across == down == 0:
            return number
        if across + down < distance:
            best, distance = number, across + down
    return best


def cell_text(words: Sequence[Word]) -> str:
    """Return the words of a cell line by line, joined as running text is."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.rect.middle[1]):
        if lines and _same_line(lines[-1], word):
            lines[-1].append(word)
        else:
            lines.append([word])
    ordered = (sorted(line, key=lambda word: word.rect.left) for line in lines)
    return join_lines([" ".join(word.text for word in line) for line in ordered])


def _same_line(line: Sequence[Word], word: Word) -> bool:
    rect = around(other.rect for other in line)
    common = min(rect.bottom, word.rect.bottom) - max(rect.top, word.rect.top)
    return common > 0.5 * min(rect.height, word.rect.height)


def _without_blanks(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells without rows and columns in which nothing stands."""
    from dataclasses import replace

    rows = _used(((cell.row, cell.row_span, cell.text) for cell in cells))
    columns = _used(((cell.column, cell.column_span, cell.text) for cell in cells))
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


def _used(places: object) -> dict[int, int]:
    """Return the numbers at which something begins or stands alone, each with its new number."""
    used = {start for start, span, text in places if text}  # type: ignore[attr-defined]
    return {number: position for position, number in enumerate(sorted(used))}
