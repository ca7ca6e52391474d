"""A graph of five documents with one chunk each."""

from __future__ import annotations

from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity
from pipelines.retrieve.index import Index

TEXTS = {
    "a": ("Alpha Works", "Alpha Works was founded by Edda Quill."),
    "b": ("Edda Quill", "Edda Quill was born in Torvik."),
    "c": ("Torvik", "Torvik has a lighthouse of 1874."),
    "d": ("History of Torvik", "The History of Torvik begins with a harbour."),
    "e": ("Weather", "Rain falls on the hills."),
}
NAMES = {
    "a": ("Alpha Works", "Edda Quill"),
    "b": ("Edda Quill", "Torvik"),
    "c": ("Torvik",),
    "d": ("History of Torvik",),
}


def document(name: str) -> Subgraph:
    id, chunk = f"document:{name}", f"chunk:{name}"
    title, text = TEXTS[name]
    told = {"title": title, "uri": f"{name}.md", "metadata": ("created: 2024-01-01", "modified: 2025-01-01")}
    edges = [Edge(id, EdgeKind.HAS_CHUNK, chunk, id)]
    edges += [Edge(chunk, EdgeKind.MENTIONS, Entity.make_id(entity), id) for entity in NAMES.get(name, ())]
    nodes = (Node(id, NodeKind.DOCUMENT, id, told), Node(chunk, NodeKind.CHUNK, id, {"text": text, "position": 0}))
    return Subgraph(id, nodes, tuple(edges))


def number(index: Index, name: str) -> int:
    found = index.chunk_number(f"chunk:{name}")
    assert found is not None
    return found
