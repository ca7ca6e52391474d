"""Which names are near each other by their vectors; what was found is kept, so that only new names are compared.

Vectors are rounded to steps, so that a cosine is a sum of integers: it is the same to the last digit whichever rows are
multiplied together, and what is found for some names is what comparing all with all finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.core.vectors import Vectors
from pipelines.store.artifact import ArtifactStore

STAGE = "near"
"""Under which the nearest names of each name are kept: digests and numbers, and no text."""
_VERSION = "1"
"""Raised when the same vectors give other pairs."""
_BLOCK = 2048
"""Rows that are multiplied at once with as many others: their scores take 16 MB."""
_STEPS = 4000
"""Steps of 1 to which vectors are rounded. The products of unit vectors stay below 2**24: exact in float32."""
_ONE = _STEPS * _STEPS
"""The integer that stands for a cosine of 1."""
_KEY_BYTES = 16
"""128 bits of a digest, as in every id."""
_FEW = 0.5
"""Share of the names up to which comparing them alone, with all others, is less work than comparing all: that takes
each two blocks once."""


def nearest_pairs(
    vectors: Vectors, count: int, least: float, ids: Sequence[str] = (), cache: ArtifactStore | None = None
) -> Iterator[tuple[int, int, float]]:
    """Yield (i, j, cosine) with i < j, each pair once, where either is among the `count` nearest of the other.

    Pairs below the cosine `least` are left out. Of names equally near, those with the lower numbers are taken. The
    memory is that of the scores of two blocks, and of `count` pairs for each row.

    Args:
        vectors: unit rows, shape (n, dimension), in order of `ids`.
        count: nearest ones of each row.
        least: a cosine.
        ids: what the rows are known by, each once; with a `cache` only rows are compared that it does not know.
        cache: where what was found is kept (stage "near").
    """
    steps: Vectors = np.rint(vectors * np.float32(_STEPS))
    search = _Search(steps, min(count, max(0, len(vectors) - 1)), max(least, -1.0) * _ONE)
    found = search.all_pairs() if cache is None else _kept_pairs(search, ids, f"{count} {least!r}", count, cache)
    low, high = np.minimum(found.rows, found.columns), np.maximum(found.rows, found.columns)
    _, first = np.unique(low * len(vectors) + high, return_index=True)
    cosines = found.scores[first] / np.float32(_ONE)
    yield from zip(low[first].tolist(), high[first].tolist(), cosines.tolist(), strict=True)


class _Pairs(NamedTuple):
    """Pairs of rows of the vectors, with their scores."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    scores: Vectors

    def joined(self, other: _Pairs) -> _Pairs:
        return _Pairs(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.scores, other.scores]),
        )

    def turned(self) -> _Pairs:
        return _Pairs(self.columns, self.rows, self.scores)

    def where(self, holds: NDArray[np.bool_]) -> _Pairs:
        return _Pairs(self.rows[holds], self.columns[holds], self.scores[holds])

    def best(self, count: int) -> _Pairs:
        """The pairs with the highest scores of each row, of equals the first in order."""
        order = np.lexsort((self.columns, -self.scores, self.rows))
        rows = self.rows[order]
        kept = order[np.arange(len(rows)) - np.searchsorted(rows, rows) < count]
        return _Pairs(self.rows[kept], self.columns[kept], self.scores[kept])


_NO_PAIRS = _Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))


