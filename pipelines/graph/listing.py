"""Lists read from the graph alone: unresolved references, merged entities, and values to try saved queries with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.store.graph import GraphStore

_QUOTED = 60
"""Characters of a quote: enough to be found once."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference to something that the knowledge base does not hold, with its place."""

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
    """Return every unresolved reference, in order of what is wanted and where."""
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


def examples(store: GraphStore) -> dict[str, str]:
    """Return values to try the saved queries with, so that each finds something; only those that the graph has.

    A document's `uri`, a `page` of it and a `quote` from it, the commonest `tag` and `entity`, and an `other` entity
    that is related to the latter.
    """
    return dict([*_of_document(store), *_of_knowledge(store)])


def _of_document(store: GraphStore) -> Iterator[tuple[str, str]]:
    """The values of the document with the most chunks, those with pages before those without."""
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
