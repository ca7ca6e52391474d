"""What people said of answers, kept in the catalog; a confirmed answer's question becomes an atom of what it quotes.

PIKE-RAG 4.1 has the system learn from its own evaluated answers. Nothing of a document's text is kept beyond its life:
of a quote there is a digest, and an answer goes with the first document that it rests on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from pipelines.core.ids import content_id, digest
from pipelines.core.knowledge import Atom, AtomKind, Distillate
from pipelines.llm.embedder import Embedder, Side
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact, Remarks
from pipelines.store.vector import EmbeddedRecords, RecordKind

CONFIRMED = "confirmed"
"""The mark of an atom that comes from feedback, in the graph."""


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


def confirmed(catalog: Catalog) -> Mapping[str, tuple[ConfirmedQuestion, ...]]:
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
