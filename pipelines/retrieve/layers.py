"""Similarity of a question to the nodes of every layer, brought to one scale and up to the chunks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.retrieve.index import Atlas, Numbers, Weights
from pipelines.retrieve.query import Asked, rarity
from pipelines.retrieve.scale import Scale
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

KINDS = (RecordKind.SUMMARY, RecordKind.ATOM, RecordKind.DOCUMENT)
"""Searched by vector and by terms; chunks by vector alone, for the atlas has their terms.

Summaries are left out where all are quoted from their chunks: they say nothing that the atoms do not.
"""

ATOMS = 3
"""How many times as many atoms are looked at as records of another kind: several lead to one chunk."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What one layer says of each chunk: the best record that leads to it, and what the further ones add up to."""

    lexical: Weights
    dense: Weights
    more_lexical: Weights
    more_dense: Weights


@dataclass(frozen=True, slots=True)
class Layers:
    """All layers' similarity to each chunk, on one scale.

    `entity` and `tag` are what question and chunk share by name and by tag, `title` and `called` what speaks for the
    chunk's document: its title in the question, and words by which a reader may call it. `atoms` are those found.
    """

    chunk: Layer
    summary: Layer
    atom: Layer
    document: Layer
    entity: Weights
    title: Weights
    called: Weights
    tag: Weights
    atoms: Atoms


class Search:
    """Searches of all layers of one knowledge base."""

    def __init__(self, vectors: VectorStore, atlas: Atlas, scale: Scale) -> None:
        self._vectors = vectors
        self._atlas = atlas
        self._scale = scale
        self._chunks = {id: number for number, id in enumerate(atlas.chunks)}
        self._documents = {id: number for number, id in enumerate(atlas.documents)}
        self._tags = {name: number for number, name in enumerate(atlas.tag_names)}
        self._kinds = KINDS if atlas.summarized else tuple(kind for kind in KINDS if kind is not RecordKind.SUMMARY)
        self._pool = ThreadPoolExecutor(len(KINDS), thread_name_prefix="search")

    def layers(
        self,
        asked: Asked,
        covered: Weights,
        vector: Vectors,
        limit: int,
        where: Filter,
        passed_over: Collection[RecordKind] = (),
    ) -> Layers:
        """Return the similarities of a question to all layers; each search brings in `limit` records.

        Of the kinds passed over nothing is found.
        """
        kinds = [kind for kind in self._kinds if kind not in passed_over]
        sizes = dict.fromkeys((RecordKind.CHUNK, *kinds), limit) | {RecordKind.ATOM: limit * ATOMS}
        by_vector = {
            kind: self._pool.submit(self._vectors.search, kind, vector, size, where) for kind, size in sizes.items()
        }
        by_terms = {
            kind: self._pool.submit(self._vectors.match, kind, asked.text, sizes[kind], where) for kind in kinds
        }
        dense = _results(by_vector)
        lexical = _results(by_terms)
        near, more = self._upward(dense[RecordKind.CHUNK], self._cosines(RecordKind.CHUNK, dense))
        atlas = self._atlas
        return Layers(
            chunk=Layer(asked.weights @ covered / asked.ideal, near, np.zeros_like(near), more),
            summary=self._layer(RecordKind.SUMMARY, dense, lexical, asked),
            atom=self._layer(RecordKind.ATOM, dense, lexical, asked),
            document=self._document(dense, lexical, asked),
            entity=_entities(asked, atlas),
            title=_titles(asked, atlas),
            called=_called(asked, atlas),
            tag=self._tagged(asked),
            atoms=Atoms.of(
                (dense[RecordKind.ATOM], self._cosines(RecordKind.ATOM, dense)),
                (lexical[RecordKind.ATOM], _scores(lexical[RecordKind.ATOM]) / asked.ideal),
            ),
        )

    def _layer(self, kind: RecordKind, dense: _Found, lexical: _Found, asked: Asked) -> Layer:
        by_vector, more_by_vector = self._upward(dense[kind], self._cosines(kind, dense))
        by_terms, more_by_terms = self._upward(lexical[kind], _scores(lexical[kind]) / asked.ideal)
        return Layer(by_terms, by_vector, more_by_terms, more_by_vector)

    def _cosines(self, kind: RecordKind, dense: _Found) -> Weights:
        return self._scale.dense(kind, _scores(dense[kind]))

    def _upward(self, records: Sequence[Scored], scores: Weights) -> tuple[Weights, Weights]:
        """For each chunk its best record's score, and the sum of the others'."""
        best = np.zeros(self._atlas.size, dtype=np.float32)
        total = np.zeros(self._atlas.size, dtype=np.float32)
        places = self._places(records)
        known = places >= 0
        np.maximum.at(best, places[known], scores[known])
        np.add.at(total, places[known], scores[known])
        return best, total - best

    def _places(self, records: Sequence[Scored]) -> Numbers:
        return np.array([self._chunks.get(record.chunk, -1) for record in records], dtype=np.int32)

    def _document(self, dense: _Found, lexical: _Found, asked: Asked) -> Layer:
        kind = RecordKind.DOCUMENT
        by_vector = self._over_documents(dense[kind], self._cosines(kind, dense))
        by_terms = self._over_documents(lexical[kind], _scores(lexical[kind]) / asked.ideal)
        return Layer(by_terms, by_vector, np.zeros_like(by_terms), np.zeros_like(by_vector))

    def _over_documents(self, records: Sequence[Scored], scores: Weights) -> Weights:
        """For each chunk the score of its document."""
        found = np.zeros(len(self._documents) + 1, dtype=np.float32)  # the last place is for the unknown
        found[[self._documents.get(record.id, -1) for record in records]] = scores
        return found[self._atlas.document_of]

    def _tagged(self, asked: Asked) -> Weights:
        """The rarest tag of each chunk that the question leads to, with the chunk's own weight for it."""
        atlas = self._atlas
        found = np.zeros(atlas.size, dtype=np.float32)
        for pair in asked.mapped:
            number = self._tags.get(pair.corpus_tag)
            if number is not None:
                chunks = atlas.tagged.of(number)
                told = pair.weight * rarity(atlas, len(chunks)) ** 2 * atlas.tagged.values_of(number)
                found[chunks] = np.maximum(found[chunks], told)
        return found


