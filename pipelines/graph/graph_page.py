"""The graph as one self-contained page: no server, nothing fetched, opens from a disk or a mail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import TextIO

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, Layer, Node, NodeKind
from pipelines.core.safe_output import content_security_policy
from pipelines.store.graph import GraphStore

MOST_NODES = 30_000
"""Nodes that a page holds at most: a browser is slow to open more."""
# What is left out last when a graph is too large for a page: what gives it its shape, then what fills it.
_FIRST = (
    NodeKind.DOCUMENT, NodeKind.UNRESOLVED, NodeKind.SECTION, NodeKind.CHUNK, NodeKind.TABLE, NodeKind.FIGURE,
    NodeKind.TAG_CLASS, NodeKind.ENTITY, NodeKind.TAG, NodeKind.ATOM, NodeKind.ROW,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of the graph is in a page; `left_out` counts the nodes that were too many."""

    nodes: int
    edges: int
    left_out: int = 0


def write_page(store: GraphStore, title: str, out: TextIO, most: int = MOST_NODES) -> Shown:
    """Write the graph of a store as one HTML page.

    Args:
        store: the graph.
        title: the heading of the page.
        out: where the page is written.
        most: nodes that it holds at most; documents, sections and chunks come first, and the page says what is left
            out.

    Example:
        with open("graph.html", "w", encoding="utf-8") as out:
            write_page(store, "Plant 3", out)
    """
    nodes, left_out = _chosen(store, most)
    places = {node.id: i for i, node in enumerate(nodes)}
    edges = [edge for edge in store.edges() if edge.source in places and edge.target in places]
    data = {
        "title": title,
        "layers": [layer.value for layer in Layer],
        "kinds": [[kind.value, list(Layer).index(kind.layer)] for kind in NodeKind],
        "leftOut": left_out,
        "nodes": [_node(node, places) for node in nodes],
        "edges": [_edge(edge, places) for edge in edges],
    }
    out.write(_page(title, encode(data).decode()))
    return Shown(len(nodes), len(edges), left_out)


def _chosen(store: GraphStore, most: int) -> tuple[list[Node], int]:
    chosen: list[Node] = []
    left_out = 0
    for kind in _FIRST:
        for node in store.nodes([kind]):
            if len(chosen) < most:
                chosen.append(node)
            else:
                left_out += 1
    return chosen, left_out


def _node(node: Node, places: dict[str, int]) -> list[object]:
    """Its id, kind, document (-1 for what no document owns) and properties."""
    return [node.id, list(NodeKind).index(node.kind), places.get(node.owner, -1), node.properties]


def _edge(edge: Edge, places: dict[str, int]) -> list[object]:
    told = " · ".join(_told(edge, ("type", "kind", "section", "surface")))
    return [places[edge.source], edge.kind.value, places[edge.target], told, str(edge.properties.get("evidence", ""))]


def _told(edge: Edge, names: Iterable[str]) -> list[str]:
    return [str(edge.properties[name]) for name in names if edge.properties.get(name)]


def _page(title: str, data: str) -> str:
    """The template with style, script and data in it. The data can end no script: "<" is written as an escape."""
    style, layout, script = (_asset(name) for name in ("page.css", "layout.js", "page.js"))
    parts = {
        "policy": content_security_policy(style, (layout, script)),
        "title": title.replace("&", "&amp;").replace("<", "&lt;"),
        "style": style,
        "data": data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
        "layout": layout,
        "script": script,
    }
    pieces = _asset("page.html").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def _asset(name: str) -> str:
    return files("pipelines.graph").joinpath("page", name).read_text("utf-8")
