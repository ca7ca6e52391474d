"""The self-recall gate: an atom is worth keeping if, asked as a query, it brings its own chunk back (PIKE-RAG 5.3.1).

The atom itself takes no part in the search, nor does any other: it is the chunks' own vectors and words that have to
answer. An atom that is about nothing in its chunk, or that fits any chunk as well, finds others first.

A chunk's score depends on it and the atom alone, and is a whole number. So what was found out about an atom holds
while other documents come and go: only what changed is asked again, and the outcome is that of asking everything.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.core.terms import terms
from pipelines.core.vectors import Vectors
from pipelines.store.vector import Embedded

DEPTH = 5
_KEPT = 4 * DEPTH
"""Of chunks above an atom's own: with more than enough to fail it, it still fails when some of them go."""
_STEPS = 4000
"""Of a unit. Products of vectors so rounded stay below 2**24: exact in float32, in whatever order they are added."""
_ONE = _STEPS * _STEPS
_BITS = 256
_CELLS = 1 << 24
"""Scores held at a time: 64 MiB of them."""

Place = tuple[str, int]
"""A chunk, by the key of its part and its place there."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Records with their vectors and with their terms, of each with blanks between them."""

    embedded: Embedded
    terms: tuple[str, ...]

    @classmethod
    def of(cls, embedded: Embedded) -> Searched:
        return cls(embedded, tuple(" ".join(terms(record.text)) for record in embedded.records))


@dataclass(frozen=True, slots=True)
class Part:
    """The atoms and chunks of a document; an atom's `chunk` is the id of one of the chunks."""

    atoms: Searched
    chunks: Searched


@dataclass(frozen=True, slots=True)
class Standing:
    """The score of an atom's own chunk, and chunks that score higher: all, or the first found where there are more."""

    own: int
    above: tuple[Place, ...] = ()
    more: bool = False

    @property
    def passed(self) -> bool:
        return len(self.above) < DEPTH


Standings = Mapping[str, Sequence[Standing]]
"""How the atoms of each part stand, by the part's key, in the order of its records."""


