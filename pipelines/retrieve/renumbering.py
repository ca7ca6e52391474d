"""What stands in an order gets new numbers as some of it goes and some comes; what is kept keeps its order.

So tables by number and sparse rows are copied in one piece, and only what came is put in order. Keys in order lead to
numbers: names to entities, titles to documents, forms to tags, terms to chunks.
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
    kept = {key for key, place in zip(said, old.places(said).tolist(), strict=True) if place >= 0 and used[place]}
    added = sorted(set(said) - kept)
    numbers = Renumbering.between(old, used, added)
    return numbers, numbers.strings(old, added)


def next_rows(keys: Strings, old: SparseRows, numbers: Renumbering, columns: Numbers, pairs: Pairs) -> SparseRows:
    """Return what each of `keys` leads to: as before under new numbers, and by `pairs` of a key and a number."""
    places = keys.places([key for key, _ in pairs]).tolist()
    added = Entries.of((place, number) for place, (_, number) in zip(places, pairs, strict=True))
    return renumbered(old, numbers.of_old, columns, len(keys), added)


def next_keyed(old_keys: Strings, old: SparseRows, columns: Numbers, pairs: Pairs) -> tuple[Strings, SparseRows]:
    """Return keys and what they lead to, where nothing else keeps a key."""
    numbers, keys = next_keys(old_keys, still_led_to(old, columns), {key for key, _ in pairs})
    return keys, next_rows(keys, old, numbers, columns, pairs)


def backwards(old: Numbers, numbers: Renumbering, words: Strings) -> Numbers:
    """Return `words` in order of their letters from the last to the first; `old` is that of those before."""
    added = sorted((words[number][::-1], number) for number in numbers.of_new.tolist())
    kept = numbers.of_old[old]
    kept = kept[kept >= 0]
    before = [bisect_left(kept, term, key=lambda number: words[number][::-1]) for term, _ in added]
    return np.insert(kept, np.array(before, dtype=np.int64), [number for _, number in added]).astype(np.int32)
