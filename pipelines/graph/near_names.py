"""Nearest neighbours among names by their vectors; results are cached, so that only new names are compared.

Vectors are rounded to integers, so that a cosine is an exact sum: it does not depend on which rows are multiplied
together, and an incremental search gives the same result as comparing all names with all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.core.sketches import principal_axes, sketched
from pipelines.core.vectors import Vectors
from pipelines.store.artifact import ArtifactStore

STAGE = "near"
"""Stage of the artifact with the nearest names of each name; it contains digests and numbers, but no text."""
_VERSION = "1"
"""To be raised when a change in the code finds other pairs for the same vectors."""
_BLOCK = 2048
"""Rows multiplied at once with as many others: their scores take 16 MB."""
_AXES = 64
"""Axes of the sketches that are multiplied first. Of 75,109 names of linux-doc they leave 5 in 10,000 pairs, in a third
of the time; with 32 axes, 6 in 100 are left."""
_FEW_PAIRS = 1 << 16
"""Pairs of two blocks up to which their scores are computed one by one, from 128 MB of vectors."""
STEPS = 4000
"""Vectors are rounded to multiples of 1 / 4000. Products of unit vectors stay below 2**24, exact in float32."""
_ONE = STEPS * STEPS
"""The integer that represents a cosine of 1."""
_MARGIN = _ONE // 1000
"""An upper bound of the rounding error of a product of sketches."""
_KEY_BYTES = 16
"""128 bits of a digest, as in every id."""
_FEW = 0.5
"""Maximum share of changed names for an incremental search. Above it, comparing all names is less work, since it
multiplies each pair of blocks only once."""


def nearest_pairs(
    vectors: Vectors, count: int, least: float, ids: Sequence[str] = (), cache: ArtifactStore | None = None
) -> Iterator[tuple[int, int, float]]:
    """Yield (i, j, cosine) with i < j for each pair of which one is among the `count` nearest rows of the other.

    Among equally near rows, those with the lower numbers are taken. Memory: the scores of two blocks, and `count` pairs
    per row.

    Args:
        vectors: unit vectors as rows, shape (n, dimension), in the order of `ids`.
        count: number of nearest rows of each row.
        least: minimum cosine of a pair.
        ids: unique ids of the rows; with a `cache`, only rows that it does not contain are compared.
        cache: stores the pairs found (stage "near").
    """
    steps: Vectors = np.rint(vectors * np.float32(STEPS))
    search = _Search(steps, min(count, max(0, len(vectors) - 1)), max(least, -1.0) * _ONE)
    found = search.all_pairs() if cache is None else _kept_pairs(search, ids, f"{count} {least!r}", count, cache)
    low, high = np.minimum(found.rows, found.columns), np.maximum(found.rows, found.columns)
    _, first = np.unique(low * len(vectors) + high, return_index=True)
    cosines = found.scores[first] / np.float32(_ONE)
    yield from zip(low[first].tolist(), high[first].tolist(), cosines.tolist(), strict=True)


class _Pairs(NamedTuple):
    """Pairs of row numbers with their scores."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    scores: Vectors

    def joined(self, other: _Pairs) -> _Pairs:
        return _Pairs(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.scores, other.scores]),
        )

    def swapped(self) -> _Pairs:
        return _Pairs(self.columns, self.rows, self.scores)

    def where(self, holds: NDArray[np.bool_]) -> _Pairs:
        return _Pairs(self.rows[holds], self.columns[holds], self.scores[holds])

    def best(self, count: int) -> _Pairs:
        """Return the `count` pairs of each row with the highest scores; ties go to the lower column."""
        order = np.lexsort((self.columns, -self.scores, self.rows))
        rows = self.rows[order]
        kept = order[np.arange(len(rows)) - np.searchsorted(rows, rows) < count]
        return _Pairs(self.rows[kept], self.columns[kept], self.scores[kept])


_NO_PAIRS = _Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))


