"""Very many strings in two arrays, which a file can be mapped to: opening it costs nothing for each of them."""

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
"""Look-ups of a table of all strings that a binary search takes the time of, with what making the table takes."""


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
    """Strings as UTF-8, one after the other: number i is `blob[starts[i]:starts[i + 1]]`.

    Those of which places are asked for are in order; that of UTF-8 is that of code points.
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
            return list(self.taken(places))
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._encoded(place % len(self)).decode()

    def __iter__(self) -> Iterator[str]:
        data, ends = self.blob.tobytes(), self.starts.tolist()
        return (data[start:end].decode() for start, end in pairwise(ends))

    def place(self, text: str) -> int:
        """Return the place of `text` among strings that are in order, -1 where it is not among them."""
        wanted = text.encode()
        place = bisect_left(range(len(self)), wanted, key=self._encoded)
        return place if place < len(self) and self._encoded(place) == wanted else -1

    def marked_without(self, texts: Iterable[str]) -> NDArray[np.bool_]:
        """Return for each of the strings, which are in order and hold all `texts`, whether it is none of them."""
        found = np.ones(len(self), dtype=bool)
        found[self.places(list(texts))] = False
        return found

    def places(self, texts: Collection[str]) -> NDArray[np.int32]:
        """Return the `place` of each text."""
        known = SortedMap(self, int, len(texts))
        return np.array([known.get(text, -1) for text in texts], dtype=np.int32)

    def places_before(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return for each text how many of the strings, which are in order, come before it."""
        found = [bisect_left(range(len(self)), text.encode(), key=self._encoded) for text in texts]
        return np.array(found, dtype=np.int64)

    def taken(self, places: Places) -> Strings:
        """Return the strings at `places`, in their order; places that follow each other are copied as one piece."""
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
        """Single items of these are Python's own, and read in a third of the time that those of arrays take."""
        return np.asarray(self.blob).data, np.asarray(self.starts).data


class SortedMap(Mapping[str, T]):
    """A mapping from strings that are in order: a lookup is a binary search, and nothing is made before it.

    Where very many lookups are `expected` a table is made of all strings.
    """

    def __init__(self, keys: Strings, value: Callable[[int], T], expected: int = 0) -> None:
        """Take the keys, and what returns the value of the key at a place."""
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
