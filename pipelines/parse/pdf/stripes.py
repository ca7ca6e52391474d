"""Where drawn lines and coloured cells say that tables are, and where text between them says that one ends."""

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
from pipelines.parse.pdf.headings import is_numbered
from pipelines.parse.pdf.page import MOST_AREAS, PageWord, Rules
from pipelines.parse.pdf.table_cells import pieces_of
from pipelines.parse.pdf.tables import text_lines

_STRIPES, _ROW = 4, 80.0
"""Level lines of one width that make a table, and points between two of them at most: six lines of text."""
_TINTED = 3
"""Edges of colour of one width that make one: two rows of coloured cells; each second row of a table has such."""
_INSIDE = 4.0
"""Points between a table's edge and a side of a cell inside it: less than any column."""
_TOUCH = 2.0
"""Points between the sides of coloured cells that meet: a white line drawn between them at most."""
_MOST_EDGES = 1000
"""Level lines and edges of a page from which they are a drawing: three tables side by side, with 150 stripes each, have
900."""
_INSET = 2.0
"""Points that a table's entries stand in from its lines at least, where what does not is text beside tables."""
_DRAWN = 0.5
"""Share of a table's width or height that lines must cover to part its rows or columns."""
_NARROW = 30.0
"""Points of a table's width at least: five characters, the narrowest column, and more than the dots of a line."""
ONE = 3.0
"""Points within which lines are one: thick ones are drawn as two, and cells side by side have each their own."""


def striped(rules: Rules) -> list[Rect]:
    """Return where level lines of one width, or edges of colour, follow one another as rows of a table do.

    Of colour alone some must stand side by side, as cells do and boxes around text do not.
    """
    found: list[list[Rect]] = []
    lines = [line for line in _whole([*rules.level, *rules.shaded]) if line.width > _NARROW]
    for line in lines if len(lines) <= _MOST_EDGES else ():
        group = next((g for g in found if _same_width(g[-1], line) and line.top - g[-1].top < _ROW), None)
        if group is None:
            found.append([line])
        else:
            group.append(line)
    stripes = [around(group) for group in found if len(group) >= _TINTED]
    return [stripe for stripe in stripes if _has_rows(stripe, rules.within(stripe.grown(1)))]


def lattices(rules: Rules, words: Sequence[PageWord]) -> list[Rect]:
    """Return where level lines are drawn cell by cell, as browsers and word processors do: their pieces meet.

    Lines are of one table that meet at the same places, or at some of these where cells go on over rows. A table has
    two such lines at least; rows above the first and below the last begin where the entries of the others do.
    """
    found: list[_Lattice] = []
    for pieces in _meeting(rules.level) if len(rules.level) <= MOST_AREAS else ():
        line = _Lattice(around(pieces), (pieces[0].left, *(piece.right for piece in pieces)))
        at = next((number for number in reversed(range(len(found))) if _is_line_of(line, found[number])), None)
        if at is not None:
            found[at] = _with_line(found[at], line)
        elif len(pieces) > 1:
            found.append(line)
    tables = [table.rect for table in found if table.rect.height > ONE]
    near = Near(tables, lambda table: table)
    free = [word for word in words if not any(table.holds(*word.rect.middle) for table in near.at(word.rect))]
    held = ([word for word in words if table.holds(*word.rect.middle)] for table in tables)
    return [_with_plain_rows(table, [*own, *free]) for table, own in zip(tables, held, strict=True)]


class _Lattice(NamedTuple):
    """Level lines of one table, and the places at which their pieces begin and end."""

    rect: Rect
    ends: tuple[float, ...]


def _is_line_of(line: _Lattice, table: _Lattice) -> bool:
    """Whether a line is one of a table's; in one piece it may part a page, too, unless a row's height is between."""
    beside = line.rect.left < table.rect.right and line.rect.right > table.rect.left
    near = len(line.ends) > 2 or line.rect.top - table.rect.bottom < _ROW
    return beside and near and (_among(line.ends, table.ends) or _among(table.ends, line.ends))


def _with_line(table: _Lattice, line: _Lattice) -> _Lattice:
    return _Lattice(around((table.rect, line.rect)), max(line.ends, table.ends, key=len))


def _meeting(level: Sequence[Rect]) -> Iterator[list[Rect]]:
    """Yield the pieces of level lines from the top, those together that meet end to end."""
    run: list[Rect] = []
    for line in sorted(level, key=lambda line: (round(line.top), line.left)):
        if run and not (abs(line.top - run[-1].top) < 1 and abs(line.left - run[-1].right) < _TOUCH):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _among(some: Iterable[float], places: Sequence[float]) -> bool:
    return all(any(abs(one - place) < _TOUCH for place in places) for one in some)


def joints(rules: Rules, table: Rect) -> list[float]:
    """Return where coloured cells of a table meet that stand side by side, from the left."""
    areas = [area for area in rules.areas if area.meet(table).height > 0]
    near = Near(areas, lambda area: area.grown(_TOUCH))
    found = {
        (area.right + other.left) / 2
        for area in (areas if len(areas) <= MOST_AREAS else ())
        for other in near.at(area)
        if abs(other.left - area.right) < _TOUCH and _level(area, other)
    }
    return sorted(found)


def line_joints(rules: Rules) -> list[float]:
    """Return where lines meet end to end, in two rows at least: each cell of a row has its own above or below it."""
    downward = sorted(rules.level, key=lambda line: (round(line.top), line.left))
    ends = Counter(
        round(line.left)
        for before, line in pairwise(downward)
        if round(before.top) == round(line.top) and abs(line.left - before.right) < _TOUCH
    )
    return [float(x) for x, count in ends.items() if count > 1]


