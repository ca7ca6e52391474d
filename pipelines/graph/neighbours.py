"""Nearest neighbours among many vectors, a block of rows at a time: never all pairs in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

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
    best = np.full((len(rows), count), -1.0, dtype=np.float32)
    where = np.zeros((len(rows), count), dtype=np.int64)
    for other in range(0, len(vectors), _BLOCK):
        scores = rows @ vectors[other : other + _BLOCK].T
        if other == start:
            np.fill_diagonal(scores, -1.0)
        best, where = _merged(best, where, scores, other)
    for row, column in zip(*np.nonzero(best >= least), strict=True):
        yield start + int(row), int(where[row, column]), float(best[row, column])


def _merged(best: Vectors, where: np.ndarray, scores: Vectors, offset: int) -> tuple[Vectors, np.ndarray]:
    """The best of what was found so far and of one more block."""
    count = best.shape[1]
    both = np.concatenate([best, scores], axis=1)
    places = np.concatenate([where, np.broadcast_to(np.arange(offset, offset + scores.shape[1]), scores.shape)], axis=1)
    kept = np.argpartition(-both, count - 1, axis=1)[:, :count] if count < both.shape[1] else np.argsort(-both)
    return np.take_along_axis(both, kept, 1), np.take_along_axis(places, kept, 1)
