"""Similarity of a question to the nodes of every layer, brought to one scale and up to the chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import math

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore
from qa.retrieval.asked import Asked, rarity
from qa.retrieval.atlas import Atlas, Weights
from qa.retrieval.scale import Scale


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

    `entity` and `title` are what question and chunk, or its document, have by name; `tag` by tag. `atoms` are the
    atoms found for each chunk, by number, best first.
    """

    chunk: Layer
    summary: Layer
    atom: Layer
    document: Layer
    entity: Weights
    title: Weights
    called: Weights
    tag: Weights
    atoms: dict[int, list[str]] = field(default_factory=dict)


class Search:
    """Searches of all layers of one knowledge base."""

    def __init__(self, vectors: VectorStore, atlas: Atlas, scale: Scale) -> None:
        self._vectors = vectors
        self._atlas = atlas
        self._scale = scale
        self._chunks = {id: number for number, id in enumerate(atlas.chunks)}
        self._tag_numbers = {name: number for number, name in enumerate(atlas.tag_names)}
        self._documents = {id: number for number, id in enumerate(atlas.documents)}

    def layers(self, asked: Asked, covered: Weights, vector: Vectors, limit: int, where: Filter) -> Layers:
        """Return the similarities of a question to all layers; each search brings in `limit` records."""
        dense = {kind: self._vectors.search(kind, vector, limit, where) for kind in _TEXTS}
        lexical = {kind: self._vectors.match(kind, asked.text, limit, where) for kind in _MATCHED}
        atoms: dict[int, list[tuple[float, str]]] = {}
        atom = self._layer(RecordKind.ATOM, asked, dense[RecordKind.ATOM], lexical[RecordKind.ATOM], atoms)
        chunk = self._layer(RecordKind.CHUNK, asked, dense[RecordKind.CHUNK], ())
        zero = np.zeros(self._atlas.size, dtype=np.float32)
        return Layers(
            chunk=Layer(asked.weights @ covered / asked.ideal, chunk.dense, zero, zero),
            summary=self._layer(RecordKind.SUMMARY, asked, dense[RecordKind.SUMMARY], lexical[RecordKind.SUMMARY]),
            atom=atom,
            document=self._documents_layer(asked, dense[RecordKind.DOCUMENT], lexical[RecordKind.DOCUMENT]),
            entity=self._entities(asked),
            title=self._titles(asked),
            called=self._called(asked),
            tag=self._tags(asked),
            atoms={chunk: [id for _, id in sorted(found, reverse=True)] for chunk, found in atoms.items()},
        )

    def _layer(
        self,
        kind: RecordKind,
        asked: Asked,
        dense: Sequence[Scored],
        lexical: Sequence[Scored],
        found: dict[int, list[tuple[float, str]]] | None = None,
    ) -> Layer:
        by_vector = [self._scale.dense(kind, one.score) for one in dense]
        by_terms = [self._scale.lexical(one.score, asked.ideal) for one in lexical]
        if found is not None:
            _collect(self._chunks, (*dense, *lexical), (*by_vector, *by_terms), found)
        best_dense, more_dense = self._upward(dense, by_vector)
        best_lexical, more_lexical = self._upward(lexical, by_terms)
        return Layer(best_lexical, best_dense, more_lexical, more_dense)

    def _upward(self, records: Sequence[Scored], scores: Sequence[float]) -> tuple[Weights, Weights]:
        """For each chunk its best record's score, and the sum of the others'."""
        best = np.zeros(self._atlas.size, dtype=np.float32)
        total = np.zeros(self._atlas.size, dtype=np.float32)
        for record, score in zip(records, scores, strict=True):
            number = self._chunks.get(record.chunk)
            if number is not None:
                best[number] = max(best[number], score)
                total[number] += score
        return best, total - best

    def _documents_layer(self, asked: Asked, dense: Sequence[Scored], lexical: Sequence[Scored]) -> Layer:
        found = np.zeros((2, len(self._atlas.documents)), dtype=np.float32)
        for record in dense:
            found[0, self._documents[record.id]] = self._scale.dense(RecordKind.DOCUMENT, record.score)
        for record in lexical:
            found[1, self._documents[record.id]] = self._scale.lexical(record.score, asked.ideal)
        spread = found[:, self._atlas.document_of]
        zero = np.zeros(self._atlas.size, dtype=np.float32)
        return Layer(spread[1], spread[0], zero, zero)

    def _entities(self, asked: Asked) -> Weights:
        """The rarest name of the question that each chunk mentions; its rarity counts twice, common ones tell little."""
        atlas = self._atlas
        found = np.zeros(atlas.size, dtype=np.float32)
        for entity, weight in asked.entities.items():
            chunks = atlas.mentioned.of(entity)
            told = weight * rarity(atlas, int(atlas.spread[entity])) ** 2 * atlas.mentioned.values_of(entity)
            found[chunks] = np.maximum(found[chunks], told)
        return found

    def _called(self, asked: Asked) -> Weights:
        """The share of the question's weight in terms by which a reader may call each chunk's document."""
        atlas = self._atlas
        found = np.zeros(len(atlas.documents), dtype=np.float32)
        total = len(atlas.documents)
        for number, weight in zip(asked.numbers, asked.weights, strict=True):
            documents = atlas.callers.of(number) if number >= 0 else atlas.callers.columns[:0]
            if len(documents):
                found[documents] += weight * max(0.0, 1 - math.log(len(documents)) / math.log(max(total, 2)))
        return (found / asked.ideal)[atlas.document_of]

    def _tags(self, asked: Asked) -> Weights:
        """The rarest tag of each chunk that the question leads to, with the chunk's own weight for it."""
        atlas = self._atlas
        found = np.zeros(atlas.size, dtype=np.float32)
        for pair in asked.mapped:
            number = self._tag_numbers.get(pair.corpus_tag)
            if number is not None:
                chunks = atlas.tagged.of(number)
                told = pair.weight * rarity(atlas, len(chunks)) ** 2 * atlas.tagged.values_of(number)
                found[chunks] = np.maximum(found[chunks], told)
        return found

    def _titles(self, asked: Asked) -> Weights:
        found = np.zeros(self._atlas.size, dtype=np.float32)
        for document, weight in asked.titles.items():
            chunks = self._atlas.chunks_of.of(document)
            found[chunks] = np.maximum(found[chunks], weight)
        return found


_TEXTS = (RecordKind.CHUNK, RecordKind.SUMMARY, RecordKind.ATOM, RecordKind.DOCUMENT)
_MATCHED = (RecordKind.SUMMARY, RecordKind.ATOM, RecordKind.DOCUMENT)


def _collect(
    chunks: dict[str, int],
    records: Sequence[Scored],
    scores: Sequence[float],
    found: dict[int, list[tuple[float, str]]],
) -> None:
    """Note for each chunk its atoms with the sum of what they were found with."""
    sums: dict[str, float] = {}
    for record, score in zip(records, scores, strict=True):
        sums[record.id] = sums.get(record.id, 0.0) + score
    homes = {record.id: chunks.get(record.chunk) for record in records}
    for atom, score in sums.items():
        home = homes[atom]
        if home is not None:
            found.setdefault(home, []).append((score, atom))