@dataclass(frozen=True, slots=True)
class SelfRecall:
    """Which atoms passed, which are quarantined, and the share that passed by owner (the document's id)."""

    passed: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of all atoms that passed, 1 where there are none."""
        total = len(self.passed) + len(self.quarantined)
        return len(self.passed) / total if total else 1.0


def self_recall(parts: Mapping[str, Part], standings: Standings) -> SelfRecall:
    """Return which atoms find their own chunk among the first `DEPTH` of all chunks."""
    judged = [
        (record, standing.passed)
        for key, part in parts.items()
        for record, standing in zip(part.atoms.embedded.records, standings[key], strict=True)
    ]
    counts = Counter(record.owner for record, _ in judged)
    good = Counter(record.owner for record, passed in judged if passed)
    return SelfRecall(
        tuple(record.id for record, passed in judged if passed),
        tuple(record.id for record, passed in judged if not passed),
        {owner: good[owner] / count for owner, count in sorted(counts.items())},
    )


def rank(parts: Mapping[str, Part], held: Standings | None = None) -> dict[str, tuple[Standing, ...]]:
    """Return how the atoms of each part stand among the chunks of all parts.

    A chunk scores by its cosine with the atom and by the share of the atom's terms that it has, added up; chunks that
    score alike share the better rank, so a copy of a chunk does not shut it out. `held` is what an earlier call
    returned for other parts; a key stands for all that its part holds.
    """
    known = {key: standings for key, standings in (held or {}).items() if key in parts}
    new = {key: part for key, part in parts.items() if key not in known}
    asked = {key: list(_asked(part, known.get(key), parts)) for key, part in parts.items()}
    atoms = [atom for of_part in asked.values() for atom in of_part]
    _ask([atom for atom in atoms if atom.anew], parts)
    _ask([atom for atom in atoms if not atom.anew and not atom.standing.more], new)
    return {key: tuple(atom.standing for atom in of_part) for key, of_part in asked.items()}


@dataclass(slots=True)
class _Asked:
    """An atom with its rounded vector, and how it stands so far; `anew` where all chunks are to be asked."""

    terms: str
    vector: Vectors
    standing: Standing
    anew: bool


def _asked(part: Part, before: Sequence[Standing] | None, parts: Container[str]) -> Iterator[_Asked]:
    atoms, chunks = _rounded(part.atoms), _rounded(part.chunks)
    places = {record.id: place for place, record in enumerate(part.chunks.embedded.records)}
    for row, record in enumerate(part.atoms.embedded.records):
        sought = part.atoms.terms[row]
        left = _left(before[row], parts) if before is not None else None
        if left is not None:
            yield _Asked(sought, atoms[row], left, anew=False)
        else:
            own = places[record.chunk]
            score = int(atoms[row] @ chunks[own]) + _share(frozenset(sought.split()), part.chunks.terms[own])
            yield _Asked(sought, atoms[row], Standing(score), anew=True)


def _left(standing: Standing, parts: Container[str]) -> Standing | None:
    """Return what holds of a standing where only `parts` are there, None for an atom that is to be asked anew."""
    if all(key in parts for key, _ in standing.above):
        return standing
    above = tuple(place for place in standing.above if place[0] in parts)
    known = not standing.more or len(above) >= DEPTH
    return Standing(standing.own, above, standing.more) if known else None


def _ask(atoms: Sequence[_Asked], parts: Mapping[str, Part]) -> None:
    """Add to the standing of each atom the chunks of these parts that score higher than its own."""
    filled = {key: part.chunks for key, part in parts.items() if part.chunks.terms}
    if not atoms or not filled:
        return
    chunks = _Chunks(filled)
    step = max(1, _CELLS // len(chunks.places))
    for start in range(0, len(atoms), step):
        block = atoms[start : start + step]
        for atom, cosines in zip(block, np.stack([atom.vector for atom in block]) @ chunks.vectors.T, strict=True):
            chunks.add_above(atom, cosines)


class _Chunks:
    """The chunks of some parts, at least one, to be asked."""

    def __init__(self, parts: Mapping[str, Searched]) -> None:
        self.places = [(key, place) for key, part in parts.items() for place in range(len(part.terms))]
        self._terms = [terms for part in parts.values() for terms in part.terms]
        self._marks = np.stack([_marks(terms.split()) for terms in self._terms])
        self.vectors = np.concatenate([_rounded(part) for part in parts.values()])

    def add_above(self, atom: _Asked, cosines: Vectors) -> None:
        """Add to an atom's standing the chunks that score higher, the nearest first."""
        own, above = atom.standing.own, list(atom.standing.above)
        near = np.flatnonzero(cosines > own - _ONE)  # no chunk has more than all terms
        if not len(near):
            return
        sought = frozenset(atom.terms.split())
        near = near[self._most(sought, near, cosines) > own]
        for place in near[np.argsort(-cosines[near], kind="stable")]:
            if int(cosines[place]) + _share(sought, self._terms[place]) > own:
                above.append(self.places[place])
                if len(above) == _KEPT:
                    break
        atom.standing = Standing(own, tuple(above), len(above) == _KEPT)

    def _most(self, sought: frozenset[str], near: NDArray[np.intp], cosines: Vectors) -> NDArray[np.float64]:
        """Return what chunks score at most, as their marks tell."""
        missing = np.bitwise_count(_marks(sought) & ~self._marks[near]).sum(axis=1, dtype=np.int64)
        terms = max(1, len(sought))
        most: NDArray[np.float64] = cosines[near] + _ONE * (terms - missing) // terms
        return most


def _share(sought: frozenset[str], terms: str) -> int:
    """The share of the terms sought that are there, in the unit of rounded cosines."""
    return _ONE * len(sought.intersection(terms.split())) // len(sought) if sought else 0


def _marks(terms: Iterable[str]) -> NDArray[np.uint64]:
    """Return a bit set for each term, of `_BITS`: where one is missing, a term is missing (Bloom 1970)."""
    bits = 0
    for term in terms:
        bits |= 1 << zlib.crc32(term.encode("utf-8", "surrogatepass")) % _BITS
    return np.frombuffer(bits.to_bytes(_BITS // 8, "little"), dtype=np.uint64)


def _rounded(searched: Searched) -> Vectors:
    rounded: Vectors = np.rint(searched.embedded.vectors * np.float32(_STEPS))
    return rounded
