"""Numbered citations: a span of a document with the place where a reader finds it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pipelines.core.provenance import Span
from pipelines.retrieve.hit import Hit
from qa.answer import Citation, Found
from qa.ports import Knowledge


class Citer:
    """Gives each quoted span its number, the same span the same number, from 1 in order of first citing."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._numbers: dict[tuple[str, Span], int] = {}
        self._citations: list[Citation] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._citations)

    def cite(self, hit: Hit, span: Span, score: float = 0.0, context: str = "") -> int:
        """Return the number of the citation of `span`, characters of the document's text inside the hit's chunk."""
        key = (hit.document, span)
        if key not in self._numbers:
            self._numbers[key] = len(self._citations) + 1
            self._citations.append(self._citation(hit, span, score, context))
        return self._numbers[key]

    def _citation(self, hit: Hit, span: Span, score: float, context: str) -> Citation:
        chunk = hit.chunk
        start = chunk.provenance.span.start
        place = self._knowledge.place(chunk, span)
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


def renumbered(citations: tuple[Citation, ...], used: Collection[int]) -> tuple[tuple[Citation, ...], dict[int, int]]:
    """Return the citations that are used, numbered anew from 1, and the new number of each old one."""
    kept = [citation for citation in citations if citation.number in used]
    numbers = {citation.number: number for number, citation in enumerate(kept, 1)}
    return tuple(replace(citation, number=numbers[citation.number]) for citation in kept), numbers


def found(hits: Collection[Hit]) -> tuple[Found, ...]:
    """Return what was found as an answer tells it: where, and with which score."""
    return tuple(
        Found(hit.chunk.id, hit.uri, hit.chunk.provenance.pages(), round(hit.score, 4), hit.chunk.provenance.label)
        for hit in hits
    )
