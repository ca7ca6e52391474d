"""Tables found by drawn lines and coloured cells, and separated by the text between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pipelines.lang.numbers import FIGURE
from pipelines.parse.captions import is_table_caption
from pipelines.parse.lines import Rect, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.cell_words import text_lines
from pipelines.parse.pdf.headings import is_numbered
from pipelines.parse.pdf.page import MOST_SHAPES, PageWord, Rules
from pipelines.parse.pdf.table_cells import pieces_of

_LEAST_STRIPES, _MOST_STEP = 4, 80.0
"""Minimum horizontal lines of equal width that form a table, and maximum points between two of them: six lines of text.
"""
_LEAST_EDGES = 3
"""Minimum colour edges of equal width that form a table: those of two rows, if every second row is coloured."""
_EDGE_MARGIN = 4.0
"""Minimum points between a table's edge and the side of an inner cell: less than any column."""
_TOUCHING = 2.0
"""Maximum points between the sides of coloured cells that touch: a white line between them."""
_MOST_LINES = 1000
"""Maximum horizontal lines and edges of a page; more are a drawing. Three tables with 150 stripes each have 900."""
_INSET = 2.0
"""Minimum points by which a table's entries are indented from its lines, for lines that are not indented to be text."""
_LEAST_COVERAGE = 0.5
"""Minimum share of a table's width or height covered by lines that separate its rows or columns."""
_LEAST_WIDTH = 30.0
"""Minimum width of a table in points: five characters, the narrowest column, and more than the dots of a dotted line.
"""
SAME_LINE = 3.0
"""Points within which lines are the same: thick lines are drawn as two, and adjacent cells have separate borders."""


def find_stripes(rules: Rules) -> list[Rect]:
    """Return the areas where horizontal lines or colour edges of equal width follow one another like rows of a table.

    If there are only colour edges, some areas must be side by side, as cells are, but not boxes around text.
    """
    found: list[list[Rect]] = []
    lines = [line for line in _merge_pieces([*rules.horizontal, *rules.horizontal_edges]) if line.width > _LEAST_WIDTH]
    for line in lines if len(lines) <= _MOST_LINES else ():
        group = next((g for g in found if _have_same_width(g[-1], line) and line.top - g[-1].top < _MOST_STEP), None)
        if group is None:
            found.append([line])
        else:
            group.append(line)
    stripes = [around(group) for group in found if len(group) >= _LEAST_EDGES]
    return [stripe for stripe in stripes if _has_rows(stripe, rules.within(stripe.grown(1)))]


def find_lattices(rules: Rules, words: Sequence[PageWord]) -> list[Rect]:
    """Return the areas where horizontal lines are drawn cell by cell, as browsers and word processors do.

    The pieces of such a line touch. Lines belong to one table if their pieces touch at the same positions, or at some
    of these. A table has at least two such lines; further rows above and below begin where its other entries do.
    """
    found: list[_Lattice] = []
    drawn = [*rules.horizontal, *rules.horizontal_edges]
    for pieces in _touching_pieces(drawn) if len(drawn) <= MOST_SHAPES else ():
        line = _Lattice(around(pieces), (pieces[0].left, *(piece.right for piece in pieces)))
        at = next((number for number in reversed(range(len(found))) if _belongs_to(line, found[number], words)), None)
        if at is not None:
            found[at] = _Lattice(around((found[at].rect, line.rect)), max(line.ends, found[at].ends, key=len))
        elif len(pieces) > 1:
            found.append(line)
    tables = [table for table in _joined([table.rect for table in found]) if table.height > SAME_LINE]
    near = Near(tables, lambda table: table)
    free = [word for word in words if not any(table.holds(*word.rect.middle) for table in near.at(word.rect))]
    held = ([word for word in words if table.holds(*word.rect.middle)] for table in tables)
    return [_with_plain_rows(table, [*own, *free]) for table, own in zip(tables, held, strict=True)]


def _joined(parts: Sequence[Rect]) -> list[Rect]:
    """Return the rectangles with those joined that overlap, touch, or follow one another with equal width.

    Around merged cells, the lines of a table have other pieces.
    """
    found: list[Rect] = []
    for part in sorted(parts, key=lambda part: part.top):
        own = [other for other in found if _continues(part, other)]
        found = [*(other for other in found if other not in own), around((part, *own))]
    return found


def _continues(part: Rect, other: Rect) -> bool:
    off = part.top - other.bottom
    return other.meet(part).width > SAME_LINE and (off < 0.5 or (off < SAME_LINE and _have_same_width(part, other)))


class _Lattice(NamedTuple):
    """The horizontal lines of a table, and the positions at which their pieces begin and end."""

    rect: Rect
    ends: tuple[float, ...]


