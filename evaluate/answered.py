"""One question answered by one strategy, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluate.metrics import exact_match, overlap
from evaluate.questions import Place, Question
from qa.answer import Answer, Found, Step

DEPTH = 5
"""Passages that document and page recall look at."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a strategy made of a question. Shares are in [0, 1]; those of places count for answerable questions only.

    `correct` is the judge's verdict, None where none was asked for or none was usable. `error` says why there is no
    answer, and all figures are then 0. `stopped` is why a decomposition ended. `tokens` are those read and written,
    `written` the latter alone.
    """

    id: str
    strategy: str
    question: str
    type: str
    answerable: bool
    labels: tuple[str, ...]
    answer: str = ""
    short: str = ""
    abstained: bool = False
    confidence: float | None = None
    cited: tuple[str, ...] = ()
    first_document: float = 0.0
    document_recall: float = 0.0
    page_recall: float = 0.0
    em: float = 0.0
    f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    correct: bool | None = None
    dropped: int = 0
    stopped: str = ""
    calls: int = 0
    tokens: int = 0
    written: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    error: str = ""


def measured(question: Question, strategy: str, answer: Answer, correct: bool | None = None) -> Answered:
    """Return the figures of an answer. An answer that the documents do not say is compared as an empty one."""
    short = "" if answer.abstained else answer.short or answer.text
    shared = overlap(short, question.labels)
    places = _places(question)
    return Answered(
        question.id,
        strategy,
        question.question,
        question.type,
        question.answerable,
        question.labels,
        answer.text,
        answer.short,
        answer.abstained,
        answer.confidence,
        tuple(citation.uri for citation in answer.citations),
        first_document(answer.found, places),
        document_recall(answer.found, places),
        page_recall(answer.found, places),
        exact_match(short, question.labels),
        shared.f1,
        shared.precision,
        shared.recall,
        correct,
        len(answer.dropped),
        _stopped(answer.trace),
        answer.usage.calls,
        answer.usage.input_tokens + answer.usage.output_tokens,
        answer.usage.output_tokens,
        answer.dollars,
        answer.seconds,
    )


def failed(question: Question, strategy: str, reason: str) -> Answered:
    """Return that a question has no answer, and why."""
    return Answered(
        question.id, strategy, question.question, question.type, question.answerable, question.labels, error=reason
    )


def first_document(found: Sequence[Found], places: Sequence[Place]) -> float:
    """Return 1 where the first passage is of a right document, else 0."""
    return float(bool(found) and any(_in_file(found[0], place) for place in places))


def document_recall(found: Sequence[Found], places: Sequence[Place]) -> float:
    """Return the share of the right documents among the first passages."""
    files = {place.file: place for place in places}.values()
    return sum(any(_in_file(one, place) for one in found[:DEPTH]) for place in files) / max(1, len(files))


def page_recall(found: Sequence[Found], places: Sequence[Place]) -> float:
    """Return the share of the right pages among the first passages; a place without a page asks for its file."""
    pages = {(place.file, place.page): place for place in places}.values()
    return sum(any(_on_page(one, place) for one in found[:DEPTH]) for place in pages) / max(1, len(pages))


def _places(question: Question) -> tuple[Place, ...]:
    """Where the answer stands; a passage of a benchmark is a document of its own."""
    return question.sources or tuple(Place(passage) for passage in question.gold_passages)


def _in_file(one: Found, place: Place) -> bool:
    return place.file in (one.uri, one.uri.rsplit("/", 1)[-1])


def _on_page(one: Found, place: Place) -> bool:
    right = place.page is None or place.page in one.pages or str(place.page) == one.label
    return right and _in_file(one, place)


def _stopped(trace: Sequence[Step]) -> str:
    return next((step.text for step in trace if step.kind == "stop"), "")
