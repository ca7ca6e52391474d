"""The chunks that score higher for an atom than its own: all of them found, few of them looked at.

A chunk can score higher only with a certain share of the atom's terms, even if its cosine were the best possible. So
it has one at least of the atom's rarest terms (Chaudhuri et al. 2006, prefix filtering), and an index of the terms
leads to those that may; the rest is never compared. Where an atom's own score is so low that any chunk may be above
it, or where there are few pairs in all, cosines with all chunks are taken instead, in blocks. Either way is exact.
"""

from __future__ import annotations

import math
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.store.vector import EmbeddedRecords

DEPTH = 5
KEPT = 4 * DEPTH
"""Of chunks above an atom's own: with more than enough to fail it, it still fails when some of them go."""
_STEPS = 4000
"""Of a unit. Products of vectors so rounded stay below 2**24: exact in float32, in whatever order they are added."""
ONE = _STEPS * _STEPS
_BITS = 256
_EACH_BIT = tuple(1 << bit for bit in range(_BITS))
_CELLS = 1 << 24
"""Scores held at a time: 64 MiB of them."""
_FEW_PAIRS, _FEW_CHUNKS = 1 << 24, 1 << 15
"""Pairs of atoms and chunks, and chunks, up to which comparing all with all costs less than an index."""
_SKETCHED, _SAMPLE = 31, 4096
"""Axes of the sketches of vectors, and about how many chunks these are made from."""
_MARGIN = ONE // 1000
"""More than what a product of sketches may be off for its rounding."""
_COMMON = 64
"""A term of more than one chunk in so many is common: an index of it would be long and tell little."""

Place = tuple[str, int]
"""A chunk, by the key of its part and its place there."""
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Searched:
    """Records with their vectors and with their terms, of each with blanks between them."""

    embedded: EmbeddedRecords
    terms: tuple[str, ...]

    @classmethod
    def of(cls, embedded: EmbeddedRecords) -> Searched:
        return cls(embedded, tuple(" ".join(terms(record.text)) for record in embedded.records))


@dataclass(frozen=True, slots=True)
class Standing:
    """The score of an atom's own chunk, and chunks that score higher: all, or the first found where there are more."""

    own: int
    above: tuple[Place, ...] = ()
    more: bool = False

    @property
    def passed(self) -> bool:
        return len(self.above) < DEPTH


@dataclass(slots=True)
class Asked:
    """An atom with its terms and its rounded vector, and how it stands so far."""

    terms: frozenset[str]
    vector: Vectors
    standing: Standing


