"""What can be asked of a knowledge base: all that a strategy of answering sees of it. `StoredKnowledge` does it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from pipelines.core.document import Chunk
from pipelines.core.provenance import Provenance, Span
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk
from pipelines.retrieve.overview import DocumentOverview


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