@dataclass(frozen=True, slots=True)
class Atoms:
    """The atoms that a question found, each with the sum of what it was found with."""

    found: Mapping[str, float]
    homes: Mapping[str, str]

    @staticmethod
    def of(*searches: tuple[Sequence[Scored], Weights]) -> Atoms:
        sums: dict[str, float] = {}
        homes: dict[str, str] = {}
        for records, scores in searches:
            for record, score in zip(records, scores.tolist(), strict=True):
                sums[record.id] = sums.get(record.id, 0.0) + score
                homes[record.id] = record.chunk
        return Atoms(sums, homes)

    def by_chunk(self, chunks: Collection[str], limit: int) -> dict[str, list[str]]:
        """Return the best atoms of each of `chunks`, best first, ties by id, at most `limit` each."""
        found: dict[str, list[str]] = {chunk: [] for chunk in chunks}
        wanted = [atom for atom, home in self.homes.items() if home in found]
        for atom in sorted(wanted, key=lambda atom: (-self.found[atom], atom)):
            if len(found[self.homes[atom]]) < limit:
                found[self.homes[atom]].append(atom)
        return found


_Found = Mapping[RecordKind, Sequence[Scored]]


def _results(searches: Mapping[RecordKind, Future[list[Scored]]]) -> _Found:
    """What each search found; nothing of a kind that was not searched."""
    return {kind: searches[kind].result() if kind in searches else () for kind in RecordKind}


def _scores(records: Sequence[Scored]) -> Weights:
    return np.array([record.score for record in records], dtype=np.float32)


def _entities(asked: Asked, atlas: Atlas) -> Weights:
    """The rarest name of the question that each chunk mentions; rarity counts twice, for common ones tell little."""
    found = np.zeros(atlas.size, dtype=np.float32)
    for entity, weight in asked.entities.items():
        chunks = atlas.mentioned.of(entity)
        told = weight * rarity(atlas, int(atlas.spread[entity])) ** 2 * atlas.mentioned.values_of(entity)
        found[chunks] = np.maximum(found[chunks], told)
    return found


def _titles(asked: Asked, atlas: Atlas) -> Weights:
    """For each chunk how much the question names its document by title."""
    found = np.zeros(len(atlas.documents), dtype=np.float32)
    for document, weight in asked.titles.items():
        found[document] = weight
    return found[atlas.document_of]


def _called(asked: Asked, atlas: Atlas) -> Weights:
    """The share of the question's weight in terms by which a reader may call each chunk's document."""
    found = np.zeros(len(atlas.documents), dtype=np.float32)
    for number, weight in zip(asked.numbers.tolist(), asked.weights.tolist(), strict=True):
        if number >= 0 and len(documents := atlas.callers.of(number)):
            telling = 1 - math.log(len(documents)) / math.log(max(len(atlas.documents), 2))
            found[documents] += weight * max(0.0, telling)
    return (found / asked.ideal)[atlas.document_of]
