"""The searches that a knowledge base offers to answering strategies; `StoredKnowledge` implements them.

`Retrieval` finds the few chunks that answer a question for a fact. `WholeCorpus` is for questions about all documents
("what is this folder about", "list all alarms"), see `qa.strategies.survey`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipelines.core.document import Chunk
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.sentences import is_complete
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk, text_of
from pipelines.store.graph import GraphStore

MIN_SENTENCE_TERMS = 5
"""Minimum terms of an informative sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: its heading ("" for an undivided document), summary, and chunks in reading order."""

    heading: str
    summary: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class DocumentOverview:
    """A document with its summary ("" if there is none) and its parts in reading order, at least one."""

    uri: str
    title: str
    summary: str
    parts: tuple[Part, ...]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All chunks of the document in reading order."""
        return tuple(hit for part in self.parts for hit in part.hits)


@runtime_checkable
class Lexicon(Protocol):
    """Frequency and semantic similarity of words in the corpus.

    Cosines are 0 for a question in a `language` (ISO 639-1, or "") that the embedder does not support.
    """

    def rarity(self, term: str) -> float:
        """Return the inverse chunk frequency of a term (see `pipelines.lang.terms`).

        In [0, 1]: 0 for a term in every chunk, 1 for a term in no chunk.
        """
        ...

    def word_similarities(
        self, words: Sequence[str], others: Sequence[str], language: str
    ) -> Sequence[Sequence[float]]:
        """Return for each of `words` its cosines with `others`, in their order."""
        ...

    def similarities(self, question: str, texts: Sequence[str], language: str) -> Sequence[float]:
        """Return the cosines of the question with the texts, in their order."""
        ...


@runtime_checkable
class Retrieval(Protocol):
    """The searches of a knowledge base. A filter (folder, date, ...) is applied when the object is created."""

    @property
    def lexicon(self) -> Lexicon:
        """The words of the corpus."""
        ...

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the chunks with the best scores over all layers and edges of the graph, best first."""
        ...

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        """Return the chunks with a similarity to the query of at least `threshold`, best first (figure 11, path a).

        Similarities are scaled for the knowledge base: 0 for unrelated texts, 1 for an ideal match.
        """
        ...

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[AtomHit, ...]:
        """Return the atoms with a similarity to the query of at least `threshold`, best first (figure 11, path b).

        The scale is the same as for `chunks`, so that the scores of both paths can be compared.
        """
        ...

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return chunks one edge away from the chunks with these ids, without the latter, rarest connections first."""
        ...

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        """Return page, label, cells and boxes of a span of the document's text within `chunk`."""
        ...


@runtime_checkable
class WholeCorpus(Protocol):
    """The searches over all documents of a knowledge base."""

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the documents with text, sorted by URI."""
        ...

    def documents_named(self, text: str) -> tuple[str, ...]:
        """Return the ids of the documents whose file name, with its suffix, is in a text, the longest name first."""
        ...

    def overviews(self, documents: Collection[str]) -> tuple[DocumentOverview, ...]:
        """Return the overviews of these documents, sorted by URI."""
        ...

    def whole_tables(self, chunk: str) -> tuple[Hit, ...]:
        """Return all chunks with parts of the tables in the chunk with this id, in reading order."""
        ...


def opening_sentence(hits: Iterable[Hit]) -> EvidenceUnit | None:
    """Return the first informative sentence of a document's hits, else its first line."""
    first = line = None
    for hit in hits:
        for unit in units(hit, 0):
            first = first or unit
            if unit.label or unit.is_row or len(unit.own) < MIN_SENTENCE_TERMS:
                continue
            if is_complete(unit.text):
                return unit
            line = line or unit
    return line or first


def overview_text(overview: DocumentOverview) -> str:
    """Return a document's summary, else those of its parts, else its first sentence and its headings."""
    if overview.summary:
        return overview.summary
    parts = [f"{part.heading}: {part.summary}" if part.heading else part.summary for part in overview.parts]
    summarized = [text for text, part in zip(parts, overview.parts, strict=True) if part.summary]
    if summarized:
        return "\n".join(summarized)
    first = opening_sentence(overview.hits)
    headings = "; ".join(part.heading for part in overview.parts if part.heading)
    return "\n".join(filter(None, (" ".join(first.text.split()) if first else "", headings)))


def read_overview(graph: GraphStore, document: str, hits: Sequence[Hit]) -> DocumentOverview:
    """Return the overview of a document; `hits` are its chunks in reading order, at least one.

    The summary of a part is that of its section, else the summaries of its chunks.
    """
    nodes = {node.id: node for node in graph.nodes((NodeKind.DOCUMENT, NodeKind.SECTION), owner=document)}
    summary = text_of(nodes[document], "summary") if document in nodes else ""
    return DocumentOverview(hits[0].uri, hits[0].title, summary, tuple(_parts(nodes, hits)))


def _parts(nodes: dict[str, Node], hits: Sequence[Hit]) -> Iterator[Part]:
    by_section: dict[str, list[Hit]] = {}
    for hit in hits:
        by_section.setdefault(hit.chunk.section, []).append(hit)
    for section, own in by_section.items():
        summary = text_of(nodes[section], "summary") if section in nodes else ""
        summary = summary or " ".join(dict.fromkeys(filter(None, (hit.chunk.summary for hit in own))))
        yield Part(" > ".join(own[0].chunk.heading_path), summary, tuple(own))


def chunks_of_same_tables(graph: GraphStore, chunk: str) -> list[str]:
    """Return the ids of all chunks with parts of the tables in the chunk with this id, each once."""
    tables = {edge.target for edge in graph.edges((EdgeKind.HAS_TABLE,), sources=(chunk,))}
    shown = graph.edges((EdgeKind.HAS_TABLE,), targets=tables) if tables else ()
    return list(dict.fromkeys(edge.source for edge in shown))
