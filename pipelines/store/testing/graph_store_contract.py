"""The contract of graph stores: inherit and define the fixture `store`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, PropertyValue, Subgraph
from pipelines.store.graph import GraphStore, item_hash, node_hashes, recount, subgraph_digest

A, B = "document:a", "document:b"
TAG = Node("tag:pump", NodeKind.TAG, CORPUS_OWNER, {"name": "pump"})


def document(owner: str, chunks: int = 2, text: str = "text") -> Subgraph:
    """Return a document with a chain of tagged chunks."""
    ids = [f"chunk:{owner[-1]}{number}" for number in range(chunks)]
    nodes = [Node(owner, NodeKind.DOCUMENT, owner, {"name": owner, "pages": 3})]
    nodes += [Node(id, NodeKind.CHUNK, owner, {"text": f"{text} {id}", "position": i}) for i, id in enumerate(ids)]
    edges = [Edge(owner, EdgeKind.HAS_CHUNK, id, owner) for id in ids]
    edges += [Edge(one, EdgeKind.NEXT, two, owner) for one, two in pairwise(ids)]
    edges += [Edge(id, EdgeKind.HAS_TAG, TAG.id, owner, "", {"weight": 0.5}) for id in ids]
    return Subgraph(owner, tuple(nodes), tuple(edges))


def corpus(*edges: Edge) -> Subgraph:
    return Subgraph(CORPUS_OWNER, (TAG,), edges)


def reference(source: str, target: str, key: str = "") -> Edge:
    return Edge(source, EdgeKind.REFERENCES, target, CORPUS_OWNER, key, {"evidence": "see there"})


def sorted_nodes(*subgraphs: Subgraph) -> list[Node]:
    return sorted((node for one in subgraphs for node in one.nodes), key=lambda node: node.id)


def sorted_edges(*subgraphs: Subgraph) -> list[Edge]:
    edges = (edge for one in subgraphs for edge in one.edges)
    return sorted(edges, key=lambda edge: (edge.source, edge.kind.value, edge.target, edge.key))


def assert_holds(store: GraphStore, *subgraphs: Subgraph) -> None:
    assert list(store.nodes()) == sorted_nodes(*subgraphs)
    assert list(store.edges()) == sorted_edges(*subgraphs)
    expected = {one.owner: subgraph_digest(one) for one in subgraphs if one.nodes or one.edges}
    assert dict(store.owners()) == recount(store) == expected


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
values = st.one_of(
    texts,
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(texts, max_size=3).map(tuple),
)
properties = st.dictionaries(st.from_regex("[a-z]{1,8}", fullmatch=True), values, max_size=4)
names = st.sampled_from(["node:1", "node:2", "节点:三", "node: 4'\"\\`"])


@st.composite
def subgraphs(draw: st.DrawFn, owner: str) -> Subgraph:
    kinds = st.sampled_from(list(NodeKind))
    ids = draw(st.lists(names, unique=True))
    nodes = tuple(Node(f"{owner}{id}", draw(kinds), owner, draw(properties)) for id in ids)
    ends = st.tuples(names, st.sampled_from(list(EdgeKind)), names, st.sampled_from(["", "k"]))
    edges = tuple(
        Edge(f"{owner}{source}", kind, f"{A}{target}", owner, key, draw(properties))
        for source, kind, target, key in draw(st.lists(ends, unique=True, max_size=6))
    )
    return Subgraph(owner, nodes, edges)


# The store is emptied before each example, and several classes are meant to inherit the test.
_FINE = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]


class GraphStoreContract:
    """Requires the fixture `store`, an empty graph store."""

    def test_a_new_store_is_empty(self, store: GraphStore) -> None:
        assert_holds(store)

    def test_what_is_written_is_read(self, store: GraphStore) -> None:
        store.write(document(A))
        assert_holds(store, document(A))

    def test_every_type_of_value_is_returned_unchanged(self, store: GraphStore) -> None:
        held: dict[str, PropertyValue] = {
            "s": "泵站 'x' \"y\" \\ \n",
            "i": 7,
            "f": 7.0,
            "t": True,
            "many": ("a", "乙"),
            "none": (),
            "e": "",
        }
        edge = Edge("n", EdgeKind.NEXT, "n", A, "", held)
        store.write(Subgraph(A, (Node("n", NodeKind.CHUNK, A, held),), (edge,)))
        node, edge = next(store.nodes()), next(store.edges())
        for found in (node, edge):
            assert found.properties == held
            assert all(type(found.properties[name]) is type(value) for name, value in held.items())

    def test_writing_twice_is_writing_once(self, store: GraphStore) -> None:
        store.write(document(A))
        store.write(document(A))
        assert_holds(store, document(A))

    def test_a_repeated_node_or_edge_in_one_subgraph_counts_once(self, store: GraphStore) -> None:
        one = document(A)
        store.write(Subgraph(A, one.nodes + one.nodes, one.edges + one.edges))
        assert_holds(store, one)

    def test_replacing_removes_missing_nodes_and_edges(self, store: GraphStore) -> None:
        store.write(document(A, chunks=5))
        store.write(document(B))
        store.write(document(A, chunks=2, text="changed"))
        assert_holds(store, document(A, chunks=2, text="changed"), document(B))

    def test_replacing_with_an_empty_subgraph_removes_the_owner(self, store: GraphStore) -> None:
        store.write(document(A))
        store.write(Subgraph(A))
        assert_holds(store)

    def test_an_edge_may_come_before_its_ends(self, store: GraphStore) -> None:
        links = corpus(reference(A, B))
        store.write(links)
        store.write(document(B))
        assert_holds(store, links, document(B))
        store.write(document(A))
        assert_holds(store, links, document(A), document(B))

    def test_replacing_an_owner_keeps_the_edges_of_others(self, store: GraphStore) -> None:
        links = corpus(reference(A, "chunk:b1"))
        for one in (document(A), document(B), links, document(B, chunks=1), document(B)):
            store.write(one)
        assert_holds(store, document(A), document(B), links)

    def test_edges_of_one_kind_between_the_same_nodes_differ_by_key(self, store: GraphStore) -> None:
        links = corpus(reference(A, B, "1"), reference(A, B, "2"))
        store.write(links)
        assert_holds(store, links)

    def test_removing_an_owner_removes_the_edges_of_others_at_its_nodes(self, store: GraphStore) -> None:
        kept = reference(A, A)
        for one in (document(A), document(B), corpus(reference(A, B), reference(B, A), kept)):
            store.write(one)
        store.remove(B)
        assert_holds(store, document(A), corpus(kept))

    def test_removing_an_unknown_owner_changes_nothing(self, store: GraphStore) -> None:
        store.write(document(A))
        store.remove("document:unknown")
        assert_holds(store, document(A))

    def test_an_owner_can_be_removed_and_written_again(self, store: GraphStore) -> None:
        store.write(document(A))
        store.remove(A)
        store.write(document(A))
        assert_holds(store, document(A))

    def test_a_node_or_edge_belongs_to_its_last_writer(self, store: GraphStore) -> None:
        mine, theirs = (Node("row:1", NodeKind.ROW, owner, {"name": owner}) for owner in (A, B))
        links = [Edge("row:1", EdgeKind.RELATED, "row:1", owner) for owner in (A, B)]
        store.write(Subgraph(A, (mine,), (links[0],)))
        store.write(Subgraph(B, (theirs,), (links[1],)))
        assert_holds(store, Subgraph(B, (theirs,), (links[1],)))
        store.write(Subgraph(A))
        assert_holds(store, Subgraph(B, (theirs,), (links[1],)))

    def test_a_node_may_change_its_kind(self, store: GraphStore) -> None:
        store.write(Subgraph(A, (Node("n", NodeKind.TAG, A),)))
        changed = Subgraph(A, (Node("n", NodeKind.ENTITY, A),))
        store.write(changed)
        assert_holds(store, changed)
        assert not list(store.nodes([NodeKind.TAG]))

    def test_nodes_are_found_by_kind_id_and_owner(self, store: GraphStore) -> None:
        for one in (document(A), document(B), corpus()):
            store.write(one)
        assert [node.id for node in store.nodes([NodeKind.DOCUMENT, NodeKind.TAG])] == [A, B, TAG.id]
        assert [node.id for node in store.nodes(ids=[B, "chunk:a0", "unknown"])] == ["chunk:a0", B]
        assert [node.id for node in store.nodes([NodeKind.CHUNK], ids=[B, "chunk:a0"])] == ["chunk:a0"]
        assert [node.id for node in store.nodes([NodeKind.CHUNK], owner=B)] == ["chunk:b0", "chunk:b1"]
        assert not list(store.nodes(ids=[]))

    def test_edges_are_found_by_kind_ends_and_owner(self, store: GraphStore) -> None:
        for one in (document(A), document(B), corpus(reference(A, B))):
            store.write(one)
        assert [edge.target for edge in store.edges([EdgeKind.NEXT], sources=["chunk:a0", A])] == ["chunk:a1"]
        assert [edge.source for edge in store.edges(targets=[TAG.id], sources=["chunk:b0", "chunk:b1", A])] == [
            "chunk:b0",
            "chunk:b1",
        ]
        assert {edge.kind for edge in store.edges(targets=[B])} == {EdgeKind.REFERENCES}
        assert list(store.edges(owner=B)) == sorted_edges(document(B))
        assert not list(store.edges(sources=[]))
        assert not list(store.edges(targets=[]))

    def test_node_hashes_are_those_of_the_contents(self, store: GraphStore) -> None:
        before, after = document(A, chunks=2), document(A, chunks=2, text="other text")
        store.write(before)
        store.write(corpus())
        assert node_hashes(store, NodeKind.TAG) == {TAG.id: item_hash(TAG)}
        for one in (before, after):
            store.write(one)
            assert node_hashes(store, NodeKind.CHUNK) == {node.id: item_hash(node) for node in one.nodes[1:]}
        assert node_hashes(store, NodeKind.ROW) == {}

    def test_quotes_and_cypher_in_values_are_plain_text(self, store: GraphStore) -> None:
        hostile = "'}) DETACH DELETE n //`]-> \\u0027"
        node, edge = Node(hostile, NodeKind.TAG, A, {"name": hostile}), Edge(hostile, EdgeKind.NEXT, A, A, hostile)
        one = Subgraph(A, (node,), (edge,))
        store.write(document(B))
        store.write(one)
        assert_holds(store, one, document(B))

    def test_threads_may_write_at_the_same_time(self, store: GraphStore) -> None:
        owners = [f"document:{letter}" for letter in "cdefghijklmnopqrstuvwxyz"]
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda owner: store.write(document(owner)), owners))
        assert set(store.owners()) == set(owners)

    @settings(max_examples=15, deadline=None, suppress_health_check=_FINE)
    @given(data=st.data())
    def test_any_series_of_writes_leaves_the_last_of_each_owner(self, store: GraphStore, data: st.DataObject) -> None:
        for owner in (A, B):
            store.remove(owner)
        last = {}
        for owner in data.draw(st.lists(st.sampled_from([A, B]), max_size=4)):
            last[owner] = data.draw(subgraphs(owner))
            store.write(last[owner])
        assert_holds(store, *last.values())

    def test_a_closed_store_can_be_closed_again(self, store: GraphStore) -> None:
        store.close()
        store.close()
