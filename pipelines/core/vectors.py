"""The type of vectors, wherever they are made or kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
KEPT = np.dtype("<f2")
"""How a vector's numbers are kept: a cosine of two of length 1 that is computed from them is off by less than 0.001."""


def to_bytes(vectors: Vectors) -> bytes:
    """Return vectors as they are kept."""
    return np.ascontiguousarray(vectors, KEPT).tobytes()


def from_bytes(data: bytes, rows: int, dimension: int) -> Vectors:
    """Return the vectors that `to_bytes` wrote, or an earlier version that kept twice the bytes."""
    kept = KEPT if len(data) == rows * dimension * KEPT.itemsize else np.dtype("<f4")
    return np.frombuffer(data, kept).reshape(rows, dimension).astype(np.float32)
