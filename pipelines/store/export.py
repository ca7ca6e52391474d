"""The graph as text in a stable order: equal graphs give equal files, whatever store they come from.

Every format is written as the store yields, without holding the graph in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import TextIO, TypeVar

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, Node, Value
from pipelines.store.graph import GraphStore
from pipelines.store.graphml import graphml_lines

T = TypeVar("T")
K = TypeVar("K")

_ROWS = 500
"""Nodes or edges of one statement of a Cypher script."""


class Format(StrEnum):
    JSONL = "jsonl"
    GRAPHML = "graphml"
    CYPHER = "cypher"


def export(store: GraphStore, format: Format, out: TextIO) -> None:
    """Write all nodes in order of id, then all edges in order of source, kind, target and key."""
    for line in _LINES[format](store):
        out.write(line + "\n")


def json_lines(store: GraphStore) -> Iterator[str]:
    """Yield one JSON object for each node (`"type": "node"`) and edge, with keys in a fixed order."""
    for node in store.nodes():
        told = {"type": "node", "id": node.id, "kind": node.kind, "layer": node.layer, "owner": node.owner}
        yield encode(told | {"properties": node.properties}).decode()
    for edge in store.edges():
        told = {"type": "edge", "source": edge.source, "kind": edge.kind, "target": edge.target, "key": edge.key}
        yield encode(told | {"owner": edge.owner, "properties": edge.properties}).decode()


def cypher_lines(store: GraphStore) -> Iterator[str]:
    """Yield a script for cypher-shell or Neo4j Browser that makes the graph in an empty database."""
    yield "CREATE CONSTRAINT strata_export_id IF NOT EXISTS FOR (n:Strata) REQUIRE n.id IS UNIQUE;"
    for node_kind, nodes in _runs(store.nodes(), lambda node: node.kind):
        labels = f"Strata:{node_kind.layer.value}:{node_kind.value}"
        yield f"UNWIND [{', '.join(map(_node_literal, nodes))}] AS row CREATE (n:{labels}) SET n = row;"
    for kind, edges in _runs(store.edges(), lambda edge: edge.kind):
        yield (
            f"UNWIND [{', '.join(map(_edge_literal, edges))}] AS row MATCH (a:Strata {{id: row.source}})"
            f" MATCH (b:Strata {{id: row.target}}) CREATE (a)-[r:{kind.value}]->(b) SET r = row.told;"
        )


_LINES: dict[Format, Callable[[GraphStore], Iterator[str]]] = {
    Format.JSONL: json_lines,
    Format.GRAPHML: graphml_lines,
    Format.CYPHER: cypher_lines,
}


def _runs(items: Iterable[T], kind_of: Callable[[T], K]) -> Iterator[tuple[K, list[T]]]:
    """Yield the items kind by kind, some hundreds at a time; each kind's keep their order."""
    waiting: dict[K, list[T]] = {}
    for item in items:
        group = waiting.setdefault(kind_of(item), [])
        group.append(item)
        if len(group) == _ROWS:
            yield kind_of(item), waiting.pop(kind_of(item))
    yield from waiting.items()


def _node_literal(node: Node) -> str:
    return _map({**node.properties, "id": node.id, "owner": node.owner, "layer": node.layer.value})


def _edge_literal(edge: Edge) -> str:
    told = _map({**edge.properties, "owner": edge.owner, "key": edge.key})
    return f"{{source: {_literal(edge.source)}, target: {_literal(edge.target)}, told: {told}}}"


def _map(values: dict[str, Value]) -> str:
    return "{" + ", ".join(f"{_name(name)}: {_literal(value)}" for name, value in values.items()) + "}"


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _literal(value: Value) -> str:
    """A value in Cypher; a string's escapes are JSON's but for a quote, and it keeps to one line."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
