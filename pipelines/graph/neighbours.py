"""Nearest neighbours among many vectors, a block of rows at a time: never all pairs in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core.vectors import Vectors

_BLOCK = 2048


def neighbours(vectors: Vectors, count: int, least: float) -> Iterator[tuple[int, int, float]]:
    """Yield (i, j, cosine) with i < j, each pair once, where either is among the `count` nearest of the other.

    `vectors` has unit rows, shape (n, dimension); pairs below the cosine `least` are left out. The memory is that of
    two blocks of rows, whatever n is.
    """
    seen: set[tuple[int, int]] = set()
    for start in range(0, len(vectors), _BLOCK):
        for i, j, score in _nearest(vectors, start, min(count, len(vectors) - 1), least):
            pair = (i, j) if i < j else (j, i)
            if pair not in seen:
                seen.add(pair)
                yield *pair, score


def _nearest(vectors: Vectors, start: int, count: int, least: float) -> Iterator[tuple[int, int, float]]:
    rows = vectors[start : start + _BLOCK]
    found = _Found(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))
    for other in range(0, len(vectors), _BLOCK):
        scores = rows @ vectors[other : other + _BLOCK].T
        if other == start:
            np.fill_diagonal(scores, -2.0)
        near = np.nonzero(scores >= max(least, -1.0))  # few are: they alone are put in order
        found = found.joined(_Found(near[0], near[1] + other, scores[near])).best(count)
    for row, column, score in zip(*found, strict=True):
        yield start + int(row), int(column), float(score)


class _Found(NamedTuple):
    """Pairs of a row of a block and a row of all."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    scores: Vectors

    def joined(self, other: _Found) -> _Found:
        return _Found(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.scores, other.scores]),
        )

    def best(self, count: int) -> _Found:
        """The pairs with the highest scores of each row, of equals the first in order."""
        order = np.lexsort((self.columns, -self.scores, self.rows))
        rows = self.rows[order]
        place_in_row = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = order[place_in_row < count]
        return _Found(self.rows[kept], self.columns[kept], self.scores[kept])
