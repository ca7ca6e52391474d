"""Tables on a page that OCR has read: rows of lines whose white gaps stand over one another, by where the lines are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from pipelines.core.provenance import Box
from pipelines.core.table import Cell, is_data
from pipelines.parse.lines import Line, Rect, around, join_lines

_LEAST_ROWS = 3
"""Rows of a table: two may be an address beside a date."""
_GUTTER_EM, _KEPT_EM = 0.5, 0.1
"""White between columns in the first row, in heights of a line, two blanks; and over all rows: OCR parts no closer."""
_FILLED = 0.8
"""Share of its column's width that a cell fills in the median, as lines of running text do."""
_WORDY = 10
"""Width of a line of running text in the median, in heights of a line: three words, where cells have fewer."""
_WIDE = 0.05
"""Share of the rows of several cells in which one may go over a gutter: a line that OCR has not parted."""
_CLOSE = 1.5
"""White between a header and what it heads, in heights of a line: less than a blank line."""
_FAR = 2.0
"""White between rows, in heights of a line, at which a table ends: a blank line makes one and a half."""
_GOES_ON = 0.8
"""Step from row to row, of the usual one, below which a row without a first cell goes on with the one above."""

Gutter = tuple[float, float]
Row = Sequence[Line]


@dataclass(frozen=True, slots=True)
class ScanTable:
    """A table, its cells, and the lines that it is made of."""

    cells: tuple[Cell, ...]
    lines: tuple[Line, ...]

    @property
    def rect(self) -> Rect:
        return around(line.rect for line in self.lines)


def part_tables(lines: Sequence[Line], box: Callable[[Rect], Box]) -> list[ScanTable | list[Line]]:
    """Return the tables of a page and the lines between them, from top to bottom; `box` places a cell on the page.

    A table goes over the page's whole width: what stands beside it is part of its rows.
    """
    em = median(line.rect.height for line in lines) if lines else 0.0
    rows = _rows(lines, em)
    parts: list[ScanTable | list[Line]] = []
    above: list[Row] = []
    at = 0
    while at < len(rows):
        run = _closed(rows[at : _end(rows, at, em)], em)
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
    """Return lines in rows, from the top; what stands between two rows, as a cell of both does, is in the upper one."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.rect.middle[1]):
        if (rows and line.rect.middle[1] - rows[-1][0].rect.middle[1] < em / 2) or (rows and _between(rows[-1], line)):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _between(above: Row, line: Line) -> bool:
    """Whether a line begins beside a row, and stands under nothing of it."""
    # A quarter of a line: less is the slant of a scan.
    beside = line.rect.top < max(one.rect.bottom for one in above) - line.rect.height / 4
    return beside and all(one.rect.right < line.rect.left or one.rect.left > line.rect.right for one in above)


def _end(rows: Sequence[Row], start: int, em: float) -> int:
    """Return where the rows end of which each keeps some of the white that the first has between its lines."""
    gutters = _gaps(rows[start], em)
    for end in range(start + 1, len(rows)):
        kept = _narrowed(gutters, rows[end], em)
        if not kept and len(rows[end]) == 1 and _is_close(rows[end - 1 : end + 2], em):
            kept = gutters and _narrowed(gutters, rows[end + 1], em)  # a row that heads a group of rows
        if not kept or _gap(rows[end - 1], rows[end]) > _FAR * em:
            return end
        gutters = kept
    return len(rows)


def _is_close(rows: Sequence[Row], em: float) -> bool:
    """Whether a row stands between two others, and close to both."""
    return len(rows) > 2 and all(_gap(above, below) < _CLOSE * em for above, below in pairwise(rows))


def _closed(rows: Sequence[Row], em: float) -> Sequence[Row]:
    """Return rows without lines that stand alone behind them, as the heading of what follows does."""
    end = len(rows)
    while end > 1 and len(rows[end - 1]) == 1 and _gap(rows[end - 2], rows[end - 1]) > _KEPT_EM * em:
        end -= 1
    return rows[:end]


def _gaps(row: Row, em: float) -> list[Gutter]:
    """Return the white between the lines of a row that is wide enough for a gutter."""
    ordered = sorted(row, key=lambda line: line.rect.left)
    gaps = [(one.rect.right, other.rect.left) for one, other in pairwise(ordered)]
    return [(left, right) for left, right in gaps if right - left >= _GUTTER_EM * em]


def _narrowed(gutters: Sequence[Gutter], row: Row, em: float) -> list[Gutter]:
    """Return what a row leaves of gutters: each may be narrowed from either side, one that is crossed is gone."""
    kept = []
    for left, right in gutters:
        lefts = [line.rect.right for line in row if line.rect.left <= left]
        rights = [line.rect.left for line in row if line.rect.left > left]
        kept.append((max([left, *lefts]), min([right, *rights])))
    return [(left, right) for left, right in kept if right - left >= _KEPT_EM * em]


def _gap(above: Row, below: Row) -> float:
    return min(line.rect.top for line in below) - max(line.rect.bottom for line in above)


def _gutters(rows: Sequence[Row], em: float) -> list[Gutter]:
    """Return the white between columns: where next to none of the rows with several cells has one."""
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
    """Return the rows close above a table that have several cells too, if such as go over its gutters."""
    start = len(above)
    while start > 0 and len(above[start - 1]) > 1 and _gap(above[start - 1], first) < _CLOSE * em:
        start -= 1
        first = above[start]
    return above[start:]


def _is_table(rows: Sequence[Row], gutters: Sequence[Gutter]) -> bool:
    """Whether rows with such white in them are a table: most have several cells, and no running text stands in all."""
    columns = _columns(rows, _edges(gutters))
    several = sum(len(row) > 1 for row in rows)
    enough = several >= _LEAST_ROWS and 2 * several > len(rows)
    return bool(gutters) and enough and all(map(_says_something, columns)) and not all(map(_is_text, columns))


def _table(rows: Sequence[Row], gutters: Sequence[Gutter], header: int, box: Callable[[Rect], Box]) -> ScanTable:
    """Return rows as a table, the first of them as its header."""
    edges = _edges(gutters)
    rows = _joined(rows, edges)
    cells = [cell for number, row in enumerate(rows) for cell in _cells(number, row, edges, box)]
    if not is_data(cells):
        cells = [replace(cell, header=cell.row < header) for cell in cells]
    return ScanTable(tuple(cells), tuple(line for row in rows for line in row))


def _joined(rows: Sequence[Row], edges: Sequence[float]) -> list[list[Line]]:
    """Return rows with what goes on from a cell above in the row that it began in."""
    steps = [below[0].rect.middle[1] - above[0].rect.middle[1] for above, below in pairwise(rows)]
    joined = [list(rows[0])]
    for row, step in zip(rows[1:], steps, strict=True):
        if step < _GOES_ON * median(steps) and all(line.rect.left > edges[0] for line in row):
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
    """Return the cells of a row; a line that goes over gutters makes a cell of several columns."""
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


def _says_something(column: Sequence[Line]) -> bool:
    """Whether a column holds more than signs, as the bullets of a list are."""
    return any(char.isalnum() for line in column for char in line.text)


def _is_text(column: Sequence[Line]) -> bool:
    """Whether lines fill their column as running text does."""
    width = around(line.rect for line in column).width
    wordy = median(line.rect.width / line.rect.height for line in column) >= _WORDY
    return wordy and median(line.rect.width for line in column) > _FILLED * width