class Chunks:
    """The chunks of some parts, to be asked."""

    def __init__(self, parts: Mapping[str, Searched]) -> None:
        self._places = [(key, place) for key, part in parts.items() for place in range(len(part.terms))]
        self._terms = [terms for part in parts.values() for terms in part.terms]
        filled = [rounded(part.embedded.vectors) for part in parts.values() if part.terms]
        self._vectors = np.concatenate(filled) if filled else np.zeros((0, 0), dtype=np.float32)
        self._marks = np.zeros((len(self._terms), _BITS // 64), dtype=np.uint64)
        self._marked = np.zeros(len(self._terms), dtype=np.bool_)
        self._met = np.zeros(len(self._terms), dtype=np.uint16)

    def __len__(self) -> int:
        return len(self._places)

    def ask(self, atoms: Sequence[Asked], pairs: int) -> None:
        """Add to the standing of each atom the chunks that score higher than its own, the nearest first.

        `pairs` is how many pairs of atoms and chunks there will be in all calls together.
        """
        if not self._places:
            return
        rest: list[Asked] = []
        indexed = pairs > _FEW_PAIRS and len(self._places) > _FEW_CHUNKS
        for atom in atoms:
            found = self._candidates(atom) if indexed else None
            if found is None:
                rest.append(atom)
            else:
                near, shares = found
                left = self._sketches[near] @ self._sketched(atom.vector) + shares > atom.standing.own - _MARGIN
                near, shares = near[left], shares[left]
                if len(near):
                    self._add_above(atom, near, self._vectors[near] @ atom.vector, shares)
        self._ask_all(rest)

    def _ask_all(self, atoms: Sequence[Asked]) -> None:
        step = max(1, _CELLS // len(self._places))
        for start in range(0, len(atoms), step):
            block = atoms[start : start + step]
            cosines = np.stack([atom.vector for atom in block]) @ self._vectors.T
            least = np.array([[atom.standing.own - ONE] for atom in block], dtype=np.float32)
            rows, columns = np.nonzero(cosines > least)  # no chunk has more than all terms
            ends = np.searchsorted(rows, np.arange(len(block) + 1))
            for number, (first, last) in enumerate(pairwise(ends)):
                if first < last:
                    near = columns[first:last]
                    self._add_above(block[number], near, cosines[number, near], self._most(block[number], near))

    def _candidates(self, atom: Asked) -> tuple[Places, NDArray[np.int64]] | None:
        """The chunks with enough terms of an atom to be above its own, and the share that each has of them at most.

        Some more may be among them. None where all chunks may be above.
        """
        held = sorted((len(places), term) for term in atom.terms if (places := self._index.get(term)) is not None)
        terms, own = len(atom.terms), atom.standing.own
        missing = terms * (ONE + self._farthest - own) // ONE - (terms - len(held))
        if missing >= len(held):
            return None
        rare = max(missing + 1, bisect_right(held, (len(self._places) // _COMMON, "")), 0)
        for _, term in held[:rare]:
            self._met[self._index[term]] += 1
        near = np.flatnonzero(self._met >= max(1, rare - missing))
        had = self._met[near] + np.int64(len(held) - rare)
        self._met.fill(0)
        shares = ONE * (had - self._lacking([term for _, term in held[rare:]], near)) // terms
        left = shares > own - self._farthest
        return near[left], shares[left]

    @property
    def _farthest(self) -> int:
        """What no cosine is above, those of vectors that rounding has made longer included."""
        return math.ceil((_STEPS + math.sqrt(self._vectors.shape[1]) / 2 + 1) ** 2)

    @cached_property
    def _index(self) -> dict[str, NDArray[np.int32]]:
        """The chunks that have a term."""
        index: dict[str, array[int]] = {}
        for place, written in enumerate(self._terms):
            for term in set(written.split()):
                index.setdefault(term, array("i")).append(place)
        return {term: np.frombuffer(places, dtype=np.int32) for term, places in index.items()}

    @cached_property
    def _axes(self) -> Vectors:
        """The directions in which the chunks differ most."""
        some = self._vectors[:: len(self._vectors) // _SAMPLE + 1].astype(np.float64)
        axes: Vectors = np.linalg.eigh(some.T @ some)[1][:, -_SKETCHED:].astype(np.float32)
        return axes

    @cached_property
    def _sketches(self) -> Vectors:
        return self._sketched(self._vectors)

    def _sketched(self, vectors: Vectors) -> Vectors:
        """Vectors so short that their products are quickly had, and never below those of the whole ones.

        They are what the vectors are along the axes, and the length of all the rest.
        """
        along = vectors @ self._axes
        rest = np.sqrt(np.maximum((vectors**2).sum(-1) - (along**2).sum(-1), 0))
        return np.concatenate([along, rest[..., None]], -1)

    def _add_above(self, atom: Asked, near: Places, cosines: Vectors, shares: NDArray[np.int64]) -> None:
        """Add those of some chunks, in order of their places, that score higher; their `shares` are at most these."""
        own, above = atom.standing.own, list(atom.standing.above)
        left = cosines + shares > own
        near, cosines = near[left], cosines[left]
        for at in np.argsort(-cosines, kind="stable"):
            if int(cosines[at]) + share(atom.terms, self._terms[near[at]]) > own:
                above.append(self._places[near[at]])
                if len(above) == KEPT:
                    break
        atom.standing = Standing(own, tuple(above), len(above) == KEPT)

    def _most(self, atom: Asked, places: Places) -> NDArray[np.int64]:
        """Return which share of the terms of an atom chunks have at most, as their marks tell."""
        terms = max(1, len(atom.terms))
        most: NDArray[np.int64] = ONE * (terms - self._lacking(atom.terms, places)) // terms
        return most

    def _lacking(self, sought: Iterable[str], places: Places) -> NDArray[np.int64]:
        """How many of these terms chunks lack at least, as their marks tell."""
        lacking: NDArray[np.int64] = np.bitwise_count(_marks(sought) & ~self._marks_of(places)).sum(1, dtype=np.int64)
        return lacking

    def _marks_of(self, places: Places) -> NDArray[np.uint64]:
        for place in places[~self._marked[places]]:
            self._marks[place] = _marks(self._terms[place].split())
            self._marked[place] = True
        return self._marks[places]


def share(sought: frozenset[str], terms: str) -> int:
    """The share of the terms sought that are there, in the unit of rounded cosines."""
    return ONE * len(sought.intersection(terms.split())) // len(sought) if sought else 0


def rounded(vectors: Vectors) -> Vectors:
    """Return unit vectors in whole steps."""
    steps: Vectors = np.rint(vectors * np.float32(_STEPS))
    return steps


def _marks(terms: Iterable[str]) -> NDArray[np.uint64]:
    """Return a bit set for each term, of `_BITS`: where one is missing, a term is missing (Bloom 1970)."""
    bits = 0
    for term in terms:
        bits |= _bit(term)
    return np.frombuffer(bits.to_bytes(_BITS // 8, "little"), dtype=np.uint64)


@lru_cache(maxsize=1 << 18)
def _bit(term: str) -> int:
    return _EACH_BIT[zlib.crc32(term.encode("utf-8", "surrogatepass")) % _BITS]
