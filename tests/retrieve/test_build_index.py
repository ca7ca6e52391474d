from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from pipelines.core.errors import StoreError
from pipelines.core.graph import Edge
from pipelines.core.knowledge import Entity
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.index import Index
from pipelines.retrieve.stored_index import StoredIndex
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.sqlite_graph import SqliteGraph
from tests.retrieve.small_graph import number


def test_indexing_the_same_graph_twice_gives_the_same_index(store: EmbeddedStore, index: Index) -> None:
    again = build_index(store.graph)
    assert list(again.chunks) == list(index.chunks) == [f"chunk:{name}" for name in "abcde"]
    assert again.chunk_entities.columns.tolist() == index.chunk_entities.columns.tolist()
    assert list(again.terms) == list(index.terms)
    assert index.dates[0] == "2025-01-01"


def test_terms_that_are_read_give_the_same_index_as_terms_that_are_computed(store: EmbeddedStore, index: Index) -> None:
    place = {chunk: number for number, chunk in enumerate(index.chunks)}

    def read(owners: Collection[str] | None) -> Iterator[tuple[str, str]]:
        """Read the terms of two chunks of the index, and of a chunk that is gone."""
        for chunk in ("chunk:d", "chunk:b"):
            rows = np.flatnonzero(index.postings.columns == place[chunk])
            words = [index.terms[int(row)] for row in index.postings.rows()[rows]]
            yield chunk, " ".join(np.repeat(words, index.postings.values[rows].astype(int)))
        yield "chunk:gone", "a term of no other chunk"

    again = build_index(store.graph, None, read)
    assert list(again.terms) == list(index.terms)
    assert again.postings.columns.tolist() == index.postings.columns.tolist()
    assert again.postings.values.tolist() == index.postings.values.tolist()
    assert again.rewritten.tolist() == index.rewritten.tolist()


def test_a_name_inside_a_longer_name_has_a_lower_mention_weight(index: Index) -> None:
    torvik = index.entities.place(Entity.make_id("Torvik"))
    weights = dict(
        zip(
            index.entity_chunks.columns_of(torvik).tolist(), index.entity_chunks.values_of(torvik).tolist(), strict=True
        )
    )
    assert weights == {number(index, "b"): 1.0, number(index, "c"): 1.0, number(index, "d"): 0.5}


def test_chunks_of_a_document_titled_with_the_name_are_marked(index: Index) -> None:
    torvik = index.entities.place(Entity.make_id("Torvik"))
    entries = slice(index.entity_chunks.starts[torvik], index.entity_chunks.starts[torvik + 1])
    named_in_title = dict(
        zip(index.entity_chunks.columns[entries].tolist(), index.named_in_title[entries].tolist(), strict=True)
    )
    assert named_in_title == {number(index, "b"): False, number(index, "c"): True, number(index, "d"): False}


def test_the_vectors_are_updated_even_if_the_index_cannot_be_built(
    store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> Iterator[Edge]:
        raise StoreError("the edges cannot be read")

    monkeypatch.setattr(SqliteGraph, "edges", fails)
    updated: list[str] = []
    vectors, embedder = LanceVectorStore(tmp_path / "vectors", 64), WordLlamaEmbedder(64)
    with pytest.raises(StoreError):
        StoredIndex(store.graph, vectors, embedder, tmp_path / "index").keep(lambda: updated.append("once"))
    assert updated == ["once"]
