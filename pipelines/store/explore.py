"""Exploration of the graph in any store: the neighbourhood of a node, and the path between two nodes.

The nodes and edges within a few hops are read from the store, and searched with networkx.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pipelines.core.errors import NotFound
from pipelines.core.graph import Edge, Node, NodeKind
from pipelines.core.ids import normalize
from pipelines.store.graph import GraphStore

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]

HOPS = 6
"""Maximum edges of a path: a path between two chunks over two shared names has four."""
_NAME_PROPERTIES = {
    NodeKind.DOCUMENT: ("title", "uri"),
    NodeKind.ENTITY: ("name",),
    NodeKind.TAG: ("name",),
    NodeKind.TAG_CLASS: ("name",),
}
"""The properties by which a node can be named. If nodes of several kinds have the name, the first kind is used."""
_CHOICES = 5
"""Maximum nodes with the same name that an error lists."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node that is `hops` edges away; `edge` is the last edge of the path to it (None for the node itself)."""

    node: Node
    hops: int
    edge: Edge | None = None


@dataclass(frozen=True, slots=True)
class PathStep:
    """An edge of a path, and the node that it leads to; `forward` is False if the path reverses the edge."""

    edge: Edge
    node: Node
    forward: bool = True


def find_node(store: GraphStore, name: str) -> Node:
    """Return the node with this id, or the document, entity, tag or tag class with this name, ignoring case.

    The name of a document is its title or URI. Raises `NotFound` if there is no such node, or several of one kind.
    """
    for node in store.nodes(ids=[name]):
        return node
    found = [node for node in store.nodes(tuple(_NAME_PROPERTIES)) if normalize(name) in map(normalize, _names(node))]
    kind = next((kind for kind in _NAME_PROPERTIES if any(node.kind is kind for node in found)), None)
    found = [node for node in found if node.kind is kind]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f"no node {name}", ids=(name,), hint="`strata graph export` lists all")
    ids = ", ".join(node.id for node in found[:_CHOICES])
    raise NotFound(f"{len(found)} nodes are called {name}", ids=(name,), hint=f"name one by its id: {ids}")


def node_name(node: Node) -> str:
    """Return the name of a node for display: its name, title, text or URI, or else its id."""
    texts = (node.properties.get(name) for name in ("name", "title", "text", "uri"))
    return next((text for text in texts if isinstance(text, str) and text), node.id)


def neighbourhood(store: GraphStore, node: str, hops: int = 1) -> tuple[Neighbour, ...]:
    """Return the node with this id and all within `hops` edges of it, in either direction: nearest first, then by id.

    Edges to nodes that are not in the store are ignored.

        for near in neighbourhood(stores.graph, "entity:9f2c...", hops=2): print(near.hops, node_name(near.node))
    """
    import networkx

    graph = _read(store, [node], hops)
    paths = networkx.single_source_shortest_path(graph.to_undirected(as_view=True), node) if node in graph else {}
    near = [
        Neighbour(graph.nodes[end]["node"], len(path) - 1, _edge(graph, *path[-2:]) if len(path) > 1 else None)
        for end, path in paths.items()
    ]
    return tuple(sorted(near, key=lambda one: (one.hops, one.node.kind, one.node.id)))


def shortest_path(store: GraphStore, start: str, end: str, hops: int = HOPS) -> tuple[PathStep, ...] | None:
    """Return a shortest path between two nodes, with edges in either direction; None if it has more than `hops` edges.

    The choice among several paths is reproducible; the path from a node to itself is empty. The graph is read from both
    ends, half of the hops from each.
    """
    import networkx

    graph = _read(store, [start], hops - hops // 2)
    graph.update(_read(store, [end], hops // 2))
    if start not in graph or end not in graph:
        return None
    try:
        path = networkx.shortest_path(graph.to_undirected(as_view=True), start, end)
    except networkx.NetworkXNoPath:
        return None
    return tuple(_step(graph, one, two) for one, two in pairwise(path))


def _read(store: GraphStore, start: Collection[str], hops: int) -> Graph:
    """Return the nodes within `hops` of `start` and the edges that lead to them, by breadth-first search."""
    import networkx

    graph: Graph = networkx.MultiDiGraph()
    ring = {node.id: node for node in store.nodes(ids=start)}
    _add_nodes(graph, ring.values())
    for _ in range(hops):
        edges = [*store.edges(sources=ring), *store.edges(targets=ring)]
        ends = {end for edge in edges for end in (edge.source, edge.target)} - set(graph)
        ring = {node.id: node for node in store.nodes(ids=ends)}
        _add_nodes(graph, ring.values())
        for edge in edges:
            if edge.source in graph and edge.target in graph:
                graph.add_edge(edge.source, edge.target, edge.id, edge=edge)
        if not ring:
            break
    return graph


def _add_nodes(graph: Graph, nodes: Collection[Node]) -> None:
    for node in nodes:
        graph.add_node(node.id, node=node)


def _step(graph: Graph, one: str, two: str) -> PathStep:
    edge = _edge(graph, one, two)
    return PathStep(edge, graph.nodes[two]["node"], edge.source == one)


def _edge(graph: Graph, one: str, two: str) -> Edge:
    """Return the first edge from `one` to `two` by kind and key, or else the first one back."""
    held = graph.get_edge_data(one, two) or graph.get_edge_data(two, one)
    edges: list[Edge] = [data["edge"] for data in held.values()]
    return min(edges, key=lambda edge: (edge.kind, edge.key))


def _names(node: Node) -> Iterator[str]:
    return (str(node.properties[name]) for name in _NAME_PROPERTIES[node.kind] if node.properties.get(name))
