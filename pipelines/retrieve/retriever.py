"""Retrieval over all layers of a knowledge base (PIKE-RAG 5.2.3), both paths of figure 11 alone, and flat search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.filters import chunk_mask, with_tag_spellings
from pipelines.retrieve.flat_search import FlatSearch, Mode
from pipelines.retrieve.hit import AtomHit, FoundChunk, Hit, HitReader, LinkedChunk, Share
from pipelines.retrieve.index import Index
from pipelines.retrieve.index_cache import (
    Scale,
    graph_state,
    is_kept,
    load_earlier,
    load_index,
    measure_scale,
    save_index,
)
from pipelines.retrieve.layers import LayerSearch
from pipelines.retrieve.propagate import KINDS, hops_from
from pipelines.retrieve.query import TagMap, analyze_query, coverage, with_terms
from pipelines.retrieve.question_words import CorpusWords
from pipelines.retrieve.score import (
    ChunkScores,
    QueryFeatures,
    explain,
    said_share,
    score_chunks,
    select_chunks,
    squash,
)
from pipelines.sections import RetrieveSettings
from pipelines.store.graph import GraphStore
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

ATOMS_SHOWN = 3
"""Atoms that a hit shows at most."""


class Retriever:
    """Finds the chunks of a knowledge base that answer a question.

    A chunk's score x is made of what the chunk says, of what its document is, and of what other chunks pass on to it
    (PIKE-RAG 5.2.3, figure 8: S = f(g(Q, I), g(Q, C), g(Q, D))). The words in `code` are settings (`[retrieve]`):

        own      = sum over chunk, summary and atom of `weight` * (`lexical` * BM25 + (1 - `lexical`) * cosine)
                   + `entity` * (rarity of a shared name) ** 2 + `tag` * shared tags
        document = `document` * share of the question that the document says and the chunk does not
                   + `title` * rarity of its title in the question
                   + `called` * share of the question in words of its title, file name and kind
        base     = own + document * (own / the highest own in the document) ** `focus`
        x        = base + the gains of propagation + `back` * what the chunk passed on
        score    = x / (1 + x)

    BM25 and cosine are on one scale, 0 for what is found by chance, 1 for the thing itself
    (`pipelines.retrieve.index_cache`, `pipelines.retrieve.query`); an atom's similarity is that of the chunk's best
    atom, and `soft_count` of the others'. Of a question that no chunk has `worded` of in its words, `lexical`,
    `document`, `title` and `called` count less: it is in other words than the corpus. Propagation is told in
    `pipelines.retrieve.propagate`. The chunks returned are chosen one after the other by x * (1 + `fresh` * share
    of the question that no chunk before it covers).

    An example: "When was the lighthouse built in the town where Edda Quill was born?" over three pages. The page on
    Edda Quill has a high base, for its title is in the question (`title`) and its atom "Edda Quill was born in Torvik"
    is similar to it (`atom`). The page on Torvik shares only the word "lighthouse" with the question, and a base that
    a page on another lighthouse may exceed; but the first page mentions Torvik, a rare name that the question has not,
    and "lighthouse" and "built" are still open there. So it passes on much of its score over MENTIONS, and Torvik's
    page comes second. `Hit.shares` of that page says so: MENTIONS, along ("Edda Quill", "Torvik", "Torvik").

    Safe under threads; the index is read at the first question, the graph only where no ingest has kept an index.
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

        `pairs` lead from users' words to the corpus's tags. The folder `cache` keeps the index until the graph changes.
        """
        self.settings = settings
        self._pairs = pairs
        self._cache = cache
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._missed = Event()

    @classmethod
    def of(cls, stores: Stores, settings: RetrieveSettings, pairs: Sequence[TagPair] = ()) -> Self:
        """Return the retriever over open stores, with its cache beside them."""
        return cls(stores.graph, stores.vectors, stores.embedder, settings, pairs, stores.index_folder)

    @property
    def index(self) -> Index:
        """The graph in memory."""
        return self._index_and_scale[0]

    @property
    def scale(self) -> Scale:
        """The scale of the cosines."""
        return self._index_and_scale[1]

    @cached_property
    def _index_and_scale(self) -> tuple[Index, Scale]:
        state = self._state
        kept = load_index(self._cache, state) if self._cache else None
        return kept or self._built(state)

    def _built(self, state: str) -> tuple[Index, Scale]:
        """Build the index, and keep it as that of `state`, which the graph had before anything was read."""
        index = build_index(self._graph, load_earlier(self._cache) if self._cache else None)
        scale = measure_scale(self._vectors, list(index.documents))
        if self._cache:
            save_index(self._cache, state, index, scale)
        return index, scale

    @property
    def outdated(self) -> bool:
        """Whether a search has met a chunk that its index does not have, or one that the graph has no longer."""
        return self._missed.is_set()

    @property
    def _state(self) -> str:
        return graph_state(self._graph.owners(), self._embedder.info)

    def keep_index(self) -> None:
        """Build the index of the graph as it is, unless it is kept already: the first question then finds it."""
        state = self._state
        if self._cache and not is_kept(self._cache, state):
            self._built(state)

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
        """Return the best chunks for `query`, best first, ties by id; none for a blank query.

        `limit` is how many at most, `settings.limit` where it is None. `terms` lead from words of the query to what the
        documents call it: over all layers and edges they are searched for too, as words and in the query's vector.

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

        Scores and `threshold` are on the knowledge base's own scale (`pipelines.retrieve.index_cache.Scale`): 0 for a
        passage met by chance, 1 for the one that an atom was taken from, whatever the embedder's cosines are.
        """
        return self._hits(self._near(RecordKind.CHUNK, query, limit, threshold, where), "chunk")

    def atoms(self, query: str, limit: int, threshold: float = 0.0, where: Filter = Filter()) -> tuple[AtomHit, ...]:
        """Return the atoms nearest to `query` by cosine, each with its chunk (figure 11, path b), scaled alike."""
        found = self._near(RecordKind.ATOM, query, limit, threshold, where)
        texts = self._atom_texts([one.id for one in found])
        hits = {hit.chunk.id: hit for hit in self._hits(_best_by_chunk(found), "atom")}
        return tuple(
            AtomHit(texts[one.id], one.score, hits[one.chunk]) for one in found if one.chunk in hits and one.id in texts
        )

    def _near(self, kind: RecordKind, query: str, limit: int, threshold: float, where: Filter) -> list[Scored]:
        """The records of a kind nearest to `query`, of `threshold` or more on the scale, which ends at 1."""
        vector = self._embed(query)
        found = self._vectors.search(kind, vector, limit, with_tag_spellings(where, self.index))
        cosines = np.array([one.score for one in found], dtype=np.float32)
        scaled = np.minimum(1, self.scale.scaled(kind, cosines, vector)).tolist()
        return [replace(one, score=score) for one, score in zip(found, scaled, strict=True) if score >= threshold]

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return at most `limit` chunks one edge away from `chunks`, over the heaviest edges first."""
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
        """Whether some chunk has enough of the query's words for them to be the documents' own (`worded`)."""
        return bool((said_share(self.features(query)) >= self.settings.worded).any())

    def tags_near(self, query: str, limit: int) -> tuple[str, ...]:
        """Return the tags nearest in meaning to `query`, then those of the chunks found for it; `limit` at most."""
        index = self.index
        names = dict(zip(index.tag_ids, index.tag_names, strict=True))
        near = self._vectors.search(RecordKind.TAG, self._embed(query), limit // 2)
        tags_of = index.tag_chunks.transposed(index.size)
        found = [index.chunk_number(hit.chunk.id) for hit in self.retrieve(query)]
        borne = Counter(tag for number in found if number is not None for tag in tags_of.columns_of(number).tolist())
        named = [names[one.id] for one in near if one.id in names]
        return tuple(dict.fromkeys([*named, *(index.tag_names[tag] for tag, _ in borne.most_common())]))[:limit]

    def map_query(self, query: str) -> tuple[TagPair, ...]:
        """Return the terms of `query` with the corpus's tags that they lead to, the surest first (5.2.2)."""
        return self._tag_map.map(query)

    def chunk_frequency(self, term: str) -> int:
        """Return the number of chunks that hold a term."""
        number = self.index.vocabulary.get(term)
        return 0 if number is None else len(self.index.postings.columns_of(number))

    def sample_atoms(self, count: int) -> tuple[tuple[str, str], ...]:
        """Return at most `count` atoms, evenly taken from all: the text of each, and the id of its chunk."""
        atoms = [(one.text, one.chunk) for batch in self._vectors.records((RecordKind.ATOM,)) for one in batch.records]
        return tuple(atoms[:: max(1, len(atoms) // count)][:count])

    def features(self, query: str, where: Filter = Filter(), terms: Sequence[TagPair] = ()) -> QueryFeatures:
        """Return all that the scores for `query` are computed from; layers of weight 0 are not searched."""
        where = with_tag_spellings(where, self.index)
        known = self.map_query(query) if self.settings.tag or self.settings.tag_words else ()
        tags = tuple({pair.corpus_tag: pair for pair in (*terms, *known)}.values())
        analyzed = analyze_query(query, self.index, tags, self._corpus_words, self.settings.tag_words)
        covered = coverage(analyzed, self.index)
        unused = () if self.settings.summary else (RecordKind.SUMMARY,)
        limit = self.settings.candidates
        vector = self._embed(with_terms(query, terms))
        layers = self._search.similarities(analyzed, covered, vector, limit, where, unused)
        return QueryFeatures(analyzed, covered, layers, chunk_mask(where, self.index))

    def rank(self, features: QueryFeatures, limit: int, settings: RetrieveSettings) -> list[int]:
        """Return the numbers in `index` of the best chunks under other weights than `self.settings`."""
        return select_chunks(score_chunks(features, self.index, settings), features, self.index, limit, settings)

    def hits_of(self, numbers: Sequence[int]) -> tuple[Hit, ...]:
        """Return the chunks of these numbers in `index` as hits without a score."""
        ids = [self.index.chunks[number] for number in numbers]
        return self._hits([Scored(id, id, 0.0) for id in ids], "chunk")

    def _embed(self, query: str) -> Vectors:
        vector: Vectors = self._embedder.embed([query], Side.QUERY)[0]
        return vector

    def _explained(self, numbers: Sequence[int], features: QueryFeatures, scores: ChunkScores) -> tuple[Hit, ...]:
        ids = [self.index.chunks[number] for number in numbers]
        shown = features.layers.atoms.by_chunk(ids, ATOMS_SHOWN)
        texts = self._atom_texts([atom for atoms in shown.values() for atom in atoms])
        return self._reader.hits(
            FoundChunk(
                id,
                squash(float(scores.total[number])),
                explain(number, features.query, scores, self.index, self.settings),
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
