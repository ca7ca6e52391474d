"""The edges of a graph store by the numbers that their ends have in an index."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind
from pipelines.store.graph import GraphStore

KINDS = (
    EdgeKind.MENTIONS, EdgeKind.HAS_TAG, EdgeKind.NEXT, EdgeKind.RELATED, EdgeKind.REFERENCES, EdgeKind.SUPERSEDES
)  # fmt: skip
_BETWEEN_DOCUMENTS = (EdgeKind.REFERENCES, EdgeKind.SUPERSEDES)


class ForeignEdge(Exception):
    """An edge at a chunk that is taken over, of an owner that is not the chunk's: all must be read."""


@dataclass(slots=True)
class EdgeTable:
    """Edges as pairs of numbers, gathered one by one.

    `loose` are the owners whose edges are not told by what the index takes over of them: an end is not there, and may
    come without the owner's doing, or another owner's chunk is at one.
    """

    chunks: Mapping[str, int]
    documents: Mapping[str, int]
    entities: Mapping[str, int]
    tags: Mapping[str, int]
    owner_of: Mapping[str, str]
    """The owners of the chunks that were read; no other chunk may be met."""
    mentions: array[int] = field(default_factory=lambda: array("i"))
    """A chunk and an entity after the other, as all pairs here: a million of tuples would take a hundred MiB."""
    tagged: array[int] = field(default_factory=lambda: array("i"))
    tag_weights: array[float] = field(default_factory=lambda: array("f"))
    following: array[int] = field(default_factory=lambda: array("i"))
    relations: array[int] = field(default_factory=lambda: array("i"))
    """A document, and the two entities of which it tells."""
    references: array[int] = field(default_factory=lambda: array("i"))
    reference_weights: array[float] = field(default_factory=lambda: array("f"))
    newer: dict[int, int] = field(default_factory=dict)
    """The document that takes the place of each; of several the last in order of id."""
    loose: set[str] = field(default_factory=set)

    def read(self, graph: GraphStore, owners: Collection[str] | None) -> None:
        """Read the edges of `owners` (None: of all), and those between documents.

        Raises `ForeignEdge`.
        """
        for edge in _edges(graph, owners):
            if edge.kind in _BETWEEN_DOCUMENTS:
                self._add_between_documents(edge)
            elif edge.kind is EdgeKind.RELATED:
                self._add_relation(edge)
            else:
                self._add_of_chunk(edge)

    def _add_of_chunk(self, edge: Edge) -> None:
        ends = {EdgeKind.MENTIONS: self.entities, EdgeKind.HAS_TAG: self.tags, EdgeKind.NEXT: self.chunks}[edge.kind]
        source, target = self.chunks.get(edge.source), ends.get(edge.target)
        if source is None or target is None:
            self.loose.add(edge.owner)
            return
        self._note_owner(edge, edge.source)
        if edge.kind is EdgeKind.MENTIONS:
            self.mentions.extend((source, target))
        elif edge.kind is EdgeKind.HAS_TAG:
            self.tagged.extend((target, source))
            self.tag_weights.append(_number(edge, "weight"))
        else:
            self._note_owner(edge, edge.target)
            self.following.extend((source, target))

    def _note_owner(self, edge: Edge, chunk: str) -> None:
        owner = self.owner_of.get(chunk)
        if owner is None:
            raise ForeignEdge
        if owner != edge.owner:
            self.loose |= {owner, edge.owner}

    def _add_relation(self, edge: Edge) -> None:
        document = self.documents.get(edge.owner, -1)
        head, tail = self.entities.get(edge.source), self.entities.get(edge.target)
        if document < 0 or head is None or tail is None:
            self.loose.add(edge.owner)
        if head is not None and tail is not None:
            self.relations.extend((document, head, tail))

    def _add_between_documents(self, edge: Edge) -> None:
        """These are the corpus's, and read each time; what a document itself refers to is no document."""
        target = self.documents.get(edge.target)
        if edge.kind is EdgeKind.SUPERSEDES:
            newer = self.documents.get(edge.source)
            if newer is not None and target is not None:
                self.newer[target] = max(newer, self.newer.get(target, -1))
        else:
            chunk = self.chunks.get(str(edge.properties.get("chunk", "")))
            if chunk is not None and target is not None:
                self.references.extend((chunk, target))
                self.reference_weights.append(1 / _number(edge, "candidates"))
        if edge.owner != CORPUS_OWNER and (edge.kind is EdgeKind.SUPERSEDES or "chunk" in edge.properties):
            self.loose.add(edge.owner)


def _number(edge: Edge, name: str) -> float:
    found = edge.properties.get(name, 1)
    return float(found) if isinstance(found, float | int) else 1.0


def _edges(graph: GraphStore, owners: Collection[str] | None) -> Iterator[Edge]:
    """The edges of some owners; of the corpus at least those between documents."""
    if owners is None:
        yield from graph.edges(KINDS)
        return
    for owner in owners:
        if owner != CORPUS_OWNER:
            yield from graph.edges(KINDS, owner=owner)
    yield from graph.edges(KINDS if CORPUS_OWNER in owners else _BETWEEN_DOCUMENTS, owner=CORPUS_OWNER)
