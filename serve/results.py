"""The values that the API returns of the graph, of a knowledge base as a whole, of searches and of questions."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.provenance import Box
from qa.answer import Claim, Step


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
class RunLine:
    """An ingest: when it began (UTC), what became of the documents, its failures by reason, and why it ended early."""

    number: int
    began: str
    done: int
    unchanged: int
    removed: int
    failed: int
    seconds: float
    dollars: float
    stopped: str
    reasons: dict[str, int]


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
class KnowledgeBaseOverview:
    """What a knowledge base holds. `amiss` and `remedy` are sentences, empty where nothing is missing.

    `settings` are those that are not the defaults, as JSON, secrets masked; none where some folders only are seen.
    """

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
    settings: dict[str, str]
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
    """An answer as `qa.answer.Answer` has it, with its citations' places in a reader's words.

    `missing` says what the documents leave open.
    """

    question: str
    text: str
    ending: str
    abstained: bool
    hint: str
    strategy: str
    extractive: bool
    short: str
    missing: str
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
