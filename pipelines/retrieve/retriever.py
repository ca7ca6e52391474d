"""Retrieval over all layers of a knowledge base (PIKE-RAG 5.2.3), each path of figure 11 alone, and flat search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from typing import Self

import numpy as np

from pipelines.core.graph import NodeKind
from pipelines.core.knowledge import TagPair
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, Side
from pipelines.llm.embedders import reads
from pipelines.resources import Stores
from pipelines.retrieve.filters import chunk_mask, with_tag_spellings
from pipelines.retrieve.flat_search import FlatSearch, Mode
from pipelines.retrieve.hit import AtomHit, FoundChunk, Hit, HitReader, LinkedChunk, Share
from pipelines.retrieve.index import Index
from pipelines.retrieve.index_cache import Scale
from pipelines.retrieve.layers import LayerSearch, LayerSimilarities
from pipelines.retrieve.named_documents import NamedDocuments, named_documents
from pipelines.retrieve.propagate import KINDS, hops_from
from pipelines.retrieve.query import TagMap, analyze_query, coverage, with_terms
from pipelines.retrieve.question_words import CorpusWords
from pipelines.retrieve.score import (
    ChunkScores,
    QueryFeatures,
    explain,
    question_share,
    score_chunks,
    select_chunks,
    squash,
)
from pipelines.retrieve.stored_index import StoredIndex
from pipelines.sections import RetrieveSettings
from pipelines.store.graph import GraphStore
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

ATOMS_SHOWN = 3
"""Maximum atoms of a hit."""


class Retriever:
    """Finds the chunks of a knowledge base that answer a question.

    A chunk's score x depends on the similarity of the chunk and of its document to the question, and on the scores that
    other chunks propagate to it (PIKE-RAG 5.2.3, figure 8: S = f(g(Q, I), g(Q, C), g(Q, D))). The words in `code` are
    settings (`[retrieve]`):

        own      = sum over chunk, summary and atom of `weight` * (`lexical` * BM25 + (1 - `lexical`) * cosine)
                   + `entity` * (rarity of a shared name) ** 2 + `tag` * shared tags
        document = `document` * share of the question that the document covers and the chunk does not
                   + `title` * rarity of its title in the question
                   + `called` * share of the question in words of its title, file name and kind
        base     = own + document * (own / the highest own in the document) ** `focus`
        x        = base + the gains of propagation + `back` * what the chunk passed on
        score    = x / (1 + x)

    BM25 and cosine are on one scale, 0 for unrelated texts and 1 for an ideal match (`pipelines.retrieve.index_cache`,
    `pipelines.retrieve.query`). In documents that the question names, own is at least that for the rest of the question
    (`pipelines.retrieve.named_documents`). The similarity of the atoms is that of the best one, plus `soft_count` times
    that of the others. If no chunk covers a share `worded` of the question, `lexical`, `document`, `title` and `called`
    are lowered, because the question is not in the words of the corpus. Propagation is described in
    `pipelines.retrieve.propagate`. The returned chunks are chosen one after the other by x * (1 + `fresh` * share of
    the question that no chosen chunk covers).

    Example: "When was the lighthouse built in the town where Edda Quill was born?" over three pages. The page on Edda
    Quill has a high base, since its title is in the question (`title`) and its atom "Edda Quill was born in Torvik" is
    similar (`atom`). The page on Torvik shares only the word "lighthouse" with the question, and a page on another
    lighthouse may have a higher base. But the first page mentions Torvik, a rare name that is not in the question, and
    does not answer "lighthouse" and "built". It therefore passes much of its score along MENTIONS, and Torvik's page
    comes second. `Hit.shares` of that page shows this: MENTIONS, along ("Edda Quill", "Torvik", "Torvik").

    Thread-safe. The index is loaded for the first question; it is built from the graph only if it is not cached.
    """

    def __init__(
        self,
        graph: GraphStore,
        vectors: VectorStore,
        embedder: Embedder,
        settings: RetrieveSettings = RetrieveSettings(),
        pairs: Sequence[TagPair] = (),
        cache: Path | None = None,
    ) -> None:
        """Take the stores to read from, and the embedder of the vectors.

        `pairs` map users' words to the corpus's tags. The folder `cache` stores the index until the graph changes.
        """
        self.settings = settings
        self._graph, self._vectors, self._embedder, self._pairs = graph, vectors, embedder, pairs
        self._stored = StoredIndex(graph, vectors, embedder, cache)
        self._missed = Event()

    @classmethod
    def of(cls, stores: Stores, settings: RetrieveSettings, pairs: Sequence[TagPair] = ()) -> Self:
        """Return the retriever over open stores, with its cache beside them."""
        return cls(stores.graph, stores.vectors, stores.embedder, settings, pairs, stores.index_folder)

    @property
    def index(self) -> Index:
        """The index of the graph."""
        return self._stored.index_and_scale[0]

    @property
    def scale(self) -> Scale:
        """The scale for cosines."""
        return self._stored.index_and_scale[1]

    @property
    def outdated(self) -> bool:
        """Whether a search has found a chunk that is missing from the index or the graph."""
        return self._missed.is_set()

    def keep_index(self, update_vectors: Callable[[], None] = lambda: None) -> None:
        """Build and cache the index of the current graph, unless it is cached, so that the first question is fast.

        To be called when the vectors are those of the graph. `update_vectors` updates their own indexes meanwhile.
        """
        self._stored.keep(update_vectors)

    @cached_property
    def _search(self) -> LayerSearch:
        info = self._embedder.info
        return LayerSearch(self._vectors, self.index, self.scale, partial(reads, info), self._missed.set)

    @cached_property
    def _reader(self) -> HitReader:
        return HitReader(self._graph, self.index, self._missed.set)

    @cached_property
    def _flat(self) -> FlatSearch:
        return FlatSearch(self._vectors, self.index, self._corpus_words, self._embed)

    @cached_property
    def _corpus_words(self) -> CorpusWords:
        return CorpusWords(self.index)

    @cached_property
    def _tag_map(self) -> TagMap:
        return TagMap(self.index, self._vectors, self._embedder, self.scale, self._pairs)

    def retrieve(
        self,
        query: str,
        limit: int | None = None,
        where: Filter = Filter(),
        mode: Mode = Mode.GRAPH,
        terms: Sequence[TagPair] = (),
    ) -> tuple[Hit, ...]:
        """Return at most `limit` (default: `settings.limit`) chunks, best first, ties by id; none for a blank query.

        `terms` map words of the query to the documents' terms, which the mode `GRAPH` also searches for, as words and
        in the query's vector.

        >>> [hit.uri for hit in retriever.retrieve("What torque do the casing bolts need?", 3)]  # doctest: +SKIP
        ['manual.pdf', 'data-sheet.xlsx', 'manual.pdf']
        """
        wanted = self.settings.limit if limit is None else limit
        if not query.strip() or wanted < 1:
            return ()
        if mode is not Mode.GRAPH:
            within = with_tag_spellings(where, self.index)
            return self._hits(self._flat.search(mode, query, wanted, within, self.settings.candidates), "chunk")
        features = self.features(query, where, terms)
        scores = score_chunks(features, self.index, self.settings)
        return self._explained(select_chunks(scores, features, self.index, wanted, self.settings), features, scores)

    def chunks(self, query: str, limit: int, threshold: float = 0.0, where: Filter = Filter()) -> tuple[Hit, ...]:
        """Return the chunks nearest to `query` by cosine (figure 11, path a).

        Scores and `threshold` are scaled for the knowledge base and embedder (`pipelines.retrieve.index_cache.Scale`):
        0 for an unrelated passage, 1 for the similarity of an atom to its own chunk.
        """
        return self._hits(self._near(RecordKind.CHUNK, query, limit, threshold, where), "chunk")

    def atoms(self, query: str, limit: int, threshold: float = 0.0, where: Filter = Filter()) -> tuple[AtomHit, ...]:
        """Return the atoms nearest to `query` by cosine, each with its chunk (figure 11, path b), on the same scale."""
        found = self._near(RecordKind.ATOM, query, limit, threshold, where)
        texts = self._atom_texts([one.id for one in found])
        hits = {hit.chunk.id: hit for hit in self._hits(_best_by_chunk(found), "atom")}
        return tuple(
            AtomHit(texts[one.id], one.score, hits[one.chunk]) for one in found if one.chunk in hits and one.id in texts
        )

    def _near(self, kind: RecordKind, query: str, limit: int, threshold: float, where: Filter) -> list[Scored]:
        """Return the records of a kind nearest to `query` with a scaled score of at least `threshold`, at most 1."""
        vector = self._embed(query)
        found = self._vectors.search(kind, vector, limit, with_tag_spellings(where, self.index))
        cosines = np.array([one.score for one in found], dtype=np.float32)
        scaled = np.minimum(1, self.scale.scaled(kind, cosines, vector)).tolist()
        return [replace(one, score=score) for one, score in zip(found, scaled, strict=True) if score >= threshold]

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return at most `limit` chunks one edge away from `chunks`, heaviest edges first."""
        index = self.index
        numbers = {id: number for id in chunks if (number := index.chunk_number(id)) is not None}
        hops = hops_from(np.array(sorted(numbers.values()), dtype=np.int32), index, self.settings)
        targets = [index.chunks[number] for number in hops.targets[:limit]]
        scored = [Scored(id, id, float(gain)) for id, gain in zip(targets, hops.gains, strict=False)]
        hits = {hit.chunk.id: hit for hit in self._hits(scored, "link")}
        return tuple(
            LinkedChunk(
                index.chunks[hops.sources[place]],
                hits[target],
                KINDS[hops.kinds[place]].value,
                index.entity_names[hops.through[place]] if hops.through[place] >= 0 else "",
            )
            for place, target in enumerate(targets)
            if target in hits
        )

    def has_words_of(self, query: str) -> bool:
        """Whether any chunk covers at least the share `worded` of the query."""
        return bool((question_share(self.features(query)) >= self.settings.worded).any())

    def tags_near(self, query: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` tags: those most similar to `query`, then those of the chunks found for it."""
        index = self.index
        names = dict(zip(index.tag_ids, index.tag_names, strict=True))
        near = self._vectors.search(RecordKind.TAG, self._embed(query), limit // 2)
        tags_of = index.tag_chunks.transposed(index.size)
        found = [index.chunk_number(hit.chunk.id) for hit in self.retrieve(query)]
        borne = Counter(tag for number in found if number is not None for tag in tags_of.columns_of(number).tolist())
        named = [names[one.id] for one in near if one.id in names]
        return tuple(dict.fromkeys([*named, *(index.tag_names[tag] for tag, _ in borne.most_common())]))[:limit]

    def map_query(self, query: str) -> tuple[TagPair, ...]:
        """Return the terms of `query` with the corpus's tags for them, the highest weight first (5.2.2)."""
        return self._tag_map.map(query)

    def chunk_frequency(self, term: str) -> int:
        """Return the number of chunks with a term."""
        number = self.index.vocabulary.get(term)
        return 0 if number is None else len(self.index.postings.columns_of(number))

    def sample_atoms(self, count: int) -> tuple[tuple[str, str], ...]:
        """Return at most `count` evenly spaced atoms: (text, id of the chunk)."""
        atoms = [(one.text, one.chunk) for batch in self._vectors.records((RecordKind.ATOM,)) for one in batch.records]
        return tuple(atoms[:: max(1, len(atoms) // count)][:count])

    def features(self, query: str, where: Filter = Filter(), terms: Sequence[TagPair] = ()) -> QueryFeatures:
        """Return the input for the scores of `query`; layers with weight 0 are not searched."""
        where = with_tag_spellings(where, self.index)
        known = self.map_query(query) if self.settings.tag or self.settings.tag_words else ()
        tags = tuple({pair.corpus_tag: pair for pair in (*terms, *known)}.values())
        analyzed = analyze_query(query, self.index, tags, self._corpus_words, self.settings.tag_words)
        covered = coverage(analyzed, self.index)
        unused = () if self.settings.summary else (RecordKind.SUMMARY,)
        limit = self.settings.candidates
        named = tuple(named_documents(analyzed, self.index))
        # In one call: an embedder may be a service.
        vector, *rests = self._embedded(with_terms(query, terms), *(one.rest for one in named))
        layers = self._search.similarities(analyzed, covered, vector, limit, where, unused)
        inside = tuple(
            (one, self._layers_inside(one, rest, where, unused)) for one, rest in zip(named, rests, strict=True)
        )
        return QueryFeatures(analyzed, covered, layers, chunk_mask(where, self.index), inside)

    def _layers_inside(
        self, named: NamedDocuments, vector: Vectors, where: Filter, unused: Collection[RecordKind]
    ) -> LayerSimilarities:
        """Return the similarities of the chunks of the documents that a question names to the rest of it.

        `vector` is that of the rest.
        """
        analyzed = analyze_query(named.rest, self.index, (), self._corpus_words)
        covered = coverage(analyzed, self.index)
        within = replace(where, documents=tuple(self.index.documents[number] for number in named.documents))
        return self._search.similarities(analyzed, covered, vector, self.settings.candidates, within, unused)

    def rank(self, features: QueryFeatures, limit: int, settings: RetrieveSettings) -> list[int]:
        """Return the index numbers of the best chunks with other `settings` than `self.settings`."""
        return select_chunks(score_chunks(features, self.index, settings), features, self.index, limit, settings)

    def hits_of(self, numbers: Sequence[int]) -> tuple[Hit, ...]:
        """Return the chunks with these index numbers as hits with score 0."""
        ids = [self.index.chunks[number] for number in numbers]
        return self._hits([Scored(id, id, 0.0) for id in ids], "chunk")

    def _embed(self, query: str) -> Vectors:
        return next(self._embedded(query))

    def _embedded(self, *queries: str) -> Iterator[Vectors]:
        """Yield the vector of each query; they are embedded in one call."""
        yield from self._embedder.embed(list(queries), Side.QUERY)

    def _explained(self, numbers: Sequence[int], features: QueryFeatures, scores: ChunkScores) -> tuple[Hit, ...]:
        ids = [self.index.chunks[number] for number in numbers]
        shown = features.layers.atoms.by_chunk(ids, ATOMS_SHOWN)
        texts = self._atom_texts([atom for atoms in shown.values() for atom in atoms])
        return self._reader.hits(
            FoundChunk(
                id,
                squash(float(scores.total[number])),
                explain(number, features, scores, self.index, self.settings),
                tuple(texts[atom] for atom in shown[id] if atom in texts),
            )
            for number, id in zip(numbers, ids, strict=True)
        )

    def _hits(self, found: Sequence[Scored], layer: str) -> tuple[Hit, ...]:
        return self._reader.hits(FoundChunk(one.chunk, one.score, (Share(layer, one.score),)) for one in found)

    def _atom_texts(self, ids: Sequence[str]) -> dict[str, str]:
        return {node.id: str(node.properties["text"]) for node in self._graph.nodes((NodeKind.ATOM,), ids)}


def _best_by_chunk(found: Sequence[Scored]) -> list[Scored]:
    best: dict[str, Scored] = {}
    for one in found:
        best.setdefault(one.chunk, one)
    return list(best.values())