def _belongs_to(line: _Lattice, table: _Lattice, words: Sequence[PageWord]) -> bool:
    """Whether a line belongs to a table; one in a single piece only if it is at most a row's height below.

    No text is in between: it begins where the lines do, and the table's entries are indented; at most one line, an
    entry across columns, crosses the positions where pieces touch.
    """
    beside = line.rect.left < table.rect.right and line.rect.right > table.rect.left
    near = len(line.ends) > 2 or line.rect.top - table.rect.bottom < _MOST_STEP
    if not (beside and near and (_all_near(line.ends, table.ends) or _all_near(table.ends, line.ends))):
        return False
    gap = Rect(line.rect.left, table.rect.bottom, line.rect.right, line.rect.top)
    first = min((word.rect.left for word in words if table.rect.holds(*word.rect.middle)), default=-math.inf)
    left = min(table.rect.left, line.rect.left)
    if first > left + _INSET and any(word.rect.left < left + 1 and gap.holds(*word.rect.middle) for word in words):
        return False
    crossing = {round(word.rect.top) for word in words if gap.holds(*word.rect.middle) and _crosses(word, line.ends)}
    return len(crossing) < 2


def _crosses(word: PageWord, ends: Sequence[float]) -> bool:
    return any(word.rect.left < end - _TOUCHING and word.rect.right > end + _TOUCHING for end in ends[1:-1])


def _touching_pieces(level: Sequence[Rect]) -> Iterator[list[Rect]]:
    """Yield the pieces of horizontal lines from the top, those that touch end to end together."""
    run: list[Rect] = []
    for line in sorted(level, key=lambda line: (round(line.top), line.left)):
        if run and abs(line.top - run[-1].top) < 1 and abs(line.right - run[-1].right) < 1:
            continue
        if run and not (abs(line.top - run[-1].top) < 1 and abs(line.left - run[-1].right) < _TOUCHING):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _all_near(some: Iterable[float], places: Sequence[float]) -> bool:
    return all(any(abs(one - place) < _TOUCHING for place in places) for one in some)


def colour_joints(rules: Rules, table: Rect) -> list[float]:
    """Return the positions, from the left, at which adjacent coloured cells of a table touch."""
    areas = [area for area in rules.areas if area.meet(table).height > 0]
    near = Near(areas, lambda area: area.grown(_TOUCHING))
    found = {
        (area.right + other.left) / 2
        for area in (areas if len(areas) <= MOST_SHAPES else ())
        for other in near.at(area)
        if abs(other.left - area.right) < _TOUCHING and _is_beside(area, other)
    }
    return sorted(found)


def line_joints(rules: Rules) -> list[float]:
    """Return the positions at which lines touch end to end in at least two rows: cells have separate borders there."""
    downward = sorted(rules.horizontal, key=lambda line: (round(line.top), line.left))
    ends = Counter(
        round(line.left)
        for before, line in pairwise(downward)
        if round(before.top) == round(line.top) and abs(line.left - before.right) < _TOUCHING
    )
    return [float(x) for x, count in ends.items() if count > 1]


def column_edges(table: Rect, rules: Rules) -> list[float]:
    """Return the positions inside a table at which lines or the sides of coloured cells run down most of it."""
    found = _distinct(
        x for x in sorted([*colour_joints(rules, table), *line_joints(rules)]) if table.left < x < table.right
    )
    for lines in (rules.vertical, rules.vertical_edges):
        for x in sorted({round(line.left) for line in lines}):
            covered = sum(
                line.meet(table).height for line in {line for line in lines if abs(line.left - x) < SAME_LINE / 2}
            )
            inside = table.left < x < table.right and not any(abs(x - other) < SAME_LINE for other in found)
            if inside and covered > _LEAST_COVERAGE * table.height:
                found.append(float(x))
    return found


def _distinct(places: Iterable[float]) -> list[float]:
    """Return the positions in order, without those that are the same as the one before."""
    found: list[float] = []
    for x in places:
        if not found or x - found[-1] >= SAME_LINE:
            found.append(x)
    return found


def row_edges(table: Rect, rules: Rules) -> list[float]:
    """Return the heights at which lines or colour edges run across most of the table."""
    found: list[float] = []
    lines = [*rules.horizontal, *rules.horizontal_edges]
    sides = [table.left, *line_joints(rules), table.right]
    for line in sorted(lines, key=lambda line: line.top):
        # Two sides of one line, or a line and the colour edge below it: rows are higher.
        if found and line.top - found[-1] < SAME_LINE:
            continue
        near = {round(other.left): other for other in lines if abs(other.top - line.top) < SAME_LINE / 2}
        width = sum(other.meet(table.grown(SAME_LINE)).width for other in near.values())
        # A line below some cells of a row, next to one that spans rows, ends at the sides of cells.
        ends = min(other.left for other in near.values()), max(other.right for other in near.values())
        part = len(sides) > 2 and all(any(abs(end - side) < SAME_LINE for side in sides) for end in ends)
        if part or width > _LEAST_COVERAGE * table.width:
            found.append(line.top)
    return found