def upright_edges(table: Rect, rules: Rules) -> list[float]:
    """Return where lines or the sides of coloured cells run down most of the table, inside of it."""
    found = _apart(x for x in sorted([*joints(rules, table), *line_joints(rules)]) if table.left < x < table.right)
    for lines in (rules.upright, rules.sides):
        for x in sorted({round(line.left) for line in lines}):
            covered = sum(line.meet(table).height for line in {line for line in lines if abs(line.left - x) < ONE / 2})
            inside = table.left < x < table.right and not any(abs(x - other) < ONE for other in found)
            if inside and covered > _DRAWN * table.height:
                found.append(float(x))
    return found


def _apart(places: Iterable[float]) -> list[float]:
    """Return places from the left without those that are one with the place before."""
    found: list[float] = []
    for x in places:
        if not found or x - found[-1] >= ONE:
            found.append(x)
    return found


def level_edges(table: Rect, rules: Rules) -> list[float]:
    """Return the heights at which lines or edges of colour run across most of the table."""
    found: list[float] = []
    lines = [*rules.level, *rules.shaded]
    sides = [table.left, *line_joints(rules), table.right]
    for line in sorted(lines, key=lambda line: line.top):
        # Two sides of one line, or a line and the edge of the colour below it; no row is so low.
        if found and line.top - found[-1] < ONE:
            continue
        near = {round(other.left): other for other in lines if abs(other.top - line.top) < ONE / 2}
        width = sum(other.meet(table.grown(ONE)).width for other in near.values())
        # A line below some cells of a row, beside one that goes on, ends where cells do.
        ends = min(other.left for other in near.values()), max(other.right for other in near.values())
        part = len(sides) > 2 and all(any(abs(end - side) < ONE for side in sides) for end in ends)
        if part or width > _DRAWN * table.width:
            found.append(line.top)
    return found


def without_text(region: Rect, words: Sequence[PageWord], rules: Rules) -> list[Rect]:
    """Return a region as the tables in it, parted at captions of tables, at text, and where the head stands again.

    Text are lines that begin where the drawn lines do, if all that stands side by side is set in from these.
    """
    lines = text_lines([word for word in words if region.holds(*word.rect.middle)])
    drawn = [*rules.within(region.grown(_INSIDE)).level, *rules.within(region).shaded]
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
        if row and texts == head and _is_next(line, runs[-1]):
            # Lines in the first column alone, just above a head, are text between two tables.
            runs[-1:] = [runs[-1][: len(runs[-1]) - alone], []]
        alone = alone + 1 if not row and begin < min(begins) + _INSET else 0
        head = head if runs[-1] else texts
        runs[-1].append(around(word.rect for word in line))
    if len(runs) == 1:
        return [region]
    tables = [around(run) for run in runs if len(run) > 1]
    return [Rect(region.left, table.top, region.right, table.bottom) for table in tables]


def _is_next(line: Sequence[PageWord], above: Sequence[Rect]) -> bool:
    """Whether a line that stands like the head of the lines above begins a table: words, with more white above them."""
    steps = [below.top - upper.top for upper, below in pairwise([*above, around(word.rect for word in line)])]
    words = not any(FIGURE.fullmatch(word.text) for word in line)
    return words and len(steps) > 1 and steps[-1] > max(steps[:-1])


def _is_title(line: Sequence[PageWord]) -> bool:
    """Whether a line is a heading with its number, behind which may be a tab."""
    return all(word.bold for word in line) and is_numbered(" ".join(word.text for word in line))


def _with_plain_rows(table: Rect, words: Sequence[PageWord]) -> Rect:
    """Return a table with the rows above and below its lines: they begin where the entries of the others do."""
    held = [word.rect for word in words if table.holds(*word.rect.middle)]
    first = min((rect.left for rect in held), default=table.left)
    if first - table.left < _INSET:
        return table
    height = median(rect.height for rect in held)
    outside = [word for word in words if table.left < word.rect.middle[0] < table.right]
    lines = [around(word.rect for word in line) for line in text_lines(outside)]
    for line in (*(line for line in reversed(lines) if line.middle[1] < table.top), *lines):
        off = max(table.top - line.bottom, line.top - table.bottom)
        if 0 <= off + 1 < height and abs(line.left - first) < 1:
            table = Rect(table.left, min(table.top, line.top - 1), table.right, max(table.bottom, line.bottom + 1))
    return table


def _level(one: Rect, other: Rect) -> bool:
    return one.meet(other._replace(left=one.left, right=one.right)).height > 0.5 * min(one.height, other.height)


def _has_rows(stripe: Rect, rules: Rules) -> bool:
    inner = stripe.grown(-_INSIDE)
    beside = sum(1 for side in rules.sides if inner.left < side.left < inner.right)
    # A side of the cell on the left and one of that on the right, for each row.
    return len(rules.level) >= _STRIPES or beside >= 2 * (_TINTED - 1)


def _whole(lines: Sequence[Rect]) -> list[Rect]:
    """Return level lines from the top, those that continue one another as one: the dots of one, and those of cells."""
    whole: list[Rect] = []
    for line in sorted(lines, key=lambda line: (round(line.top), line.left)):
        if whole and abs(whole[-1].top - line.top) < 1 and line.left - whole[-1].right < ONE:
            whole[-1] = around((whole[-1], line))
        else:
            whole.append(line)
    return whole


def _same_width(one: Rect, other: Rect) -> bool:
    return abs(one.left - other.left) < 2 and abs(one.right - other.right) < 2
