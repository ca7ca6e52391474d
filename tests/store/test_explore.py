from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.core.errors import NotFound
from pipelines.core.graph import CORPUS_OWNER, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.explore import find_node, neighbourhood, node_name, shortest_path
from pipelines.store.graph import GraphStore
from pipelines.store.testing.graph_store_contract import TAG, A, B, corpus, document, reference


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = EmbeddedStore.open(tmp_path / "kb")
    for part in (document(A, chunks=3), document(B), corpus(reference(A, B), reference(A, "document:later"))):
        opened.graph.write(part)
    yield opened.graph
    opened.close()


def near(store: GraphStore, node: str, hops: int = 1) -> dict[str, int]:
    return {one.node.id: one.hops for one in neighbourhood(store, node, hops)}


def test_the_neighbourhood_of_a_node_has_distances(store: GraphStore) -> None:
    assert near(store, "chunk:a0") == {"chunk:a0": 0, "chunk:a1": 1, TAG.id: 1, A: 1}
    assert near(store, "chunk:a0", 2)["chunk:a2"] == 2
    assert near(store, "chunk:a0", 0) == {"chunk:a0": 0}
    assert near(store, "unknown") == {}


def test_a_neighbour_has_the_edge_that_leads_to_it(store: GraphStore) -> None:
    edges = {one.node.id: one.edge.kind if one.edge else None for one in neighbourhood(store, "chunk:a0")}
    assert edges == {"chunk:a0": None, A: EdgeKind.HAS_CHUNK, TAG.id: EdgeKind.HAS_TAG, "chunk:a1": EdgeKind.NEXT}


def test_missing_reference_targets_are_not_in_the_neighbourhood(store: GraphStore) -> None:
    assert "document:later" not in near(store, A, 3)


def test_a_shortest_path_may_traverse_edges_backwards(store: GraphStore) -> None:
    path = shortest_path(store, "chunk:a2", "chunk:b0")
    assert path is not None
    assert [(step.edge.kind, step.node.id, step.forward) for step in path] == [
        (EdgeKind.HAS_TAG, TAG.id, True),
        (EdgeKind.HAS_TAG, "chunk:b0", False),
    ]


def test_without_a_path_the_result_is_none_and_a_path_to_itself_is_empty(store: GraphStore) -> None:
    assert shortest_path(store, A, "unknown") is None
    assert shortest_path(store, A, A) == ()
    assert shortest_path(store, "chunk:a2", "chunk:b0", 1) is None


def test_a_node_is_found_by_id_or_name(store: GraphStore) -> None:
    assert find_node(store, TAG.id) == find_node(store, " PUMP ") == TAG
    assert node_name(TAG) == "pump"
    with pytest.raises(NotFound, match="no node valve"):
        find_node(store, "valve")


def test_a_name_of_several_kinds_finds_the_first_kind_and_an_ambiguous_name_is_an_error(store: GraphStore) -> None:
    entities = tuple(Node(f"entity:{n}", NodeKind.ENTITY, CORPUS_OWNER, {"name": "Pump"}) for n in (1, 2))
    store.write(Subgraph(CORPUS_OWNER, (TAG, entities[0])))
    assert find_node(store, "pump") == entities[0]
    store.write(Subgraph(CORPUS_OWNER, (TAG, *entities)))
    with pytest.raises(NotFound, match="2 nodes are called pump") as raised:
        find_node(store, "pump")
    assert "entity:1, entity:2" in raised.value.hint
