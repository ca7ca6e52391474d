"""Whether what was found lies where the answer stands: by file, and by page, slide or sheet."""

from __future__ import annotations

from collections.abc import Sequence

from evaluate.questions import Place, Question
from pipelines.retrieve.hit import Hit


def in_file(hit: Hit, place: Place) -> bool:
    """Whether a hit is of the place's file."""
    return hit.uri == place.file or hit.uri.rsplit("/", 1)[-1] == place.file


def on_page(hit: Hit, place: Place) -> bool:
    """Whether a hit touches the place's page; without a page the file is enough."""
    if not in_file(hit, place):
        return False
    if place.page is None:
        return True
    where = hit.chunk.provenance
    return place.page in where.pages() or str(place.page) == where.label


def first_document(hits: Sequence[Hit], question: Question) -> float:
    """Return 1 where the first hit lies in one of the right documents, else 0."""
    return float(bool(hits) and any(in_file(hits[0], place) for place in question.sources))


def document_recall(hits: Sequence[Hit], question: Question, k: int) -> float:
    """Return the share of the right documents among the first `k` hits."""
    files = {place.file: place for place in question.sources}
    return sum(any(in_file(hit, place) for hit in hits[:k]) for place in files.values()) / max(1, len(files))


def page_recall(hits: Sequence[Hit], question: Question, k: int) -> float:
    """Return the share of the right pages among the first `k` hits."""
    pages = {(place.file, place.page): place for place in question.sources}
    return sum(any(on_page(hit, place) for hit in hits[:k]) for place in pages.values()) / max(1, len(pages))
