"""API values of documents, tags and entities, which the pages show as well; `results.py` has the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pipelines.core.graph import Edge, Node, NodeKind
from pipelines.core.provenance import Box
from pipelines.store.explore import node_name

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListPart(Generic[T]):
    """A part of a list; `total` is the length of the whole list."""

    total: int
    offset: int
    items: tuple[T, ...]


def list_part(items: Sequence[T], offset: int, limit: int) -> ListPart[T]:
    """Return up to `limit` items from `offset`."""
    return ListPart(len(items), offset, tuple(items[offset : offset + limit]))


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A file of the folder with its status and reason. `id` identifies it in other requests."""

    id: str
    uri: str
    title: str
    status: str
    reason: str
    media_type: str
    language: str
    size: int
    searchable: bool
    parent: str = ""
    notes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SectionView:
    id: str
    title: str
    number: str
    level: int
    parent: str
    page: int | None


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk with its position: `start` and `end` in the document's text, boxes as fractions of their page."""

    id: str
    position: int
    text: str
    start: int
    end: int
    page: int | None
    label: str
    cells: str
    section: str
    heading_path: tuple[str, ...]
    context: str
    summary: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as rows of texts, of which the first `header_rows` are headers."""

    id: str
    caption: str
    page: int | None
    label: str
    cells: str
    header_rows: int
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class FigureView:
    id: str
    caption: str
    page: int | None
    text: str
    media_type: str
    width: int
    height: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class AtomView:
    id: str
    kind: str
    text: str
    chunk: str
    page: int | None


@dataclass(frozen=True, slots=True)
class Named:
    """A tag or an entity: `type` is its class or type, `count` the number of chunks in the given context."""

    id: str
    kind: str
    name: str
    type: str = ""
    count: int = 0
    documents: int = 0
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """A reference; `other` is the id of the other document, or of an unresolved target."""

    kind: str
    other: str
    name: str
    evidence: str
    page: int | None
    resolved: bool


@dataclass(frozen=True, slots=True)
class BlockView:
    kind: str
    text: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class PageView:
    """A page; `picture` is the path of its image, empty if there is none, for the given `reason`."""

    number: int
    label: str
    issue: str
    text_source: str
    width: float
    height: float
    picture: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PageContent:
    page: PageView
    blocks: tuple[BlockView, ...]
    chunks: tuple[ChunkView, ...]


@dataclass(frozen=True, slots=True)
class PrintedView:
    """A printed page of an office document: its number from 1, the number of `pages`, and the path of its image.

    `boxes` are those of the requested passage, on this and the following pages; `found` says whether it was located.
    """

    number: int
    pages: int
    picture: str
    boxes: tuple[Box, ...] = ()
    found: bool = False


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document. Chunks, tables, figures and atoms are separate requests.

    `cut` names the lists that were truncated by the limit. `printed` is the path for the printed pages of an office
    document, empty if they are not drawn, for the reason `not_printed`.
    """

    line: DocumentLine
    metadata: dict[str, str]
    engine: str
    characters: int
    pages: tuple[PageView, ...]
    sections: tuple[SectionView, ...]
    tags: tuple[Named, ...]
    entities: tuple[Named, ...]
    references: tuple[ReferenceView, ...]
    cited_by: tuple[ReferenceView, ...]
    superseded_by: tuple[ReferenceView, ...] = ()
    cut: tuple[str, ...] = ()
    printed: str = ""
    not_printed: str = ""


@dataclass(frozen=True, slots=True)
class Appearance:
    """A chunk with a tag or a mention of an entity."""

    document: str
    uri: str
    title: str
    chunk: str
    text: str
    page: int | None
    place: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RelationView:
    """A relation of an entity; `forward` if it is directed from the entity to `other`."""

    type: str
    other: str
    name: str
    forward: bool
    evidence: str


@dataclass(frozen=True, slots=True)
class NamedView:
    named: Named
    appearances: tuple[Appearance, ...]
    related: tuple[RelationView, ...] = ()


def text(item: Node | Edge | None, name: str) -> str:
    """Return a property as text, empty if it is missing."""
    return str(item.properties.get(name, "")) if item is not None else ""


def texts(item: Node | Edge, name: str) -> tuple[str, ...]:
    """Return a property that is a list, empty if it is missing."""
    value = item.properties.get(name, ())
    return value if isinstance(value, tuple) else ()


def number(item: Node | Edge, name: str) -> int:
    """Return a property as an integer, 0 if it is missing."""
    value = item.properties.get(name, 0)
    return int(value) if isinstance(value, int | float) else 0


def page_of(item: Node | Edge) -> int | None:
    """Return the page of a node or edge, None if it has none."""
    return number(item, "page") or None


def named(node: Node, count: int | None = None) -> Named:
    """Return a tag or an entity; `count` replaces its number of occurrences in the knowledge base."""
    own = number(node, "chunks") if node.kind is NodeKind.TAG else number(node, "mentions")
    return Named(
        node.id,
        node.kind.value,
        node_name(node),
        text(node, "type"),
        own if count is None else count,
        number(node, "documents"),
        texts(node, "aliases"),
    )
