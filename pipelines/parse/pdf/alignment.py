"""The grid of a table from the positions of its words: columns by gaps, rows by drawn lines or leading.

Columns are found as in Kieninger's T-Recs ("Table structure recognition based on robust block segmentation", 1998):
blocks below one another are a column, and a gap through all rows separates two columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import PageGrid, PageWord, Rules
from pipelines.parse.pdf.stripes import colour_joints, column_edges, line_joints, row_edges, split_at_text
from pipelines.parse.pdf.table_cells import (
    LEAST_GUTTER,
    LOOSE_LEADING,
    Strip,
    TableCells,
    TextRow,
    column_at,
    middle_of,
    pieces_of,
)
from pipelines.parse.pdf.tables import MOST_LEADING, text_lines

_CROSSING_SHARE = 0.15
"""Maximum share of the lines that cross a gutter: headers and titles of groups of rows."""
_MOST_STEP = 3.0
"""Maximum distance from the table to a further row, in line heights: a row of two lines, and the padding."""
_MOST_TITLE_LINES = 3
"""Maximum lines that are only in the first column above a row of a continued table: a title of a group of rows."""
_ROUNDING = 0.7
"""Minimum difference of two steps in points: browsers place lines at multiples of 0.75."""


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
    rows = _rows(lines, height, table, rules, gutters)
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
    grid = TableCells(region, _rows(lines[:rows], height, region, rules, gutters), gutters, rules).grid()
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
    # From three lines on, one may be a header that spans columns.
    allowed = max(int(len(lines) >= 3), int(_CROSSING_SHARE * len(lines)))
    low = _gaps(pieces, height, allowed)
    spanning = {piece for piece in pieces for gap in low if piece.left < gap.left and piece.right > gap.right}
    clear = _gaps([piece for piece in pieces if piece not in spanning], height, 0)
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


def _gaps(pieces: Sequence[Strip], height: float, allowed: int) -> list[Strip]:
    """Return the gaps, between the first and the last piece, that at most `allowed` pieces cover."""
    ends = sorted([(piece.left, 1) for piece in pieces] + [(piece.right, -1) for piece in pieces])
    found: list[Strip] = []
    depth, since = 0, None
    for x, change in ends:
        depth += change
        if depth <= allowed and since is None:
            since = x
        elif depth > allowed and since is not None:
            if x - since >= LEAST_GUTTER * height and since > ends[0][0]:
                found.append(Strip(since, x))
            since = None
    return found


def _rows(
    lines: Sequence[Sequence[PageWord]], height: float, table: Rect, rules: Rules, gutters: Sequence[Strip]
) -> list[TextRow]:
    edges = [table.top - height, *row_edges(around([table, *rules.horizontal]), rules), table.bottom + height]
    bands = [[line for line in lines if above <= middle_of(line) < below] for above, below in pairwise(edges)]
    bands = [band for band in bands if band]
    steps = [step for band in bands for step in _steps(band) if step > 0.5 * height]
    least = min(steps, default=0.0)
    loose = least + max(1.0, LOOSE_LEADING * height)
    if least > MOST_LEADING * height:
        loose = least
    # A header and two rows: then there is a line between all rows, unless lines only separate groups of rows.
    keyed = [
        step >= loose and 0 in at and len(at) > 1
        for band in bands
        for step, at in zip(_steps(band), [_columns_of(line, gutters) for line in band[1:]], strict=True)
    ]
    ruled = len(bands) > 2 and 2 * sum(keyed) <= len(bands)
    even = all(step < loose for step in steps)
    parts: list[list[Sequence[PageWord]]] = []
    width = _widths(lines, gutters)
    if bands and (below := _second_header(bands[0], gutters, height)):
        bands = [bands[0][:below], bands[0][below:], *bands[1:]]
    for band in bands:
        whole = ruled or _breaks_early(band, width, gutters, height)
        parts += [band] if whole else _split_by_leading(band, loose, even, gutters)
    return [
        _to_row(row)
        for part in parts
        for row in ([[line] for line in part] if _are_rows(part, height, gutters, width, ruled) else [part])
    ]


def _second_header(lines: Sequence[Sequence[PageWord]], gutters: Sequence[Strip], height: float) -> int:
    """Return the number of the first line if it begins a second row of headers, 0 if there is none.

    It has entries where the line above has none, and the reverse: there, an entry heads several columns.
    """
    columns = [_columns_of(line, gutters) for line in lines]
    for number, (above, at) in enumerate(pairwise(columns), start=1):
        step = middle_of(lines[number]) - middle_of(lines[number - 1])
        # Lines of entries that are centred vertically are half a line apart.
        if above - at and at - above and at & above and step > 0.9 * height:
            return number
    return 0


def _are_rows(
    lines: Sequence[Sequence[PageWord]],
    height: float,
    gutters: Sequence[Strip],
    width: Mapping[int, float],
    ruled: bool,
) -> bool:
    """Whether lines without drawn lines in between are rows: all have entries in the same columns, including the first.

    If the table is `ruled`, they must also have wide leading; otherwise wide leading or at least three columns, whose
    entries are unlikely to wrap at the same lines. Lines that break early are rows, too.
    """
    columns = [_columns_of(line, gutters) for line in lines]
    alike = all(at == columns[0] for at in columns) and 0 in columns[0] and len(columns[0]) > 1
    loose = all(step > MOST_LEADING * height for step in _steps(lines))
    level = len(lines) > 2 and alike and (loose or (not ruled and len(columns[0]) > 2))
    return level or _breaks_early(lines, width, gutters, height)


def _breaks_early(
    lines: Sequence[Sequence[PageWord]], width: Mapping[int, float], gutters: Sequence[Strip], height: float
) -> bool:
    """Whether lines do not continue one another: all have entries in the same two columns or only in the first one, and
    for half of them, more entries are followed by a word that would have fitted behind them than are full lines of
    several words.
    """
    by_column = [_by_column(line, gutters) for line in lines]
    full = [entries for entries in by_column if set(entries) != {0}]
    common = set(full[0]).intersection(*full) if 2 * len(full) > len(lines) else set()

    def vote(words: Sequence[PageWord], below: Sequence[PageWord], column: int) -> int:
        if _extent(words) + LEAST_GUTTER * height + below[0].rect.width < width[column]:
            return 1
        return -1 if len(words) > 1 else 0

    early = [
        sum(vote(above[column], below[column], column) for column in above.keys() & below.keys()) > 0
        for above, below in pairwise(by_column)
    ]
    wrapped = any(set(below) == {0} and not is_early for below, is_early in zip(by_column[1:], early, strict=True))
    alike = 0 in by_column[0] and len(common) > 1 and not wrapped
    return len(lines) > 2 and alike and 2 * sum(early) >= len(early)


def _by_column(line: Sequence[PageWord], gutters: Sequence[Strip]) -> dict[int, list[PageWord]]:
    found: dict[int, list[PageWord]] = {}
    for word in line:
        found.setdefault(column_at(word.rect.middle[0], gutters), []).append(word)
    return found


def _extent(words: Sequence[PageWord]) -> float:
    return max(word.rect.right for word in words) - min(word.rect.left for word in words)


def _widths(lines: Sequence[Sequence[PageWord]], gutters: Sequence[Strip]) -> dict[int, float]:
    """Return the width of the longest line of each column."""
    found: dict[int, float] = {}
    for line in lines:
        for column, words in _by_column(line, gutters).items():
            found[column] = max(found.get(column, 0.0), _extent(words))
    return found


def _to_row(lines: Sequence[Sequence[PageWord]]) -> TextRow:
    rect = around(word.rect for line in lines for word in line)
    return TextRow(rect.top, rect.bottom, tuple(tuple(line) for line in lines))


def _steps(lines: Sequence[Sequence[PageWord]]) -> list[float]:
    return [middle_of(below) - middle_of(above) for above, below in pairwise(lines)]


def _columns_of(line: Sequence[PageWord], gutters: Sequence[Strip]) -> set[int]:
    return {column_at(word.rect.middle[0], gutters) for word in line}


def _split_by_leading(
    lines: Sequence[Sequence[PageWord]], loose: float, even: bool, gutters: Sequence[Strip]
) -> list[list[Sequence[PageWord]]]:
    """Return the lines grouped to rows: a step of at least `loose` begins a row.

    If all steps of the table are `even`, an entry in the first column does. If rows that begin in the first column are
    further apart, a loose line in a single column that the line above also has is another paragraph of an entry.
    """
    columns = [_columns_of(line, gutters) for line in lines]
    steps = [0.0, *_steps(lines)]
    keyed = min((step for step, at in zip(steps, columns, strict=True) if 0 in at and step >= loose), default=0.0)
    rows: list[list[Sequence[PageWord]]] = [[lines[0]]]
    for number in range(1, len(lines)):
        at, step = columns[number], steps[number]
        paragraph = 0 not in at and len(at) == 1 and at <= columns[number - 1] and step < keyed - _ROUNDING
        if (step >= loose and not paragraph) or (even and 0 in at):
            rows.append([])
        rows[-1].append(lines[number])
    return rows
