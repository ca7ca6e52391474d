"""Sketches of vectors: a few coordinates whose products are upper bounds of the products of the vectors.

A search with a minimum score multiplies sketches first, and the whole vectors of the few pairs that are left. Vectors
of texts are far from uniformly distributed, so that the main axes have most of their length.
"""

from __future__ import annotations

import numpy as np

from pipelines.core.vectors import Vectors

_SAMPLE = 4096
"""About how many vectors the axes are computed from."""


def principal_axes(vectors: Vectors) -> Vectors:
    """Return the principal axes of vectors of shape (n, dimension), as (dimension, axes), the main ones last."""
    some = vectors[:: len(vectors) // _SAMPLE + 1].astype(np.float64)
    axes: Vectors = np.linalg.eigh(some.T @ some)[1].astype(np.float32)
    return axes


def sketched(vectors: Vectors, axes: Vectors) -> Vectors:
    """Return sketches of vectors: coordinates along orthonormal axes, and the length of the remainder.

    Products of sketches are upper bounds of the products of their vectors (Cauchy-Schwarz), but for rounding: by less
    than a thousandth of the product of their lengths.
    """
    along = vectors @ axes
    rest = np.sqrt(np.maximum((vectors**2).sum(-1) - (along**2).sum(-1), 0))
    return np.concatenate([along, rest[..., None]], -1)
