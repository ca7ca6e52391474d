"""What a strategy knows of a knowledge base: the ways into it, and nothing of how they work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pipelines.core.chunk import Chunk
from pipelines.core.provenance import Provenance, Span
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk


@runtime_checkable
class Lexicon(Protocol):
    """What the corpus makes of words."""

    def rarity(self, term: str) -> float:
        """Return the inverse frequency of a term (as `pipelines.lang.terms` gives it) over the chunks.

        In [0, 1]: 0 for a term of every chunk, 1 for one of no chunk.
        """
        ...

    def word_similarities(self, word: str, others: Sequence[str]) -> Sequence[float]:
        """Return for each of `others` how near its meaning is to that of `word`, a cosine."""
        ...

    def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text its cosine with the question."""
        ...


@runtime_checkable
class Knowledge(Protocol):
    """The ways into a knowledge base; what it is confined to (a folder, a date) is settled when it is made."""

    @property
    def lexicon(self) -> Lexicon: ...

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        """Return the chunks that similarity to all layers and the graph's edges bring up, best first."""
        ...

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        """Return the chunks most similar to the query, of `threshold` or more (figure 11, path a)."""
        ...

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[AtomHit, ...]:
        """Return the atoms most similar to the query, of `threshold` or more, best first (figure 11, path b)."""
        ...

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return chunks one step from these along the graph's edges, the rarest ways first; none of these again."""
        ...

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        """Return page, label, cells and boxes of a span of the document's text inside `chunk`."""
        ...
