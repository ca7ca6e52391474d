"""Chunks as the graph keeps them."""

from __future__ import annotations

from collections.abc import Collection

from pipelines.core.chunk import Chunk
from pipelines.core.graph import Node, NodeKind
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.node_properties import box_of
from pipelines.store.graph import GraphStore


def read_chunks(graph: GraphStore, ids: Collection[str]) -> dict[str, Node]:
    """Return the nodes of these chunks by id."""
    return {node.id: node for node in graph.nodes((NodeKind.CHUNK,), ids)}


def chunk_of(node: Node) -> Chunk:
    """Return the chunk that a node was made from (`pipelines.graph.node_properties.of_chunk`)."""
    return Chunk(
        id=node.id,
        document=node.owner,
        section=_text(node, "section"),
        position=_number(node, "position"),
        text=_text(node, "text"),
        provenance=_provenance(node),
        heading_path=_many(node, "heading_path"),
        context=_text(node, "context"),
        summary=_text(node, "summary"),
        forward_summary=_text(node, "forward_summary"),
        language=_text(node, "language"),
    )


def _provenance(node: Node) -> Provenance:
    page = _number(node, "page") if "page" in node.properties else None
    boxes = tuple(box_of(box) for box in _many(node, "boxes"))
    span = Span(_number(node, "start"), _number(node, "end"))
    return Provenance(node.owner, span, page, _text(node, "label"), _text(node, "cells"), boxes)


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name, ""))


def _number(node: Node, name: str) -> int:
    value = node.properties.get(name, 0)
    return int(value) if isinstance(value, int | float) else 0


def _many(node: Node, name: str) -> tuple[str, ...]:
    value = node.properties.get(name, ())
    return value if isinstance(value, tuple) else ()
