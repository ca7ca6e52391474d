"""Reads the data of an index from a graph store: all of it, or only that of changed owners."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind
from pipelines.retrieve.chunk_table import ChunkTable
from pipelines.retrieve.hit import text_of, texts_of
from pipelines.retrieve.renumbering import Renumbering
from pipelines.retrieve.sparse_rows import Numbers
from pipelines.retrieve.strings import Strings
from pipelines.store.graph import HASH_BYTES, GraphStore, node_hashes

KINDS = (
    EdgeKind.MENTIONS, EdgeKind.HAS_TAG, EdgeKind.NEXT, EdgeKind.RELATED, EdgeKind.REFERENCES, EdgeKind.SUPERSEDES
)  # fmt: skip
TermsOf = Callable[[Collection[str] | None], Iterable[tuple[str, str]]]
"""Returns the ids of the chunks of these owners (None: all) with their terms, see `Termed`."""
_BETWEEN_DOCUMENTS = (EdgeKind.REFERENCES, EdgeKind.SUPERSEDES)


class ForeignEdge(Exception):
    """An edge of a changed owner at an unchanged document's chunk: the whole graph must be read."""


@dataclass(slots=True)
class EdgeTable:
    """Edges as pairs of numbers, collected one by one.

    `incomplete` are the owners that must be read again next time: an end of an edge is missing and may appear later, or
    belongs to another owner.
    """

    chunks: Mapping[str, int]
    documents: Mapping[str, int]
    entities: Mapping[str, int]
    tags: Mapping[str, int]
    owner_of: Mapping[str, str]
    """The owner of each chunk read; an edge at any other chunk raises `ForeignEdge`."""
    mentions: array[int] = field(default_factory=lambda: array("i"))
    """Alternating chunks and entities; all pairs here are flat, since a million tuples would take 100 MiB."""
    tagged: array[int] = field(default_factory=lambda: array("i"))
    tag_weights: array[float] = field(default_factory=lambda: array("f"))
    following: array[int] = field(default_factory=lambda: array("i"))
    relations: array[int] = field(default_factory=lambda: array("i"))
    """A document, a head and a tail, repeated."""
    references: array[int] = field(default_factory=lambda: array("i"))
    reference_weights: array[float] = field(default_factory=lambda: array("f"))
    newer: dict[int, int] = field(default_factory=dict)
    """The document that supersedes each; the last by id if there are several."""
    incomplete: set[str] = field(default_factory=set)

    def read(self, graph: GraphStore, owners: Collection[str] | None) -> None:
        """Read the edges of `owners` (None: all), and those between documents. Raises `ForeignEdge`."""
        for edge in _edges(graph, owners):
            if edge.kind in _BETWEEN_DOCUMENTS:
                self._add_between_documents(edge)
            elif edge.kind is EdgeKind.RELATED:
                self._add_relation(edge)
            else:
                self._add_of_chunk(edge)

    def superseded_by(self, documents: int) -> Numbers:
        """Return the end of each document's chain of SUPERSEDES edges, or -1; a cycle is followed once."""
        found = np.full(documents, -1, dtype=np.int32)
        for document in self.newer:
            last, passed = document, {document}
            while last in self.newer and self.newer[last] not in passed:
                last = self.newer[last]
                passed.add(last)
            found[document] = last if last != document else -1
        return found

    def _add_of_chunk(self, edge: Edge) -> None:
        ends = {EdgeKind.MENTIONS: self.entities, EdgeKind.HAS_TAG: self.tags, EdgeKind.NEXT: self.chunks}[edge.kind]
        source, target = self.chunks.get(edge.source), ends.get(edge.target)
        if source is None or target is None:
            self.incomplete.add(edge.owner)
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
            self.incomplete |= {owner, edge.owner}

    def _add_relation(self, edge: Edge) -> None:
        document = self.documents.get(edge.owner, -1)
        head, tail = self.entities.get(edge.source), self.entities.get(edge.target)
        if document < 0 or head is None or tail is None:
            self.incomplete.add(edge.owner)
        if head is not None and tail is not None:
            self.relations.extend((document, head, tail))

    def _add_between_documents(self, edge: Edge) -> None:
        """Add an edge between documents. References owned by a document point to its tables and figures: no target."""
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
            self.incomplete.add(edge.owner)


