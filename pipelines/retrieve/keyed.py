"""Keys in order, and what each leads to: names to entities, titles to documents, forms to tags, terms to chunks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.renumbering import Renumbering, renumbered
from pipelines.retrieve.sparse_rows import Entries, Numbers, SparseRows
from pipelines.retrieve.strings import Strings

Pairs = Sequence[tuple[str, int]]


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
