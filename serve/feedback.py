"""What an admin says of an answer, in a knowledge base: right or wrong, and what was expected."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.errors import NotFound
from pipelines.core.graph import NodeKind
from pipelines.ingest.feedback import FEEDBACK, Feedback, Place, keep, quote_digest
from pipelines.retrieve.hit import chunk_of
from serve.library import OpenBase
from serve.settings import Limits

_MOST_PLACES = 50


class Quoted(BaseModel):
    """A citation of the answer: the characters from `start` to `end` of a document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str = Field(max_length=100)
    start: int = Field(ge=0, le=1 << 40)
    end: int = Field(ge=1, le=1 << 40)


class Said(BaseModel):
    """An answer and what is said of it; `expected` is what it should have been."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1, max_length=Limits().question)
    answer: str = Field("", max_length=20_000)
    right: bool
    expected: str = Field("", max_length=Limits().question)
    citations: tuple[Quoted, ...] = Field((), max_length=_MOST_PLACES)


def give(base: OpenBase, said: Said, by: str) -> Feedback:
    """Keep what somebody says of an answer. Raises `NotFound` for a citation of what is not there."""
    places = tuple(_place(base, one) for one in said.citations)
    question = " ".join(said.question.split())
    id, at = Feedback.make_id(question, said.answer), datetime.now(UTC).isoformat(timespec="seconds")
    kept = Feedback(id, question, said.right, said.answer, places, said.expected, by, at)
    keep(base.knowledge.stores.catalog, kept)
    return kept


def given(base: OpenBase) -> tuple[Feedback, ...]:
    """Return all that was said, the latest first."""
    return FEEDBACK.read(base.knowledge.stores.catalog)[::-1]


def take_back(base: OpenBase, id: str) -> Feedback:
    """Take feedback back. Raises `NotFound`."""
    return FEEDBACK.take_back(base.knowledge.stores.catalog, id)


def _place(base: OpenBase, quoted: Quoted) -> Place:
    """The place of a citation, its quote read from the knowledge base and not taken from the request."""
    entry = base.entry(quoted.document)
    for node in base.knowledge.stores.graph.nodes((NodeKind.CHUNK,), owner=quoted.document):
        chunk = chunk_of(node)
        span = chunk.provenance.span
        if span.start <= quoted.start < quoted.end <= span.end:
            quote = chunk.text[quoted.start - span.start : quoted.end - span.start]
            page = chunk.provenance.page
            return Place(entry.document, entry.uri, quoted.start, quoted.end, page, quote_digest(quote))
    raise NotFound("the document has no such passage", ids=(entry.uri,), hint="ask again: it may have changed")
