"""Conversations and what people said of answers, kept in the catalog.

A confirmed answer's question becomes an atom of what it quotes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np

from pipelines.core.errors import NotFound
from pipelines.core.ids import content_id, digest
from pipelines.core.knowledge import Atom, AtomKind, Distillate
from pipelines.llm.embedder import Embedder, Side
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact, Remarks
from pipelines.store.vector import EmbeddedRecords, RecordKind

CONFIRMED = "confirmed"
"""The mark of an atom that comes from feedback, in the graph."""
MOST = 200
"""Conversations that are kept, the latest; the catalog reads them as one value."""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """A quote that an answer rests on, by its characters in a document; `quote` is a digest of it."""

    document: str
    uri: str
    start: int
    end: int
    page: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody (`by`) said of an answer, at a time in UTC. `expected` is what it should have been.

    `answer` and `places` are empty once a document that it rested on has gone or changed.
    """

    id: str
    question: str
    right: bool
    answer: str
    places: tuple[QuotePlace, ...]
    expected: str
    by: str
    at: str

    @staticmethod
    def make_id(question: str, answer: str) -> str:
        return content_id("feedback", question, answer)


FEEDBACK: Remarks[Feedback] = Remarks(
    CatalogFact("feedback", tuple[Feedback, ...], ()), "feedback", "feedback", "withdraw"
)


def keep(catalog: Catalog, feedback: Feedback) -> None:
    """Keep what was said, in place of what was said of the same answer. Raises what `Remarks.add` does."""
    FEEDBACK.add(catalog, feedback, lambda one: one.id == feedback.id)


def forget_answers(catalog: Catalog, documents: Collection[str]) -> None:
    """Drop answers that rest on documents which are not among these ids, or on none; the questions stay."""

    def without_answer(one: Feedback) -> Feedback:
        rests = one.places and all(place.document in documents for place in one.places)
        return one if rests else replace(one, answer="", places=())

    FEEDBACK.revise(catalog, without_answer)


def quote_digest(text: str) -> str:
    """Return what is kept of a quote."""
    return digest(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class ConfirmedQuestion:
    """A question whose answer was confirmed, with a place that the answer rests on."""

    question: str
    place: QuotePlace


def confirmed_questions(catalog: Catalog) -> Mapping[str, tuple[ConfirmedQuestion, ...]]:
    """Return what was confirmed, by the documents that it rests on."""
    found: dict[str, list[ConfirmedQuestion]] = {}
    for one in FEEDBACK.read(catalog):
        for place in one.places if one.right else ():
            found.setdefault(place.document, []).append(ConfirmedQuestion(one.question, place))
    return {document: tuple(given) for document, given in sorted(found.items())}


def confirmed_key(given: Iterable[ConfirmedQuestion]) -> tuple[str, ...]:
    """Return what stands for confirmed questions in the key of what is loaded."""
    return tuple(sorted(f"{one.question} {one.place.start} {one.place.end} {one.place.quote}" for one in given))


def with_confirmed(distillate: Distillate, given: Iterable[ConfirmedQuestion]) -> Distillate:
    """Return a document's knowledge with the confirmed questions as atoms of the chunks that hold the quotes.

    A quote that no chunk holds as it was, for another reading of the document, adds nothing.
    """
    new = {atom.id: atom for atom in _atoms(distillate, given)}
    known = {atom.id for atom in distillate.atoms}
    return replace(distillate, atoms=(*distillate.atoms, *(new[id] for id in sorted(new.keys() - known))))


def with_confirmed_records(
    embedded: EmbeddedRecords, distillate: Distillate, given: Iterable[ConfirmedQuestion], embedder: Embedder
) -> EmbeddedRecords:
    """Return a document's records with those of the atoms that `with_confirmed` adds, and their vectors."""
    held = {record.id for record in embedded.records}
    chunks = {record.id: record for record in embedded.records if record.kind is RecordKind.CHUNK}
    new = [atom for atom in _atoms(distillate, given) if atom.id not in held and atom.chunk in chunks]
    if not new:
        return embedded
    records = tuple(
        replace(chunks[atom.chunk], id=atom.id, kind=RecordKind.ATOM, text=atom.text, chunk=atom.chunk)
        for atom in {atom.id: atom for atom in new}.values()
    )
    vectors = embedder.embed([record.text for record in records], Side.PASSAGE)
    return EmbeddedRecords((*embedded.records, *records), np.concatenate([embedded.vectors, vectors]))


def _atoms(distillate: Distillate, given: Iterable[ConfirmedQuestion]) -> Iterator[Atom]:
    for one in given:
        for chunk in distillate.chunks:
            begin = one.place.start - chunk.provenance.span.start
            quote = chunk.text[max(0, begin) : one.place.end - chunk.provenance.span.start] if begin >= 0 else ""
            if quote and quote_digest(quote) == one.place.quote:
                id = Atom.make_id(chunk.id, AtomKind.QUESTION, one.question)
                yield Atom(id, chunk.id, AtomKind.QUESTION, one.question, chunk.provenance)
                break


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was asked and as it was understood, with its answer, at a time in UTC.

    `documents` are the ids of those that the answer rests on; it is empty once one of them has gone or changed.
    """

    asked: str
    understood: str
    answer: str
    documents: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A conversation that was held."""

    id: str
    turns: tuple[Turn, ...] = ()

    @staticmethod
    def new() -> KeptConversation:
        """Return one that has just begun; its id is made by chance."""
        return KeptConversation(f"chat:{uuid4().hex[:8]}")

    def said(self, asked: str, understood: str, answer: str, documents: Collection[str]) -> KeptConversation:
        """Return the conversation with one more turn."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return replace(self, turns=(*self.turns, Turn(asked, understood, answer, tuple(documents), at)))


CONVERSATIONS: Remarks[KeptConversation] = Remarks(
    CatalogFact("conversations", tuple[KeptConversation, ...], ()), "conversation", "chat --list", "--forget"
)
"""What was kept, the one last gone on with at the end."""


def keep_conversation(catalog: Catalog, one: KeptConversation) -> None:
    """Keep a conversation in place of what was kept of it; beyond `MOST` those go that rested longest."""
    with catalog.transaction():
        others = [other for other in CONVERSATIONS.read(catalog) if other.id != one.id]
        CONVERSATIONS.fact.write(catalog, (*others[-MOST + 1 :], one))


def conversation_named(catalog: Catalog, id: str) -> KeptConversation:
    """Return the conversation of this id, for an empty one the last. Raises `NotFound`."""
    for one in reversed(CONVERSATIONS.read(catalog)):
        if id in ("", one.id):
            return one
    raise NotFound(f"no conversation {id}".strip(), hint="`strata chat --list` lists what there is")


def forget_conversations(catalog: Catalog, documents: Collection[str]) -> None:
    """Drop answers that rest on documents which are not among these ids, or on none; what was asked stays."""
    CONVERSATIONS.revise(catalog, lambda one: replace(one, turns=_left(one.turns, documents)))


def _left(turns: Collection[Turn], documents: Collection[str]) -> tuple[Turn, ...]:
    left: list[Turn] = []
    dropped = False
    for turn in turns:
        rests = bool(turn.documents) and all(one in documents for one in turn.documents)
        understood = turn.asked if dropped else turn.understood
        dropped = dropped or not rests
        answer, on = (turn.answer, turn.documents) if rests else ("", ())
        left.append(replace(turn, understood=understood, answer=answer, documents=on))
    return tuple(left)
