"""Values to try the saved queries with, taken from the graph itself: each finds something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.store.graph import GraphStore

_QUOTED = 60
"""Characters of a quote."""


def examples(store: GraphStore) -> dict[str, str]:
    """Return a document's `uri`, a `page` of it and a `quote` from it, the commonest `tag` and `entity`, and an `other`
    entity that the latter is related to; each only where the graph has one."""
    return dict([*_of_document(store), *_of_knowledge(store)])


def _of_document(store: GraphStore) -> Iterator[tuple[str, str]]:
    """Of the document with the most chunks, where there are any on pages of those."""
    chunks = list(store.nodes([NodeKind.CHUNK]))
    chunks = [chunk for chunk in chunks if "page" in chunk.properties] or chunks
    counts = Counter(str(chunk.properties["uri"]) for chunk in chunks)
    if not counts:
        return
    uri = min(counts, key=lambda one: (-counts[one], one))
    own = [chunk for chunk in chunks if chunk.properties["uri"] == uri]
    first = min(own, key=lambda chunk: int(str(chunk.properties.get("position", 0))))
    yield "uri", uri
    yield "page", str(first.properties.get("page", 1))
    yield "quote", max(str(first.properties["text"]).splitlines(), key=len, default="")[:_QUOTED].strip()


def _of_knowledge(store: GraphStore) -> Iterator[tuple[str, str]]:
    if tag := _commonest(store.nodes([NodeKind.TAG]), "chunks"):
        yield "tag", str(tag.properties["name"])
    entities = {node.id: node for node in store.nodes([NodeKind.ENTITY])}
    entity = _commonest(entities.values(), "mentions")
    if entity is None:
        return
    yield "entity", str(entity.properties["name"])
    related = (edge.target for edge in store.edges([EdgeKind.RELATED], sources=[entity.id]))
    if other := _commonest((entities[id] for id in related if id in entities), "mentions"):
        yield "other", str(other.properties["name"])


def _commonest(nodes: Iterable[Node], count: str) -> Node | None:
    return min(nodes, key=lambda node: (-int(str(node.properties.get(count, 0))), node.id), default=None)