def split_at_text(region: Rect, words: Sequence[PageWord], rules: Rules) -> list[Rect]:
    """Return the tables in a region, which is split at captions of tables, at text, and at repeated headers.

    Lines are text if they begin where the drawn lines do, while all rows with several entries are indented from these.
    """
    lines = text_lines([word for word in words if region.holds(*word.rect.middle)])
    drawn = [*rules.within(region.grown(_EDGE_MARGIN)).horizontal, *rules.within(region).horizontal_edges]
    begins = [min(word.rect.left for word in line) for line in lines]
    rows = [len(pieces_of(line, line[0].rect.height)) > 1 and not _is_title(line) for line in lines]
    left = min((rule.left for rule in drawn), default=region.left)
    inset = min((begin for begin, row in zip(begins, rows, strict=True) if row), default=left) - left
    edge = left + inset / 2 if drawn and inset >= _INSET else -math.inf
    runs: list[list[Rect]] = [[]]
    head: list[str] = []
    alone = 0
    for line, begin, row in zip(lines, begins, rows, strict=True):
        texts = [word.text for word in line]
        if not row and (begin <= edge or is_table_caption(" ".join(texts))):
            runs.append([])
            continue
        if row and texts == head and _begins_table(line, runs[-1]):
            # Lines that are only in the first column, directly above a header, are text between two tables.
            runs[-1:] = [runs[-1][: len(runs[-1]) - alone], []]
        alone = alone + 1 if not row and begin < min(begins) + _INSET else 0
        head = head if runs[-1] else texts
        runs[-1].append(around(word.rect for word in line))
    if len(runs) == 1:
        return [region]
    tables = [around(run) for run in runs if len(run) > 1]
    return [Rect(region.left, table.top, region.right, table.bottom) for table in tables]


def _begins_table(line: Sequence[PageWord], above: Sequence[Rect]) -> bool:
    """Whether a repetition of the first line begins a table: it has no numbers and a wider gap above."""
    steps = [below.top - upper.top for upper, below in pairwise([*above, around(word.rect for word in line)])]
    words = not any(FIGURE.fullmatch(word.text) for word in line)
    return words and len(steps) > 1 and steps[-1] > max(steps[:-1])


def _is_title(line: Sequence[PageWord]) -> bool:
    """Whether a line is a numbered heading; there may be a tab after its number."""
    return all(word.bold for word in line) and is_numbered(" ".join(word.text for word in line))


def _with_plain_rows(table: Rect, words: Sequence[PageWord]) -> Rect:
    """Return a table with the rows above and below its lines that begin where its other entries do.

    One with a single entry in bold type is a heading.
    """
    held = [word.rect for word in words if table.holds(*word.rect.middle)]
    first = min((rect.left for rect in held), default=table.left)
    if first - table.left < _INSET:
        return table
    height = median(rect.height for rect in held)
    outside = [word for word in words if table.left < word.rect.middle[0] < table.right]
    rows = [
        line for line in text_lines(outside) if len(pieces_of(line, height)) > 1 or not all(word.bold for word in line)
    ]
    lines = [around(word.rect for word in line) for line in rows]
    for line in (*(line for line in reversed(lines) if line.middle[1] < table.top), *lines):
        off = max(table.top - line.bottom, line.top - table.bottom)
        if 0 <= off + 1 < height and abs(line.left - first) < 1:
            table = Rect(table.left, min(table.top, line.top - 1), table.right, max(table.bottom, line.bottom + 1))
    return table


def _is_beside(one: Rect, other: Rect) -> bool:
    return one.meet(other._replace(left=one.left, right=one.right)).height > 0.5 * min(one.height, other.height)


def _has_rows(stripe: Rect, rules: Rules) -> bool:
    inner = stripe.grown(-_EDGE_MARGIN)
    beside = sum(1 for side in rules.vertical_edges if inner.left < side.left < inner.right)
    # For each row, a side of the left cell and one of the right cell.
    return len(rules.horizontal) >= _LEAST_STRIPES or beside >= 2 * (_LEAST_EDGES - 1)


def _merge_pieces(lines: Sequence[Rect]) -> list[Rect]:
    """Return horizontal lines from the top, with consecutive pieces merged: dots of a line, borders of cells."""
    whole: list[Rect] = []
    for line in sorted(lines, key=lambda line: (round(line.top), line.left)):
        if whole and abs(whole[-1].top - line.top) < 1 and line.left - whole[-1].right < SAME_LINE:
            whole[-1] = around((whole[-1], line))
        else:
            whole.append(line)
    return whole


def _have_same_width(one: Rect, other: Rect) -> bool:
    return abs(one.left - other.left) < 2 and abs(one.right - other.right) < 2
