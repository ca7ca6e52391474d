"""Lists for people, read from the graph alone: what stays unresolved, and what was merged."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.store.graph import GraphStore


@dataclass(frozen=True, slots=True)
class Unresolved:
    """One place that refers to something the knowledge base does not hold."""

    wanted: str
    reason: str
    kind: str
    uri: str
    evidence: str
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """An entity with one of the names that were merged into it, and the rule that did it."""

    id: str
    name: str
    merged: str


def unresolved(store: GraphStore) -> tuple[Unresolved, ...]:
    """Return every reference that leads nowhere, in order of what is wanted and where."""
    wanted = {node.id: node for node in store.nodes([NodeKind.UNRESOLVED])}
    edges = list(store.edges([EdgeKind.REFERENCES], targets=wanted.keys()))
    sources = {node.id: node for node in store.nodes(ids={edge.source for edge in edges})}
    found = []
    for edge in edges:
        node, told = wanted[edge.target], edge.properties
        page = told.get("page")
        found.append(
            Unresolved(
                _text(node, "wanted"),
                _text(node, "reason"),
                str(told.get("kind", "")),
                _text(sources[edge.source], "uri") if edge.source in sources else edge.source,
                str(told.get("evidence", "")),
                int(str(told.get("start", 0))),
                int(str(told.get("end", 0))),
                page if isinstance(page, int) else None,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.wanted, one.uri, one.start)))


def merges(store: GraphStore) -> tuple[Merged, ...]:
    """Return the merges of entities, in order of the names that stand for them."""
    found = []
    for node in store.nodes([NodeKind.ENTITY]):
        told = node.properties.get("merges", ())
        if isinstance(told, tuple):
            found += [Merged(node.id, _text(node, "name"), one) for one in told]
    return tuple(sorted(found, key=lambda one: (one.name, one.merged)))


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name, ""))
