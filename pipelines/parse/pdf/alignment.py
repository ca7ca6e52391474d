"""The grid of a table from how its words stand: columns by the white between them, rows by lines drawn or by leading.

Columns are found as Kieninger's T-Recs does ("Table structure recognition based on robust block segmentation", 1998):
what stands below one another is a column, and white that runs through all rows parts two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import PageGrid, PageWord, Rules
from pipelines.parse.pdf.stripes import joints, level_edges, line_joints, upright_edges, without_text
from pipelines.parse.pdf.table_cells import GUTTER, LOOSE, Strip, TableCells, TextRow, column_at, middle_of, pieces_of
from pipelines.parse.pdf.tables import TIGHT, text_lines

_CROSSED = 0.15
"""Share of the lines that may run across a gutter: heads and titles of groups of rows."""
_NEXT = 3.0
"""Heights of a line from the table to a further row of it at most: one of two lines, and the padding."""
_TITLES = 3
"""Lines in the first column alone that may stand above a row where a table goes on: the title of a group of rows."""
_ROUNDING = 0.7
"""Points by which two steps differ that are not one: browsers set lines at whole points of .75."""


def aligned_grid(region: Rect, words: Sequence[PageWord], rules: Rules) -> PageGrid | None:
    """Return the grid of the words in a region, None where they do not stand in two rows and columns.

    Args:
        region: where the table is, as a layout model or drawn lines tell.
        words: the words on the page in or near it.
        rules: the lines drawn there.
    """
    lines = [tuple(line) for line in text_lines([word for word in words if region.holds(*word.rect.middle)])]
    if not lines:
        return None
    height = median(word.rect.height for line in lines for word in line)
    lines = _with_neighbours(lines, words, region, height)
    region = around((region, *(word.rect for line in lines for word in line)))
    table = around([word.rect for line in lines for word in line])
    # A line above and one below the table stand off by its padding.
    rules = rules.within(table.grown(height))
    gutters = _gutters(lines, height, table, rules)
    rows = _rows(lines, height, table, rules, gutters)
    # Cells with colours of their own are a table's first row, or its last, where a page ends.
    if not gutters or (len(rows) < 2 and not (joints(rules, table) or line_joints(rules))):
        return None
    return TableCells(region, rows, gutters, rules).grid()


def continued_grid(above: PageGrid, words: Sequence[PageWord], rules: Rules) -> PageGrid | None:
    """Return the grid of the lines with which a table goes on at the top of a page or column, None where it does not.

    Args:
        above: the table's part before, moved to where the columns are.
        words: the words of the page's body or column.
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
        far = number > 0 and middle_of(line) - middle_of(lines[number - 1]) > _NEXT * height
        if far or pieces[0].left < above.rect.left - height or pieces[-1].left > above.rect.right:
            break
        narrowed = _narrowed(gutters, pieces)
        if {column_at(piece.left, gutters) for piece in pieces} != {0}:
            if not narrowed:
                break
            rows, gutters = number + 1, narrowed
        elif number - rows >= _TITLES or not (narrowed or across or all(word.bold for word in line)):
            break
    rows = _above_text(lines[:rows], rules)
    if not rows:
        return None
    inked = around(word.rect for line in lines[:rows] for word in line)
    region = Rect(above.rect.left, inked.top, max(above.rect.right, inked.right), inked.bottom)
    rules = rules.within(region.grown(height))
    grid = TableCells(region, _rows(lines[:rows], height, region, rules, gutters), gutters, rules).grid()
    return replace(grid, continues=True)


def _above_text(lines: Sequence[Sequence[PageWord]], rules: Rules) -> int:
    """Return how many lines at the top are one table, with no text between them."""
    words = [word for line in lines for word in line]
    if not words:
        return 0
    region = around(word.rect for word in words)
    first = next(iter(without_text(region, words, rules)), None)
    if first is None or first.top > region.top + 1:
        return 0
    return sum(1 for line in lines if middle_of(line) < first.bottom)


def _narrowed(gutters: Sequence[Strip], pieces: Sequence[Strip]) -> list[Strip]:
    """Return the gutters as a further line leaves them, none where it runs across one."""
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
    """Return the lines with those above and below whose pieces begin where its columns do: a model's frame is rough."""
    inside = {id(word) for line in lines for word in line}
    starts = [piece.left for line in lines if len(pieces := pieces_of(line, height)) > 1 for piece in pieces]
    wide = [
        word for word in words if region.left - height <= word.rect.left and word.rect.right <= region.right + height
    ]
    others = [tuple(line) for line in text_lines([word for word in wide if id(word) not in inside])]

    def fits(line: Sequence[PageWord]) -> bool:
        pieces = pieces_of(line, height)
        # What stands alone is a row's only entry in a further column, but text beside the table in the first.
        in_row = len(pieces) > 1 or pieces[0].left > region.left + 2 * height
        # Twice is a column, and 2 points the scatter of what is flush.
        return in_row and all(sum(abs(piece.left - left) < 2 for left in starts) > 1 for piece in pieces)

    found = list(lines)
    for outward in ([line for line in reversed(others) if middle_of(line) < middle_of(found[0])], others):
        for line in outward:
            first, last = middle_of(found[0]), middle_of(found[-1])
            near = min(abs(middle_of(line) - first), abs(middle_of(line) - last)) < _NEXT * height
            if near and not first < middle_of(line) < last and fits(line):
                found = [line, *found] if middle_of(line) < first else [*found, line]
    return found


