"""Sparse matrices in compressed rows (CSR), and their entries."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Weights = NDArray[np.float32]
Places = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix in compressed rows: row i has the ascending `columns[starts[i]:starts[i + 1]]` and `values`.

    Used in place of scipy's `csr_array`, which adds up repeated entries, and to avoid the dependency.
    """

    starts: NDArray[np.int64]
    columns: Numbers
    values: Weights

    @staticmethod
    def empty() -> SparseRows:
        return SparseRows(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    def columns_of(self, row: int) -> Numbers:
        return self.columns[self.starts[row] : self.starts[row + 1]]

    def values_of(self, row: int) -> Weights:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def numbers_of(self, row: int) -> tuple[int, ...]:
        """Return the columns of a row as Python integers."""
        return tuple(self.columns_of(row).tolist())

    def rows(self) -> Numbers:
        """Return the row of each entry."""
        return np.repeat(np.arange(self.size, dtype=np.int32), self.counts())

    def counts(self) -> Numbers:
        """Return the number of entries of each row."""
        return np.diff(self.starts).astype(np.int32)

    def gather(self, rows: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the entries of `rows`, row by row, as indices in `rows` and positions in `columns`."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) - before[owner] + self.starts[rows][owner]
        return owner, places

    def transposed(self, columns: int) -> SparseRows:
        """Return the transpose of this matrix, which has `columns` columns."""
        order = np.argsort(self.columns, kind="stable")
        rows = self.rows()[order]
        starts = np.zeros(columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.columns, minlength=columns), out=starts[1:])
        return SparseRows(starts, rows, self.values[order])


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of a sparse matrix in any order; for repeated entries the highest value counts."""

    rows: Numbers
    columns: Numbers
    values: Weights

    @staticmethod
    def of(pairs: Iterable[tuple[int, int]]) -> Entries:
        """Return entries with value 1 at pairs (row, column)."""
        return Entries.flat(array("i", chain.from_iterable(pairs)))

    @staticmethod
    def flat(pairs: array[int], values: array[float] | None = None) -> Entries:
        """Return entries at alternating rows and columns; their default value is 1."""
        places = np.frombuffer(pairs, dtype=np.int32).reshape(-1, 2)
        found = np.ones(len(places), dtype=np.float32) if values is None else np.frombuffer(values, dtype=np.float32)
        return Entries(places[:, 0], places[:, 1], found)

    def transposed(self) -> Entries:
        """Return the entries of the transpose."""
        return Entries(self.columns, self.rows, self.values)

    def __add__(self, other: Entries) -> Entries:
        return Entries(
            np.concatenate((self.rows, other.rows)),
            np.concatenate((self.columns, other.columns)),
            np.concatenate((self.values, other.values)),
        )


def rows_of(entries: Entries, size: int) -> SparseRows:
    """Return the matrix with `size` rows and these entries."""
    width = np.int64(entries.columns.max(initial=0)) + 1
    places = entries.rows * width
    places += entries.columns
    order = np.argsort(places, kind="stable")
    places = places[order]
    values = entries.values[order]
    del order  # with millions of entries, each of these arrays takes 50 MiB
    is_first = np.ones(len(places), dtype=bool)
    np.not_equal(places[1:], places[:-1], out=is_first[1:])
    if not is_first.all():
        values = np.maximum.reduceat(values, np.flatnonzero(is_first))
        places = places[is_first]
    columns = (places % width).astype(np.int32)
    places //= width
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(places, minlength=size), out=starts[1:])
    return SparseRows(starts, columns, values)
