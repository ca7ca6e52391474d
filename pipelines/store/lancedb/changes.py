"""Compares the rows that a table has of some owners with the wanted rows, to find those to delete and to add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MOST_NAMED = 2_000
"""Maximum ids in a condition, each of which is compared with the id of every row. If more rows must be deleted, all
rows of the owners are replaced instead."""


@dataclass(frozen=True, slots=True)
class RowChanges:
    """The ids of the rows to delete (`gone`), or None to delete all, and the indices of the wanted rows to add."""

    gone: tuple[str, ...] | None
    added: tuple[int, ...]


def all_new(count: int) -> RowChanges:
    """Return the changes that add `count` rows to a table without rows of the owners."""
    return RowChanges((), tuple(range(count)))


def row_changes(held: pa.Table, wanted: pa.Table) -> RowChanges:
    """Return the changes that make the held rows, of which there is at least one, equal to the wanted ones.

    Both have the same columns: "id", texts, numbers, lists of texts, and "vector". The ids of wanted rows are unique.
    """
    everything = RowChanges(None, tuple(range(wanted.num_rows)))
    if not wanted.num_rows or _repeats(held["id"]):
        return everything
    places = pc.index_in(wanted["id"], value_set=held["id"])
    is_held = places.is_valid().to_numpy()
    found = places.drop_null().to_numpy()
    same = np.ones(len(found), np.bool_)
    for name in wanted.column_names:  # column by column: a copy of all tags' vectors takes 75 MB
        same &= _same_values(held[name].take(pa.array(found)), wanted[name].filter(pa.array(is_held)))
    goes, is_new = np.ones(held.num_rows, np.bool_), np.ones(wanted.num_rows, np.bool_)
    goes[found[same]] = False
    is_new[np.flatnonzero(is_held)[same]] = False
    if np.count_nonzero(goes) > MOST_NAMED:
        return everything
    return RowChanges(tuple(held["id"].filter(pa.array(goes)).to_pylist()), tuple(np.flatnonzero(is_new).tolist()))


def _repeats(ids: pa.ChunkedArray) -> bool:
    return bool(pc.count_distinct(ids).as_py() < len(ids))


def _same_values(one: pa.ChunkedArray, two: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Return for each row whether both columns have equal values."""
    if pa.types.is_fixed_size_list(one.type):
        return np.asarray((_numbers(one) == _numbers(two)).all(axis=1))
    if pa.types.is_list(one.type):  # Arrow cannot compare lists
        as_long = _equal(pc.list_value_length(one), pc.list_value_length(two))
        return as_long & _equal(pc.binary_join(one, "\n"), pc.binary_join(two, "\n"))
    return _equal(one, two)


def _equal(one: pa.ChunkedArray, two: pa.ChunkedArray) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = pc.fill_null(pc.equal(one, two), fill_value=False).to_numpy()
    return same


def _numbers(column: pa.ChunkedArray) -> NDArray[np.floating]:
    width = column.type.list_size
    flat: NDArray[np.floating] = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(-1, width)
