"""An in-memory retrieval over a few passages, scored by the terms they share with the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from pipelines.core.document import Chunk
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.lang.sentences import sentences
from pipelines.lang.terms import terms
from pipelines.llm.embedder import HashingEmbedder, Side
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk
from pipelines.retrieve.lexicon import CorpusLexicon
from pipelines.retrieve.searches import DocumentOverview, Part


class MemoryRetrieval:
    """`texts` maps URIs to passages, each a document of one chunk on page 1; `links` maps a URI to others."""

    def __init__(
        self, texts: Mapping[str, str], links: Mapping[str, Sequence[str]] | None = None, language: str = ""
    ) -> None:
        self._embedder = HashingEmbedder(1024)
        self.hits = [_hit(uri, text, language) for uri, text in texts.items()]
        self._links = links or {}
        counted = Counter(
            term for hit in self.hits for term in set(terms(f"{hit.title} {hit.chunk.text}", language, stop=False))
        )
        self.lexicon = CorpusLexicon(lambda term: counted[term], len(self.hits), self._embedder)
        self.queries: list[str] = []

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        return self.chunks(query, limit, 0.0)

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        scores = self._scores(query, [f"{hit.title} {hit.chunk.text}" for hit in self.hits])
        found = [_scored(hit, score) for hit, score in zip(self.hits, scores, strict=True) if score >= threshold]
        return tuple(sorted(found, key=lambda hit: -hit.score)[:limit])

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[AtomHit, ...]:
        self.queries.append(query)
        atoms = [(hit, span.slice(hit.chunk.text)) for hit in self.hits for span in sentences(hit.chunk.text)]
        scores = self._scores(query, [text for _, text in atoms])
        found = [
            AtomHit(text, score, _scored(hit, score))
            for (hit, text), score in zip(atoms, scores, strict=True)
            if score >= threshold
        ]
        return tuple(sorted(found, key=lambda atom: -atom.score)[:limit])

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        by_uri = {hit.uri: hit for hit in self.hits}
        sources = {hit.uri: hit.chunk.id for hit in self.hits if hit.chunk.id in set(chunks)}
        return tuple(
            LinkedChunk(sources[uri], by_uri[target], "REFERENCES", target)
            for uri in sources
            for target in self._links.get(uri, ())
            if target not in sources
        )[:limit]

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(hit.document for hit in self.hits)

    def documents_named(self, text: str) -> tuple[str, ...]:
        return tuple(hit.document for hit in self.hits if hit.uri in text)

    def overviews(self, documents: Collection[str]) -> tuple[DocumentOverview, ...]:
        hits = [hit for hit in self.hits if hit.document in set(documents)]
        return tuple(DocumentOverview(hit.uri, hit.title, "", (Part("", "", (hit,)),)) for hit in hits)

    def whole_tables(self, chunk: str) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.hits if hit.chunk.id == chunk)

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        return Provenance(chunk.document, span, 1, "1", "", (Box(1, 0.1, 0.1, 0.9, 0.2),))

    def _scores(self, query: str, texts: list[str]) -> list[float]:
        asked = self._embedder.embed([query], Side.QUERY)[0]
        scores = np.clip(self._embedder.embed(texts) @ asked, 0.0, 1.0) if texts else []
        return [float(score) for score in scores]


def _hit(uri: str, text: str, language: str) -> Hit:
    document = f"document:{uri}"
    chunk = Chunk(f"chunk:{uri}", document, "", 0, text, Provenance(document, Span(0, len(text)), 1), language=language)
    return Hit(chunk, document, uri, uri.rsplit(".", 1)[0].replace("_", " "), 0.0)


def _scored(hit: Hit, score: float) -> Hit:
    return Hit(hit.chunk, hit.document, hit.uri, hit.title, score)
