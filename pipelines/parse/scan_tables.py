"""Tables in OCR results: rows of lines with vertically aligned gaps, detected by the positions of the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from pipelines.core.provenance import Box
from pipelines.core.table import Cell, is_data
from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line, Rect, around, join_lines

_LEAST_ROWS = 3
"""Minimum rows of a table: two may be an address beside a date."""
_GUTTER_EM, _KEPT_EM = 0.5, 0.1
"""Minimum gap between columns in line heights: in the first row, two blanks; over all rows, what OCR can separate."""
_FILLED = 0.8
"""Minimum median share of the column's width that lines of running text take."""
_WORDY = 10
"""Minimum median width of lines of running text, in line heights: three words; cells are narrower."""
_WIDE = 0.05
"""Maximum share of multi-cell rows with a line across a gutter: cells that OCR has not separated."""
_CLOSE = 1.5
"""Maximum gap between a header and its rows, in line heights: less than a blank line."""
_FAR = 2.0
"""Gap between rows, in line heights, at which a table ends: a blank line makes one and a half."""
_CONTINUED = 0.8
"""Row step, relative to the usual one, below which a row without a first cell continues the row above."""

Gutter = tuple[float, float]
Row = Sequence[Line]


@dataclass(frozen=True, slots=True)
class ScanTable:
    """A table's cells, and the lines that it consists of."""

    cells: tuple[Cell, ...]
    lines: tuple[Line, ...]

    @property
    def rect(self) -> Rect:
        return around(line.rect for line in self.lines)


def part_tables(lines: Sequence[Line], box: Callable[[Rect], Box]) -> list[ScanTable | list[Line]]:
    """Return the tables of a page and the lines between them, from top to bottom; `box` converts rectangles to boxes.

    A table takes the page's whole width: everything beside it belongs to its rows.
    """
    em = median(line.rect.height for line in lines) if lines else 0.0
    rows = _rows(lines, em)
    parts: list[ScanTable | list[Line]] = []
    above: list[Row] = []
    at = 0
    while at < len(rows):
        run = _without_trailing_lines(rows[at : _end(rows, at, em)], em)
        gutters = _gutters(run, em)
        if not _is_table(run, gutters):
            above.append(rows[at])
            at += 1
            continue
        header = _header(above, run[0], em)
        text = [line for row in above[: len(above) - len(header)] for line in row]
        parts += [text] if text else []
        parts.append(_table([*header, *run], gutters, max(1, len(header)), box))
        above = []
        at += len(run)
    text = [line for row in above for line in row]
    return [*parts, text] if text else parts


