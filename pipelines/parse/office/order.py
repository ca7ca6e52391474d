"""The order in which the shapes of a slide are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_OVERLAP = 0.012
"""Fraction of the slide by which neighbours may overlap and still be taken as apart: nobody aligns to the pixel."""
_MOST = 400


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """The rectangle of a shape, in fractions of the slide; what lies beyond its edges is below 0 or above 1."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


def in_reading_order(items: Sequence[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    """Return the items as a person reads them: cut along the widest gap, rows before columns, and each part again.

    Items that no straight line divides come by their top, then by their left edge (recursive XY cut, Nagy and Seth
    1984).
    """
    if len(items) > _MOST:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    return _cut(list(items), frame_of)


def _cut(items: list[T], frame_of: Callable[[T], ShapeFrame]) -> list[T]:
    if len(items) < 2:
        return items
    rows, row_gap = _split(items, lambda item: (frame_of(item).top, frame_of(item).bottom))
    columns, column_gap = _split(items, lambda item: (frame_of(item).left, frame_of(item).right))
    if len(rows) == 1 and len(columns) == 1:
        return sorted(items, key=lambda item: (round(frame_of(item).top, 2), frame_of(item).left))
    parts = rows if len(columns) == 1 or (len(rows) > 1 and row_gap >= column_gap) else columns
    return [item for part in parts for item in _cut(part, frame_of)]


def _split(items: list[T], extent: Callable[[T], tuple[float, float]]) -> tuple[list[list[T]], float]:
    """Return the items divided at the widest gaps in one direction, and the widest; gaps of half of it count too."""
    ranked = sorted(items, key=lambda item: extent(item)[0])
    gaps = [float("-inf")]
    reached = extent(ranked[0])[1]
    for item in ranked[1:]:
        start, end = extent(item)
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
