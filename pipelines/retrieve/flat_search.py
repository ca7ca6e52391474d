"""Flat search over the chunks by terms, by vectors or by both: the baseline for retrieval over the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeVar

from pipelines.core.vectors import Vectors
from pipelines.retrieve.index import Index
from pipelines.retrieve.query import analyze_query, matched_terms
from pipelines.retrieve.question_words import CorpusWords
from pipelines.retrieve.score import squash
from pipelines.store.vector import Filter, RecordKind, Scored, VectorStore

K = TypeVar("K", int, str)
FUSION = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


class Mode(StrEnum):
    """How chunks are found: over all layers and edges of the graph, or by flat search."""

    GRAPH = "graph"
    BM25 = "bm25"
    DENSE = "dense"
    HYBRID = "hybrid"
    """BM25 and dense search, combined by reciprocal rank fusion."""


class FlatSearch:
    """Searches chunks in a vector store; `embed` returns a query's vector."""

    def __init__(
        self, vectors: VectorStore, index: Index, corpus: CorpusWords, embed: Callable[[str], Vectors]
    ) -> None:
        self._vectors, self._index, self._corpus, self._embed = vectors, index, corpus, embed

    def search(self, mode: Mode, query: str, limit: int, where: Filter, depth: int = 0) -> list[Scored]:
        """Return at most `limit` chunks, best first; for `HYBRID`, the best `depth` of each search are combined."""
        if mode is Mode.BM25:
            return self._by_terms(query, limit, where)
        if mode is Mode.DENSE:
            return self._vectors.search(RecordKind.CHUNK, self._embed(query), limit, where)
        searches = [self.search(one, query, max(limit, depth), where) for one in (Mode.BM25, Mode.DENSE)]
        fused = fuse([[one.id for one in found] for found in searches])
        return [Scored(id, id, score) for id, score in list(fused.items())[:limit]]

    def _by_terms(self, query: str, limit: int, where: Filter) -> list[Scored]:
        wanted = matched_terms(analyze_query(query, self._index, corpus=self._corpus), self._index)
        found = self._vectors.match(RecordKind.CHUNK, wanted, limit, where)
        return [Scored(one.id, one.chunk, squash(one.score)) for one in found]


def fuse(rankings: Sequence[Sequence[K]]) -> dict[K, float]:
    """Return the keys of all rankings with their fused scores in (0, 1], highest first, ties by key.

    Reciprocal rank fusion (Cormack et al. 2009), scaled so that a key that is first in all rankings has the score 1.

    >>> list(fuse([[1, 2, 3], [3, 1]]))
    [1, 3, 2]
    """
    fused: dict[K, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            fused[key] = fused.get(key, 0.0) + (FUSION + 1) / (len(rankings) * (FUSION + rank))
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))
