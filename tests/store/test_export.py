from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx
import pytest

from pipelines.core.graph import Edge, EdgeKind, GraphFormat, Node, NodeKind, Subgraph
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.export import export
from pipelines.store.graph import GraphStore
from pipelines.store.neo4j.connection import Connection, Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore
from pipelines.store.testing.graph_store_contract import A, B, corpus, document, reference

ODD = {"text": '泵 <a> & "b" \\ \n\x0b\'', "many": ("a,b", "c"), "page": 3, "weight": 0.5, "yes": True}
PARTS = (
    document(A),
    document(B),
    corpus(reference(A, B)),
    Subgraph("document:c", (Node("n`1", NodeKind.ATOM, "document:c", {**ODD, "kind": "question"}),),
             (Edge("n`1", EdgeKind.NEXT, "n`1", "document:c", "k'", ODD),)),
)  # fmt: skip


def filled(store: GraphStore, *parts: Subgraph) -> GraphStore:
    for part in parts:
        store.write(part)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = EmbeddedStore.open(tmp_path / "kb")
    yield filled(opened.graph, *PARTS)
    opened.close()


def exported(store: GraphStore, format: GraphFormat) -> str:
    out = io.StringIO()
    export(store, format, out)
    return out.getvalue()


@pytest.mark.parametrize("format", list(GraphFormat))
def test_the_export_does_not_depend_on_the_order_of_writing(
    store: GraphStore, tmp_path: Path, format: GraphFormat
) -> None:
    other = EmbeddedStore.open(tmp_path / "other")
    filled(other.graph, document(A, chunks=7), *reversed(PARTS))
    assert exported(other.graph, format) == exported(store, format)
    other.close()


def test_json_lines_contain_everything(store: GraphStore) -> None:
    rows = [json.loads(line) for line in exported(store, GraphFormat.JSONL).splitlines()]
    assert [row["id"] for row in rows if row["type"] == "node"] == [node.id for node in store.nodes()]
    odd = next(row for row in rows if row.get("id") == "n`1")
    assert odd["properties"] == {**ODD, "many": ["a,b", "c"], "kind": "question"}
    assert odd["layer"] == "DistilledKnowledge"
    assert sum(row["type"] == "edge" for row in rows) == len(list(store.edges()))


def test_graphml_can_be_read_by_networkx(store: GraphStore, tmp_path: Path) -> None:
    text = exported(store, GraphFormat.GRAPHML)
    ET.fromstring(text)
    (tmp_path / "g.graphml").write_text(text, "utf-8")
    graph = networkx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert set(graph.nodes) == {node.id for node in store.nodes()}
    assert graph.number_of_edges() == len(list(store.edges()))
    odd = graph.nodes["n`1"]
    assert (odd["page"], odd["weight"], odd["yes"], odd["many"]) == (3, 0.5, True, '["a,b","c"]')
    assert odd["text"] == str(ODD["text"]).replace("\x0b", "\ufffd")


@pytest.mark.neo4j
def test_the_cypher_script_creates_the_graph(
    store: GraphStore, neo4j_store: Callable[..., Neo4jStore], neo4j_address: Neo4jAddress
) -> None:
    neo4j_store()
    script = exported(store, GraphFormat.CYPHER).splitlines()
    connection = Connection(neo4j_address, 5)
    try:
        for statement in script:
            if not statement.startswith("CREATE CONSTRAINT"):
                connection.run(statement.rstrip(";"))
        made = connection.run(
            "MATCH (n:Strata) WHERE n.kb IS NULL RETURN n.id AS id, properties(n) AS told ORDER BY id"
        )
        ends = connection.run(
            "MATCH (a:Strata)-[r]->(b) WHERE a.kb IS NULL AND b.kb IS NULL RETURN a.id AS a, type(r) AS kind, b.id AS b"
        )
    finally:
        connection.run("MATCH (n:Strata) WHERE n.kb IS NULL DETACH DELETE n")
        connection.close()
    assert [row["id"] for row in made] == [node.id for node in store.nodes()]
    odd = next(row["told"] for row in made if row["id"] == "n`1")
    assert {name: odd[name] for name in ODD} == {**ODD, "many": ["a,b", "c"]}  # type: ignore[index]
    assert sorted((row["a"], row["kind"], row["b"]) for row in ends) == sorted(  # type: ignore[type-var]
        (edge.source, edge.kind.value, edge.target) for edge in store.edges()
    )
