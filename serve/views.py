"""The values that the API returns and the pages show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pipelines.core.provenance import Box
from qa.answer import Claim, Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """A part of a list; `total` counts the whole of it."""

    total: int
    offset: int
    items: tuple[T, ...]


def part(items: Sequence[T], offset: int, limit: int) -> Part[T]:
    """Return `limit` of the items from `offset` on."""
    return Part(len(items), offset, tuple(items[offset : offset + limit]))


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A file of the folder: what became of it, and why. `id` names it in every other request."""

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
    """A chunk with its place: `start` and `end` in the document's text, boxes as fractions of their page."""

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
    """A table as rows of texts, the first `header_rows` of them headers."""

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
    """A tag or an entity: `type` is its class or type, `count` in how many chunks of what is asked about it stands."""

    id: str
    kind: str
    name: str
    type: str = ""
    count: int = 0
    documents: int = 0
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """A reference; `other` is the id of the document at its other end, or of what is not in the knowledge base."""

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
    """A page; `picture` is the path of its picture, empty where there is none, and `reason` says why not."""

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
class DocumentView:
    """A document. Chunks, tables, figures and atoms have requests of their own."""

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


@dataclass(frozen=True, slots=True)
class Appearance:
    """A chunk that bears a tag or names an entity."""

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
    """A relation of an entity: `forward` where it leads from it to `other`."""

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


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node of the graph. `document` is the id of the document it goes with, empty where it goes with none."""

    id: str
    kind: str
    layer: str
    name: str
    hops: int
    document: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class EdgeView:
    source: str
    target: str
    kind: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class GraphView:
    """What is around a node; `cut` says that there is more than the limit lets through."""

    center: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SpendingLine:
    """What the language model's calls of one kind took, as the knowledge base's trace has them."""

    role: str
    calls: int
    cached: int
    failed: int
    input_tokens: int
    output_tokens: int
    dollars: float


@dataclass(frozen=True, slots=True)
class FailureLine:
    """A file that is not in, or not whole: why, and what can be done about it."""

    id: str
    uri: str
    status: str
    reason: str
    stage: str
    remedy: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """What a knowledge base holds. `amiss` and `remedy` are sentences, empty where nothing is missing."""

    name: str
    documents: int
    searchable: int
    statuses: dict[str, int]
    reasons: dict[str, int]
    languages: dict[str, int]
    types: dict[str, int]
    contents: dict[str, int]
    embedder: str
    strategy: str
    spending: tuple[SpendingLine, ...]
    amiss: str = ""
    remedy: str = ""
    writing: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeBaseLine:
    name: str
    documents: int
    searchable: int


@dataclass(frozen=True, slots=True)
class HitView:
    """A chunk found; `shares` says by layer and kind of edge what its score is made of."""

    chunk: str
    document: str
    uri: str
    title: str
    text: str
    page: int | None
    place: str
    start: int
    end: int
    heading_path: tuple[str, ...]
    boxes: tuple[Box, ...]
    score: float
    shares: dict[str, float]
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class SearchView:
    query: str
    hits: tuple[HitView, ...]


@dataclass(frozen=True, slots=True)
class CitationView:
    """A quoted passage: `quote` is exactly the characters `start` to `end` of the document's text."""

    number: int
    document: str
    uri: str
    title: str
    quote: str
    context: str
    place: str
    page: int | None
    pages: tuple[int, ...]
    start: int
    end: int
    heading_path: tuple[str, ...]
    boxes: tuple[Box, ...]
    score: float
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer as `qa.answer.Answer` has it, with its citations' places in a reader's words."""

    question: str
    text: str
    ending: str
    abstained: bool
    hint: str
    strategy: str
    extractive: bool
    short: str
    claims: tuple[Claim, ...]
    citations: tuple[CitationView, ...]
    warnings: tuple[str, ...]
    conflicts: tuple[str, ...]
    dropped: tuple[str, ...]
    confidence: float | None
    trace: tuple[Step, ...]
    calls: int
    tokens: int
    dollars: float
    seconds: float
