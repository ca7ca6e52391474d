"""Tests that an index updated from the previous one equals one built from the graph alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.retrieve.build_index import build_index
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import GraphStore
from tests.retrieve.same_index import assert_equal

NAMES = ("Torvik", "History of Torvik", "Edda Quill", "Quill", "Alpha Works", "History")
TAGS = ("pump seal", "pump-seal", "bearing", "rain")
WORDS = ("the", "lighthouse", "of", "Torvik", "quills", "Pumpen", "ein", "history", "x-4711", "and")
documents = st.fixed_dictionaries(
    {
        "title": st.sampled_from((*NAMES, "Weather", "")),
        "uri": st.sampled_from(("a.md", "old/pump.pdf", "quill.eml")),
        "language": st.sampled_from(("en", "de", "")),
        "superseded": st.sampled_from(("", "a", "b", "c")),
        "chunks": st.lists(
            st.fixed_dictionaries(
                {
                    "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
                    "summary": st.sampled_from(("", "bearings")),
                    "page": st.integers(0, 2),
                    "names": st.sets(st.sampled_from(NAMES), max_size=3),
                    "tags": st.sets(st.sampled_from(TAGS), max_size=2),
                    "refers": st.sampled_from(("", "a", "d")),
                }
            ),
            max_size=3,
        ),
    }
)
corpora = st.dictionaries(st.sampled_from("abcde"), documents, max_size=5)
listed = st.fixed_dictionaries(
    {
        "names": st.dictionaries(st.sampled_from(NAMES), st.sampled_from(("", "Quill", "Old Town"))),
        "tags": st.dictionaries(st.sampled_from(TAGS), st.sampled_from(("", "bearings"))),
    }
)


def subgraph(name: str, told: dict[str, Any]) -> Subgraph:
    id = f"document:{name}"
    properties = {one: told[one] for one in ("title", "uri", "language")}
    nodes, edges = [Node(id, NodeKind.DOCUMENT, id, properties)], []
    for place, chunk in enumerate(told["chunks"]):
        # As real ids, these depend on the text and are not sorted by document.
        own = f"chunk:{len(chunk['text'])}:{name}{place}"
        properties = {one: chunk[one] for one in ("text", "summary", "page")} | {"language": told["language"]}
        nodes.append(Node(own, NodeKind.CHUNK, id, properties))
        edges += [Edge(own, EdgeKind.MENTIONS, f"entity:{one}", id) for one in sorted(chunk["names"])]
        edges += [Edge(own, EdgeKind.HAS_TAG, f"tag:{one}", id, "", {"weight": 0.5}) for one in sorted(chunk["tags"])]
        names = sorted(chunk["names"])[:2]
        if len(names) > 1:
            edges.append(Edge(f"entity:{names[0]}", EdgeKind.RELATED, f"entity:{names[1]}", id, own))
        if place:
            edges.append(Edge(nodes[-2].id, EdgeKind.NEXT, own, id))
    return Subgraph(id, tuple(nodes), tuple(edges))


def corpus(documents: dict[str, dict[str, Any]], told: dict[str, dict[str, str]]) -> Subgraph:
    nodes, edges = [], []
    for kind, names in ((NodeKind.ENTITY, told["names"]), (NodeKind.TAG, told["tags"])):
        for name, alias in names.items():
            properties = {"name": name} | ({"aliases": (alias,)} if alias else {})
            nodes.append(Node(f"{kind.value.lower()}:{name}", kind, CORPUS_OWNER, properties))
    for name, document in documents.items():
        id = f"document:{name}"
        if document["superseded"]:
            edges.append(Edge(f"document:{document['superseded']}", EdgeKind.SUPERSEDES, id, CORPUS_OWNER))
        for node in subgraph(name, document).nodes[1:]:
            edges.append(Edge(id, EdgeKind.REFERENCES, "document:a", CORPUS_OWNER, node.id, {"chunk": node.id}))
    return Subgraph(CORPUS_OWNER, tuple(nodes), tuple(edges))


def write_state(graph: GraphStore, documents: dict[str, dict[str, Any]], told: dict[str, dict[str, str]]) -> None:
    for owner in set(graph.owners()) - {f"document:{name}" for name in documents} - {CORPUS_OWNER}:
        graph.remove(owner)
    for name, document in documents.items():
        graph.write(subgraph(name, document))
    graph.write(corpus(documents, told))


@settings(max_examples=150)
@given(st.lists(st.tuples(corpora, listed), min_size=2, max_size=4))
def test_an_index_updated_over_edits_equals_one_built_anew(states: list[tuple[Any, Any]]) -> None:
    with TemporaryDirectory() as folder:
        store = EmbeddedStore.open(Path(folder) / "strata.db")
        index = None
        for documents, told in states:
            write_state(store.graph, documents, told)
            index = build_index(store.graph, index)
            assert_equal(index, build_index(store.graph))
        store.close()
