from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pipelines.core.errors import NotFound
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.neo4j.browser import saved_queries, saved_query
from pipelines.store.neo4j.store import Neo4jStore
from pipelines.store.testing.graph_store_contract import A, B, corpus, document, reference

WANTED = ["tree", "answer", "references", "unresolved", "tag", "entity", "page", "between", "search"]


def test_there_is_a_saved_query_for_each_question() -> None:
    assert list(saved_queries()) == WANTED
    assert all(one.shows and one.cypher.startswith(("MATCH", "CALL")) for one in saved_queries().values())


def test_every_parameter_of_a_query_has_an_example() -> None:
    for one in saved_queries().values():
        assert set(re.findall(r"\$(\w+)", one.cypher)) == {"kb", *one.parameters}


def test_parameters_are_set_as_literals_for_the_browser() -> None:
    text = saved_query("page").for_browser("kb", uri='a "b".pdf', page="4")
    assert ':param kb => "kb";' in text
    assert ':param uri => "a \\"b\\".pdf";' in text
    assert ":param page => 4;" in text


def test_an_unknown_query_lists_the_known_ones() -> None:
    with pytest.raises(NotFound) as raised:
        saved_query("all")
    assert "tree" in raised.value.hint


@pytest.mark.neo4j
def test_every_query_runs_and_has_results(neo4j_store: Callable[..., Neo4jStore]) -> None:
    store = neo4j_store()
    entity = Node("entity:p", NodeKind.ENTITY, "corpus", {"name": "P-1"})
    other = Node("entity:q", NodeKind.ENTITY, "corpus", {"name": "Q-1"})
    missing = Node("unresolved:x", NodeKind.UNRESOLVED, "corpus", {"name": "x"})
    links = corpus(reference(A, B), reference(A, missing.id))
    store.write(Subgraph("corpus", (*links.nodes, entity, other, missing), links.edges))
    one = document(A)
    chunk = Node("chunk:a0", NodeKind.CHUNK, A, {"text": "the seal leaks", "page": 2})
    nodes = (Node(A, NodeKind.DOCUMENT, A, {"uri": "a.pdf"}), chunk, *one.nodes[2:])
    edges = (
        *one.edges,
        Edge("chunk:a0", EdgeKind.MENTIONS, entity.id, A),
        Edge(entity.id, EdgeKind.RELATED, other.id, A),
    )
    store.write(Subgraph(A, nodes, edges))
    store.write(document(B))
    values = {
        "uri": "a.pdf",
        "quote": "seal leaks",
        "tag": "pump",
        "entity": "P-1",
        "other": "Q-1",
        "page": 2,
        "words": "seal",
    }
    for name, saved in saved_queries().items():
        chosen = {parameter: values[parameter] for parameter in saved.parameters}
        assert list(store.query(saved.cypher, **chosen)), name  # type: ignore[arg-type]
