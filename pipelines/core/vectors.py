"""The type of vectors, and their stored form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
KEPT = np.dtype("<f2")
"""Stored type of a component: the cosine of two unit vectors computed from it has an error below 0.001."""


def to_bytes(vectors: Vectors) -> bytes:
    """Return vectors in their stored form."""
    return np.ascontiguousarray(vectors, KEPT).tobytes()


def from_bytes(data: bytes, rows: int, dimension: int) -> Vectors:
    """Return vectors written by `to_bytes`, or by an earlier version with four bytes per component."""
    kept = KEPT if len(data) == rows * dimension * KEPT.itemsize else np.dtype("<f4")
    return np.frombuffer(data, kept).reshape(rows, dimension).astype(np.float32)