class _Search:
    """Searches rounded vectors for the `count` nearest rows of each row with a score of at least `least`."""

    def __init__(self, steps: Vectors, count: int, least: float) -> None:
        self._steps = steps
        self.count = count
        self._least = least

    def __len__(self) -> int:
        return len(self._steps)

    def digests(self, ids: Sequence[str]) -> list[bytes]:
        """Return a digest of the id and the vector of each row."""
        rows = self._steps.astype(np.int16)
        return [
            hashlib.sha256(id.encode("utf-8", "surrogatepass") + row.tobytes()).digest()[:_KEY_BYTES]
            for id, row in zip(ids, rows, strict=True)
        ]

    def all_pairs(self) -> _Pairs:
        """Return the nearest rows of every row; each pair of blocks is multiplied once."""
        starts = range(0, len(self), _BLOCK)
        best = [_NO_PAIRS] * len(starts)
        for place, start in enumerate(starts):
            rows = np.arange(start, min(start + _BLOCK, len(self)))
            for other_place in range(place, len(starts)):
                pairs = self._near(rows, starts[other_place])
                best[place] = best[place].joined(pairs).best(self.count)
                if other_place > place:
                    best[other_place] = best[other_place].joined(pairs.swapped()).best(self.count)
        return _joined(best)

    def pairs_of(self, rows: NDArray[np.intp], fresh: NDArray[np.bool_]) -> _Pairs:
        """Return the nearest rows of `rows`, and for every other row its neighbours among the `fresh` ones."""
        found, others = _NO_PAIRS, np.ones(len(self), np.bool_)
        others[rows] = False  # these have their own search: a duplicate pair would displace another
        for first in range(0, len(rows), _BLOCK):
            some = rows[first : first + _BLOCK]
            for start in range(0, len(self), _BLOCK):
                pairs = self._near(some, start)
                swapped = pairs.where(fresh[pairs.rows] & others[pairs.columns]).swapped()
                found = found.joined(pairs.joined(swapped)).best(self.count)
        return found

    def _near(self, rows: NDArray[np.intp], other: int) -> _Pairs:
        """Return the pairs of these rows with the rows of the block that begins at `other`."""
        near = self._above(self._sketches, self._least - _MARGIN, rows, other)
        if len(near.rows) > _FEW_PAIRS:
            return self._above(self._steps, self._least, rows, other)
        scores = np.einsum("ij,ij->i", self._steps[near.rows], self._steps[near.columns])
        return near._replace(scores=scores).where(scores >= self._least)

    def _above(self, vectors: Vectors, least: float, rows: NDArray[np.intp], other: int) -> _Pairs:
        """Return the pairs of these rows with others of the block whose products of `vectors` are at least `least`."""
        scores = vectors[rows] @ vectors[other : other + _BLOCK].T
        own = (rows >= other) & (rows < other + _BLOCK)
        scores[np.flatnonzero(own), rows[own] - other] = -2 * _ONE
        near = np.flatnonzero(scores >= least)  # few, so that only these are sorted
        at, columns = np.divmod(near, scores.shape[1])
        return _Pairs(rows[at], columns + other, scores.ravel()[near])

    @cached_property
    def _sketches(self) -> Vectors:
        """Sketches of the vectors; of one block, the vectors themselves."""
        if len(self) <= _BLOCK:
            return self._steps
        return sketched(self._steps, principal_axes(self._steps)[:, -_AXES:])


def _joined(parts: Sequence[_Pairs]) -> _Pairs:
    return _Pairs(*map(np.concatenate, zip(*parts, strict=True))) if parts else _NO_PAIRS


class _Kept(NamedTuple):
    """The stored form: the digests of the rows, and pairs of row numbers with scores."""

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
    """Return the nearest rows of every row, from the cache as far as the rows are unchanged."""
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
    """Return the stored pairs without removed rows and with new ones.

    A row that had `count` neighbours and lost one of them is searched again, since its next neighbour was not stored.
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
