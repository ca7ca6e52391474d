from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.store.embedded import EmbeddedStore
from pipelines.store.graph import GraphStore
from pipelines.store.testing.graph_store_contract import TAG, A, B, corpus, document, reference
from pipelines.store.view import to_networkx
from pipelines.store.walk import neighbourhood, shortest_path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = EmbeddedStore.open(tmp_path / "kb")
    for part in (document(A, chunks=3), document(B), corpus(reference(A, B), reference(A, "document:later"))):
        opened.graph.write(part)
    yield opened.graph
    opened.close()


def test_what_is_around_a_node_comes_with_its_distance(store: GraphStore) -> None:
    assert neighbourhood(store, ["chunk:a0"]) == {"chunk:a0": 0, "chunk:a1": 1, TAG.id: 1, A: 1}
    assert neighbourhood(store, ["chunk:a0"], 2, [EdgeKind.NEXT]) == {"chunk:a0": 0, "chunk:a1": 1, "chunk:a2": 2}
    assert neighbourhood(store, ["unknown"]) == {"unknown": 0}


def test_a_shortest_path_may_go_against_the_edges(store: GraphStore) -> None:
    path = shortest_path(store, "chunk:a2", "chunk:b0")
    assert path is not None
    assert [(edge.source, edge.kind, edge.target) for edge in path] == [
        ("chunk:a2", EdgeKind.HAS_TAG, TAG.id),
        ("chunk:b0", EdgeKind.HAS_TAG, TAG.id),
    ]


def test_no_path_is_none_and_a_path_to_itself_is_empty(store: GraphStore) -> None:
    assert shortest_path(store, A, "unknown") is None
    assert shortest_path(store, A, A) == []
    assert shortest_path(store, "chunk:a0", "chunk:a2", hops=1, kinds=[EdgeKind.NEXT]) is None


def test_the_view_has_all_nodes_and_the_edges_between_them(store: GraphStore) -> None:
    graph = to_networkx(store)
    assert set(graph.nodes) == {node.id for node in store.nodes()}
    assert graph.number_of_edges() == len(list(store.edges())) - 1  # one leads to what is not there yet
    assert graph.nodes["chunk:a0"]["kind"] is NodeKind.CHUNK


def test_the_view_can_be_of_some_kinds(store: GraphStore) -> None:
    graph = to_networkx(store, [NodeKind.CHUNK], [EdgeKind.NEXT])
    assert {kind for _, _, (kind, _) in graph.edges(keys=True)} == {EdgeKind.NEXT}
    assert len(graph) == 5
