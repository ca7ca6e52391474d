"""Values with their labels above or below them, in other type: tiles of a brochure, cells of a form or title block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pipelines.core.table import begins_with_number
from pipelines.parse.lines import Line, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.cell_words import text_lines
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord

_LEAST_RATIO = 1.15
"""Minimum size of a value, in sizes of its label: 10 to 8 points is 1.25; OCR measures 9.4 and 7.8."""
_MOST_GAP = 0.6
"""Maximum gap between a value and its label, in sizes of the value."""
_LONGEST_VALUE, _LONGEST_LABEL = 20, 50
"""Maximum characters of both: "320 m³/h", "rinse water per rinse (DN 200)"."""
_LEAST_CELLS, _LEAST_SHARE = 3, 2 / 3
"""Minimum cells of a form, and their minimum share of those with text: in a table, few cells have two sizes of type."""
_MOST_LINES = 1000
"""Maximum lines of a page that are looked at: more are those of a drawing, perhaps all at one place."""
_LEVEL = 3.0
"""Maximum difference in points between the heights of values side by side."""
_OFF = 4.0
"""Maximum difference in points between the left edges, or the middles, of a value and its label."""


def with_tiles(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a page with figures in large type joined with their labels below: "design pressure: 16 bar".

    There are at least two side by side, perhaps with others that are no figures ("IP 65"). They are not read as a row
    of figures and a row of labels.
    """
    if len(lines) > _MOST_LINES:
        return list(lines)
    near = Near(lines, lambda line: line.rect)
    short = [line for line in lines if len(line.text) <= _LONGEST_VALUE]
    label_of = {value: label for value in short if (label := _label_below(value, near)) is not None}
    figures = Counter(_level(value) for value in label_of if begins_with_number(value.text))
    tiles = {value: label for value, label in label_of.items() if figures[_level(value)] > 1}
    taken = set(tiles.values())
    return [_joined(tiles[line], line) if line in tiles else line for line in lines if line not in taken]


def _level(value: Line) -> int:
    return round(value.rect.bottom / _LEVEL)


def _label_below(value: Line, near: Near[Line]) -> Line | None:
    """Return the line directly below a value if it can be its label; a paragraph has a second line."""
    reach = value.rect._replace(top=value.rect.bottom, bottom=value.rect.bottom + 2 * value.size)
    lower = (line for line in near.at(reach) if line.rect.top > value.rect.middle[1])
    below = [line for line in lower if _is_aligned(value, line)]
    below.sort(key=lambda line: line.rect.top)
    if not below or (gap := below[0].rect.top - value.rect.bottom) > _MOST_GAP * value.size:
        return None
    label, *rest = below
    small = value.size >= _LEAST_RATIO * label.size and len(label.text) <= _LONGEST_LABEL
    alone = not any(_follows(line, label, gap) for line in rest)
    return label if small and alone and any(map(str.isalpha, label.text)) else None


def _follows(line: Line, label: Line, gap: float) -> bool:
    """Whether a line goes on with the text of a label, or is the value of it: larger, and nearer than that above."""
    off = line.rect.top - label.rect.bottom
    return off < (label.size if line.size == label.size else gap)


def _is_aligned(value: Line, label: Line) -> bool:
    left = abs(value.rect.left - label.rect.left) < _OFF
    return left or abs(value.rect.middle[0] - label.rect.middle[0]) < _OFF


def _joined(label: Line, value: Line) -> Line:
    """Return both as one line, which is read like an item of a list."""
    text = f"{label.text}: {value.text}"
    return replace(label, text=text, rect=around((label.rect, value.rect)), marked=True)


def with_form_cells(
    grid: PageGrid, cell_words: Sequence[Sequence[PageWord]]
) -> tuple[PageGrid, list[list[PageWord]]] | None:
    """Return a form or title block (ISO 7200), whose cells begin with labels in smaller type, with cells for these.

    Its words are returned too, in the order of its cells. The result is None for other tables.
    """
    labels = [_label_words(words) for words in cell_words]
    count, filled = sum(map(bool, labels)), sum(map(bool, cell_words))
    if count < _LEAST_CELLS or count < _LEAST_SHARE * filled:
        return None
    labels = [label or _first_line(words) for label, words in zip(labels, cell_words, strict=True)]
    cells: list[GridCell] = []
    words: list[list[PageWord]] = []
    for cell, own, label in zip(grid.cells, cell_words, labels, strict=True):
        column, span = 2 * cell.column, 2 * cell.column_span
        if not label:
            cells.append(replace(cell, column=column, column_span=span))
            words.append(list(own))
            continue
        labelling = frozenset(label)
        rest = [word for word in own if word not in labelling]
        parts = ((column, 1, label), (column + 1, span - 1, rest))
        for at, wide, part in parts:
            rect = around(word.rect for word in part)
            cells.append(replace(cell, column=at, column_span=wide, rect=rect))
        words += [label, rest]
    return replace(grid, cells=tuple(cells)), words


def _label_words(words: Sequence[PageWord]) -> list[PageWord]:
    """Return the words of the first lines of a cell if these are in smaller type than the rest."""
    lines = text_lines(words)
    heights = [median(word.rect.height for word in line) for line in lines]
    first = next((at for at, height in enumerate(heights) if height >= _LEAST_RATIO * heights[0]), 0)
    return [word for line in lines[:first] for word in line]


def _first_line(words: Sequence[PageWord]) -> list[PageWord]:
    """Return the words of the first of several lines if it has no figure: a label whose size OCR has not measured."""
    first, *rest = text_lines(words) or [[]]
    return first if rest and not any(character.isdigit() for word in first for character in word.text) else []
