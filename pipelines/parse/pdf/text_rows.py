"""The rows of a table without lines between all of them: by leading, by entries, and by where lines break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.page import PageWord, Rules
from pipelines.parse.pdf.stripes import row_edges
from pipelines.parse.pdf.table_cells import LEAST_GUTTER, LOOSE_LEADING, Strip, TextRow, column_at, middle_of
from pipelines.parse.pdf.tables import MOST_LEADING

_ROUNDING = 0.7
"""Minimum difference of two steps in points: browsers place lines at multiples of 0.75."""
_LEAST_GAP = 0.2
"""Minimum difference of the steps between lines of an entry and between rows, as a share of the latter: a margin of
half a line, at leadings of 1.5 and 2."""
_CENTRED = 0.15
"""Maximum distance of an entry from the middle between two rows, in heights of a line. An entry at the top or bottom of
both is half the distance of the rows away, which is more than half a height."""


def rows_of(
    lines: Sequence[Sequence[PageWord]], height: float, table: Rect, rules: Rules, gutters: Sequence[Strip]
) -> list[TextRow]:
    """Return the rows of the lines of a table between `gutters`, whose words are `height` high.

    Drawn lines separate rows; without one between all of them, also leading, entries in the first column, and lines
    that break early.
    """
    lines = _with_centred_entries(lines, height, gutters)
    edges = [table.top - height, *row_edges(around([table, *rules.horizontal]), rules), table.bottom + height]
    bands = [[line for line in lines if above <= middle_of(line) < below] for above, below in pairwise(edges)]
    bands = [band for band in bands if band]
    steps = [step for band in bands for step in _steps(band) if step > 0.5 * height]
    least = min(steps, default=0.0)
    loose = least + max(1.0, LOOSE_LEADING * height)
    if least > MOST_LEADING * height:
        loose = _wide_leading(bands, gutters) or least
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


def _wide_leading(bands: Sequence[Sequence[Sequence[PageWord]]], gutters: Sequence[Strip]) -> float:
    """Return the least step to the next row if the lines of entries are nearly as far apart as rows, or 0.

    The steps are of two sizes, and the lines behind the smaller ones have entries in fewer columns than the first line
    of their row: the rest of wrapped entries.
    """
    sizes = sorted({round(step, 1) for band in bands for step in _steps(band)})
    gap, wide = max(((high - low, high) for low, high in pairwise(sizes)), default=(0.0, 0.0))
    loose = wide - _ROUNDING
    wrapped = []
    for band in bands:
        first = _columns_of(band[0], gutters)
        for step, line in zip(_steps(band), band[1:], strict=True):
            if step >= loose:
                first = _columns_of(line, gutters)
            else:
                wrapped.append(_columns_of(line, gutters) < first)
    return loose if gap > _LEAST_GAP * wide and wrapped and all(wrapped) else 0.0


def _with_centred_entries(
    lines: Sequence[Sequence[PageWord]], height: float, gutters: Sequence[Strip]
) -> list[Sequence[PageWord]]:
    """Return the lines with entries halfway between two rows, over which they are centred, in the upper one.

    The rows have two columns in common, but none with the entry, and are further apart than the lines of one entry.
    """
    found = list(lines[:1])
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        above, middle, below = map(middle_of, (before, line, after))
        own, (upper, lower) = _columns_of(line, gutters), (_columns_of(row, gutters) for row in (before, after))
        halfway = abs((above + below) / 2 - middle) < _CENTRED * height and below - above > MOST_LEADING * height
        if halfway and len(upper & lower) > 1 and not own & (upper | lower):
            found[-1] = [*found[-1], *line]
        else:
            found.append(line)
    return [*found, *lines[max(1, len(lines) - 1) :]]


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
    """Whether lines without drawn lines in between are rows: all have entries in the same columns, which do not wrap.

    Two such columns are enough if the lines have wide leading; else it takes three, whose entries are unlikely to wrap
    at the same lines, in a table that is not `ruled`. Entries of other columns are over several rows.
    """
    common = set.intersection(*(_columns_of(line, gutters) for line in lines))
    loose = all(step > MOST_LEADING * height for step in _steps(lines))
    enough = len(common) > 1 if loose else not ruled and len(common) > 2 and len(lines) > 2
    level = enough and not all(word.bold for line in lines for word in line)
    votes = sum(
        _votes(above, below, common, width, height) for above, below in pairwise(_all_by_column(lines, gutters))
    )
    return (level and votes >= 0) or _breaks_early(lines, width, gutters, height)


def _votes(
    above: Mapping[int, Sequence[PageWord]],
    below: Mapping[int, Sequence[PageWord]],
    columns: Iterable[int],
    width: Mapping[int, float],
    height: float,
) -> int:
    """Return how many more entries break early, where the next word would have fitted, than are full lines."""
    votes = 0
    for column in columns:
        if _extent(above[column]) + LEAST_GUTTER * height + below[column][0].rect.width < width[column]:
            votes += 1
        elif len(above[column]) > 1:
            votes -= 1
    return votes


def _breaks_early(
    lines: Sequence[Sequence[PageWord]], width: Mapping[int, float], gutters: Sequence[Strip], height: float
) -> bool:
    """Whether lines do not continue one another: all have entries in the same two columns or only in the first one, and
    for half of them, more entries are followed by a word that would have fitted behind them than are full lines of
    several words.
    """
    by_column = _all_by_column(lines, gutters)
    full = [entries for entries in by_column if set(entries) != {0}]
    common = set(full[0]).intersection(*full) if 2 * len(full) > len(lines) else set()

    early = [_votes(one, other, one.keys() & other.keys(), width, height) > 0 for one, other in pairwise(by_column)]
    wrapped = any(set(below) == {0} and not is_early for below, is_early in zip(by_column[1:], early, strict=True))
    alike = 0 in by_column[0] and len(common) > 1 and not wrapped
    return len(lines) > 2 and alike and 2 * sum(early) >= len(early)


def _all_by_column(lines: Sequence[Sequence[PageWord]], gutters: Sequence[Strip]) -> list[dict[int, list[PageWord]]]:
    return [_by_column(line, gutters) for line in lines]


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
