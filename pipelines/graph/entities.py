"""Entities of the whole corpus: the profile of each name over all documents, and which names are near each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core.vectors import Vectors
from pipelines.graph.document_profile import DocumentProfile

_BLOCK = 2048
"""Rows that are multiplied at once with as many others: their scores take 16 MB."""


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """One name as all documents use it, before anything is merged.

    `type` is the one most often given, empty where none is. `mentions` and `documents` tell how often and in which
    documents it stands, the latter sorted.
    """

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    documents: tuple[str, ...] = ()


@dataclass(slots=True)
class _Gathered:
    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    aliases: set[str] = field(default_factory=set)
    mentions: int = 0
    documents: list[str] = field(default_factory=list)


def entity_profiles(profiles: Iterable[DocumentProfile]) -> list[EntityProfile]:
    """Return a profile for each entity id in `profiles`, in order of id."""
    gathered: dict[str, _Gathered] = {}
    for profile in sorted(profiles, key=lambda profile: profile.document):
        for entity in profile.entities:
            one = gathered.setdefault(entity.id, _Gathered())
            one.names[entity.name] += max(entity.count, 1)
            if entity.type:
                one.types[entity.type] += max(entity.count, 1)
            one.aliases.update(entity.aliases)
            one.mentions += entity.count
            one.documents.append(profile.document)
    return [_profile(id, gathered[id]) for id in sorted(gathered)]


def _profile(id: str, one: _Gathered) -> EntityProfile:
    name = most_common(one.names)
    aliases = (one.aliases | set(one.names)) - {name}
    return EntityProfile(id, name, most_common(one.types), tuple(sorted(aliases)), one.mentions, tuple(one.documents))


def most_common(counts: Counter[str]) -> str:
    """Return the key with the highest count, of equals the first in order; empty where there is none."""
    return min(counts, key=lambda key: (-counts[key], key)) if counts else ""


def nearest_pairs(vectors: Vectors, count: int, least: float) -> Iterator[tuple[int, int, float]]:
    """Yield (i, j, cosine) with i < j, each pair once, where either is among the `count` nearest of the other.

    `vectors` has unit rows, shape (n, dimension); pairs below the cosine `least` are left out. Each two blocks of rows
    are multiplied once. The memory is that of their scores, and of `count` pairs for each row.
    """
    starts = range(0, len(vectors), _BLOCK)
    best = [_NO_PAIRS] * len(starts)
    for place, start in enumerate(starts):
        for other_place in range(place, len(starts)):
            pairs = _near(vectors, start, starts[other_place], least)
            best[place] = best[place].joined(pairs).best(min(count, len(vectors) - 1))
            if other_place > place:
                best[other_place] = best[other_place].joined(pairs.turned()).best(min(count, len(vectors) - 1))
    seen: set[tuple[int, int]] = set()
    for found in best:
        for i, j, score in zip(*(part.tolist() for part in found), strict=True):
            pair = (i, j) if i < j else (j, i)
            if pair not in seen:
                seen.add(pair)
                yield *pair, score


def _near(vectors: Vectors, start: int, other: int, least: float) -> _Pairs:
    """The pairs of a row of one block and a row of another whose cosine is at least `least`."""
    scores = vectors[start : start + _BLOCK] @ vectors[other : other + _BLOCK].T
    if other == start:
        np.fill_diagonal(scores, -2.0)
    near = np.flatnonzero(scores >= max(least, -1.0))  # few are: they alone are put in order
    rows, columns = np.divmod(near, scores.shape[1])
    return _Pairs(rows + start, columns + other, scores.ravel()[near])


class _Pairs(NamedTuple):
    """Pairs of rows of the vectors, with their cosines."""

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

    def best(self, count: int) -> _Pairs:
        """The pairs with the highest scores of each row, of equals the first in order."""
        order = np.lexsort((self.columns, -self.scores, self.rows))
        rows = self.rows[order]
        place_in_row = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = order[place_in_row < count]
        return _Pairs(self.rows[kept], self.columns[kept], self.scores[kept])


_NO_PAIRS = _Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))
