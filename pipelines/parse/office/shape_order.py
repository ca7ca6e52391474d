"""Reading order of the shapes on a slide, by recursive cuts along white space.

After the X-Y cut of Nagy and Seth, "Hierarchical representation of optically scanned documents" (1984).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_OVERLAP = 0.012
"""Fraction of the slide by which separate neighbours may overlap: nobody aligns shapes to the pixel."""
_LEAST_FIELDS = 3
"""Minimum labels beside their values."""
_MOST_SHAPES = 400
"""Maximum shapes of a slide that are cut; a drawing of more has no reading order, and the time grows quadratically."""


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """The rectangle of a shape, in fractions of the slide; parts beyond its edges are below 0 or above 1."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


def in_reading_order(items: Sequence[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    """Return the items in reading order: cut along the widest gap, rows before columns, recursively.

    Items that no straight line separates are sorted by top, then left edge (recursive X-Y cut, Nagy and Seth 1984).
    """
    if len(items) > _MOST_SHAPES:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    return _cut_shapes(list(items), frame_of)


def _cut_shapes(items: list[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    if len(items) < 2:
        return items
    rows, row_gap = _split_shapes(items, lambda item: (frame_of(item).top, frame_of(item).bottom))
    columns, column_gap = _split_shapes(items, lambda item: (frame_of(item).left, frame_of(item).right))
    if len(rows) == 1 and len(columns) == 1:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    by_row = len(columns) == 1 or (len(rows) > 1 and row_gap >= column_gap) or _are_fields(columns, frame_of)
    parts = rows if by_row and len(rows) > 1 else columns
    return [item for part in parts for item in _cut_shapes(part, frame_of)]


def _are_fields(columns: Sequence[Sequence[T]], frame_of: Callable[[T], ShapeFrame]) -> bool:
    """Whether two columns are labels and their values: at least three shapes each, side by side and of one height."""
    if len(columns) != 2 or len(columns[0]) != len(columns[1]) or len(columns[0]) < _LEAST_FIELDS:
        return False
    sides = [sorted((frame_of(item) for item in column), key=lambda frame: frame.top) for column in columns]
    heights = [frame.bottom - frame.top for side in sides for frame in side]
    level = all(abs(one.top - other.top) <= _OVERLAP for one, other in zip(*sides, strict=True))
    return level and max(heights) - min(heights) <= _OVERLAP


def _split_shapes(items: list[T], extent: Callable[[T], tuple[float, float]]) -> tuple[list[list[T]], float]:
    """Return the items split at the widest gaps in one direction, including gaps of half that width; and the widest."""
    ranked = sorted(items, key=lambda item: extent(item)[0])
    gaps = [float("-inf")]
    reached = extent(ranked[0])[1]
    for item in ranked[1:]:
        start, end = extent(item)
        # A quarter of a small shape, so that it is not separated from a shape that contains it.
        slack = min(_OVERLAP, (end - start) / 4)
        gaps.append(start - reached if start >= reached - slack else float("-inf"))
        reached = max(reached, end)
    widest = max(gaps)
    parts: list[list[T]] = [[]]
    for item, gap in zip(ranked, gaps, strict=True):
        if gap > float("-inf") and gap >= min(widest, widest / 2):
            parts.append([])
        parts[-1].append(item)
    return parts, widest
