"""One scale for cosines and BM25 scores of all layers: 0 for what is found by chance, 1 for the thing itself.

The ends are measured on the knowledge base, once, and recorded with the atlas: the floor of a kind is the mean cosine
of its records to atoms of other documents, the top that of an atom to its own chunk. A BM25 score is held against
the score of a text of mean length that has every term of the question once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.retrieve.index import Weights
from pipelines.store.vector import RecordKind, VectorStore

SAMPLE = 64
"""Documents from which the scale is measured."""
_LEAST = 0.05
"""The least distance between floor and top that means anything."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The cosines that count as 0, by kind, and as 1."""

    floors: Mapping[str, float]
    top: float = 1.0

    def dense(self, kind: RecordKind, cosines: Weights) -> Weights:
        """Return cosines of records of `kind` on the scale; never below 0."""
        floor = self.floors.get(kind.value, 0.0)
        found: Weights = np.maximum(0, (cosines - floor) / max(self.top - floor, _LEAST))
        return found


def measure(vectors: VectorStore, documents: list[str]) -> Scale:
    """Return the scale of a knowledge base from some of its documents, evenly taken from those given."""
    step = max(1, len(documents) // SAMPLE)
    found = {kind: _Sample() for kind in (RecordKind.ATOM, RecordKind.CHUNK, RecordKind.SUMMARY, RecordKind.DOCUMENT)}
    for embedded in vectors.records(tuple(found), documents[::step][:SAMPLE]):
        for record, vector in zip(embedded.records, embedded.vectors, strict=True):
            found[record.kind].add(record.owner, record.chunk or record.id, vector)
    atoms, chunks = found[RecordKind.ATOM], found[RecordKind.CHUNK]
    if not atoms.vectors or not chunks.vectors:
        return Scale({})
    floors = {kind.value: _chance(atoms, sample) for kind, sample in found.items() if sample.vectors}
    return Scale(floors, _own(atoms, chunks, floors[RecordKind.CHUNK.value]))


class _Sample:
    def __init__(self) -> None:
        self.owners: list[str] = []
        self.chunks: list[str] = []
        self.vectors: list[Vectors] = []

    def add(self, owner: str, chunk: str, vector: Vectors) -> None:
        self.owners.append(owner)
        self.chunks.append(chunk)
        self.vectors.append(vector)


def _chance(atoms: _Sample, others: _Sample) -> float:
    cosines = np.stack(atoms.vectors) @ np.stack(others.vectors).T
    foreign = np.array(atoms.owners)[:, None] != np.array(others.owners)[None, :]
    return float(cosines[foreign].mean()) if foreign.any() else 0.0


def _own(atoms: _Sample, chunks: _Sample, floor: float) -> float:
    by_id = dict(zip(chunks.chunks, chunks.vectors, strict=True))
    own = [
        float(vector @ by_id[chunk])
        for chunk, vector in zip(atoms.chunks, atoms.vectors, strict=True)
        if chunk in by_id
    ]
    return max(float(np.mean(own)), floor + _LEAST) if own else 1.0
