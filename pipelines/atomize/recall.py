"""The self-recall gate: an atom is worth keeping if, asked as a query, it brings its own chunk back (PIKE-RAG 5.3.1).

The atom itself takes no part in the search, nor does any other: it is the chunks' own vectors and words that have to
answer. An atom that is about nothing in its chunk, or that fits any chunk as well, finds others first.

A chunk's score depends on it and the atom alone, and is a whole number. So what was found out about an atom holds
while other documents come and go: only what changed is asked again, and the outcome is that of asking everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.atomize.above import DEPTH, Asked, Chunks, Searched, Standing, rounded, share

__all__ = ["DEPTH", "Part", "Searched", "SelfRecall", "Standing", "rank", "self_recall"]

_AT_ONCE = 4096
"""Atoms that are asked together."""


@dataclass(frozen=True, slots=True)
class Part:
    """The atoms and chunks of a document; an atom's `chunk` is the id of one of the chunks."""

    atoms: Searched
    chunks: Searched


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
    left = {key: [_left(standing, parts) for standing in standings] for key, standings in known.items()}
    left |= {key: [None] * len(part.atoms.terms) for key, part in new.items()}
    whole, added = _chunks(parts), _chunks(new)
    anew = sum(one is None for of_part in left.values() for one in of_part)
    beside = sum(one is not None and not one.more for of_part in left.values() for one in of_part)
    found: dict[str, tuple[Standing, ...]] = {}
    for some in _groups(parts):
        asked = {key: _asked(parts[key], left[key]) for key in some}
        pairs = [pair for key in some for pair in zip(asked[key], left[key], strict=True)]
        whole.ask([atom for atom, before in pairs if before is None], anew * len(whole))
        added.ask([atom for atom, before in pairs if before is not None and not before.more], beside * len(added))
        found |= {key: tuple(atom.standing for atom in of_part) for key, of_part in asked.items()}
    return found


def _groups(parts: Mapping[str, Part]) -> Iterator[list[str]]:
    """Yield the keys of parts that are asked together: their atoms are enough to make it quick, and few to hold."""
    some: list[str] = []
    atoms = 0
    for key, part in parts.items():
        some.append(key)
        atoms += len(part.atoms.terms)
        if atoms >= _AT_ONCE:
            yield some
            some, atoms = [], 0
    yield some


def _chunks(parts: Mapping[str, Part]) -> Chunks:
    return Chunks({key: part.chunks for key, part in parts.items()})


def _asked(part: Part, standings: Sequence[Standing | None]) -> list[Asked]:
    """The atoms of a part with what is known of their standings, or where nothing is with their own score alone."""
    vectors, chunks = rounded(part.atoms.embedded.vectors), rounded(part.chunks.embedded.vectors)
    places = {record.id: place for place, record in enumerate(part.chunks.embedded.records)}
    found: list[Asked] = []
    for row, (record, standing) in enumerate(zip(part.atoms.embedded.records, standings, strict=True)):
        sought = frozenset(part.atoms.terms[row].split())
        own = places[record.chunk]
        score = int(vectors[row] @ chunks[own]) + share(sought, part.chunks.terms[own]) if standing is None else 0
        found.append(Asked(sought, vectors[row], standing or Standing(score)))
    return found


def _left(standing: Standing, parts: Container[str]) -> Standing | None:
    """Return what holds of a standing where only `parts` are there, None for an atom that is to be asked anew."""
    if all(key in parts for key, _ in standing.above):
        return standing
    above = tuple(place for place in standing.above if place[0] in parts)
    known = not standing.more or len(above) >= DEPTH
    return Standing(standing.own, above, standing.more) if known else None
