"""The index of a knowledge base as it is stored: loaded from the cache, or built from the graph and cached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from pipelines.llm.embedder import Embedder
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.index import Index
from pipelines.retrieve.index_cache import (
    Scale,
    graph_state,
    is_cached,
    load_earlier,
    load_index,
    measure_scale,
    save_index,
)
from pipelines.store.graph import GraphStore
from pipelines.store.vector import RecordKind, Termed, VectorStore


class StoredIndex:
    """The index of a graph and the scale of its vectors, read when they are first needed.

    Args:
        graph: the graph to index.
        vectors: the vectors from which the scale is measured.
        embedder: the embedder of the vectors.
        cache: a folder that keeps the index until the graph changes; None to build it each time.
    """

    def __init__(self, graph: GraphStore, vectors: VectorStore, embedder: Embedder, cache: Path | None) -> None:
        self._graph, self._vectors, self._embedder, self._cache = graph, vectors, embedder, cache

    @cached_property
    def index_and_scale(self) -> tuple[Index, Scale]:
        """The index and the scale for cosines."""
        state = self._state
        kept = load_index(self._cache, state) if self._cache else None
        return kept or self._built(state)

    def keep(self, update_vectors: Callable[[], None]) -> None:
        """Build and cache the index of the current graph, unless it is cached; see `Retriever.keep_index`."""
        state = self._state
        if self._cache and not is_cached(self._cache, state):
            self._built(state, update_vectors)
        else:
            update_vectors()

    @property
    def _state(self) -> str:
        return graph_state(self._graph.owners(), self._embedder.info)

    def _built(self, state: str, update_vectors: Callable[[], None] | None = None) -> tuple[Index, Scale]:
        """Build the index and cache it under `state`, the graph's state before reading."""
        before = load_earlier(self._cache) if self._cache else None
        index = self._with_update(before, update_vectors) if update_vectors else build_index(self._graph, before)
        scale = measure_scale(self._vectors, list(index.documents))
        if self._cache:
            save_index(self._cache, state, index, scale)
        return index, scale

    def _with_update(self, before: Index | None, update_vectors: Callable[[], None]) -> Index:
        """Build the index with the terms of the vectors, which are updated in another thread after these are read."""
        updating: list[Future[None]] = []

        def chunk_terms(owners: Collection[str] | None) -> Iterator[tuple[str, str]]:
            if isinstance(self._vectors, Termed):
                yield from self._vectors.terms(RecordKind.CHUNK, owners)
            updating.append(threads.submit(update_vectors))

        with ThreadPoolExecutor(1) as threads:  # the libraries of the vectors compute without Python's lock
            try:
                return build_index(self._graph, before, chunk_terms)
            finally:
                (updating or [threads.submit(update_vectors)])[0].result()