def _gutters(lines: Sequence[Sequence[PageWord]], height: float, table: Rect, rules: Rules) -> list[Strip]:
    """Return the white strips between columns: those that few lines cross, without what crosses them wholly."""
    drawn = upright_edges(around([table, *rules.level]), rules)
    rows = [pieces_of(line, height) for line in lines]
    # A line in one piece from the left edge is the title of a group of rows, or goes on in the first column.
    pieces = [piece for row in rows if len(row) > 1 or row[0].left > table.left + height for piece in row]
    # Of four lines one may be a head that spans columns.
    allowed = max(int(len(lines) >= 3), int(_CROSSED * len(lines)))
    low = _white(pieces, height, allowed)
    spanning = {piece for piece in pieces for white in low if piece.left < white.left and piece.right > white.right}
    white = _white([piece for piece in pieces if piece not in spanning], height, 0)
    free = [strip for strip in white if not any(strip.left - height < x < strip.right + height for x in drawn)]
    return sorted([*free, *(Strip(x, x) for x in drawn)])


def _white(pieces: Sequence[Strip], height: float, allowed: int) -> list[Strip]:
    """Return the strips that at most `allowed` pieces cover, between the first and the last."""
    ends = sorted([(piece.left, 1) for piece in pieces] + [(piece.right, -1) for piece in pieces])
    found: list[Strip] = []
    depth, since = 0, None
    for x, change in ends:
        depth += change
        if depth <= allowed and since is None:
            since = x
        elif depth > allowed and since is not None:
            if x - since >= GUTTER * height and since > ends[0][0]:
                found.append(Strip(since, x))
            since = None
    return found


def _rows(
    lines: Sequence[Sequence[PageWord]], height: float, table: Rect, rules: Rules, gutters: Sequence[Strip]
) -> list[TextRow]:
    edges = [table.top - height, *level_edges(around([table, *rules.level]), rules), table.bottom + height]
    bands = [[line for line in lines if above <= middle_of(line) < below] for above, below in pairwise(edges)]
    bands = [band for band in bands if band]
    # A head and two rows: then each row has its own line.
    ruled = len(bands) > 2
    steps = [step for band in bands for step in _steps(band) if step > 0.5 * height]
    least = min(steps, default=0.0)
    loose = least + max(1.0, LOOSE * height)
    if least > TIGHT * height:
        loose = least
    alike = all(step < loose for step in steps)
    parts: list[list[Sequence[PageWord]]] = []
    for band in bands:
        parts += [band] if ruled else _by_leading(band, loose, None if not alike else gutters, gutters)
    return [
        _row(row)
        for part in parts
        for row in ([[line] for line in part] if _are_rows(part, height, gutters, ruled) else [part])
    ]


def _are_rows(lines: Sequence[Sequence[PageWord]], height: float, gutters: Sequence[Strip], ruled: bool) -> bool:
    """Whether lines that no drawn one parts are rows: each has entries in the same columns, the first among them.

    Between `ruled` lines they are rows of a group if they stand loose; else three columns do not wrap alike.
    """
    columns = [_columns_of(line, gutters) for line in lines]
    alike = all(at == columns[0] for at in columns) and 0 in columns[0] and len(columns[0]) > 1
    loose = all(step > TIGHT * height for step in _steps(lines))
    return len(lines) > 2 and alike and (loose or (not ruled and len(columns[0]) > 2))


def _row(lines: Sequence[Sequence[PageWord]]) -> TextRow:
    rect = around(word.rect for line in lines for word in line)
    return TextRow(rect.top, rect.bottom, tuple(tuple(line) for line in lines))


def _steps(lines: Sequence[Sequence[PageWord]]) -> list[float]:
    return [middle_of(below) - middle_of(above) for above, below in pairwise(lines)]


def _columns_of(line: Sequence[PageWord], gutters: Sequence[Strip]) -> set[int]:
    return {column_at(word.rect.middle[0], gutters) for word in line}


def _by_leading(
    lines: Sequence[Sequence[PageWord]], loose: float, alike: Sequence[Strip] | None, gutters: Sequence[Strip]
) -> list[list[Sequence[PageWord]]]:
    """Return lines as rows: a `loose` step begins one; with `alike` gutters an entry in the first column does.

    Where rows that begin in the first column stand further apart, a loose line in one column alone, which has the line
    above too, is a further paragraph of an entry.
    """
    columns = [_columns_of(line, gutters) for line in lines]
    steps = [0.0, *_steps(lines)]
    keyed = min((step for step, at in zip(steps, columns, strict=True) if 0 in at and step >= loose), default=0.0)
    rows: list[list[Sequence[PageWord]]] = [[lines[0]]]
    for number in range(1, len(lines)):
        at, step = columns[number], steps[number]
        paragraph = 0 not in at and len(at) == 1 and at <= columns[number - 1] and step < keyed - _ROUNDING
        if (step >= loose and not paragraph) or (alike is not None and 0 in at):
            rows.append([])
        rows[-1].append(lines[number])
    return rows
