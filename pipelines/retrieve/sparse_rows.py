"""Sparse matrices in compressed rows, what they are made of, and how an order that they count by is numbered anew.

As some of what stands in an order goes and some comes, what is kept keeps its order: so tables by number and sparse
rows are copied in one piece, and only what came is put in order. Keys in order lead to numbers: names to entities,
titles to documents, forms to tags, terms to chunks.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.strings import Strings

Numbers = NDArray[np.int32]
Weights = NDArray[np.float32]
Places = NDArray[np.int32] | NDArray[np.int64]
Item = TypeVar("Item", bound=np.generic)
Pairs = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix in compressed rows (CSR): row i has `columns[starts[i]:starts[i + 1]]`, ascending, and `values`.

    Nothing else needs scipy, whose `csr_array` this would be; and that one adds up repeated pairs.
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
        """Return the columns of a row as Python's numbers."""
        return tuple(self.columns_of(row).tolist())

    def rows(self) -> Numbers:
        """Return the row of each entry."""
        return np.repeat(np.arange(self.size, dtype=np.int32), self.counts())

    def counts(self) -> Numbers:
        """Return how many entries each row has."""
        return np.diff(self.starts).astype(np.int32)

    def gather(self, rows: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all entries of `rows`, one row after the other: the place in `rows`, and the place in `columns`."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) - before[owner] + self.starts[rows][owner]
        return owner, places

    def transposed(self, columns: int) -> SparseRows:
        """Return the transpose of a matrix of `columns` columns."""
        order = np.argsort(self.columns, kind="stable")
        rows = self.rows()[order]
        starts = np.zeros(columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.columns, minlength=columns), out=starts[1:])
        return SparseRows(starts, rows, self.values[order])


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries of a sparse matrix in any order; of a repeated one the highest value counts."""

    rows: Numbers
    columns: Numbers
    values: Weights

    @staticmethod
    def of(pairs: Iterable[tuple[int, int]]) -> Entries:
        """Return entries of 1 at pairs of a row and a column."""
        return Entries.flat(array("i", chain.from_iterable(pairs)))

    @staticmethod
    def flat(pairs: array[int], values: array[float] | None = None) -> Entries:
        """Return entries at pairs of a row and a column, one after the other; without `values` each is 1."""
        places = np.frombuffer(pairs, dtype=np.int32).reshape(-1, 2)
        found = np.ones(len(places), dtype=np.float32) if values is None else np.frombuffer(values, dtype=np.float32)
        return Entries(places[:, 0], places[:, 1], found)

    def turned(self) -> Entries:
        """Return the entries of the transpose."""
        return Entries(self.columns, self.rows, self.values)

    def __add__(self, other: Entries) -> Entries:
        return Entries(
            np.concatenate((self.rows, other.rows)),
            np.concatenate((self.columns, other.columns)),
            np.concatenate((self.values, other.values)),
        )


def rows_of(entries: Entries, size: int) -> SparseRows:
    """Return the matrix of `size` rows with these entries."""
    width = np.int64(entries.columns.max(initial=0)) + 1
    places = entries.rows * width
    places += entries.columns
    order = np.argsort(places, kind="stable")
    places = places[order]
    values = entries.values[order]
    del order  # with millions of entries each of these arrays is 50 MiB
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


@dataclass(frozen=True, slots=True)
class Renumbering:
    """New numbers: `of_old[i]` of what was number i, -1 where it is gone, `of_new` of what came, in order."""

    of_old: Numbers
    of_new: Numbers

    @staticmethod
    def between(old: Strings, kept: NDArray[np.bool_], added: Sequence[str]) -> Renumbering:
        """Return the numbers of strings in order: those of `old` that are `kept`, and `added` between them."""
        before = old.places_before(added)
        gone_before = np.concatenate(([0], np.cumsum(~kept)))
        of_new = before - gone_before[before] + np.arange(len(added))
        came_before = np.cumsum(np.bincount(before, minlength=len(old) + 1))[: len(old)]
        of_old = np.arange(len(old)) - gone_before[: len(old)] + came_before
        return Renumbering(np.where(kept, of_old, -1).astype(np.int32), of_new.astype(np.int32))

    @property
    def size(self) -> int:
        """How many there are now."""
        return int((self.of_old >= 0).sum()) + len(self.of_new)

    def table(self, old: NDArray[Item], new: NDArray[Item]) -> NDArray[Item]:
        """Return what belongs to each number."""
        found = np.empty((self.size, *old.shape[1:]), dtype=old.dtype)
        found[self.of_old[self.of_old >= 0]] = old[self.of_old >= 0]
        found[self.of_new] = new
        return found

    def strings(self, old: Strings, new: Iterable[str]) -> Strings:
        """Return the string of each number."""
        places = np.arange(len(old) + len(self.of_new))
        return (old + Strings.of(new)).taken(self.table(places[: len(old)], places[len(old) :]))


def renumbered(old: SparseRows, rows: Numbers, columns: Numbers, size: int, added: Entries) -> SparseRows:
    """Return a matrix of `size` rows with the entries of `old` under new numbers of rows and columns, and `added`.

    `rows` and `columns` are as `Renumbering.of_old`: entries of what is gone are left out. None is in both.
    """
    if not len(old.columns):
        return rows_of(added, size)
    row, column = np.repeat(rows, old.counts()), columns[old.columns]
    kept = (row >= 0) & (column >= 0)
    row, column, values = row[kept], column[kept], old.values[kept]
    new = rows_of(added, size)
    width = np.int64(max(column.max(initial=0), new.columns.max(initial=0))) + 1
    before = np.searchsorted(row * width + column, new.rows() * width + new.columns)
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=size) + new.counts(), out=starts[1:])
    return SparseRows(starts, np.insert(column, before, new.columns), np.insert(values, before, new.values))


def still_led_to(rows: SparseRows, columns: Numbers) -> NDArray[np.bool_]:
    """Return for each row whether it has a column that is still there: `columns` is as `Renumbering.of_old`."""
    found = np.zeros(rows.size, dtype=bool)
    found[rows.rows()[columns[rows.columns] >= 0]] = True
    return found


def next_keys(old: Strings, used: NDArray[np.bool_], said: Collection[str]) -> tuple[Renumbering, Strings]:
    """Return the keys that are still `used` and those that are `said` anew, in order, and their numbers."""
    kept = {key for key in said if (place := old.place(key)) >= 0 and used[place]}
    added = sorted(set(said) - kept)
    numbers = Renumbering.between(old, used, added)
    return numbers, numbers.strings(old, added)


def next_rows(keys: Strings, old: SparseRows, numbers: Renumbering, columns: Numbers, pairs: Pairs) -> SparseRows:
    """Return what each of `keys` leads to: as before under new numbers, and by `pairs` of a key and a number."""
    place = {key: keys.place(key) for key, _ in pairs}
    added = Entries.of((place[key], number) for key, number in pairs)
    return renumbered(old, numbers.of_old, columns, len(keys), added)


def next_keyed(old_keys: Strings, old: SparseRows, columns: Numbers, pairs: Pairs) -> tuple[Strings, SparseRows]:
    """Return keys and what they lead to, where nothing else keeps a key."""
    numbers, keys = next_keys(old_keys, still_led_to(old, columns), {key for key, _ in pairs})
    return keys, next_rows(keys, old, numbers, columns, pairs)
