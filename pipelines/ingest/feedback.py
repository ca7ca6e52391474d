"""Conversations, and feedback of users about answers, kept in the catalog.

The question of a confirmed answer becomes an atom of the chunks that the answer quotes.
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
"""The node property of an atom that comes from feedback."""
MOST = 200
"""Maximum conversations that are kept; the catalog reads them as one value."""


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """A quote that an answer is based on, as a span of characters of a document; `quote` is its digest."""

    document: str
    uri: str
    start: int
    end: int
    page: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback of the user `by` about an answer, at a time in UTC. `expected` is the correct answer.

    `answer` and `places` are emptied when a document that the answer is based on is removed or changed.
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


def record_feedback(catalog: Catalog, feedback: Feedback) -> None:
    """Store feedback, replacing earlier feedback about the same answer. Raises the errors of `Remarks.add`."""
    FEEDBACK.add(catalog, feedback, lambda one: one.id == feedback.id)


def forget_answers(catalog: Catalog, documents: Collection[str]) -> None:
    """Drop the answers that are not based on documents, or on some that are not among these ids; keep the questions."""

    def without_answer(one: Feedback) -> Feedback:
        is_current = one.places and all(place.document in documents for place in one.places)
        return one if is_current else replace(one, answer="", places=())

    FEEDBACK.revise(catalog, without_answer)


def quote_digest(text: str) -> str:
    """Return the digest of a quote."""
    return digest(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class ConfirmedQuestion:
    """A question whose answer was confirmed, with a quote that the answer is based on."""

    question: str
    place: QuotePlace


def confirmed_questions(catalog: Catalog) -> Mapping[str, tuple[ConfirmedQuestion, ...]]:
    """Return the confirmed questions by the ids of the quoted documents."""
    found: dict[str, list[ConfirmedQuestion]] = {}
    for one in FEEDBACK.read(catalog):
        for place in one.places if one.right else ():
            found.setdefault(place.document, []).append(ConfirmedQuestion(one.question, place))
    return {document: tuple(questions) for document, questions in sorted(found.items())}


def confirmed_key(questions: Iterable[ConfirmedQuestion]) -> tuple[str, ...]:
    """Return the representation of confirmed questions in load keys."""
    return tuple(sorted(f"{one.question} {one.place.start} {one.place.end} {one.place.quote}" for one in questions))


def with_confirmed(distillate: Distillate, questions: Iterable[ConfirmedQuestion]) -> Distillate:
    """Return a document's distillate with the confirmed questions added as atoms of the quoted chunks.

    A question is ignored if no chunk contains its quote any more, because the document was parsed differently.
    """
    new = {atom.id: atom for atom in _atoms(distillate, questions)}
    known = {atom.id for atom in distillate.atoms}
    return replace(distillate, atoms=(*distillate.atoms, *(new[id] for id in sorted(new.keys() - known))))


def with_confirmed_records(
    embedded: EmbeddedRecords, distillate: Distillate, questions: Iterable[ConfirmedQuestion], embedder: Embedder
) -> EmbeddedRecords:
    """Return a document's records with those of the atoms that `with_confirmed` adds, and their vectors."""
    held = {record.id for record in embedded.records}
    chunks = {record.id: record for record in embedded.records if record.kind is RecordKind.CHUNK}
    new = [atom for atom in _atoms(distillate, questions) if atom.id not in held and atom.chunk in chunks]
    if not new:
        return embedded
    records = tuple(
        replace(chunks[atom.chunk], id=atom.id, kind=RecordKind.ATOM, text=atom.text, chunk=atom.chunk)
        for atom in {atom.id: atom for atom in new}.values()
    )
    vectors = embedder.embed([record.text for record in records], Side.PASSAGE)
    return EmbeddedRecords((*embedded.records, *records), np.concatenate([embedded.vectors, vectors]))


def _atoms(distillate: Distillate, questions: Iterable[ConfirmedQuestion]) -> Iterator[Atom]:
    for one in questions:
        for chunk in distillate.chunks:
            begin = one.place.start - chunk.provenance.span.start
            quote = chunk.text[max(0, begin) : one.place.end - chunk.provenance.span.start] if begin >= 0 else ""
            if quote and quote_digest(quote) == one.place.quote:
                id = Atom.make_id(chunk.id, AtomKind.QUESTION, one.question)
                yield Atom(id, chunk.id, AtomKind.QUESTION, one.question, chunk.provenance)
                break


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as asked and as understood, with its answer, at a time in UTC.

    `documents` are the ids of the documents that the answer is based on. Both are emptied when one of them is removed
    or changed.
    """

    asked: str
    understood: str
    answer: str
    documents: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """A stored conversation."""

    id: str
    turns: tuple[Turn, ...] = ()

    @staticmethod
    def new() -> KeptConversation:
        """Return an empty conversation with a random id."""
        return KeptConversation(f"chat:{uuid4().hex[:8]}")

    def said(self, asked: str, understood: str, answer: str, documents: Collection[str]) -> KeptConversation:
        """Return the conversation with an additional turn."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return replace(self, turns=(*self.turns, Turn(asked, understood, answer, tuple(documents), at)))


CONVERSATIONS: Remarks[KeptConversation] = Remarks(
    CatalogFact("conversations", tuple[KeptConversation, ...], ()), "conversation", "chat --list", "--forget"
)
"""The stored conversations, the most recently continued one last."""


def keep_conversation(catalog: Catalog, one: KeptConversation) -> None:
    """Store a conversation, replacing its earlier version; beyond `MOST`, the least recently continued are dropped."""
    with catalog.transaction():
        others = [other for other in CONVERSATIONS.read(catalog) if other.id != one.id]
        CONVERSATIONS.fact.write(catalog, (*others[-MOST + 1 :], one))


def conversation_named(catalog: Catalog, id: str) -> KeptConversation:
    """Return the conversation with this id, or the last one if the id is empty. Raises `NotFound`."""
    for one in reversed(CONVERSATIONS.read(catalog)):
        if id in ("", one.id):
            return one
    raise NotFound(f"no conversation {id}".strip(), hint="`strata chat --list` lists them")


def forget_conversations(catalog: Catalog, documents: Collection[str]) -> None:
    """Drop the answers that are not based on documents, or on some that are not among these ids; keep the questions.

    After a dropped answer, `understood` is replaced by `asked`, since it may contain text of the answer.
    """
    CONVERSATIONS.revise(catalog, lambda one: replace(one, turns=_left(one.turns, documents)))


def _left(turns: Collection[Turn], documents: Collection[str]) -> tuple[Turn, ...]:
    left: list[Turn] = []
    dropped = False
    for turn in turns:
        is_current = bool(turn.documents) and all(one in documents for one in turn.documents)
        understood = turn.asked if dropped else turn.understood
        dropped = dropped or not is_current
        answer, on = (turn.answer, turn.documents) if is_current else ("", ())
        left.append(replace(turn, understood=understood, answer=answer, documents=on))
    return tuple(left)
