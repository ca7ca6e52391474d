"""Things on a page by where they stand: what is near a place, whether something covers it, what belongs together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from pipelines.parse.lines import Rect

T = TypeVar("T")
_SIDE = 24.0
"""Points: side of the squares that a page is divided into."""
_FURTHEST = 200
"""Squares from the page's corner beyond which all is one: coordinates may be anything."""


class Near(Generic[T]):
    """Things on a page by the squares that they touch."""

    def __init__(self, things: Sequence[T], rect_of: Callable[[T], Rect]) -> None:
        self._things = things
        self._by_square: dict[tuple[int, int], list[int]] = {}
        for number, thing in enumerate(things):
            for square in squares(rect_of(thing)):
                self._by_square.setdefault(square, []).append(number)

    def at(self, rect: Rect) -> list[T]:
        """Return what may meet a rectangle, in the order in which it was given."""
        found = {number for square in squares(rect) for number in self._by_square.get(square, ())}
        return [self._things[number] for number in sorted(found)]


def linked(rects: Sequence[Rect], reach: float, near: Callable[[Rect, Rect], bool]) -> list[list[int]]:
    """Return the positions of rectangles in groups: two are in one where a chain of near ones leads there.

    Args:
        rects: the rectangles.
        reach: how far apart two near ones are at most, across and down.
        near: whether two are.
    """
    index = Near(range(len(rects)), lambda at: rects[at].grown(reach))
    left = set(range(len(rects)))
    groups: list[list[int]] = []
    while left:
        group, edge = [], [min(left)]
        left.discard(edge[0])
        while edge:
            at = edge.pop()
            group.append(at)
            found = [other for other in index.at(rects[at]) if other in left and near(rects[at], rects[other])]
            left.difference_update(found)
            edge += found
        groups.append(sorted(group))
    return groups


class Covered:
    """The places of a page that some rectangles cover."""

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
        """Whether one of the rectangles holds the point."""
        square = next(squares(Rect(x, y, x, y)))
        return square in self._whole or any(rect.holds(x, y) for rect in self._partly.get(square, ()))


def squares(rect: Rect) -> Iterator[tuple[int, int]]:
    """Yield the squares that a rectangle touches; at least one."""
    left, top, right, bottom = (_number(side) for side in rect)
    for row in range(top, max(top, bottom) + 1):
        for column in range(left, max(left, right) + 1):
            yield column, row


def _number(side: float) -> int:
    return 0 if math.isnan(side) else math.floor(max(-_FURTHEST, min(_FURTHEST, side / _SIDE)))


def _square(column: int, row: int) -> Rect:
    return Rect(column * _SIDE, row * _SIDE, (column + 1) * _SIDE, (row + 1) * _SIDE)
