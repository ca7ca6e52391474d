"""Renumbers sorted items when some are removed and others added; the order of the others is unchanged.

Arrays and sparse matrices are copied at once, and only the added items are sorted. Mappings from sorted keys to numbers
are updated in the same way: names to entities, titles to documents, forms to tags, terms to chunks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.sparse_rows import Entries, Numbers, SparseRows, rows_of
from pipelines.retrieve.strings import Strings

Pairs = Sequence[tuple[str, int]]
Item = TypeVar("Item", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Renumbering:
    """New numbers: `of_old[i]` is that of the old item i, or -1 if it is removed; `of_new` are those of added items."""

    of_old: Numbers
    of_new: Numbers

    @staticmethod
    def between(old: Strings, kept: NDArray[np.bool_], added: Sequence[str]) -> Renumbering:
        """Return the new numbers of sorted strings: those of `old` that are `kept`, merged with `added`."""
        before = old.places_before(added)
        gone_before = np.concatenate(([0], np.cumsum(~kept)))
        of_new = before - gone_before[before] + np.arange(len(added))
        came_before = np.cumsum(np.bincount(before, minlength=len(old) + 1))[: len(old)]
        of_old = np.arange(len(old)) - gone_before[: len(old)] + came_before
        return Renumbering(np.where(kept, of_old, -1).astype(np.int32), of_new.astype(np.int32))

    @property
    def size(self) -> int:
        """The number of items after the change."""
        return int((self.of_old >= 0).sum()) + len(self.of_new)

    def table(self, old: NDArray[Item], new: NDArray[Item]) -> NDArray[Item]:
        """Return the values by new number, from those of `old` and `new` items."""
        found = np.empty((self.size, *old.shape[1:]), dtype=old.dtype)
        found[self.of_old[self.of_old >= 0]] = old[self.of_old >= 0]
        found[self.of_new] = new
        return found

    def strings(self, old: Strings, new: Iterable[str]) -> Strings:
        """Return the strings by new number."""
        places = np.arange(len(old) + len(self.of_new))
        return (old + Strings.of(new)).take(self.table(places[: len(old)], places[len(old) :]))


def renumbered(old: SparseRows, rows: Numbers, columns: Numbers, size: int, added: Entries) -> SparseRows:
    """Return a matrix of `size` rows with the renumbered entries of `old`, and `added` ones, which must be different.

    `rows` and `columns` are like `Renumbering.of_old`; entries of removed rows or columns are dropped.
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


def still_used(rows: SparseRows, columns: Numbers) -> NDArray[np.bool_]:
    """Return for each row whether it has a remaining column; `columns` is like `Renumbering.of_old`."""
    found = np.zeros(rows.size, dtype=bool)
    found[rows.rows()[columns[rows.columns] >= 0]] = True
    return found


def updated_keys(old: Strings, used: NDArray[np.bool_], new_keys: Collection[str]) -> tuple[Renumbering, Strings]:
    """Return the sorted keys that are still `used` or among `new_keys`, and their renumbering."""
    kept = {
        key for key, place in zip(new_keys, old.places(new_keys).tolist(), strict=True) if place >= 0 and used[place]
    }
    added = sorted(set(new_keys) - kept)
    numbers = Renumbering.between(old, used, added)
    return numbers, numbers.strings(old, added)


def updated_rows(keys: Strings, old: SparseRows, numbers: Renumbering, columns: Numbers, pairs: Pairs) -> SparseRows:
    """Return the numbers of each of `keys`: the old ones renumbered, and those of `pairs` (key, number)."""
    places = keys.places([key for key, _ in pairs]).tolist()
    added = Entries.of((place, number) for place, (_, number) in zip(places, pairs, strict=True))
    return renumbered(old, numbers.of_old, columns, len(keys), added)


def updated_mapping(old_keys: Strings, old: SparseRows, columns: Numbers, pairs: Pairs) -> tuple[Strings, SparseRows]:
    """Return the updated keys and their numbers; keys without numbers are dropped."""
    numbers, keys = updated_keys(old_keys, still_used(old, columns), {key for key, _ in pairs})
    return keys, updated_rows(keys, old, numbers, columns, pairs)


def backwards(old: Numbers, numbers: Renumbering, words: Strings) -> Numbers:
    """Return the numbers of `words` sorted by reversed spelling; `old` is the order before the change."""
    added = sorted((words[number][::-1], number) for number in numbers.of_new.tolist())
    kept = numbers.of_old[old]
    kept = kept[kept >= 0]
    before = [bisect_left(kept, term, key=lambda number: words[number][::-1]) for term, _ in added]
    return np.insert(kept, np.array(before, dtype=np.int64), [number for _, number in added]).astype(np.int32)