def _rows(lines: Sequence[Line], em: float) -> list[list[Line]]:
    """Return lines in rows from the top; a line between two rows, such as a cell spanning both, is in the upper one."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.rect.middle[1]):
        if rows and (line.rect.middle[1] - rows[-1][0].rect.middle[1] < em / 2 or _between(rows[-1], line)):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _between(above: Row, line: Line) -> bool:
    """Whether a line begins at the height of a row and overlaps none of its lines horizontally."""
    # A quarter of a line: less may be the slant of a scan.
    beside = line.rect.top < max(one.rect.bottom for one in above) - line.rect.height / 4
    return beside and all(one.rect.right < line.rect.left or one.rect.left > line.rect.right for one in above)


def _end(rows: Sequence[Row], start: int, em: float) -> int:
    """Return the end of the run of rows in which at least one gap of the first row stays open."""
    gutters = _gaps(rows[start], em)
    for end in range(start + 1, len(rows)):
        kept = _narrowed(gutters, rows[end], em)
        if not kept and len(rows[end]) == 1 and _is_close(rows[end - 1 : end + 2], em):
            kept = gutters and _narrowed(gutters, rows[end + 1], em)  # a row that is the heading of a group of rows
        if not kept or _gap(rows[end - 1], rows[end]) > _FAR * em:
            return end
        gutters = kept
    return len(rows)


def _is_close(rows: Sequence[Row], em: float) -> bool:
    """Whether a row is close to the one above and to one below that has several cells."""
    several = len(rows) > 2 and len(rows[2]) > 1
    return several and all(_gap(above, below) < _CLOSE * em for above, below in pairwise(rows))


def _without_trailing_lines(rows: Sequence[Row], em: float) -> Sequence[Row]:
    """Return rows without single lines at the end, which are the heading of the following text."""
    end = len(rows)
    while end > 1 and len(rows[end - 1]) == 1 and _gap(rows[end - 2], rows[end - 1]) > _KEPT_EM * em:
        end -= 1
    return rows[:end]


def _gaps(row: Row, em: float) -> list[Gutter]:
    """Return the gaps between the lines of a row that are wide enough for a gutter."""
    ordered = sorted(row, key=lambda line: line.rect.left)
    gaps = [(one.rect.right, other.rect.left) for one, other in pairwise(ordered)]
    return [(left, right) for left, right in gaps if right - left >= _GUTTER_EM * em]


def _narrowed(gutters: Sequence[Gutter], row: Row, em: float) -> list[Gutter]:
    """Return the gutters narrowed by the lines of a row, without those that a line crosses."""
    kept = []
    for left, right in gutters:
        lefts = [line.rect.right for line in row if line.rect.left <= left]
        rights = [line.rect.left for line in row if line.rect.left > left]
        kept.append((max([left, *lefts]), min([right, *rights])))
    return [(left, right) for left, right in kept if right - left >= _KEPT_EM * em]


def _gap(above: Row, below: Row) -> float:
    return min(line.rect.top for line in below) - max(line.rect.bottom for line in above)


def _gutters(rows: Sequence[Row], em: float) -> list[Gutter]:
    """Return the gaps between columns: the positions that almost no row with several cells covers."""
    several = [row for row in rows if len(row) > 1]
    lines = [line for row in several for line in row]
    edges = sorted([(line.rect.left, 1) for line in lines] + [(line.rect.right, -1) for line in lines])
    gutters: list[Gutter] = []
    covered, since = 0, 0.0
    for at, step in edges:
        before, covered = covered, covered + step
        most = _WIDE * len(several)
        if before > most >= covered:
            since = at
        elif before <= most < covered and since and at - since >= _KEPT_EM * em:
            gutters.append((since, at))
    return gutters


def _header(above: Sequence[Row], first: Row, em: float) -> Sequence[Row]:
    """Return the rows directly above a table that have several cells too, even if these cross its gutters."""
    start = len(above)
    while start > 0 and len(above[start - 1]) > 1 and _gap(above[start - 1], first) < _CLOSE * em:
        start -= 1
        first = above[start]
    return above[start:]


def _is_table(rows: Sequence[Row], gutters: Sequence[Gutter]) -> bool:
    """Whether rows with these gaps are a table: most have several cells, and the columns are not all running text."""
    columns = _columns(rows, _edges(gutters))
    several = sum(len(row) > 1 for row in rows)
    enough = several >= _LEAST_ROWS and 2 * several > len(rows)
    return bool(gutters) and enough and all(map(_has_text, columns)) and not all(map(_is_prose, columns))


def _table(rows: Sequence[Row], gutters: Sequence[Gutter], header: int, box: Callable[[Rect], Box]) -> ScanTable:
    """Return rows as a table whose first `header` rows are its header; right-to-left text begins in the last column."""
    edges = _edges(gutters)
    rows = _joined(rows, edges)
    cells = [cell for number, row in enumerate(rows) for cell in _cells(number, row, edges, box)]
    if right_to_left(" ".join(cell.text for cell in cells)):
        cells = [replace(cell, column=len(edges) + 1 - cell.column - cell.column_span) for cell in cells]
        cells.sort(key=lambda cell: (cell.row, cell.column))
    if not is_data(cells):
        cells = [replace(cell, header=cell.row < header) for cell in cells]
    return ScanTable(tuple(cells), tuple(line for row in rows for line in row))


def _joined(rows: Sequence[Row], edges: Sequence[float]) -> list[list[Line]]:
    """Return rows, with continuation rows merged into the row above."""
    steps = [below[0].rect.middle[1] - above[0].rect.middle[1] for above, below in pairwise(rows)]
    joined = [list(rows[0])]
    for row, step in zip(rows[1:], steps, strict=True):
        if step < _CONTINUED * median(steps) and all(line.rect.left > edges[0] for line in row):
            joined[-1].extend(row)
        else:
            joined.append(list(row))
    return joined


def _edges(gutters: Sequence[Gutter]) -> list[float]:
    return [(left + right) / 2 for left, right in gutters]


def _columns(rows: Sequence[Row], edges: Sequence[float]) -> list[list[Line]]:
    columns: list[list[Line]] = [[] for _ in range(len(edges) + 1)]
    for line in (line for row in rows for line in row):
        columns[sum(line.rect.middle[0] > edge for edge in edges)].append(line)
    return columns


def _cells(number: int, row: Row, edges: Sequence[float], box: Callable[[Rect], Box]) -> list[Cell]:
    """Return the cells of a row; a line that crosses gutters becomes a cell that spans several columns."""
    held: dict[int, list[Line]] = {}
    for line in row:
        held.setdefault(sum(line.rect.left > edge for edge in edges), []).append(line)
    firsts = sorted(held)
    cells = []
    for first, following in zip(firsts, [*firsts[1:], len(edges) + 1], strict=True):
        reach = max(sum(line.rect.right > edge for edge in edges) for line in held[first])
        text = join_lines([line.text for line in held[first]])
        place = box(around(line.rect for line in held[first]))
        cells.append(Cell(number, first, text, 1, min(reach + 1, following) - first, boxes=(place,)))
    return cells


def _has_text(column: Sequence[Line]) -> bool:
    """Whether a column has letters or digits, not only signs such as bullets."""
    return any(char.isalnum() for line in column for char in line.text)


def _is_prose(column: Sequence[Line]) -> bool:
    """Whether lines fill their column like running text."""
    width = around(line.rect for line in column).width
    wordy = median(line.rect.width / line.rect.height for line in column) >= _WORDY
    return wordy and median(line.rect.width for line in column) > _FILLED * width
