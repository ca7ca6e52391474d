"""The graph, or part of it, in networkx, for algorithms that want it whole."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.store.graph import GraphStore

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]


def to_networkx(store: GraphStore, nodes: Collection[NodeKind] = (), edges: Collection[EdgeKind] = ()) -> Graph:
    """Return the nodes and edges of these kinds (none: all), and of the edges those between nodes that are there.

    A node has the attributes `kind` and `owner`, an edge `kind` and `owner`, its key is (kind, key); all other
    properties are as in the store, under `properties`.
    """
    import networkx

    graph: Graph = networkx.MultiDiGraph()
    for node in store.nodes(nodes):
        graph.add_node(node.id, kind=node.kind, owner=node.owner, properties=dict(node.properties))
    for edge in store.edges(edges):
        if edge.source in graph and edge.target in graph:
            told = dict(edge.properties)
            graph.add_edge(
                edge.source, edge.target, (edge.kind, edge.key), kind=edge.kind, owner=edge.owner, properties=told
            )
    return graph
