"""The neighbourhood of a node, as much of it as can be looked at.

`pipelines.store.explore.neighbourhood` reads every edge of every node on its way; a tag may have a hundred thousand.
Here every node gives a share of its edges, so that what is read is bounded by what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pipelines.core.errors import NotFound
from pipelines.core.graph import CORPUS_OWNER, Edge, Node
from pipelines.store.explore import node_name
from pipelines.store.graph import GraphStore
from serve.node_values import page_of, text
from serve.results import EdgeView, GraphView, NodeView

FEWEST_EDGES = 4
"""Edges that a node of the second ring gives at least in each direction."""


def bounded_neighbourhood(graph: GraphStore, center: str, hops: int, limit: int) -> GraphView:
    """Return at most `limit` nodes within `hops` edges of a node, nearest first. Raises `NotFound`."""
    nodes = {node.id: node for node in graph.nodes(ids=[center])}
    if not nodes:
        raise NotFound("no node of that id")
    reached, edges, ring, cut = {center: 0}, dict[str, Edge](), [center], False
    for hop in range(1, hops + 1):
        share = max(FEWEST_EDGES, (limit - len(nodes)) // max(1, len(ring)))
        found, more = _edges_of(graph, ring, share)
        ends = dict.fromkeys(end for edge in found for end in (edge.source, edge.target) if end not in nodes)
        chosen = list(ends)[: max(0, limit - len(nodes))]
        cut = cut or more or len(chosen) < len(ends)
        new = {node.id: node for node in graph.nodes(ids=chosen)}
        nodes |= new
        reached |= dict.fromkeys(new, hop)
        edges |= {edge.id: edge for edge in found if edge.source in nodes and edge.target in nodes}
        ring = list(new)
    shown = tuple(sorted((_node(node, reached[id]) for id, node in nodes.items()), key=lambda one: (one.hops, one.id)))
    return GraphView(center, shown, tuple(map(_edge, edges.values())), cut)


def _edges_of(graph: GraphStore, ring: list[str], share: int) -> tuple[list[Edge], bool]:
    """Up to `share` edges from and to each node of a ring, and whether there are more."""
    found: list[Edge] = []
    more = False
    for id in ring:
        for edges in _both_ways(graph, id):
            some = list(islice(edges, share + 1))
            more = more or len(some) > share
            found += some[:share]
    return found, more


def _both_ways(graph: GraphStore, id: str) -> Iterator[Iterator[Edge]]:
    yield graph.edges(sources=[id])
    yield graph.edges(targets=[id])


def _node(node: Node, hops: int) -> NodeView:
    document = "" if node.owner == CORPUS_OWNER else node.owner
    return NodeView(node.id, node.kind.value, node.layer.value, node_name(node), hops, document, page_of(node))


def _edge(edge: Edge) -> EdgeView:
    return EdgeView(edge.source, edge.target, edge.kind.value, text(edge, "type") or text(edge, "kind"))
