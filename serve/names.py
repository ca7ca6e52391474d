"""Tags and entities with their occurrences, and the bounded neighbourhood of a node.

`pipelines.store.explore.neighbourhood` reads all edges of all nodes that it visits; a tag may have a hundred thousand.
Here the number of edges per node is limited, so that the amount of data read is bounded by what is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from pipelines.core.errors import NotFound
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind
from pipelines.core.ids import normalize
from pipelines.core.provenance import Provenance, Span
from pipelines.store.explore import node_name
from pipelines.store.graph import GraphStore
from serve.language import place_of
from serve.library import OpenBase
from serve.results import EdgeView, GraphView, NodeView
from serve.views import Appearance, ListPart, Named, NamedView, RelationView, named, number, page_of, text, texts

KINDS = {"tags": NodeKind.TAG, "entities": NodeKind.ENTITY}
"""Kinds of nodes by their names in requests."""
_EDGES = {NodeKind.TAG: EdgeKind.HAS_TAG, NodeKind.ENTITY: EdgeKind.MENTIONS}
FEWEST_EDGES = 4
"""Minimum edges per node of the second ring, in each direction."""


def list_names(base: OpenBase, kind: NodeKind, words: str = "", offset: int = 0, limit: int = 50) -> ListPart[Named]:
    """Return the tags or entities with these words in their names, the most frequent first."""
    wanted = normalize(words)
    nodes = [node for node in base.knowledge.stores.graph.nodes((kind,)) if wanted in normalize(_all_names(node))]
    nodes.sort(key=lambda node: (-_count(node), node_name(node), node.id))
    shown = nodes[offset : offset + limit]
    classes = _classes(base, [node.id for node in shown]) if kind is NodeKind.TAG else {}
    return ListPart(len(nodes), offset, tuple(_named(node, classes) for node in shown))


def name_view(base: OpenBase, kind: NodeKind, id: str, limit: int) -> NamedView:
    """Return a tag or an entity with its chunks, and an entity's relations. Raises `NotFound`."""
    graph = base.knowledge.stores.graph
    node = next((node for node in graph.nodes((kind,), ids=[id])), None)
    if node is None:
        raise NotFound(f"no {kind.value.lower()} with that id")
    chunks = dict.fromkeys(edge.source for edge in islice(graph.edges((_EDGES[kind],), targets=[id]), limit * 4))
    related = () if kind is NodeKind.TAG else _relations(base, id, limit)
    classes = _classes(base, [id]) if kind is NodeKind.TAG else {}
    return NamedView(_named(node, classes), _appearances(base, list(chunks)[:limit]), related)


def _named(node: Node, classes: dict[str, str]) -> Named:
    found = named(node)
    if node.id not in classes:
        return found
    return Named(found.id, found.kind, found.name, classes[node.id], found.count, found.documents, found.aliases)


def _classes(base: OpenBase, tags: list[str]) -> dict[str, str]:
    """Return the class names of these tags, by tag id."""
    graph = base.knowledge.stores.graph
    edges = list(graph.edges((EdgeKind.IN_CLASS,), sources=tags))
    names = {node.id: node_name(node) for node in graph.nodes(ids={edge.target for edge in edges})}
    return {edge.source: names[edge.target] for edge in edges if edge.target in names}


def _all_names(node: Node) -> str:
    return " ".join((node_name(node), *texts(node, "aliases")))


def _count(node: Node) -> int:
    return max(number(node, "chunks"), number(node, "mentions"))


def _appearances(base: OpenBase, chunks: list[str]) -> tuple[Appearance, ...]:
    nodes = {node.id: node for node in base.knowledge.stores.graph.nodes((NodeKind.CHUNK,), ids=chunks)}
    found = [nodes[id] for id in chunks if id in nodes]
    found.sort(key=lambda node: (text(node, "uri"), number(node, "position")))
    return tuple(
        Appearance(
            node.owner,
            text(node, "uri"),
            text(node, "title"),
            node.id,
            text(node, "text"),
            page_of(node),
            place_of(text(node, "uri"), _provenance(node)),
            number(node, "start"),
            number(node, "end"),
        )
        for node in found
    )


def _relations(base: OpenBase, id: str, limit: int) -> tuple[RelationView, ...]:
    graph = base.knowledge.stores.graph
    forward = list(islice(graph.edges((EdgeKind.RELATED,), sources=[id]), limit))
    back = list(islice(graph.edges((EdgeKind.RELATED,), targets=[id]), limit))
    names = {node.id: node_name(node) for node in graph.nodes(ids=_others([*forward, *back], id))}
    found = [_relation(edge, edge.target, names, True) for edge in forward if edge.target in names]
    found += [_relation(edge, edge.source, names, False) for edge in back if edge.source in names]
    return tuple(found[:limit])


def _others(edges: Iterable[Edge], id: str) -> set[str]:
    return {edge.source if edge.target == id else edge.target for edge in edges}


def _relation(edge: Edge, other: str, names: dict[str, str], forward: bool) -> RelationView:
    return RelationView(text(edge, "type"), other, names[other], forward, text(edge, "evidence"))


def bounded_neighbourhood(graph: GraphStore, center: str, hops: int, limit: int) -> GraphView:
    """Return at most `limit` nodes within `hops` edges of a node, nearest first. Raises `NotFound`."""
    nodes = {node.id: node for node in graph.nodes(ids=[center])}
    if not nodes:
        raise NotFound("no node with that id")
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
    """Return up to `share` edges from and to each node of a ring, and whether there are more."""
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


def _provenance(node: Node) -> Provenance:
    """Return the place of a chunk's node."""
    span = Span(number(node, "start"), number(node, "end"))
    return Provenance(node.owner, span, page_of(node), text(node, "label"), text(node, "cells"))
