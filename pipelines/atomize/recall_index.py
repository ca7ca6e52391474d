"""An exact search for the chunks that outrank an atom's own chunk, for the self-recall gate.

A chunk can outrank the own one only if it has a minimum share of the atom's terms, whatever its cosine. It must
therefore have one of the atom's rarest terms (prefix filtering, Chaudhuri et al. 2006), and an inverted index of the
terms finds the candidates; other chunks are never compared. If an atom's own score is so low that any chunk may
outrank it, or if there are few pairs of atoms and chunks, cosines with all chunks are computed in blocks instead. Both
ways give the same result.
"""

from __future__ import annotations

import math
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipelines.core.vectors import Vectors
from pipelines.store.vector import EmbeddedRecords

DEPTH = 5
"""An atom passes if fewer chunks than this outrank its own."""
KEPT = 4 * DEPTH
"""Maximum outranking chunks kept for an atom: enough to know that it still fails after some of them are removed."""
_STEPS = 4000
"""Steps of 1 to which vectors are rounded. Their products stay below 2**24: exact in float32, in any order."""
ONE = _STEPS * _STEPS
"""The integer that stands for a cosine, or a share of terms, of 1."""
_BITS = 256
_EACH_BIT = tuple(1 << bit for bit in range(_BITS))
_CELLS = 1 << 24
"""Scores of a block: 64 MiB."""
_FEW_PAIRS, _FEW_CHUNKS = 1 << 24, 1 << 15
"""Numbers of pairs and of chunks up to which comparing all pairs costs less than building an index."""
_SKETCHED, _SAMPLE = 31, 4096
"""Axes of vector sketches, and about how many chunks the axes are computed from."""
_MARGIN = ONE // 1000
"""An upper bound of the rounding error of a product of sketches."""
_COMMON = 64
"""A term in more than one of so many chunks is common: its list is long and filters little."""

ChunkPosition = tuple[str, int]
"""A chunk: the key of its document and its number there."""
ChunkNumbers = NDArray[np.intp]
"""Chunks by their numbers in a `ChunkIndex`."""


@dataclass(frozen=True, slots=True)
class SearchRecords:
    """Records as they are searched: ids, the chunk that each leads to, vectors, and terms with blanks between them."""

    ids: tuple[str, ...]
    chunks: tuple[str, ...]
    vectors: Vectors
    terms: tuple[str, ...]

    @classmethod
    def of(cls, embedded: EmbeddedRecords) -> SearchRecords:
        found = embedded.with_terms()
        ids, chunks = (tuple(getattr(one, name) for one in found.records) for name in ("id", "chunk"))
        return cls(ids, chunks, found.vectors, found.terms)


@dataclass(frozen=True, slots=True)
class ChunkRank:
    """The score of an atom's own chunk, and the chunks that score higher.

    `above` has all of them, or if `truncated` the first `KEPT` that were found.
    """

    own: int
    above: tuple[ChunkPosition, ...] = ()
    truncated: bool = False

    @property
    def passed(self) -> bool:
        """Whether the own chunk is among the first `DEPTH`."""
        return len(self.above) < DEPTH


@dataclass(slots=True)
class AtomQuery:
    """An atom as a query: its terms, its rounded vector of shape (dimension,), and the rank found so far."""

    terms: frozenset[str]
    vector: Vectors
    rank: ChunkRank


