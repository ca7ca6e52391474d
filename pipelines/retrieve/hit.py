"""What retrieval returns: chunks with their scores, what each score is made of, and how they are read from a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.core.document import Chunk
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.node_properties import box_of
from pipelines.store.graph import GraphStore

if TYPE_CHECKING:
    from pipelines.retrieve.index import Index


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a hit's score.

    `layer` is "document", "chunk", "summary", "atom", "tag" or "entity" for similarity, or the kind of edge for
    propagation ("REFERENCES", "MENTIONS", ...); `path` names the nodes on the path along which the score was passed,
    from the chunk where it began to the hit.
    """

    layer: str
    score: float
    detail: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table as the table has it: what a merged cell holds stands in each row and column that it spans.

    `table` is the table's id, `span` the row's in the document's text; `names` are the names of the columns of `cells`,
    which are not empty.
    """

    table: str
    span: Span
    names: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def is_one_cell(self) -> bool:
        """Whether one cell spans columns of different names and there is no other: it heads the rows below."""
        return len(set(self.names)) > 1 and len(set(self.cells)) == 1


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found. `score` is in [0, 1]; the shares add up to it.

    `atoms` are the texts of the chunk's atoms that matched best, best first. `superseded_by` is the URI of the newest
    document that replaces this one's, empty where none does. `rows` are the rows of tables in the chunk, headers left
    out.
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


@dataclass(frozen=True, slots=True)
class AtomHit:
    """An atom found, with the chunk that it was taken from; `score` in [0, 1] (PIKE-RAG 5.3.2: q_ij and c_ij)."""

    text: str
    score: float
    hit: Hit


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """A chunk one edge away from the chunk `source`: the kind of edge, and the entity that it leads over, if any."""

    source: str
    hit: Hit
    edge: str
    through: str = ""


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that was found, by its id, with its score and what that is made of."""

    id: str
    score: float
    shares: tuple[Share, ...]
    atoms: tuple[str, ...] = ()


class HitReader:
    """Reads what was found from a graph.

    `missed` is called where a chunk is in the graph no longer, or not yet in the index: that is then outdated.
    """

    def __init__(self, graph: GraphStore, index: Index, missed: Callable[[], None]) -> None:
        self._graph, self._index, self._missed = graph, index, missed

    def hits(self, found: Iterable[FoundChunk]) -> tuple[Hit, ...]:
        """Return the chunks as hits, in their order; those that are missed are left out."""
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
        told = (found.score, found.shares, found.atoms)
        return Hit(chunk, chunk.document, uri, title, *told, superseded_by, rows)


def read_rows(graph: GraphStore, chunks: Collection[str]) -> dict[str, tuple[TableRow, ...]]:
    """Return the rows of tables in these chunks, by chunk in reading order; chunks without any are left out."""
    ids = {edge.target for edge in graph.edges((EdgeKind.HAS_ROW,), sources=chunks)} if chunks else set()
    found: dict[str, list[TableRow]] = {}
    for node in graph.nodes((NodeKind.ROW,), ids) if ids else ():
        span = Span(_number(node, "start"), _number(node, "end"))
        found.setdefault(_text(node, "chunk"), []).append(
            TableRow(_text(node, "table"), span, _texts(node, "columns"), _texts(node, "values"))
        )
    return {chunk: tuple(sorted(rows, key=lambda row: row.span)) for chunk, rows in found.items()}


def chunk_of(node: Node) -> Chunk:
    """Return the chunk that a node was made from (`pipelines.graph.node_properties.of_chunk`)."""
    return Chunk(
        id=node.id,
        document=node.owner,
        section=_text(node, "section"),
        position=_number(node, "position"),
        text=_text(node, "text"),
        provenance=_provenance(node),
        heading_path=_texts(node, "heading_path"),
        context=_text(node, "context"),
        summary=_text(node, "summary"),
        forward_summary=_text(node, "forward_summary"),
        language=_text(node, "language"),
    )


def _provenance(node: Node) -> Provenance:
    page = _number(node, "page") if "page" in node.properties else None
    boxes = tuple(box_of(box) for box in _texts(node, "boxes"))
    span = Span(_number(node, "start"), _number(node, "end"))
    return Provenance(node.owner, span, page, _text(node, "label"), _text(node, "cells"), boxes)


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name, ""))


def _number(node: Node, name: str) -> int:
    value = node.properties.get(name, 0)
    return int(value) if isinstance(value, int | float) else 0


def _texts(node: Node, name: str) -> tuple[str, ...]:
    value = node.properties.get(name, ())
    return value if isinstance(value, tuple) else ()
