from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipelines.retrieve.renumbering import Renumbering, renumbered
from pipelines.retrieve.sparse_rows import Entries, SparseRows, rows_of
from pipelines.retrieve.strings import Strings

names = st.sets(st.sampled_from("abcdefghi"))
edges = st.dictionaries(st.tuples(st.sampled_from("abcdefghi"), st.sampled_from("abcdefghi")), st.integers(1, 9))


def numbers_of(old: set[str], gone: set[str], came: set[str]) -> tuple[list[str], Renumbering]:
    """The names after the change, sorted, and their renumbering; a removed name may be added again."""
    before = sorted(old)
    kept = np.array([name not in gone for name in before], dtype=bool)
    added = sorted(came - (old - gone))
    return sorted((old - gone) | came), Renumbering.between(Strings.of(before), kept, added)


def matrix(pairs: dict[tuple[str, str], int], rows: list[str], columns: list[str]) -> SparseRows:
    inside = {pair: value for pair, value in pairs.items() if pair[0] in rows and pair[1] in columns}
    places = np.array([(rows.index(row), columns.index(column)) for row, column in inside], dtype=np.int32)
    entries = Entries(*places.reshape(-1, 2).T, np.array(list(inside.values()), dtype=np.float32))
    return rows_of(entries, len(rows))


@given(names, names, names)
def test_kept_and_added_names_are_in_one_sorted_order(old: set[str], gone: set[str], came: set[str]) -> None:
    after, numbers = numbers_of(old, gone, came)
    added = [after[number] for number in numbers.of_new.tolist()]
    assert numbers.size == len(after)
    assert list(numbers.strings(Strings.of(sorted(old)), added)) == after
    for name, number in zip(sorted(old), numbers.of_old.tolist(), strict=True):
        assert number == (-1 if name in gone else after.index(name))


@given(names, names, names, edges)
def test_a_renumbered_matrix_has_the_kept_and_added_entries(
    old: set[str], gone: set[str], came: set[str], pairs: dict[tuple[str, str], int]
) -> None:
    after, numbers = numbers_of(old, gone, came)
    fresh = {after[number] for number in numbers.of_new.tolist()}
    new = {pair: value for pair, value in pairs.items() if not fresh.isdisjoint(pair)}
    before = matrix(pairs, sorted(old), sorted(old))
    added = matrix(new, after, after)
    entries = Entries(added.rows(), added.columns, added.values)
    found = renumbered(before, numbers.of_old, numbers.of_old, len(after), entries)
    wanted = matrix(pairs, after, after)
    for one, other in ((found.starts, wanted.starts), (found.columns, wanted.columns), (found.values, wanted.values)):
        assert one.tolist() == other.tolist()


def test_the_highest_value_of_a_repeated_entry_is_kept() -> None:
    places = np.array([1, 0, 1, 1], dtype=np.int32)
    found = rows_of(Entries(places, places, np.array([1, 5, 3, 2], dtype=np.float32)), 2)
    assert (found.starts.tolist(), found.columns.tolist(), found.values.tolist()) == ([0, 1, 2], [0, 1], [5, 3])
