"""Tests of updating an index after one edit: what is read from the graph, and what changes in other documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.index_cache import Scale, load_earlier, save_index
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import GraphStore, node_hashes
from tests.retrieve.same_index import assert_equal


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[GraphStore]:
    store = EmbeddedStore.open(tmp_path / "strata.db")
    yield store.graph
    store.close()


class Counted(GraphStore):
    """A graph store that records the nodes and edges read."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self.nodes_read: list[Node] = []
        self.edges_read: list[Edge] = []

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        for node in self._store.nodes(kinds, ids, owner):
            self.nodes_read.append(node)
            yield node

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        for edge in self._store.edges(kinds, sources, targets, owner):
            self.edges_read.append(edge)
            yield edge

    def node_hashes(self, kind: NodeKind) -> Mapping[str, bytes]:
        return node_hashes(self._store, kind)

    def owners(self) -> Mapping[str, str]:
        return self._store.owners()


def page(name: str, said: str) -> Subgraph:
    id, chunk = f"document:{name}", f"chunk:{name}"
    nodes = (Node(id, NodeKind.DOCUMENT, id, {"title": name}), Node(chunk, NodeKind.CHUNK, id, {"text": said}))
    return Subgraph(id, nodes, tuple(Edge(chunk, EdgeKind.MENTIONS, f"entity:{one}", id) for one in said.split()))


@pytest.mark.parametrize("pages", [4, 40])
def test_only_the_nodes_and_edges_of_the_edit_are_read(graph: GraphStore, pages: int) -> None:
    named = [Node(f"entity:{one}", NodeKind.ENTITY, CORPUS_OWNER, {"name": str(one)}) for one in range(pages)]
    for number in range(pages):
        graph.write(page(f"page {number}", f"{number}"))
    graph.write(Subgraph(CORPUS_OWNER, tuple(named)))
    before = build_index(graph)
    graph.write(page("page 1", "0 new"))
    graph.write(Subgraph(CORPUS_OWNER, (*named, Node("entity:new", NodeKind.ENTITY, CORPUS_OWNER, {"name": "new"}))))
    counted = Counted(graph)
    assert_equal(build_index(counted, before), build_index(graph))
    assert sorted(node.id for node in counted.nodes_read) == ["chunk:page 1", "document:page 1", "entity:new"]
    assert sorted(edge.target for edge in counted.edges_read) == ["entity:0", "entity:new"]


def test_a_new_name_inside_a_longer_one_is_indexed_in_documents_that_are_not_read(graph: GraphStore) -> None:
    longer = Node("entity:long", NodeKind.ENTITY, CORPUS_OWNER, {"name": "History of Torvik"})
    graph.write(page("a", "long"))
    graph.write(Subgraph(CORPUS_OWNER, (longer,)))
    before = build_index(graph)
    graph.write(Subgraph(CORPUS_OWNER, (longer, Node("entity:t", NodeKind.ENTITY, CORPUS_OWNER, {"name": "Torvik"}))))
    grown = build_index(graph, before)
    assert_equal(grown, build_index(graph))
    assert grown.chunk_entities.values_of(0).tolist() == [1.0, 0.5]
    graph.write(Subgraph(CORPUS_OWNER, (longer,)))
    assert_equal(build_index(graph, grown), before)


def test_edges_of_another_owner_are_read_with_their_document(graph: GraphStore) -> None:
    graph.write(page("a", "0"))
    graph.write(page("b", "0"))
    graph.write(Subgraph(CORPUS_OWNER, tuple(Node(f"entity:{i}", NodeKind.ENTITY, CORPUS_OWNER) for i in range(3))))
    index = build_index(graph)
    own = page("b", "1")
    graph.write(Subgraph(own.owner, own.nodes, (*own.edges, Edge("chunk:a", EdgeKind.MENTIONS, "entity:2", own.owner))))
    index = build_index(graph, index)
    assert_equal(index, build_index(graph))
    graph.write(page("b", "1"))
    index = build_index(graph, index)
    assert_equal(index, build_index(graph))
    assert index.chunk_entities.counts().tolist() == [1, 1]


def test_an_index_is_updated_from_the_one_saved_in_a_file(graph: GraphStore, tmp_path: Path) -> None:
    graph.write(page("a", "0"))
    save_index(tmp_path / "kept", "state", build_index(graph), Scale({}))
    graph.write(page("b", "lighthouse"))
    kept = load_earlier(tmp_path / "kept")
    assert kept is not None
    assert_equal(build_index(graph, kept), build_index(graph))
    assert load_earlier(tmp_path / "nowhere") is None
