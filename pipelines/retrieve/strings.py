"""Large lists of strings in two arrays, which can be memory-mapped: opening them takes constant time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.sparse_rows import Places

T = TypeVar("T")
_SEARCHES = 8
"""A dictionary of all strings, including its construction, is faster than binary searches if there is more than one
look-up for this many strings."""


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
    """Concatenated UTF-8 strings: string i is `blob[starts[i]:starts[i + 1]]`.

    Look-ups of strings require sorted strings; UTF-8 sorts by code points.
    """

    blob: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @staticmethod
    def of(texts: Iterable[str]) -> Strings:
        parts = [text.encode() for text in texts]
        starts = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=starts[1:])
        return Strings(np.frombuffer(b"".join(parts), dtype=np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            places = np.arange(len(self))[place]
            return list(self.take(places))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._encoded(place % len(self)).decode()

    def __iter__(self) -> Iterator[str]:
        data, ends = self.blob.tobytes(), self.starts.tolist()
        return (data[start:end].decode() for start, end in pairwise(ends))

    def place(self, text: str) -> int:
        """Return the position of `text` in the sorted strings, or -1."""
        wanted = text.encode()
        place = bisect_left(range(len(self)), wanted, key=self._encoded)
        return place if place < len(self) and self._encoded(place) == wanted else -1

    def mask_without(self, texts: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each of the sorted strings whether it is not in `texts`, all of which must be among them."""
        found = np.ones(len(self), dtype=bool)
        found[self.places(list(texts))] = False
        return found

    def places(self, texts: Collection[str]) -> NDArray[np.int32]:
        """Return the positions of texts in the sorted strings, -1 for missing ones."""
        known = SortedMap(self, int, len(texts))
        return np.array([known.get(text, -1) for text in texts], dtype=np.int32)

    def places_before(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return for each text the number of the sorted strings before it."""
        found = [bisect_left(range(len(self)), text.encode(), key=self._encoded) for text in texts]
        return np.array(found, dtype=np.int64)

    def take(self, places: Places) -> Strings:
        """Return the strings at `places`, in their order; consecutive places are copied at once."""
        ends = np.flatnonzero(np.diff(places) != 1) + 1
        first = np.concatenate(([0], ends)).astype(np.int64)[: len(places)]
        last = np.append(ends, len(places))[: len(first)] - 1
        pieces = zip(self.starts[places[first]].tolist(), self.starts[places[last] + 1].tolist(), strict=True)
        starts = np.zeros(len(places) + 1, dtype=np.int64)
        np.cumsum(np.diff(self.starts)[places], out=starts[1:])
        return Strings(np.concatenate([self.blob[:0], *(self.blob[one:end] for one, end in pieces)]), starts)

    def __add__(self, other: Strings) -> Strings:
        starts = np.concatenate((self.starts, other.starts[1:] + self.starts[-1]))
        return Strings(np.concatenate((self.blob, other.blob)), starts)

    def _encoded(self, place: int) -> bytes:
        blob, starts = self._views
        return bytes(blob[starts[place] : starts[place + 1]])

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        """Memory views of both arrays: reading single items takes a third of the time of arrays."""
        return np.asarray(self.blob).data, np.asarray(self.starts).data


class SortedMap(Mapping[str, T]):
    """A mapping from sorted strings. A look-up is a binary search, or uses a dictionary if many are `expected`."""

    def __init__(self, keys: Strings, value: Callable[[int], T], expected: int = 0) -> None:
        """Take the keys, and a function from the position of a key to its value."""
        self._keys = keys
        self._value = value
        self._table = {key: place for place, key in enumerate(keys)} if expected * _SEARCHES > len(keys) else None

    def __getitem__(self, key: str) -> T:
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        return self._value(place)

    def get(self, key: str, default: Any = None) -> Any:
        place = self._place(key)
        return self._value(place) if place >= 0 else default

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._place(key) >= 0

    def _place(self, key: str) -> int:
        return self._keys.place(key) if self._table is None else self._table.get(key, -1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
