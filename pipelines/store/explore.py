"""Looking round in the graph of any store: what is around a node, and how two nodes hang together.

The nodes and edges within a few hops are read from the store, and networkx answers from them. The only module that
imports `networkx`.
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
"""Edges of the longest path that is looked for: from chunk to chunk over two shared names are four."""
_CALLED = {
    NodeKind.DOCUMENT: ("title", "uri"),
    NodeKind.ENTITY: ("name",),
    NodeKind.TAG: ("name",),
    NodeKind.TAG_CLASS: ("name",),
}
"""The properties by which a node can be named; where nodes of several kinds have a name, the kind that stands first."""
_CHOICES = 5
"""Nodes of one name that an error lists."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node near another: `hops` edges away, reached last by `edge` (None for the node itself)."""

    node: Node
    hops: int
    edge: Edge | None = None


@dataclass(frozen=True, slots=True)
class PathStep:
    """An edge of a path and the node that it leads to; `forward` is off where the path goes against the edge."""

    edge: Edge
    node: Node
    forward: bool = True


def find_node(store: GraphStore, name: str) -> Node:
    """Return the node of this id, or the document, entity, tag or class of tags of this name; case does not count.

    A document is named by its title or URI. Raises `NotFound` where there is none, or more than one of a kind.
    """
    for node in store.nodes(ids=[name]):
        return node
    found = [node for node in store.nodes(tuple(_CALLED)) if normalize(name) in map(normalize, _names(node))]
    kind = next((kind for kind in _CALLED if any(node.kind is kind for node in found)), None)
    found = [node for node in found if node.kind is kind]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f"no node {name}", ids=(name,), hint="`strata graph export` lists all")
    told = ", ".join(node.id for node in found[:_CHOICES])
    raise NotFound(f"{len(found)} nodes are called {name}", ids=(name,), hint=f"name one by its id: {told}")


def node_name(node: Node) -> str:
    """Return what a node is called by people: its name, title or text, else its id."""
    told = (node.properties.get(name) for name in ("name", "title", "text", "uri"))
    return next((text for text in told if isinstance(text, str) and text), node.id)


def neighbourhood(store: GraphStore, node: str, hops: int = 1) -> tuple[Neighbour, ...]:
    """Return the node of this id and all within `hops` edges of it, in either direction: nearest first, then by id.

    Edges to what the store does not hold are not followed.

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
    """Return a shortest path between the nodes of these ids, in either direction of each edge; None beyond `hops`.

    Of several it is always the same one; from a node to itself it is empty. Half of the hops is read from each end.
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
    """The nodes within some hops of `start` and the edges by which they were reached, read ring by ring."""
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
    """The first of the edges between two nodes, those from `one` to `two` before those back."""
    held = graph.get_edge_data(one, two) or graph.get_edge_data(two, one)
    edges: list[Edge] = [told["edge"] for told in held.values()]
    return min(edges, key=lambda edge: (edge.kind, edge.key))


def _names(node: Node) -> Iterator[str]:
    return (str(node.properties[name]) for name in _CALLED[node.kind] if node.properties.get(name))
