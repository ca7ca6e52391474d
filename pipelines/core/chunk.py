"""Chunks: the slices of a document that are indexed and retrieved."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.ids import content_id
from pipelines.core.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document's text, never rewritten; `text == provenance.span.slice(document.text)`.

    `position` counts the chunks of the document from 0. `context` is text that helps to read the chunk and is not
    part of it (the header of a table cut between rows). `summary` tells what the chunk says, `forward_summary`
    what had been said before it (PIKE-RAG 5.2.1).
    """

    id: str
    document: str
    section: str
    position: int
    text: str
    provenance: Provenance
    heading_path: tuple[str, ...] = ()
    context: str = ""
    summary: str = ""
    forward_summary: str = ""
    language: str = ""

    @staticmethod
    def make_id(document: str, start: int, end: int) -> str:
        """A chunk is its place in a document whose id already stands for its bytes."""
        return content_id("chunk", document, start, end)

    def quotes(self, text: str) -> bool:
        """Whether a text stands in the chunk or its context as it is, white space aside."""
        return " ".join(text.split()) in " ".join(f"{self.context} {self.text}".split())
