"""The grid of a table from the positions of its words: columns by gaps; for the rows see `text_rows`.

Columns are found as in Kieninger's T-Recs ("Table structure recognition based on robust block segmentation", 1998):
blocks below one another are a column, and a gap through all rows separates two columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.cell_words import text_lines
from pipelines.parse.pdf.page import PageGrid, PageWord, Rules
from pipelines.parse.pdf.stripes import colour_joints, column_edges, line_joints, split_at_text
from pipelines.parse.pdf.table_cells import (
    LEAST_GUTTER,
    Strip,
    TableCells,
    column_at,
    middle_of,
    pieces_of,
)
from pipelines.parse.pdf.text_rows import rows_of

_MOST_STEP = 3.0
"""Maximum distance from the table to a further row, in line heights: a row of two lines, and the padding."""
_LEAST_STAGGERED, _LEAST_AROUND = 0.05, 1.0
"""Minimum width, in line heights, of a gap between columns, and of that of each row around it, if names are on the left
of their columns and figures on the right: cells of sheets have a padding of 2 points."""
_LEAST_ROWS = 3
"""Minimum rows with such a gap: a header and two rows."""
_MOST_TITLE_LINES = 3
"""Maximum lines that are only in the first column above a row of a continued table: a title of a group of rows."""


def aligned_grid(region: Rect, words: Sequence[PageWord], rules: Rules) -> PageGrid | None:
    """Return the grid of the words in a region, None if they do not form at least two rows and columns.

    Args:
        region: the table's area, from a layout model or drawn lines.
        words: the words of the page in or near it.
        rules: the lines drawn there.
    """
    lines = [tuple(line) for line in text_lines([word for word in words if region.holds(*word.rect.middle)])]
    if not lines:
        return None
    height = median(word.rect.height for line in lines for word in line)
    lines = _with_neighbours(lines, words, region, height)
    region = around((region, *(word.rect for line in lines for word in line)))
    table = around([word.rect for line in lines for word in line])
    # A line above and one below the table, at the distance of its padding, are included.
    rules = rules.within(table.grown(height))
    gutters = _gutters(lines, height, table, rules)
    gutters = _without_heads_apart(gutters, lines, height, column_edges(table, rules))
    rows = rows_of(lines, height, table, rules, gutters)
    # A single row of cells with separate colours or borders is the first or last row of a table, at a page break.
    if not gutters or (len(rows) < 2 and not (colour_joints(rules, table) or line_joints(rules))):
        return None
    return TableCells(region, rows, gutters, rules).grid()


def continued_grid(above: PageGrid, words: Sequence[PageWord], rules: Rules) -> PageGrid | None:
    """Return the grid of the lines that continue a table at the top of a page or column, None if there are none.

    Args:
        above: the preceding part of the table, moved to the position of this page's or column's text.
        words: the words of the page's body or of the column.
        rules: the lines drawn on the page.
    """
    gutters = [Strip(*gutter) for gutter in above.gutters]
    lines = [tuple(line) for line in text_lines(words)]
    if len(gutters) + 1 != above.columns or not lines:
        return None
    height = median(word.rect.height for word in lines[0])
    across = any(cell.row and cell.column_span == above.columns for cell in above.cells)
    rows = 0
    for number, line in enumerate(lines):
        pieces = pieces_of(line, height)
        far = number > 0 and middle_of(line) - middle_of(lines[number - 1]) > _MOST_STEP * height
        if far or pieces[0].left < above.rect.left - height or pieces[-1].left > above.rect.right:
            break
        narrowed = _narrowed(gutters, pieces)
        if {column_at(piece.left, gutters) for piece in pieces} != {0}:
            if not narrowed:
                break
            rows, gutters = number + 1, narrowed
        elif number - rows >= _MOST_TITLE_LINES or not (narrowed or across or all(word.bold for word in line)):
            break
    rows = _lines_above_text(lines[:rows], rules)
    if not rows:
        return None
    inked = around(word.rect for line in lines[:rows] for word in line)
    region = Rect(above.rect.left, inked.top, max(above.rect.right, inked.right), inked.bottom)
    rules = rules.within(region.grown(height))
    grid = TableCells(region, rows_of(lines[:rows], height, region, rules, gutters), gutters, rules).grid()
    return replace(grid, continues=True)


def _lines_above_text(lines: Sequence[Sequence[PageWord]], rules: Rules) -> int:
    """Return how many lines at the top belong to one table, without text in between."""
    words = [word for line in lines for word in line]
    if not words:
        return 0
    region = around(word.rect for word in words)
    first = next(iter(split_at_text(region, words, rules)), None)
    if first is None or first.top > region.top + 1:
        return 0
    return sum(1 for line in lines if middle_of(line) < first.bottom)


def _narrowed(gutters: Sequence[Strip], pieces: Sequence[Strip]) -> list[Strip]:
    """Return the gutters narrowed by a further line, empty if the line crosses one of them."""
    found: list[Strip] = []
    for gutter in gutters:
        inside = [piece for piece in pieces if piece.left < gutter.right - 1 and piece.right > gutter.left + 1]
        if any(piece.left < gutter.left + 1 and piece.right > gutter.right - 1 for piece in inside):
            return []
        left = max([gutter.left, *(piece.right for piece in inside if piece.left < gutter.left + 1)])
        right = min([gutter.right, *(piece.left for piece in inside if piece.right > gutter.right - 1)])
        found.append(Strip(left, max(left, right)))
    return found


def _with_neighbours(
    lines: Sequence[tuple[PageWord, ...]], words: Sequence[PageWord], region: Rect, height: float
) -> list[tuple[PageWord, ...]]:
    """Return the lines with adjacent ones whose pieces begin at the table's columns: a model's frame is inexact."""
    inside = {id(word) for line in lines for word in line}
    starts = [piece.left for line in lines if len(pieces := pieces_of(line, height)) > 1 for piece in pieces]
    in_columns = [
        word for word in words if region.left - height <= word.rect.left and word.rect.right <= region.right + height
    ]
    others = [tuple(line) for line in text_lines([word for word in in_columns if id(word) not in inside])]

    def fits(line: Sequence[PageWord]) -> bool:
        pieces = pieces_of(line, height)
        # A single piece is the only entry of a row in a further column, but text outside the table in the first one.
        in_row = len(pieces) > 1 or pieces[0].left > region.left + 2 * height
        # A column has at least two entries; edges that are aligned vary by 2 points.
        return in_row and all(sum(abs(piece.left - left) < 2 for left in starts) > 1 for piece in pieces)

    found = list(lines)
    for outward in ([line for line in reversed(others) if middle_of(line) < middle_of(found[0])], others):
        for line in outward:
            first, last = middle_of(found[0]), middle_of(found[-1])
            near = min(abs(middle_of(line) - first), abs(middle_of(line) - last)) < _MOST_STEP * height
            if near and not first < middle_of(line) < last and fits(line):
                found = [line, *found] if middle_of(line) < first else [*found, line]
    return found


def _gutters(lines: Sequence[Sequence[PageWord]], height: float, table: Rect, rules: Rules) -> list[Strip]:
    """Return the gutters between columns: drawn lines, and gaps that few lines cross."""
    drawn = column_edges(around([table, *rules.horizontal]), rules)
    rows = [pieces_of(line, height) for line in lines]
    # A line in one piece from the left edge is a title of a group of rows, or a further line of the first column.
    pieces = [piece for row in rows if len(row) > 1 or row[0].left > table.left + height for piece in row]
    spanning = _spanning_pieces(rows, height)
    clear = _gaps([piece for piece in pieces if piece not in spanning], height)
    clear += _staggered(rows, [piece for piece in pieces if piece not in spanning], height)
    free = [strip for strip in clear if not any(strip.left - height < x < strip.right + height for x in drawn)]
    return sorted([*free, *(Strip(x, x) for x in drawn)])


def _without_heads_apart(
    gutters: Sequence[Strip], lines: Sequence[Sequence[PageWord]], height: float, drawn: Sequence[float]
) -> list[Strip]:
    """Return the gutters without those between a centred header and the left-aligned entries of its own column.

    No line has entries on both sides; one side only has the first line, bold ones below, and lines with a single entry,
    which are titles of groups of rows. There is no drawn line.
    """
    found = list(gutters)
    heads = max(1, next((n for n, line in enumerate(lines) if not all(word.bold for word in line)), 0))
    for gutter in gutters:
        if gutter.left in drawn:
            continue
        at = found.index(gutter)
        rows = [[column_at(piece.left + 1, found) for piece in pieces_of(line, height)] for line in lines]
        left, right = ({n for n, row in enumerate(rows) if column in row} for column in (at, at + 1))
        few = min(left, right, key=len)
        if not left & right and all(n < heads or len(rows[n]) == 1 for n in few) and len(left | right) > 1:
            found.remove(gutter)
    return found


def _spanning_pieces(rows: Sequence[Sequence[Strip]], height: float) -> set[Strip]:
    """Return the pieces that cover a gap of more rows than there are rows with such a piece: entries across columns."""
    found: set[Strip] = set()
    gaps = [[Strip(one.right, other.left) for one, other in pairwise(row)] for row in rows]
    for gap in {gap for row in gaps for gap in row}:
        across = [piece for row in rows for piece in row if piece.left < gap.left and piece.right > gap.right]
        least = min(gap.right - gap.left, LEAST_GUTTER * height)
        having = sum(any(min(o.right, gap.right) - max(o.left, gap.left) >= least for o in row) for row in gaps)
        if len(across) < having:
            found.update(across)
    return found


def _staggered(rows: Sequence[Sequence[Strip]], pieces: Sequence[Strip], height: float) -> list[Strip]:
    """Return the narrow gaps that no piece covers, where the gap of each row around them is wide.

    Names of columns on the left of their cells and figures on the right leave little between them, as in printed
    sheets.
    """
    found: list[Strip] = []
    for gap in _gaps(pieces, height, _LEAST_STAGGERED):
        middle = (gap.left + gap.right) / 2
        around = [
            other.left - one.right for row in rows for one, other in pairwise(row) if one.right < middle < other.left
        ]
        narrow = gap.right - gap.left < LEAST_GUTTER * height
        if narrow and len(around) >= _LEAST_ROWS and min(around) >= _LEAST_AROUND * height:
            found.append(gap)
    return found


def _gaps(pieces: Sequence[Strip], height: float, least: float = LEAST_GUTTER) -> list[Strip]:
    """Return the gaps of at least `least` line heights between the first and the last piece that no piece covers."""
    found: list[Strip] = []
    end = min((piece.right for piece in pieces), default=0.0)
    for piece in sorted(pieces):
        if piece.left - end >= least * height:
            found.append(Strip(end, piece.left))
        end = max(end, piece.right)
    return found
