"""The content of documents and of their pages: entries of the catalog; chunks, tables, figures and atoms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Document
from pipelines.core.errors import NotFound, SourceError
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind
from pipelines.core.ids import normalize
from pipelines.core.outcome import Status
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.node_properties import box_of
from pipelines.retrieve.hit import chunk_of
from pipelines.store.catalog import Entry
from pipelines.store.explore import node_name
from serve.library import OpenBase, document_key
from serve.pictures import PagePictures
from serve.views import (
    AtomView,
    BlockView,
    ChunkView,
    DocumentLine,
    DocumentView,
    FigureView,
    ListPart,
    Named,
    PageContent,
    PageView,
    ReferenceView,
    SectionView,
    TableView,
    named,
    number,
    page_of,
    text,
    texts,
)


def list_documents(
    base: OpenBase, *, status: str = "", language: str = "", words: str = "", offset: int = 0, limit: int = 50
) -> ListPart[DocumentLine]:
    """Return the files by URI, filtered by status, language, and words in title or URI; empty filters match all.

    Raises `SourceError` for a status that does not exist.
    """
    if status and status not in [one.value for one in Status]:
        raise SourceError(f"no status {status}", hint=f"one of {', '.join(Status)}")
    wanted = normalize(words)
    entries = [entry for entry in base.entries() if not status or entry.status.value == status]
    entries = [entry for entry in entries if wanted in normalize(f"{entry.title} {entry.uri}")]
    languages = _languages(base) if language else {}
    if language:
        entries = [entry for entry in entries if languages.get(entry.document) == language]
    shown = entries[offset : offset + limit]
    languages = languages or _languages(base, [entry.document for entry in shown])
    lines = tuple(_line(entry, languages.get(entry.document, "")) for entry in shown)
    return ListPart(len(entries), offset, lines)


def document_view(base: OpenBase, id: str, pages: Sequence[PageView], limit: int) -> DocumentView:
    """Return a document with up to `limit` items of each list, and with these `pages`. Raises `NotFound`."""
    entry = base.entry(id)
    graph = base.knowledge.stores.graph
    node = next(iter(graph.nodes((NodeKind.DOCUMENT,), ids=[id])), None)
    document = base.document(entry)
    more = limit + 1  # one more than shown, to detect that there are more
    lists: dict[str, Any] = {
        "pages": tuple(pages),
        "sections": _sections(document, more),
        "tags": _tags(base, id, more),
        "entities": _entities(base, id, more),
        "references": _references(base, graph.edges((EdgeKind.REFERENCES,), sources=[id]), id, more),
        "cited_by": _references(base, graph.edges((EdgeKind.REFERENCES,), targets=[id]), id, more),
        "superseded_by": _references(base, graph.edges((EdgeKind.SUPERSEDES,), targets=[id]), id, more),
    }
    return DocumentView(
        _line(entry, text(node, "language")),
        dict(document.metadata) if document else {},
        document.engine if document else "",
        len(document.text) if document else 0,
        **{name: items[:limit] for name, items in lists.items()},
        cut=tuple(name for name, items in lists.items() if len(items) > limit),
    )


def chunks_of(base: OpenBase, id: str, page: int | None = None) -> list[ChunkView]:
    """Return the chunks of a document in order; with `page`, those on this page."""
    found = [chunk_view(node) for node in base.knowledge.stores.graph.nodes((NodeKind.CHUNK,), owner=id)]
    found.sort(key=lambda chunk: chunk.position)
    return [chunk for chunk in found if page is None or page in _pages(chunk)]


def tables_of(base: OpenBase, id: str) -> list[TableView]:
    """Return the tables of a document in order. Raises `NotFound`, `ArtifactUnreadable`."""
    document = base.document(base.entry(id))
    blocks = document.blocks if document else ()
    return [
        TableView(
            block.table.id,
            block.table.caption,
            block.provenance.page,
            block.provenance.label,
            block.provenance.cells,
            block.table.header_rows,
            tuple(tuple(row) for row in block.table.grid()),
        )
        for block in blocks
        if block.table is not None
    ]


def figures_of(base: OpenBase, id: str) -> list[FigureView]:
    """Return the figures of a document in order of position."""
    nodes = _in_order(base, NodeKind.FIGURE, id)
    return [
        FigureView(
            node.id,
            text(node, "caption"),
            page_of(node),
            text(node, "text"),
            text(node, "media_type"),
            number(node, "width"),
            number(node, "height"),
            tuple(box_of(box) for box in texts(node, "boxes")),
        )
        for node in nodes
    ]


def atoms_of(base: OpenBase, id: str) -> list[AtomView]:
    """Return the atomic statements and questions of a document in order of position."""
    nodes = _in_order(base, NodeKind.ATOM, id)
    return [
        AtomView(node.id, text(node, "kind"), text(node, "text"), text(node, "chunk"), page_of(node)) for node in nodes
    ]


def chunk_view(node: Node) -> ChunkView:
    """Return a chunk as a value of the API."""
    chunk = chunk_of(node)
    place = chunk.provenance
    return ChunkView(
        chunk.id,
        chunk.position,
        chunk.text,
        place.span.start,
        place.span.end,
        place.page,
        place.label,
        place.cells,
        chunk.section,
        chunk.heading_path,
        chunk.context,
        chunk.summary,
        place.boxes,
    )


def _in_order(base: OpenBase, kind: NodeKind, document: str) -> list[Node]:
    nodes = base.knowledge.stores.graph.nodes((kind,), owner=document)
    return sorted(nodes, key=lambda node: number(node, "start"))


def _pages(chunk: ChunkView) -> set[int]:
    return {box.page for box in chunk.boxes} | ({chunk.page} if chunk.page is not None else set())


def _line(entry: Entry, language: str) -> DocumentLine:
    return DocumentLine(
        document_key(entry),
        entry.uri,
        entry.title,
        entry.status.value,
        entry.reason,
        entry.media_type,
        language,
        entry.size,
        entry.status.searchable,
        entry.parent,
        entry.notes,
        dict(entry.counts),
    )


def _languages(base: OpenBase, ids: Iterable[str] | None = None) -> dict[str, str]:
    wanted = None if ids is None else [id for id in ids if id]
    nodes = base.knowledge.stores.graph.nodes((NodeKind.DOCUMENT,), ids=wanted)
    return {node.id: text(node, "language") for node in nodes}


def _sections(document: Document | None, limit: int) -> tuple[SectionView, ...]:
    sections = [one for one in document.sections if one.parent] if document else []
    return tuple(
        SectionView(one.id, one.title, one.number, one.level, one.parent, one.page) for one in sections[:limit]
    )


def _tags(base: OpenBase, id: str, limit: int) -> tuple[Named, ...]:
    counts = Counter(edge.target for edge in base.knowledge.stores.graph.edges((EdgeKind.HAS_TAG,), owner=id))
    return _commonest(base, counts, limit)


def _entities(base: OpenBase, id: str, limit: int) -> tuple[Named, ...]:
    edges = base.knowledge.stores.graph.edges((EdgeKind.MENTIONS,), owner=id)
    return _commonest(base, Counter(target for _, target in {(edge.source, edge.target) for edge in edges}), limit)


def _commonest(base: OpenBase, counts: Counter[str], limit: int) -> tuple[Named, ...]:
    wanted = sorted(counts, key=lambda id: (-counts[id], id))[:limit]
    nodes = {node.id: node for node in base.knowledge.stores.graph.nodes(ids=wanted)}
    return tuple(named(nodes[id], counts[id]) for id in wanted if id in nodes)


def _references(base: OpenBase, edges: Iterable[Edge], id: str, limit: int) -> tuple[ReferenceView, ...]:
    found = [(edge, edge.source if edge.target == id else edge.target) for edge in edges]
    found = [(edge, other) for edge, other in found if other != id][:limit]
    nodes = {node.id: node for node in base.knowledge.stores.graph.nodes(ids={other for _, other in found})}
    return tuple(_reference(edge, nodes[other]) for edge, other in found if other in nodes)


def _reference(edge: Edge, other: Node) -> ReferenceView:
    name = text(other, "uri") or text(other, "wanted") or node_name(other)
    document = other.id if other.kind is NodeKind.DOCUMENT else other.owner
    resolved = other.kind is not NodeKind.UNRESOLVED
    return ReferenceView(text(edge, "kind"), document, name, text(edge, "evidence"), page_of(edge), resolved)


def page_content(base: OpenBase, pictures: PagePictures, id: str, number: int) -> PageContent:
    """Return a page with its blocks and chunks. Raises `NotFound`, `ArtifactUnreadable`."""
    entry = base.entry(id)
    document = base.document(entry)
    page = next((page for page in pictures.pages(base, id, entry, document) if page.number == number), None)
    if document is None or page is None:
        raise NotFound(f"the document has no page {number}", ids=(entry.uri,))
    return PageContent(page, _blocks(document, number), tuple(chunks_of(base, id, number)))


def locate(document: Document | None, start: int, end: int) -> Provenance | None:
    """Return page, cells and boxes of a passage; None if the span is not in the document."""
    if document is None or not 0 <= start < end <= len(document.text):
        return None
    return BlockIndex(document).provenance(Span(start, end))


def _blocks(document: Document, number: int) -> tuple[BlockView, ...]:
    found = []
    for block in document.blocks:
        boxes = tuple(box for box in block.provenance.boxes if box.page == number)
        if boxes or block.provenance.page == number:
            found.append(BlockView(block.kind.value, block.text, boxes))
    return tuple(found)
