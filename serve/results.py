"""API values of the graph, of the overview of a knowledge base, of searches and of answers."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.provenance import Box
from qa.answer import Claim, Step


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node of the graph. `document` is the id of the document that it belongs to, empty for none."""

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
    """The neighbourhood of a node; `cut` if it was truncated by the limit."""

    center: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SpendingLine:
    """The usage of model calls for one role, from the knowledge base's trace."""

    role: str
    calls: int
    cached: int
    failed: int
    input_tokens: int
    output_tokens: int
    dollars: float


@dataclass(frozen=True, slots=True)
class RunLine:
    """An ingest: start (UTC), counts of documents, failures by reason, and why it stopped early.

    `done` counts those processed without a failure, `failed` those without a result, failed now or before.
    """

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
    """A missing or incomplete file, with reason and remedy."""

    id: str
    uri: str
    status: str
    reason: str
    stage: str
    remedy: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBaseOverview:
    """The overview of a knowledge base. `amiss` and `remedy` are sentences, empty if nothing is missing.

    `settings` are those that differ from the defaults, as JSON with secrets masked; none in a restricted view.
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
    """A retrieved chunk; `shares` are the components of its score by layer and kind of edge."""

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
    """A quoted passage: `quote` is exactly the characters `start` to `end` of the document's text.

    `before` and `after` are the sentences beside it, `context` is the header of a table row.
    """

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
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer as in `qa.answer.Answer`, with places of citations in the language of the request.

    `missing` says which part of the question the documents leave open.
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
