"""Spatial search on a page: what is near, what covers a point, which labels form a group."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

from pipelines.parse.columns import in_rows
from pipelines.parse.lines import Line, Rect, around

T = TypeVar("T")
_SIDE = 24.0
"""Side of the grid's squares in points."""
_FURTHEST = 200
"""Squares from the page's corner beyond which all coordinates share one square: coordinates may be anything."""


class Near(Generic[T]):
    """An index of items on a page, by the grid squares that they touch."""

    def __init__(self, things: Sequence[T], rect_of: Callable[[T], Rect]) -> None:
        self._things = things
        self._by_square: dict[tuple[int, int], list[int]] = {}
        for number, thing in enumerate(things):
            for square in squares(rect_of(thing)):
                self._by_square.setdefault(square, []).append(number)

    def at(self, rect: Rect) -> list[T]:
        """Return the items that may touch a rectangle, in their original order."""
        if not self._by_square:
            return []
        lists = [numbers for square in squares(rect) if (numbers := self._by_square.get(square))]
        found = sorted(set().union(*lists)) if len(lists) > 1 else lists[0] if lists else ()
        return [self._things[number] for number in found]


def linked(rects: Sequence[Rect], reach: float, near: Callable[[Rect, Rect], bool]) -> list[list[int]]:
    """Return the positions of rectangles in groups, the connected components of `near`.

    Args:
        rects: the rectangles.
        reach: maximum distance of two near ones, horizontally and vertically.
        near: whether two are near.
    """
    index = Near(range(len(rects)), lambda at: rects[at].grown(reach))
    remaining = set(range(len(rects)))
    groups: list[list[int]] = []
    while remaining:
        group, edge = [], [min(remaining)]
        remaining.discard(edge[0])
        while edge:
            at = edge.pop()
            group.append(at)
            found = [other for other in index.at(rects[at]) if other in remaining and near(rects[at], rects[other])]
            remaining.difference_update(found)
            edge += found
        groups.append(sorted(group))
    return groups


class Covered:
    """The area of a page that some rectangles cover."""

    def __init__(self, rects: Iterable[Rect]) -> None:
        self._whole: set[tuple[int, int]] = set()
        self._partly: dict[tuple[int, int], set[Rect]] = {}
        for rect in rects:
            for column, row in squares(rect):
                if _square(column, row).share_in(rect) >= 1 and max(abs(column), abs(row)) < _FURTHEST:
                    self._whole.add((column, row))
                elif (column, row) not in self._whole:
                    self._partly.setdefault((column, row), set()).add(rect)

    def holds(self, x: float, y: float) -> bool:
        """Whether one of the rectangles contains the point."""
        square = next(squares(Rect(x, y, x, y)))
        return square in self._whole or any(rect.holds(x, y) for rect in self._partly.get(square, ()))


def squares(rect: Rect) -> Iterator[tuple[int, int]]:
    """Yield the grid squares that a rectangle touches; at least one."""
    left, top, right, bottom = map(_number, rect)
    for row in range(top, max(top, bottom) + 1):
        for column in range(left, max(left, right) + 1):
            yield column, row


def _number(side: float) -> int:
    square = side / _SIDE
    if -_FURTHEST <= square <= _FURTHEST:
        return math.floor(square)
    return 0 if math.isnan(side) else _FURTHEST if side > 0 else -_FURTHEST


def _square(column: int, row: int) -> Rect:
    return Rect(column * _SIDE, row * _SIDE, (column + 1) * _SIDE, (row + 1) * _SIDE)


_ACROSS, _DOWN = 1.2, 0.6
"""Maximum gaps between words of one label, in line heights: horizontally (a wide blank), vertically (loose leading)."""
_NEAR = 2.5
"""Maximum distance of two labels in one part of a drawing, in line heights: two empty lines and their scatter."""
_MOST = 1_000
"""Maximum lines that are compared with one another: a million pairs take a second."""
_RUNNING = 18
"""Minimum median length of lines of running text, in characters: three words; labels are one or two."""


@dataclass(frozen=True, slots=True)
class LabelGroup:
    """A group of nearby labels, one per line of `text`."""

    text: str
    rect: Rect
    confidence: float


def is_running(lines: Sequence[Line]) -> bool:
    """Whether lines are running text rather than the labels of a drawing."""
    lengths = sorted(len(line.text) for line in lines)
    return bool(lengths) and lengths[len(lengths) // 2] >= _RUNNING


def parts_of(lines: Sequence[Line]) -> list[LabelGroup]:
    """Return the label groups of a drawing; groups and their labels are ordered from the top."""
    if len(lines) > _MOST:
        return [_part([[line] for line in in_rows(lines)])]
    height = median(_thickness(line.rect) for line in lines) if lines else 1.0
    rects = [line.rect for line in lines]
    labels = [
        [lines[at] for at in group] for group in linked(rects, _ACROSS * height, lambda a, b: _one_label(a, b, height))
    ]
    labels = [in_rows(label) for label in labels]
    around_each = [around(line.rect for line in label) for label in labels]
    near = linked(around_each, _NEAR * height, lambda a, b: _distance(a, b) < _NEAR * height)
    parts = [_part([labels[at] for at in _by_rows([around_each[at] for at in group], group)]) for group in near]
    return [parts[at] for at in _by_rows([part.rect for part in parts], range(len(parts)))]


def _by_rows(rects: Sequence[Rect], numbers: Sequence[int]) -> list[int]:
    """Return `numbers`, one for each rectangle, in reading order of rows."""
    order = in_rows([Line(str(number), rect) for number, rect in zip(numbers, rects, strict=True)])
    return [int(line.text) for line in order]


def _part(labels: Sequence[Sequence[Line]]) -> LabelGroup:
    lines = [line for label in labels for line in label]
    text = "\n".join(" ".join(line.text for line in label) for label in labels)
    return LabelGroup(text, around(line.rect for line in lines), sum(line.confidence for line in lines) / len(lines))


def _one_label(one: Rect, other: Rect, height: float) -> bool:
    """Whether two rectangles are words side by side, or stacked lines, of one label."""
    # OCR boxes are a third too high or too low; type of twice the size is another label.
    if abs(_thickness(one) - _thickness(other)) > 0.6 * height:
        return False
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    beside = down < -0.5 * height and across < _ACROSS * height
    # Stacked lines of one label, centred or aligned, overlap by at least a third of the shorter one.
    return beside or (across < -0.3 * min(one.width, other.width) and down < _DOWN * height)


def _distance(one: Rect, other: Rect) -> float:
    across = max(0.0, max(one.left, other.left) - min(one.right, other.right))
    down = max(0.0, max(one.top, other.top) - min(one.bottom, other.bottom))
    return max(across, down)


def _thickness(rect: Rect) -> float:
    return min(rect.height, rect.width)
