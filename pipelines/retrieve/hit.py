"""Results of retrieval: chunks with scores and their components, and the code that reads them from a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pipelines.core.document import Chunk
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.node_properties import box_of
from pipelines.store.graph import GraphStore

if TYPE_CHECKING:
    from pipelines.retrieve.index import Index


@dataclass(frozen=True, slots=True)
class Share:
    """A component of a hit's score.

    `layer` is "document", "chunk", "summary", "atom", "tag" or "entity" for similarity, or a kind of edge for
    propagation ("REFERENCES", "MENTIONS", ...). `path` names the nodes along which the score was propagated, from the
    first chunk to the hit.
    """

    layer: str
    score: float
    detail: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a parsed table; the text of a merged cell is repeated in each row and column that it spans.

    `table` is the table's id, `span` the row's span in the document's text, `names` are the column names of the
    non-empty `cells`.
    """

    table: str
    span: Span
    names: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def is_one_cell(self) -> bool:
        """Whether a single cell spans columns of different names: it is a heading of the rows below."""
        return len(set(self.names)) > 1 and len(set(self.cells)) == 1


class ListItem(NamedTuple):
    """A list item: its span in the document's text, and its depth, from 1."""

    span: Span
    depth: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found. `score` is in [0, 1], the sum of the shares.

    `atoms` are the texts of the chunk's best matching atoms, best first. `superseded_by` is the URI of the newest
    document that replaces the chunk's document, or "". `rows` are the table rows in the chunk, without headers.
    `headings` are the headings of the sections that begin in the chunk, with their places in the document's text, and
    `items` the list items in it.
    """

    chunk: Chunk
    document: str
    uri: str
    title: str
    score: float
    shares: tuple[Share, ...] = ()
    atoms: tuple[str, ...] = field(default_factory=tuple)
    superseded_by: str = ""
    rows: tuple[TableRow, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()
    items: tuple[ListItem, ...] = ()


@dataclass(frozen=True, slots=True)
class AtomHit:
    """An atom found, with its chunk; `score` is in [0, 1] (PIKE-RAG 5.3.2: q_ij and c_ij)."""

    text: str
    score: float
    hit: Hit


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """A chunk one edge away from the chunk `source`; `through` is the name of the connecting entity, or ""."""

    source: str
    hit: Hit
    edge: str
    through: str = ""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """The id of a chunk found, with its score and components."""

    id: str
    score: float
    shares: tuple[Share, ...]
    atoms: tuple[str, ...] = ()


class HitReader:
    """Reads the chunks found from a graph.

    `missed` is called if a chunk is missing from the graph or the index, because the index is outdated.
    """

    def __init__(self, graph: GraphStore, index: Index, missed: Callable[[], None]) -> None:
        self._graph, self._index, self._missed = graph, index, missed

    def hits(self, found: Iterable[FoundChunk]) -> tuple[Hit, ...]:
        """Return the chunks as hits in the given order, without missing ones."""
        listed = list(found)
        ids = {one.id for one in listed}
        nodes, rows = {node.id: node for node in self._graph.nodes((NodeKind.CHUNK,), ids)}, read_rows(self._graph, ids)
        known = {id for id in nodes if self._index.chunk_number(id) is not None}
        if len(known) < len(ids):
            self._missed()
        return tuple(self._hit(nodes[one.id], one, rows.get(one.id, ())) for one in listed if one.id in known)

    def _hit(self, node: Node, found: FoundChunk, rows: tuple[TableRow, ...]) -> Hit:
        index, chunk = self._index, chunk_of(node)
        document = index.document_number(chunk.document)
        uri, title, newer = index.uris[document], index.titles[document], int(index.superseded_by[document])
        superseded_by = index.uris[newer] if newer >= 0 else ""
        own = (found.score, found.shares, found.atoms)
        return Hit(chunk, chunk.document, uri, title, *own, superseded_by, rows, headings_of(node), items_of(node))


def read_rows(graph: GraphStore, chunks: Collection[str]) -> dict[str, tuple[TableRow, ...]]:
    """Return the table rows of these chunks by chunk id, in reading order; chunks without rows are omitted."""
    ids = {edge.target for edge in graph.edges((EdgeKind.HAS_ROW,), sources=chunks)} if chunks else set()
    found: dict[str, list[TableRow]] = {}
    for node in graph.nodes((NodeKind.ROW,), ids) if ids else ():
        span = Span(_number(node, "start"), _number(node, "end"))
        found.setdefault(text_of(node, "chunk"), []).append(
            TableRow(text_of(node, "table"), span, texts_of(node, "columns"), texts_of(node, "values"))
        )
    return {chunk: tuple(sorted(rows, key=lambda row: row.span)) for chunk, rows in found.items()}


def chunk_of(node: Node) -> Chunk:
    """Return the chunk stored in a node, the inverse of `pipelines.graph.node_properties.of_chunk`."""
    return Chunk(
        id=node.id,
        document=node.owner,
        section=text_of(node, "section"),
        position=_number(node, "position"),
        text=text_of(node, "text"),
        provenance=_provenance(node),
        heading_path=texts_of(node, "heading_path"),
        context=text_of(node, "context"),
        summary=text_of(node, "summary"),
        forward_summary=text_of(node, "forward_summary"),
        language=text_of(node, "language"),
    )


def headings_of(node: Node) -> tuple[tuple[int, str], ...]:
    """Return the headings stored in a chunk's node with their places in the document's text."""
    split = (heading.partition(" ") for heading in texts_of(node, "headings"))
    return tuple((int(place), title) for place, _, title in split)


def items_of(node: Node) -> tuple[ListItem, ...]:
    """Return the list items stored in a chunk's node."""
    split = (map(int, item.split()) for item in texts_of(node, "items"))
    return tuple(ListItem(Span(start, end), depth) for start, end, depth in split)


def _provenance(node: Node) -> Provenance:
    page = _number(node, "page") if "page" in node.properties else None
    boxes = tuple(box_of(box) for box in texts_of(node, "boxes"))
    span = Span(_number(node, "start"), _number(node, "end"))
    return Provenance(node.owner, span, page, text_of(node, "label"), text_of(node, "cells"), boxes)


def text_of(node: Node, name: str) -> str:
    """Return a text property of a node, or "" if it is missing."""
    return str(node.properties.get(name, ""))


def _number(node: Node, name: str) -> int:
    value = node.properties.get(name, 0)
    return int(value) if isinstance(value, int | float) else 0


def texts_of(node: Node, name: str) -> tuple[str, ...]:
    """Return a property of a node that is a tuple of texts, or () if it is missing."""
    value = node.properties.get(name, ())
    return value if isinstance(value, tuple) else ()
