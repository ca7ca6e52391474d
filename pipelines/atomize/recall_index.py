"""An exact search for the chunks that outrank an atom's own chunk, for the self-recall gate.

A chunk can outrank the own one only if it has a minimum share of the atom's terms, whatever its cosine; and to have
that it needs one of the rarer of them. The chunks that do are found by an inverted index (`ChunkTerms.having`), and
only they are compared by their vectors. If an atom's own score is so low that any chunk may outrank it, or if there are
few pairs of atoms and chunks, cosines with all chunks are computed in blocks instead. Both ways give the same result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.chunk_terms import ChunkTerms
from pipelines.core.sketches import principal_axes, sketched
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
_CELLS = 1 << 24
"""Scores of a block: 64 MiB."""
_FEW_PAIRS, _FEW_CHUNKS = 1 << 24, 1 << 13
"""Numbers of pairs and of chunks up to which comparing all pairs costs less than building an index."""
_SKETCHED = (7, 31)
"""Axes of vector sketches, the coarse and the fine. Of the chunks with enough terms, in five times 800 pages of
linux-doc, the coarse leave a seventh and the fine a twelfth of those."""
_MARGIN = ONE // 1000
"""An upper bound of the rounding error of a product of sketches."""
_FEW_ATOMS = 2048
"""Atoms in all, as a long document has, whose terms alone are looked for in the chunks: of many an index is made."""

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

    def __len__(self) -> int:
        return len(self._chunks)

    def rank(self, atoms: Sequence[AtomQuery], pairs: int) -> None:
        """Add to the rank of each atom the chunks that score higher than its own, the nearest first.

        `pairs` is the number of pairs of atoms and chunks in all calls together: it decides whether to index.
        """
        if not self._chunks:
            return
        rest: list[AtomQuery] = []
        if self.is_indexed(pairs):
            vectors = np.stack([atom.vector for atom in atoms]) if atoms else self._vectors[:0]
            sketches = [sketched(vectors, axes) for axes in self._axes]
            for atom, *own_sketches in zip(atoms, *sketches, strict=True):
                if not self._rank_by_terms(atom, own_sketches):
                    rest.append(atom)
        else:
            rest += atoms
        self._rank_all(rest, pairs <= _FEW_ATOMS * len(self._chunks))

    def is_indexed(self, pairs: int) -> bool:
        """Whether so many pairs of atoms and chunks are compared by an index, and not by all their cosines."""
        return pairs > _FEW_PAIRS and len(self._chunks) > _FEW_CHUNKS

    def may_outrank(self, vectors: Vectors, own: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which atoms any chunk may outrank, by their rounded vectors and the scores of their own chunks.

        A chunk has no more than all terms of an atom: where the cosine does not reach even so, terms need no look.
        """
        found = np.zeros(len(own), np.bool_)
        step = max(1, _CELLS // max(1, len(self._chunks)))
        for start in range(0, len(own) if self._chunks else 0, step):
            block = slice(start, start + step)
            found[block] = (vectors[block] @ self._vectors.T).max(axis=1) > own[block] - ONE
        return found

    def _rank_all(self, atoms: Sequence[AtomQuery], few: bool) -> None:
        step = max(1, _CELLS // len(self._chunks))
        for start in range(0, len(atoms), step):
            block = atoms[start : start + step]
            terms = self._terms_for(block, few)
            cosines = np.stack([atom.vector for atom in block]) @ self._vectors.T
            least = np.array([[atom.rank.own - ONE] for atom in block], dtype=np.float32)
            rows, columns = np.nonzero(cosines > least)  # no chunk has more than all terms
            ends = np.searchsorted(rows, np.arange(len(block) + 1))
            for number, (first, last) in enumerate(pairwise(ends)):
                if first < last:
                    near = columns[first:last]
                    self._add_above(block[number], near, cosines[number, near], terms)

    def _rank_by_terms(self, atom: AtomQuery, own_sketches: Sequence[Vectors]) -> bool:
        """Do what `rank` does for one atom by way of its terms; False where any chunk may outrank its own."""
        own, terms = atom.rank.own, len(atom.terms)
        missing = own - self._max_cosine  # a share that is not above this does not suffice
        if missing < 0:
            return False
        near, most = self._all_terms.having(atom.terms, missing * terms // ONE + 1)
        shares = _shares(most, terms)
        # Not by `@`, which has threads wait for one another over products as small as these.
        for sketches, sketch in zip(self._sketches, own_sketches, strict=True):
            left = np.einsum("ij,j->i", sketches.take(near, axis=0), sketch) + shares > own - _MARGIN
            near, shares = near[left], shares[left]
        cosines = np.einsum("ij,j->i", self._vectors.take(near, axis=0), atom.vector)
        left = cosines + shares > own
        if left.any():
            self._add_above(atom, near[left], cosines[left], self._all_terms)
        return True

    @property
    def _max_cosine(self) -> int:
        """An upper bound of all cosines, those of vectors lengthened by rounding included."""
        return math.ceil((_STEPS + math.sqrt(self._vectors.shape[1]) / 2 + 1) ** 2)

    @cached_property
    def _all_terms(self) -> ChunkTerms:
        return ChunkTerms(self._terms)

    def _terms_for(self, atoms: Sequence[AtomQuery], few: bool) -> ChunkTerms:
        """The terms of the chunks, for `few` atoms those that they have: to index all terms is work for many."""
        if not few:
            return self._all_terms
        return ChunkTerms(self._terms, frozenset(term for atom in atoms for term in atom.terms))

    @cached_property
    def _axes(self) -> tuple[Vectors, ...]:
        axes = principal_axes(self._vectors)
        return tuple(axes[:, -count:] for count in _SKETCHED)

    @cached_property
    def _sketches(self) -> tuple[Vectors, ...]:
        return tuple(sketched(self._vectors, axes) for axes in self._axes)

    def _add_above(self, atom: AtomQuery, near: ChunkNumbers, cosines: Vectors, terms: ChunkTerms) -> None:
        """Add the outranking ones of the chunks `near`, which are in order: the nearest first."""
        own, above = atom.rank.own, list(atom.rank.above)
        left = cosines + _shares(terms.counts(atom.terms, near), len(atom.terms)) > own
        near, cosines = near[left], cosines[left]
        best = np.argsort(-cosines, kind="stable")[: KEPT - len(above)]
        above += [self._chunks[number] for number in near[best]]
        atom.rank = ChunkRank(own, tuple(above), len(above) == KEPT)


def _shares(counts: NDArray[np.integer], terms: int) -> NDArray[np.int64]:
    """Return the shares that chunks have of so many terms; `ONE` stands for all of them."""
    shares: NDArray[np.int64] = ONE * counts.astype(np.int64) // max(1, terms)
    return shares


def term_share(sought: frozenset[str], terms: str) -> int:
    """Return the share of the `sought` terms that are among `terms`; `ONE` stands for all of them."""
    return ONE * len(sought.intersection(terms.split())) // len(sought) if sought else 0


def rounded(vectors: Vectors) -> Vectors:
    """Return unit vectors with their components as numbers of steps, still as float32."""
    steps: Vectors = np.rint(vectors * np.float32(_STEPS))
    return steps