def _number(edge: Edge, name: str) -> float:
    found = edge.properties.get(name, 1)
    return float(found) if isinstance(found, float | int) else 1.0


def _edges(graph: GraphStore, owners: Collection[str] | None) -> Iterator[Edge]:
    """Yield the edges of some owners (None: all), and always those between documents."""
    if owners is None:
        yield from graph.edges(KINDS)
        return
    for owner in owners:
        if owner != CORPUS_OWNER:
            yield from graph.edges(KINDS, owner=owner)
    yield from graph.edges(KINDS if CORPUS_OWNER in owners else _BETWEEN_DOCUMENTS, owner=CORPUS_OWNER)


def read_documents(
    graph: GraphStore, owners: Collection[str] | None, chunk_terms: TermsOf | None = None
) -> tuple[list[Node], ChunkTable]:
    """Return the documents of `owners` (None: all) sorted by id, and their chunks; see `build_index`."""
    documents = sorted(_nodes(graph, NodeKind.DOCUMENT, owners), key=lambda node: node.id)
    titles = {document.id: text_of(document, "title") for document in documents}
    chunks = ChunkTable()
    for id, found in chunk_terms(owners) if chunk_terms else ():
        chunks.add_terms(id, found)
    for chunk in _nodes(graph, NodeKind.CHUNK, owners):
        chunks.add(chunk, titles[chunk.owner])
    return documents, chunks.in_order()


def _nodes(graph: GraphStore, kind: NodeKind, owners: Collection[str] | None) -> Iterator[Node]:
    if owners is None:
        yield from graph.nodes((kind,))
    for owner in owners or ():
        if owner != CORPUS_OWNER:  # it has many nodes and no documents
            yield from graph.nodes((kind,), owner=owner)


@dataclass(frozen=True, slots=True)
class NamedTable:
    """All tags or entities sorted by id, with their hashes, and the names of new and changed ones.

    `numbers` renumbers the nodes; in `contents`, changed nodes count as removed and added again. `names` and `aliases`
    are those of the added ones.
    """

    ids: Strings
    hashes: NDArray[np.uint8]
    numbers: Renumbering
    contents: Renumbering
    names: list[str]
    aliases: list[tuple[str, ...]]

    @staticmethod
    def of(graph: GraphStore, kind: NodeKind, old_ids: Strings, old_hashes: NDArray[np.uint8]) -> NamedTable:
        hashes_by_id = node_hashes(graph, kind)
        before = dict(zip(old_ids, _split(old_hashes), strict=True))
        fresh = sorted(id for id, hash in hashes_by_id.items() if before.get(id) != hash)
        new = [id for id in fresh if id not in before]
        kept = old_ids.mask_without(before.keys() - hashes_by_id.keys())
        numbers = Renumbering.between(old_ids, kept, new)
        ids = numbers.strings(old_ids, new)
        same = kept & old_ids.mask_without(id for id in fresh if id in before)
        of_new = ids.places(fresh)
        contents = Renumbering(np.where(same, numbers.of_old, -1).astype(np.int32), of_new)
        hashes = contents.table(old_hashes, _joined([hashes_by_id[id] for id in fresh]))
        names, aliases = [], []
        for node in graph.nodes((kind,), fresh if before else None) if fresh else ():
            names.append(text_of(node, "name"))
            aliases.append(texts_of(node, "aliases"))
        return NamedTable(ids, hashes, numbers, contents, names, aliases)


def _split(hashes: NDArray[np.uint8]) -> list[bytes]:
    data = hashes.tobytes()
    return [data[start : start + HASH_BYTES] for start in range(0, len(data), HASH_BYTES)]


def _joined(hashes: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, HASH_BYTES)
