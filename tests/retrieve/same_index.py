"""Comparison of two indexes, array by array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.index import Index


def arrays(index: Index) -> Iterator[tuple[str, NDArray[Any]]]:
    for part in fields(index):
        value = getattr(index, part.name)
        if isinstance(value, np.ndarray):
            yield part.name, value
        else:
            yield from ((f"{part.name}.{one.name}", getattr(value, one.name)) for one in fields(value))


def assert_equal(one: Index, other: Index) -> None:
    for (name, array), (_, wanted) in zip(arrays(one), arrays(other), strict=True):
        assert array.dtype == wanted.dtype, name
        assert array.shape == wanted.shape, name
        assert array.tolist() == wanted.tolist(), name
