"""Similarity of a question to the nodes of every layer, on one scale and aggregated to chunks.

A cosine is scaled by `pipelines.retrieve.index_cache.Scale`; a BM25 score is divided by `AnalyzedQuery.ideal`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.retrieve.index import Index
from pipelines.retrieve.index_cache import Scale
from pipelines.retrieve.query import AnalyzedQuery, document_surplus, documents_called, matched_terms, rarity
from pipelines.retrieve.sparse_rows import Numbers, Weights
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

KINDS = (RecordKind.SUMMARY, RecordKind.ATOM)
"""Kinds searched by vector and by terms; chunks are searched by vector only, since the index has their terms.

Summaries are not searched if all are quoted from their chunks: they add nothing to the atoms.
"""
ATOM_FACTOR = 3
"""Factor for the number of atoms searched, compared with other kinds: a chunk has several atoms."""


@dataclass(frozen=True, slots=True)
class LayerSimilarity:
    """The similarity of each chunk in one layer: that of its best record, and the sum over its other records."""

    lexical: Weights
    dense: Weights
    rest_lexical: Weights
    rest_dense: Weights


@dataclass(frozen=True, slots=True)
class LayerSimilarities:
    """The similarity of each chunk in every layer, on one scale.

    - `document`: how much more of the question the whole document covers than the chunk.
    - `entity`, `tag`: the weight of the names and tags that question and chunk share.
    - `title`, `document_words`: the weight of the document's title, and of words for it, in the question.
    - `atoms`: the atoms found.
    - `readable`: 1 if the embedder supports the languages of both chunk and question, else 0.
    - `nearest`: the chunks found by their vectors, nearest first, in any language.
    """

    chunk: LayerSimilarity
    summary: LayerSimilarity
    atom: LayerSimilarity
    document: Weights
    entity: Weights
    title: Weights
    document_words: Weights
    tag: Weights
    atoms: AtomScores
    readable: Weights
    nearest: Numbers


class LayerSearch:
    """Searches all layers of one knowledge base.

    `reads` returns whether the embedder supports a language. `missed` is called if a search finds a chunk that is not
    in the index, because the stores have been written since.
    """

    def __init__(
        self, vectors: VectorStore, index: Index, scale: Scale, reads: Callable[[str], bool], missed: Callable[[], None]
    ) -> None:
        self._vectors = vectors
        self._index = index
        self._scale = scale
        self._kinds = KINDS if index.has_summaries else tuple(kind for kind in KINDS if kind is not RecordKind.SUMMARY)
        self._reads = reads
        languages = np.array([reads(language) for language in index.languages], dtype=np.float32)
        self._readable = languages[index.language_of] if len(languages) else np.zeros(0, dtype=np.float32)
        self._missed = missed
        self._pool = ThreadPoolExecutor(1 + len(KINDS), thread_name_prefix="search")

    def similarities(
        self,
        query: AnalyzedQuery,
        covered: Weights,
        vector: Vectors,
        limit: int,
        where: Filter,
        skipped: Collection[RecordKind] = (),
    ) -> LayerSimilarities:
        """Return the similarities of a question to all layers; each search returns at most `limit` records.

        `covered` is `coverage(query, index)`, `vector` the question's vector. Kinds in `skipped` have similarity 0.
        """
        kinds = [kind for kind in self._kinds if kind not in skipped]
        sizes = dict.fromkeys((RecordKind.CHUNK, *kinds), limit) | {RecordKind.ATOM: limit * ATOM_FACTOR}
        wanted = matched_terms(query, self._index)
        by_vector = {
            kind: self._pool.submit(self._vectors.search, kind, vector, size, where) for kind, size in sizes.items()
        }
        by_terms = {
            kind: self._pool.submit(self._vectors.match, kind, wanted, sizes[kind], where) for kind in kinds if wanted
        }
        dense = _results(by_vector)
        lexical = _results(by_terms)
        best, rest = self._by_chunk(dense[RecordKind.CHUNK], self._cosines(RecordKind.CHUNK, dense, vector))
        index = self._index
        return LayerSimilarities(
            chunk=LayerSimilarity(query.weights @ covered / query.ideal, best, np.zeros_like(best), rest),
            summary=self._layer(RecordKind.SUMMARY, dense, lexical, query, vector),
            atom=self._layer(RecordKind.ATOM, dense, lexical, query, vector),
            document=document_surplus(query, covered, index),
            entity=_shared_entities(query, index),
            title=_titles(query, index),
            document_words=_document_words(query, index),
            tag=self._shared_tags(query),
            atoms=AtomScores.of(
                (dense[RecordKind.ATOM], self._cosines(RecordKind.ATOM, dense, vector)),
                (lexical[RecordKind.ATOM], _scores(lexical[RecordKind.ATOM]) / query.ideal),
            ),
            readable=self._readable * np.float32(self._reads(query.language)),
            nearest=self._known_chunks(dense[RecordKind.CHUNK]),
        )

    def _layer(
        self, kind: RecordKind, dense: _Found, lexical: _Found, query: AnalyzedQuery, vector: Vectors
    ) -> LayerSimilarity:
        by_vector, rest_by_vector = self._by_chunk(dense[kind], self._cosines(kind, dense, vector))
        by_terms, rest_by_terms = self._by_chunk(lexical[kind], _scores(lexical[kind]) / query.ideal)
        return LayerSimilarity(by_terms, by_vector, rest_by_terms, rest_by_vector)

    def _cosines(self, kind: RecordKind, dense: _Found, vector: Vectors) -> Weights:
        return self._scale.scaled(kind, _scores(dense[kind]), vector)

    def _by_chunk(self, records: Sequence[Scored], scores: Weights) -> tuple[Weights, Weights]:
        """Return for each chunk the score of its best record, and the sum of the other scores."""
        best = np.zeros(self._index.size, dtype=np.float32)
        total = np.zeros(self._index.size, dtype=np.float32)
        numbers = self._chunk_numbers(records)
        known = numbers >= 0
        np.maximum.at(best, numbers[known], scores[known])
        np.add.at(total, numbers[known], scores[known])
        return best, total - best

    def _known_chunks(self, records: Sequence[Scored]) -> Numbers:
        found = self._chunk_numbers(records)
        return found[found >= 0]

    def _chunk_numbers(self, records: Sequence[Scored]) -> Numbers:
        found = np.array([self._index.chunks.place(record.chunk) for record in records], dtype=np.int32)
        if (found < 0).any():
            self._missed()
        return found

    def _shared_tags(self, query: AnalyzedQuery) -> Weights:
        """Return for each chunk the weight of the rarest tag that it shares with the question."""
        index = self._index
        found = np.zeros(index.size, dtype=np.float32)
        for pair in query.tags:
            number = index.tag_number(pair.corpus_tag)
            if number is not None:
                chunks = index.tag_chunks.columns_of(number)
                weights = pair.weight * rarity(index, len(chunks)) ** 2 * index.tag_chunks.values_of(number)
                found[chunks] = np.maximum(found[chunks], weights)
        return found


@dataclass(frozen=True, slots=True)
class AtomScores:
    """The atoms found by id: the sum of their dense and lexical scores, and the ids of their chunks."""

    scores: Mapping[str, float]
    chunks: Mapping[str, str]

    @staticmethod
    def of(*searches: tuple[Sequence[Scored], Weights]) -> AtomScores:
        sums: dict[str, float] = {}
        chunks: dict[str, str] = {}
        for records, scores in searches:
            for record, score in zip(records, scores.tolist(), strict=True):
                sums[record.id] = sums.get(record.id, 0.0) + score
                chunks[record.id] = record.chunk
        return AtomScores(sums, chunks)

    def by_chunk(self, chunks: Collection[str], limit: int) -> dict[str, list[str]]:
        """Return at most `limit` atoms for each of `chunks`, best first, ties by id."""
        found: dict[str, list[str]] = {chunk: [] for chunk in chunks}
        wanted = [atom for atom, chunk in self.chunks.items() if chunk in found]
        for atom in sorted(wanted, key=lambda atom: (-self.scores[atom], atom)):
            if len(found[self.chunks[atom]]) < limit:
                found[self.chunks[atom]].append(atom)
        return found


_Found = Mapping[RecordKind, Sequence[Scored]]


def _results(searches: Mapping[RecordKind, Future[list[Scored]]]) -> _Found:
    """Return the results of each search, empty for kinds that were not searched."""
    return {kind: searches[kind].result() if kind in searches else () for kind in RecordKind}


def _scores(records: Sequence[Scored]) -> Weights:
    return np.array([record.score for record in records], dtype=np.float32)


def _shared_entities(query: AnalyzedQuery, index: Index) -> Weights:
    """Return for each chunk the squared rarity of the rarest name that it shares with the question."""
    found = np.zeros(index.size, dtype=np.float32)
    for entity, weight in query.entities.items():
        chunks = index.entity_chunks.columns_of(entity)
        how_rare = rarity(index, int(index.name_frequency[entity]))
        found[chunks] = np.maximum(found[chunks], weight * how_rare**2 * index.entity_chunks.values_of(entity))
    return found


def _titles(query: AnalyzedQuery, index: Index) -> Weights:
    """Return for each chunk the weight of its document's title in the question."""
    found = np.zeros(len(index.documents), dtype=np.float32)
    for document, weight in query.titles.items():
        found[document] = weight
    return found[index.document_of]


def _document_words(query: AnalyzedQuery, index: Index) -> Weights:
    """Return for each chunk the share of the question's weight in terms that readers may use for its document."""
    found = np.zeros(len(index.documents), dtype=np.float32)
    for word, weight in zip(query.words, query.weights.tolist(), strict=True):
        if len(documents := documents_called(word, index)):
            how_rare = 1 - math.log(len(documents)) / math.log(max(len(index.documents), 2))
            found[documents] += weight * max(0.0, how_rare)
    return (found / query.ideal)[index.document_of]
