"""Numbered citations: a span of a document with the place where a reader finds it."""

from __future__ import annotations

from collections.abc import Collection

from pipelines.core.provenance import Span
from pipelines.retrieve.hit import Hit
from qa.answer import Citation, Found
from qa.ports import Retrieval


class Citer:
    """Numbers the cited spans from 1 in the order of their first citing; a span cited again keeps its number."""

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval
        self._numbers: dict[tuple[str, Span], int] = {}
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations so far, by number."""
        return tuple(self._citations)

    def cite(self, hit: Hit, span: Span, score: float = 0.0, context: str = "") -> int:
        """Return the number of the citation of `span`: characters of the document's text, inside the chunk of `hit`.

        `score` and `context` (the line that names the columns of a quoted row) are those of the citation.
        """
        key = (hit.document, span)
        if key not in self._numbers:
            self._numbers[key] = len(self._citations) + 1
            self._citations.append(self._citation(hit, span, score, context))
        return self._numbers[key]

    def _citation(self, hit: Hit, span: Span, score: float, context: str) -> Citation:
        chunk = hit.chunk
        start = chunk.provenance.span.start
        place = self._retrieval.place(chunk, span)
        return Citation(
            len(self._citations) + 1,
            hit.document,
            hit.uri,
            hit.title,
            chunk.text[span.start - start : span.end - start],
            chunk.id,
            span,
            place.page,
            place.label,
            place.cells,
            chunk.heading_path,
            place.boxes,
            round(score, 4),
            context,
            hit.superseded_by,
        )


def found(hits: Collection[Hit]) -> tuple[Found, ...]:
    """Return the passages found as an answer lists them: where each stands, with its score, rounded."""
    return tuple(
        Found(hit.chunk.id, hit.uri, hit.chunk.provenance.pages(), round(hit.score, 4), hit.chunk.provenance.label)
        for hit in hits
    )