class _Search:
    """Rounded vectors among which each row's `count` nearest are looked for, of a score of at least `least`."""

    def __init__(self, steps: Vectors, count: int, least: float) -> None:
        self._steps = steps
        self.count = count
        self._least = least

    def __len__(self) -> int:
        return len(self._steps)

    def digests(self, ids: Sequence[str]) -> list[bytes]:
        """What stands for each row: its id, and its vector with whatever gave it."""
        rows = self._steps.astype(np.int16)
        return [
            hashlib.sha256(id.encode("utf-8", "surrogatepass") + row.tobytes()).digest()[:_KEY_BYTES]
            for id, row in zip(ids, rows, strict=True)
        ]

    def all_pairs(self) -> _Pairs:
        """The nearest of every row; each two blocks of rows are multiplied once."""
        starts = range(0, len(self), _BLOCK)
        best = [_NO_PAIRS] * len(starts)
        for place, start in enumerate(starts):
            rows = np.arange(start, min(start + _BLOCK, len(self)))
            for other_place in range(place, len(starts)):
                pairs = self._near(rows, starts[other_place])
                best[place] = best[place].joined(pairs).best(self.count)
                if other_place > place:
                    best[other_place] = best[other_place].joined(pairs.turned()).best(self.count)
        return _joined(best)

    def pairs_of(self, rows: NDArray[np.intp], fresh: NDArray[np.bool_]) -> _Pairs:
        """The nearest of these rows, and of every other row what is near it of those that are `fresh`."""
        found, others = _NO_PAIRS, np.ones(len(self), np.bool_)
        others[rows] = False  # these find their own nearest: a pair that stood twice would take the place of another
        for first in range(0, len(rows), _BLOCK):
            some = rows[first : first + _BLOCK]
            for start in range(0, len(self), _BLOCK):
                pairs = self._near(some, start)
                turned = pairs.where(fresh[pairs.rows] & others[pairs.columns]).turned()
                found = found.joined(pairs.joined(turned)).best(self.count)
        return found

    def _near(self, rows: NDArray[np.intp], other: int) -> _Pairs:
        """The pairs of one of these rows and a row of the block that begins at `other`."""
        scores = self._steps[rows] @ self._steps[other : other + _BLOCK].T
        own = (rows >= other) & (rows < other + _BLOCK)
        scores[np.flatnonzero(own), rows[own] - other] = -2 * _ONE
        near = np.flatnonzero(scores >= self._least)  # few are: they alone are put in order
        at, columns = np.divmod(near, scores.shape[1])
        return _Pairs(rows[at], columns + other, scores.ravel()[near])


def _joined(parts: Sequence[_Pairs]) -> _Pairs:
    return _Pairs(*map(np.concatenate, zip(*parts, strict=True))) if parts else _NO_PAIRS


class _Kept(NamedTuple):
    """The nearest of each row as they are kept: the rows' digests, and pairs of their numbers with scores."""

    digests: bytes
    rows: bytes
    columns: bytes
    scores: bytes

    @classmethod
    def of(cls, digests: Sequence[bytes], pairs: _Pairs) -> _Kept:
        rows, columns = (numbers.astype("<i4").tobytes() for numbers in (pairs.rows, pairs.columns))
        return cls(b"".join(digests), rows, columns, pairs.scores.astype("<f4").tobytes())

    def pairs(self) -> _Pairs:
        rows, columns = (np.frombuffer(data, "<i4").astype(np.intp) for data in (self.rows, self.columns))
        return _Pairs(rows, columns, np.frombuffer(self.scores, "<f4").astype(np.float32))


def _kept_pairs(search: _Search, ids: Sequence[str], asked: str, count: int, cache: ArtifactStore) -> _Pairs:
    """The nearest of every row, those of rows that are kept from there."""
    key = content_id(STAGE, _VERSION, asked).partition(":")[2]
    data = cache.get(STAGE, key)
    kept = codec.unpack(data, _Kept) if data is not None else _Kept(b"", b"", b"", b"")
    digests = search.digests(ids)
    if kept.digests == b"".join(digests):
        return kept.pairs()
    found = _updated(search, kept, digests, count)
    cache.remove(STAGE, key)
    cache.put(STAGE, key, codec.pack(_Kept.of(digests, found)))
    return found


def _updated(search: _Search, kept: _Kept, digests: Sequence[bytes], count: int) -> _Pairs:
    """What was kept, without rows that are gone and with those that are new.

    A row all of whose `count` places were taken, and one of them by a row that is gone, is compared with all anew: what
    came next after those was not kept.
    """
    numbers = {digest: number for number, digest in enumerate(digests)}
    size = len(kept.digests) // _KEY_BYTES
    of_kept = (kept.digests[_KEY_BYTES * place : _KEY_BYTES * (place + 1)] for place in range(size))
    now = np.array([numbers.get(digest, -1) for digest in of_kept], np.intp)
    before = kept.pairs()
    lost = np.zeros(size, np.bool_)
    lost[before.rows[now[before.columns] < 0]] = True
    lost &= np.bincount(before.rows, minlength=size) >= count
    fresh = np.ones(len(search), np.bool_)
    fresh[now[now >= 0]] = False
    compared = fresh.copy()
    compared[now[lost & (now >= 0)]] = True
    if np.count_nonzero(compared) > _FEW * len(search):
        return search.all_pairs()
    known = _Pairs(now[before.rows], now[before.columns], before.scores)
    known = known.where((known.rows >= 0) & (known.columns >= 0))
    known = known.where(~compared[known.rows])
    return known.joined(search.pairs_of(np.flatnonzero(compared), fresh)).best(search.count)
