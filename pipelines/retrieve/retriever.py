"""Retrieval over all layers of a knowledge base (PIKE-RAG 5.2.3), both paths of figure 11 alone, and flat search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from pipelines.core.chunk import Chunk
from pipelines.core.graph import NodeKind
from pipelines.core.knowledge import TagPair
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, Side
from pipelines.resources import Stores
from pipelines.retrieve.build_index import survey
from pipelines.retrieve.chunks import chunk_of, read_chunks
from pipelines.retrieve.explain import explain
from pipelines.retrieve.hit import Candidate, Hit, Link, Share
from pipelines.retrieve.index import Atlas
from pipelines.retrieve.index_file import load, save, state_of
from pipelines.retrieve.layers import Search
from pipelines.retrieve.propagate import KINDS, ways_from
from pipelines.retrieve.query import ask, coverage
from pipelines.retrieve.scale import Scale, measure
from pipelines.retrieve.score import Evidence, Scores, choose, combine, squash
from pipelines.retrieve.tag_map import TagMap
from pipelines.retrieve.where import allowed, spelled_out
from pipelines.sections import RetrieveSettings
from pipelines.store.graph import GraphStore
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

ATOMS_SHOWN = 3
CACHE = "retrieval"
"""The folder in that of a knowledge base where what was read of the graph is kept."""
FUSION = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


class Mode(StrEnum):
    """How chunks are found: by all layers and edges, or flat, for comparison."""

    GRAPH = "graph"
    BM25 = "bm25"
    DENSE = "dense"
    HYBRID = "hybrid"
    """Both flat searches by reciprocal rank fusion."""


class Retriever:
    """Finds chunks. Safe under threads; the graph is read once, at the first question.

    `pairs` lead from words that users say to the corpus's tags. In the folder `cache` what was read is kept, until the
    graph is another.
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
        self.settings = settings
        self._pairs = pairs
        self._cache = cache
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder

    @classmethod
    def of(cls, stores: Stores, settings: RetrieveSettings, pairs: Sequence[TagPair] = ()) -> Self:
        """Return the retriever over open stores, with its cache among them; what was read of a copy is kept apart."""
        cache = stores.folder.root / (CACHE if stores.copy is None else f"{CACHE}-copy")
        return cls(stores.graph, stores.vectors, stores.embedder, settings, pairs, cache)

    @property
    def atlas(self) -> Atlas:
        """The graph as retrieval walks it."""
        return self._read[0]

    @property
    def scale(self) -> Scale:
        """The scale that similarities are brought to."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Atlas, Scale]:
        state = state_of(self._graph.owners(), self._embedder.info) if self._cache else ""
        kept = load(self._cache, state) if self._cache else None
        if kept is not None:
            return kept
        atlas = survey(self._graph)
        scale = measure(self._vectors, list(atlas.documents))
        if self._cache:
            save(self._cache, state, atlas, scale)
        return atlas, scale

    @cached_property
    def _search(self) -> Search:
        return Search(self._vectors, self.atlas, self.scale)

    @cached_property
    def _tag_map(self) -> TagMap:
        return TagMap(self.atlas, self._vectors, self._embedder, self._pairs)

    def retrieve(
        self, query: str, limit: int | None = None, where: Filter = Filter(), mode: Mode = Mode.GRAPH
    ) -> tuple[Hit, ...]:
        """Return the best chunks for `query`, best first, ties by id; a blank query finds nothing."""
        wanted = self.settings.limit if limit is None else limit
        if not query.strip() or wanted < 1:
            return ()
        if mode is not Mode.GRAPH:
            return self._hits(self._flat(mode)(query, wanted, self._spelled_out(where)), "chunk")
        evidence = self.evidence(query, where)
        scores = combine(evidence, self.atlas, self.settings)
        return self._explained(choose(scores, evidence, self.atlas, wanted, self.settings), evidence, scores)

    def chunks(self, query: str, limit: int, threshold: float = -1.0, where: Filter = Filter()) -> tuple[Hit, ...]:
        """Return the chunks with the highest cosine to `query`, of `threshold` or more (figure 11, path a)."""
        found = self._vectors.search(RecordKind.CHUNK, self._embed(query), limit, self._spelled_out(where))
        return self._hits([one for one in found if one.score >= threshold], "chunk")

    def atoms(self, query: str, limit: int, threshold: float = -1.0, where: Filter = Filter()) -> tuple[Candidate, ...]:
        """Return the atoms with the highest cosine to `query`, each with its chunk (figure 11, path b)."""
        found = self._vectors.search(RecordKind.ATOM, self._embed(query), limit, self._spelled_out(where))
        found = [one for one in found if one.score >= threshold]
        texts = self._atom_texts([one.id for one in found])
        hits = {hit.chunk.id: hit for hit in self._hits(_best_by_chunk(found), "atom")}
        return tuple(
            Candidate(texts[one.id], one.score, hits[one.chunk])
            for one in found
            if one.chunk in hits and one.id in texts
        )

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[Link, ...]:
        """Return chunks one edge away from `chunks`, over the rarest names first."""
        atlas = self.atlas
        numbers = {id: number for id in chunks if (number := atlas.number_of(id)) is not None}
        steps = ways_from(np.array(sorted(numbers.values()), dtype=np.int32), atlas, self.settings)
        targets = [atlas.chunks[number] for number in steps.targets[:limit]]
        scored = [Scored(id, id, float(gain)) for id, gain in zip(targets, steps.gains, strict=False)]
        hits = {hit.chunk.id: hit for hit in self._hits(scored, "link")}
        return tuple(
            Link(
                atlas.chunks[steps.sources[place]],
                hits[target],
                KINDS[steps.kinds[place]].value,
                atlas.entity_names[steps.through[place]] if steps.through[place] >= 0 else "",
            )
            for place, target in enumerate(targets)
            if target in hits
        )

    def map_query(self, query: str) -> tuple[TagPair, ...]:
        """Return the terms of `query` with the corpus's tags that they lead to, the surest first (5.2.2)."""
        return self._tag_map.map(query)

    def frequency(self, term: str) -> int:
        """Return in how many chunks a term stands."""
        number = self.atlas.vocabulary.get(term)
        return 0 if number is None else len(self.atlas.postings.of(number))

    def sample(self, count: int) -> tuple[tuple[str, str], ...]:
        """Return up to `count` atoms, spread evenly over all of them: the text of each, and the id of its chunk."""
        atoms = [(one.text, one.chunk) for batch in self._vectors.records((RecordKind.ATOM,)) for one in batch.records]
        return tuple(atoms[:: max(1, len(atoms) // count)][:count])

    def evidence(self, query: str, where: Filter = Filter()) -> Evidence:
        """Return all that the score of `query` is made from, whatever the weights; of layers of weight 0, nothing."""
        where = self._spelled_out(where)
        asked = ask(query, self.atlas, self.map_query(query))
        covered = coverage(asked, self.atlas)
        unused = [kind for kind, weight in _weights(self.settings).items() if not weight]
        layers = self._search.layers(asked, covered, self._embed(query), self.settings.candidates, where, unused)
        return Evidence(asked, covered, layers, allowed(where, self.atlas))

    def _spelled_out(self, where: Filter) -> Filter:
        return spelled_out(where, self.atlas) if where.tags else where

    def rank(self, evidence: Evidence, limit: int, settings: RetrieveSettings) -> list[int]:
        """Return the numbers in `atlas` of the best chunks under other weights than its own."""
        return choose(combine(evidence, self.atlas, settings), evidence, self.atlas, limit, settings)

    def plain_hits(self, numbers: Sequence[int]) -> tuple[Hit, ...]:
        """Return the chunks of these numbers as hits without a score."""
        ids = [self.atlas.chunks[number] for number in numbers]
        return self._hits([Scored(id, id, 0.0) for id in ids], "chunk")

    def _embed(self, query: str) -> Vectors:
        vector: Vectors = self._embedder.embed([query], Side.QUERY)[0]
        return vector

    def _flat(self, mode: Mode) -> Callable[[str, int, Filter], list[Scored]]:
        return {Mode.BM25: self._bm25, Mode.DENSE: self._dense, Mode.HYBRID: self._hybrid}[mode]

    def _bm25(self, query: str, limit: int, where: Filter) -> list[Scored]:
        found = self._vectors.match(RecordKind.CHUNK, query, limit, where)
        return [Scored(one.id, one.chunk, squash(one.score)) for one in found]

    def _dense(self, query: str, limit: int, where: Filter) -> list[Scored]:
        return self._vectors.search(RecordKind.CHUNK, self._embed(query), limit, where)

    def _hybrid(self, query: str, limit: int, where: Filter) -> list[Scored]:
        fused: dict[str, float] = {}
        depth = max(limit, self.settings.candidates)
        for found in (self._bm25(query, depth, where), self._dense(query, depth, where)):
            for rank, one in enumerate(found, 1):
                fused[one.id] = fused.get(one.id, 0.0) + (FUSION + 1) / (2 * (FUSION + rank))
        best = sorted(fused.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [Scored(id, id, score) for id, score in best]

    def _explained(self, numbers: Sequence[int], evidence: Evidence, scores: Scores) -> tuple[Hit, ...]:
        atlas = self.atlas
        ids = [atlas.chunks[number] for number in numbers]
        nodes = read_chunks(self._graph, ids)
        shown = evidence.layers.atoms.by_chunk(ids, ATOMS_SHOWN)
        texts = self._atom_texts([atom for atoms in shown.values() for atom in atoms])
        return tuple(
            self._hit(
                chunk_of(nodes[id]),
                squash(float(scores.total[number])),
                explain(number, evidence.asked, scores, atlas, self.settings),
                tuple(texts[atom] for atom in shown[id] if atom in texts),
            )
            for number, id in zip(numbers, ids, strict=True)
            if id in nodes
        )

    def _hits(self, found: Sequence[Scored], layer: str) -> tuple[Hit, ...]:
        nodes = read_chunks(self._graph, {one.chunk for one in found})
        return tuple(
            self._hit(chunk_of(nodes[one.chunk]), one.score, (Share(layer, one.score),))
            for one in found
            if one.chunk in nodes
        )

    def _hit(self, chunk: Chunk, score: float, shares: tuple[Share, ...], atoms: tuple[str, ...] = ()) -> Hit:
        document = self.atlas.document_number(chunk.document)
        newer = int(self.atlas.superseded[document])
        superseded_by = self.atlas.uris[newer] if newer >= 0 else ""
        uri, title = self.atlas.uris[document], self.atlas.titles_of[document]
        return Hit(chunk, chunk.document, uri, title, score, shares, atoms, superseded_by)

    def _atom_texts(self, ids: Sequence[str]) -> dict[str, str]:
        return {node.id: str(node.properties["text"]) for node in self._graph.nodes((NodeKind.ATOM,), ids)}


def _weights(settings: RetrieveSettings) -> dict[RecordKind, float]:
    """What the layers weigh that can be left out of a search."""
    return {RecordKind.SUMMARY: settings.summary, RecordKind.DOCUMENT: settings.document}


def _best_by_chunk(found: Sequence[Scored]) -> list[Scored]:
    best: dict[str, Scored] = {}
    for one in found:
        best.setdefault(one.chunk, one)
    return list(best.values())