class ChunkIndex:
    """An index of the chunks of some documents, given one after the other by their keys."""

    def __init__(self, documents: Iterable[tuple[str, SearchRecords]]) -> None:
        self._chunks: list[ChunkPosition] = []
        self._terms: list[str] = []
        filled: list[Vectors] = []
        for key, chunks in documents:
            self._chunks += [(key, number) for number in range(len(chunks.terms))]
            self._terms += chunks.terms
            filled += [rounded(chunks.vectors)] if chunks.terms else []
        self._vectors = np.concatenate(filled) if filled else np.zeros((0, 0), dtype=np.float32)
        self._blooms = np.zeros((len(self._terms), _BITS // 64), dtype=np.uint64)
        self._has_bloom = np.zeros(len(self._terms), dtype=np.bool_)
        self._counts = np.zeros(len(self._terms), dtype=np.uint16)

    def __len__(self) -> int:
        return len(self._chunks)

    def rank(self, atoms: Sequence[AtomQuery], pairs: int) -> None:
        """Add to the rank of each atom the chunks that score higher than its own, the nearest first.

        `pairs` is the number of pairs of atoms and chunks in all calls together: it decides whether to index.
        """
        if not self._chunks:
            return
        rest: list[AtomQuery] = []
        indexed = pairs > _FEW_PAIRS and len(self._chunks) > _FEW_CHUNKS
        for atom in atoms:
            found = self._candidates(atom) if indexed else None
            if found is None:
                rest.append(atom)
            else:
                near, shares = found
                left = self._sketches[near] @ self._sketched(atom.vector) + shares > atom.rank.own - _MARGIN
                near, shares = near[left], shares[left]
                if len(near):
                    self._add_above(atom, near, self._vectors[near] @ atom.vector, shares)
        self._rank_all(rest)

    def _rank_all(self, atoms: Sequence[AtomQuery]) -> None:
        step = max(1, _CELLS // len(self._chunks))
        for start in range(0, len(atoms), step):
            block = atoms[start : start + step]
            cosines = np.stack([atom.vector for atom in block]) @ self._vectors.T
            least = np.array([[atom.rank.own - ONE] for atom in block], dtype=np.float32)
            rows, columns = np.nonzero(cosines > least)  # no chunk has more than all terms
            ends = np.searchsorted(rows, np.arange(len(block) + 1))
            for number, (first, last) in enumerate(pairwise(ends)):
                if first < last:
                    near = columns[first:last]
                    self._add_above(block[number], near, cosines[number, near], self._max_shares(block[number], near))

    def _candidates(self, atom: AtomQuery) -> tuple[ChunkNumbers, NDArray[np.int64]] | None:
        """Return the chunks that may outrank an atom's own, and an upper bound of the share of terms of each.

        None if any chunk may.
        """
        held = sorted((len(places), term) for term in atom.terms if (places := self._index.get(term)) is not None)
        terms, own = len(atom.terms), atom.rank.own
        missing = terms * (ONE + self._max_cosine - own) // ONE - (terms - len(held))
        if missing >= len(held):
            return None
        rare = max(missing + 1, bisect_right(held, (len(self._chunks) // _COMMON, "")), 0)
        for _, term in held[:rare]:
            self._counts[self._index[term]] += 1
        near = np.flatnonzero(self._counts >= max(1, rare - missing))
        had = self._counts[near] + np.int64(len(held) - rare)
        self._counts.fill(0)
        shares = ONE * (had - self._missing([term for _, term in held[rare:]], near)) // terms
        left = shares > own - self._max_cosine
        return near[left], shares[left]

    @property
    def _max_cosine(self) -> int:
        """An upper bound of all cosines, those of vectors lengthened by rounding included."""
        return math.ceil((_STEPS + math.sqrt(self._vectors.shape[1]) / 2 + 1) ** 2)

    @cached_property
    def _index(self) -> dict[str, NDArray[np.int32]]:
        """The numbers of the chunks that have a term, by term."""
        index: dict[str, array[int]] = {}
        for place, written in enumerate(self._terms):
            for term in set(written.split()):
                index.setdefault(term, array("i")).append(place)
        return {term: np.frombuffer(places, dtype=np.int32) for term, places in index.items()}

    @cached_property
    def _axes(self) -> Vectors:
        """The principal axes of the chunks' vectors, of shape (dimension, axes)."""
        some = self._vectors[:: len(self._vectors) // _SAMPLE + 1].astype(np.float64)
        axes: Vectors = np.linalg.eigh(some.T @ some)[1][:, -_SKETCHED:].astype(np.float32)
        return axes

    @cached_property
    def _sketches(self) -> Vectors:
        return self._sketched(self._vectors)

    def _sketched(self, vectors: Vectors) -> Vectors:
        """Return sketches of vectors: coordinates along the axes, and the length of the remainder.

        Products of sketches are upper bounds of the products of their vectors (Cauchy-Schwarz).
        """
        along = vectors @ self._axes
        rest = np.sqrt(np.maximum((vectors**2).sum(-1) - (along**2).sum(-1), 0))
        return np.concatenate([along, rest[..., None]], -1)

    def _add_above(self, atom: AtomQuery, near: ChunkNumbers, cosines: Vectors, shares: NDArray[np.int64]) -> None:
        """Add the outranking ones of the chunks `near`; `shares` are upper bounds of their shares of terms."""
        own, above = atom.rank.own, list(atom.rank.above)
        left = cosines + shares > own
        near, cosines = near[left], cosines[left]
        for at in np.argsort(-cosines, kind="stable"):
            if int(cosines[at]) + term_share(atom.terms, self._terms[near[at]]) > own:
                above.append(self._chunks[near[at]])
                if len(above) == KEPT:
                    break
        atom.rank = ChunkRank(own, tuple(above), len(above) == KEPT)

    def _max_shares(self, atom: AtomQuery, chunks: ChunkNumbers) -> NDArray[np.int64]:
        """Return upper bounds of the shares of an atom's terms that chunks have, by their Bloom filters."""
        terms = max(1, len(atom.terms))
        most: NDArray[np.int64] = ONE * (terms - self._missing(atom.terms, chunks)) // terms
        return most

    def _missing(self, sought: Iterable[str], chunks: ChunkNumbers) -> NDArray[np.int64]:
        """Return lower bounds of the numbers of the `sought` terms that chunks lack, by their Bloom filters."""
        bits = np.bitwise_count(_bloom_filter(sought) & ~self._blooms_of(chunks))
        missing: NDArray[np.int64] = bits.sum(1, dtype=np.int64)
        return missing

    def _blooms_of(self, chunks: ChunkNumbers) -> NDArray[np.uint64]:
        for chunk in chunks[~self._has_bloom[chunks]]:
            self._blooms[chunk] = _bloom_filter(self._terms[chunk].split())
            self._has_bloom[chunk] = True
        return self._blooms[chunks]


def term_share(sought: frozenset[str], terms: str) -> int:
    """Return the share of the `sought` terms that are among `terms`; `ONE` stands for all of them."""
    return ONE * len(sought.intersection(terms.split())) // len(sought) if sought else 0


def rounded(vectors: Vectors) -> Vectors:
    """Return unit vectors with their components as numbers of steps, still as float32."""
    steps: Vectors = np.rint(vectors * np.float32(_STEPS))
    return steps


def _bloom_filter(terms: Iterable[str]) -> NDArray[np.uint64]:
    """Return the Bloom filter (Bloom 1970) of terms, `_BITS` bits as 64-bit words: a missing bit is a missing term."""
    bits = 0
    for term in terms:
        bits |= _bit(term)
    return np.frombuffer(bits.to_bytes(_BITS // 8, "little"), dtype=np.uint64)


@lru_cache(maxsize=1 << 18)
def _bit(term: str) -> int:
    return _EACH_BIT[zlib.crc32(term.encode("utf-8", "surrogatepass")) % _BITS]
