"""What can be asked of a knowledge base: all that a strategy of answering sees of it. `StoredKnowledge` does it.

A question for one fact is answered by few chunks; one over the whole ("what is this folder about", "list all alarms")
by `WholeCorpus` (`qa.strategies.survey`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipelines.core.document import Chunk
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.sentences import SENTENCE_ENDS
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk
from pipelines.store.graph import GraphStore

_CLOSING = "\"'”’」』) \n"
"""What may stand behind the mark that ends a sentence."""
TELLING = 5
"""Terms from which on a sentence says what its document is about."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: its heading, empty for the whole of a short document, and what it says.

    `hits` are its chunks in reading order, one or more.
    """

    heading: str
    summary: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class DocumentOverview:
    """A document with what it says, and its parts in reading order, one or more.

    `summary` is empty where nobody summarized it.
    """

    uri: str
    title: str
    summary: str
    parts: tuple[Part, ...]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All chunks in reading order."""
        return tuple(hit for part in self.parts for hit in part.hits)


@runtime_checkable
class Lexicon(Protocol):
    """Statistics and meanings of words in the corpus."""

    def rarity(self, term: str) -> float:
        """Return the inverse frequency of a term (as `pipelines.lang.terms` gives it) over the chunks.

        In [0, 1]: 0 for a term of every chunk, 1 for one of no chunk.
        """
        ...

    def word_similarities(self, words: Sequence[str], others: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return for each of `words` the cosines of its meaning with that of each of `others`, in their order."""
        ...

    def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine of the question with each text, in their order."""
        ...


@runtime_checkable
class Retrieval(Protocol):
    """The searches of a knowledge base. A filter (folder, date, ...) is applied when the object is made."""

    @property
    def lexicon(self) -> Lexicon:
        """The words of the corpus."""
        ...

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the chunks that score best over all layers and edges of the graph, best first."""
        ...

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        """Return the chunks whose similarity to the query is `threshold` or more, best first (figure 11, path a).

        Similarities are on a scale of the knowledge base: 0 for what is met by chance, 1 for the thing itself.
        """
        ...

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[AtomHit, ...]:
        """Return the atoms whose similarity to the query is `threshold` or more, best first (figure 11, path b).

        Their scale is that of `chunks`, so that the scores of both paths can be compared.
        """
        ...

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return chunks one edge away from those with these ids and none of them, the rarest connections first."""
        ...

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        """Return page, label, cells and boxes of a span of the document's text inside `chunk`."""
        ...


@runtime_checkable
class WholeCorpus(Protocol):
    """The searches over the whole of a knowledge base. `StoredKnowledge` makes them."""

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the documents that have text, in the order of their URIs."""
        ...

    def overviews(self, documents: Collection[str]) -> tuple[DocumentOverview, ...]:
        """Return these documents with what they say, in the order of their URIs."""
        ...

    def whole_tables(self, chunk: str) -> tuple[Hit, ...]:
        """Return all chunks that show a table which the chunk of this id shows, in reading order; none without one."""
        ...


def opening(hits: Iterable[Hit]) -> EvidenceUnit | None:
    """Return the first sentence that says what a document is about; of one without sentences its first line."""
    first = line = None
    for hit in hits:
        for unit in units(hit, 0):
            first = first or unit
            if unit.label or unit.is_row or len(unit.own) < TELLING:
                continue
            if unit.text.rstrip(_CLOSING).endswith(SENTENCE_ENDS):
                return unit
            line = line or unit
    return line or first


def said(overview: DocumentOverview) -> str:
    """Return what a document says: its summary, else those of its parts, else its first sentence and its headings."""
    if overview.summary:
        return overview.summary
    parts = [f"{part.heading}: {part.summary}" if part.heading else part.summary for part in overview.parts]
    told = [text for text, part in zip(parts, overview.parts, strict=True) if part.summary]
    if told:
        return "\n".join(told)
    first = opening(overview.hits)
    headings = "; ".join(part.heading for part in overview.parts if part.heading)
    return "\n".join(filter(None, (" ".join(first.text.split()) if first else "", headings)))


def summary_of(node: Node) -> str:
    """Return what was made as the summary of a document, section or chunk, empty where nothing was."""
    return str(node.properties.get("summary", ""))


def read_overview(graph: GraphStore, document: str, hits: Sequence[Hit]) -> DocumentOverview:
    """Return a document with what it says; `hits` are its chunks in reading order, one or more.

    What a section says is its own summary, or else the summaries of its chunks one after the other.
    """
    nodes = {node.id: node for node in graph.nodes((NodeKind.DOCUMENT, NodeKind.SECTION), owner=document)}
    told = summary_of(nodes[document]) if document in nodes else ""
    return DocumentOverview(hits[0].uri, hits[0].title, told, tuple(_parts(nodes, hits)))


def _parts(nodes: dict[str, Node], hits: Sequence[Hit]) -> Iterator[Part]:
    by_section: dict[str, list[Hit]] = {}
    for hit in hits:
        by_section.setdefault(hit.chunk.section, []).append(hit)
    for section, own in by_section.items():
        told = summary_of(nodes[section]) if section in nodes else ""
        said = told or " ".join(dict.fromkeys(filter(None, (hit.chunk.summary for hit in own))))
        yield Part(" > ".join(own[0].chunk.heading_path), said, tuple(own))


def chunks_of_same_tables(graph: GraphStore, chunk: str) -> list[str]:
    """Return the ids of all chunks that show a table which the chunk of this id shows, each once."""
    tables = {edge.target for edge in graph.edges((EdgeKind.HAS_TABLE,), sources=(chunk,))}
    shown = graph.edges((EdgeKind.HAS_TABLE,), targets=tables) if tables else ()
    return list(dict.fromkeys(edge.source for edge in shown))
