"""Flat searches over the texts of a knowledge base's documents, without its chunks and its graph: the baselines.

They see what the parsers read, OCR and tables included, so that a difference is one of retrieval and not of parsing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipelines.chunk.base_split import base_split
from pipelines.core.document import Document
from pipelines.core.vectors import Vectors
from pipelines.lang.bm25 import Bm25
from pipelines.llm.embedder import Embedder, Side
from pipelines.resources import Stores
from pipelines.store.artifact import read_document
from qa.answer import Found

PIECE_TOKENS = 200
"""Tokens of a flat piece at most: the 700 characters or so of English with which the data sets were first measured."""
FUSED_DEPTH = 100
"""Places of each ranking that are fused: as many as `retrieve.candidates`."""


@dataclass(frozen=True, slots=True)
class FlatText:
    """A text that is searched as one, and where it stands."""

    text: str
    uri: str
    page: int | None = None
    label: str = ""

    @property
    def found(self) -> Found:
        """The place, as an answer lists what it found."""
        return Found("", self.uri, () if self.page is None else (self.page,), 0.0, self.label)


def whole_texts(stores: Stores) -> list[FlatText]:
    """Return the text of every document as one, or of each page where it has pages; the title before the first."""
    searchable = [entry for entry in stores.catalog.entries() if entry.status.searchable]
    return [text for entry in searchable for text in _pages(entry.uri, read_document(stores.artifacts, entry))]


def pieces_of(texts: Sequence[FlatText], tokens: int = PIECE_TOKENS) -> list[FlatText]:
    """Return the texts cut into pieces of at most so many tokens, blank ones left out."""
    pieces = (
        replace(one, text=one.text[span.start : span.end]) for one in texts for span in base_split(one.text, tokens)
    )
    return [piece for piece in pieces if piece.text.strip()]


class TermSearch:
    """BM25 over texts, by the terms of one language."""

    def __init__(self, texts: Sequence[FlatText], language: str) -> None:
        self._texts = Bm25([one.text for one in texts], language, whole=True)

    def rank(self, query: str, limit: int) -> list[int]:
        """Return the numbers of the best texts that share a term with the query, best first, ties by number."""
        scores = self._texts.scores(query)
        return [place for place in _order(scores, limit) if scores[place] > 0]


class VectorSearch:
    """Cosine over texts."""

    def __init__(self, texts: Sequence[FlatText], embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = embedder.embed([one.text for one in texts])

    def rank(self, query: str, limit: int) -> list[int]:
        """Return the numbers of the nearest texts, nearest first, ties by number."""
        return _order(self._vectors @ self._embedder.embed([query], Side.QUERY)[0], limit)


def _order(scores: Vectors, limit: int) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")[:limit]]


def _pages(uri: str, document: Document) -> Iterator[FlatText]:
    texts: dict[tuple[int | None, str], list[str]] = {}
    for block in document.blocks:
        texts.setdefault((block.provenance.page, block.provenance.label), []).append(block.text)
    for number, ((page, label), parts) in enumerate(texts.items()):
        yield FlatText("\n\n".join([document.title, *parts] if not number else parts), uri, page, label)
