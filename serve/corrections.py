"""Feedback on answers, corrections of the graph (verdicts), and the list of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field

from pipelines.core.errors import NotFound
from pipelines.core.graph import NodeKind
from pipelines.ingest import verdicts
from pipelines.ingest.feedback import FEEDBACK, Feedback, QuotePlace, quote_digest, record_feedback
from pipelines.ingest.verdicts import Verdict, VerdictKind
from pipelines.retrieve.hit import chunk_of
from pipelines.store.explore import node_name
from serve.library import OpenBase
from serve.render import at
from serve.settings import RequestLimits

_MOST_PLACES = 50


class Quoted(BaseModel):
    """A citation of the answer: the characters from `start` to `end` of a document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str = Field(max_length=100)
    start: int = Field(ge=0, le=1 << 40)
    end: int = Field(ge=1, le=1 << 40)


class FeedbackRequest(BaseModel):
    """An answer, whether it is right, and the expected answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1, max_length=RequestLimits().question)
    answer: str = Field("", max_length=20_000)
    right: bool
    expected: str = Field("", max_length=RequestLimits().question)
    citations: tuple[Quoted, ...] = Field((), max_length=_MOST_PLACES)


class VerdictRequest(BaseModel):
    """A correction: `merge` or `apart` of two entities by name, `tag` renames a tag, `atom` marks an atom by its id.

    `split` states that in the document `where` (path or id), the entity `one` is another one, called `two`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: VerdictKind
    one: str = Field(min_length=1, max_length=500)
    two: str = Field("", max_length=500)
    where: str = Field("", max_length=2000)


@dataclass(frozen=True, slots=True)
class Correction:
    """A line of the list: the subject, the correction, and the document; `route` withdraws it."""

    kind: str
    of: str
    into: str
    where: str
    by: str
    at: str
    route: str


def give_feedback(base: OpenBase, said: FeedbackRequest, by: str) -> Feedback:
    """Store feedback on an answer. Raises `NotFound` for a citation that does not exist."""
    places = tuple(_place(base, one) for one in said.citations)
    question = " ".join(said.question.split())
    id, at = Feedback.make_id(question, said.answer), datetime.now(UTC).isoformat(timespec="seconds")
    kept = Feedback(id, question, said.right, said.answer, places, said.expected, by, at)
    record_feedback(base.knowledge.stores.catalog, kept)
    return kept


def all_feedback(base: OpenBase) -> tuple[Feedback, ...]:
    """Return all feedback, the latest first."""
    return FEEDBACK.read(base.knowledge.stores.catalog)[::-1]


def withdraw_feedback(base: OpenBase, id: str) -> Feedback:
    """Withdraw feedback. Raises `NotFound`."""
    return FEEDBACK.take_back(base.knowledge.stores.catalog, id)


def give_verdict(base: OpenBase, said: VerdictRequest, by: str) -> Verdict:
    """Store a correction. Raises `NotFound` for an unknown name or atom, `SourceError` for two identical names."""
    stores = base.knowledge.stores
    return verdicts.record_verdict(stores.graph, stores.catalog, said.kind, said.one, said.two, by, said.where)


def all_verdicts(base: OpenBase) -> tuple[Verdict, ...]:
    """Return all corrections of the graph, the latest first."""
    return verdicts.VERDICTS.read(base.knowledge.stores.catalog)[::-1]


def withdraw_verdict(base: OpenBase, id: str) -> Verdict:
    """Withdraw a correction. Raises `NotFound`."""
    return verdicts.VERDICTS.take_back(base.knowledge.stores.catalog, id)


def corrections(base: OpenBase) -> list[Correction]:
    """Return all corrections and all feedback as lines of one list, the latest first."""
    return sorted((*_of_verdicts(base), *_of_feedback(base)), key=lambda one: one.at, reverse=True)


def _of_verdicts(base: OpenBase) -> Iterator[Correction]:
    said = all_verdicts(base)
    atoms = [one.one for one in said if one.kind is VerdictKind.ATOM]
    texts = {node.id: node_name(node) for node in base.knowledge.stores.graph.nodes(ids=atoms)}
    uris = {entry.document: entry.uri for entry in base.entries()}
    for one in said:
        route = at("api", "kb", base.name, "verdicts", one.id)
        of, into, where = one.one, one.two, one.where
        if one.kind is VerdictKind.ATOM:
            of, into, where = texts.get(one.one, one.one), "", uris.get(one.two, "")
        yield Correction(one.kind.value, of, into, where, one.by, one.at, route)


def _of_feedback(base: OpenBase) -> Iterator[Correction]:
    for one in all_feedback(base):
        route = at("api", "kb", base.name, "feedback", one.id)
        where = ", ".join(dict.fromkeys(place.uri for place in one.places))
        yield Correction("right" if one.right else "wrong", one.question, one.expected, where, one.by, one.at, route)


def _place(base: OpenBase, quoted: Quoted) -> QuotePlace:
    """Return the place of a citation; the quote is read from the knowledge base, not from the request."""
    entry = base.entry(quoted.document)
    for node in base.knowledge.stores.graph.nodes((NodeKind.CHUNK,), owner=quoted.document):
        chunk = chunk_of(node)
        span = chunk.provenance.span
        if span.start <= quoted.start < quoted.end <= span.end:
            quote = chunk.text[quoted.start - span.start : quoted.end - span.start]
            page = chunk.provenance.page
            return QuotePlace(entry.document, entry.uri, quoted.start, quoted.end, page, quote_digest(quote))
    raise NotFound("the document has no such passage", ids=(entry.uri,), hint="ask again: it may have changed")
