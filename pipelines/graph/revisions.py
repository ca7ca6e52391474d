"""Documents that are the same, and documents that take the place of others."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind
from pipelines.graph.card import DocumentCard
from pipelines.graph.names import fold_name, is_weak, number_key
from pipelines.graph.numbers import revision_order, without_revision


def same_content(cards: Iterable[DocumentCard]) -> Iterator[Edge]:
    """Yield SAME_CONTENT from the first (by URI) of the documents with the same bytes or words to the others."""
    groups: dict[str, list[DocumentCard]] = {}
    for card in sorted(cards, key=lambda card: card.uri):
        groups.setdefault(card.text_digest or card.digest, []).append(card)
    for first, *others in groups.values():
        for other in others:
            same = "bytes" if other.digest == first.digest else "words"
            told = {"evidence": f"the same {same}: {first.uri} and {other.uri}", "same": same}
            yield Edge(first.document, EdgeKind.SAME_CONTENT, other.document, CORPUS_OWNER, "", told)


def supersedes(cards: Iterable[DocumentCard]) -> Iterator[Edge]:
    """Yield SUPERSEDES from each revision of a document to the one before it."""
    groups: dict[str, list[DocumentCard]] = {}
    for card in sorted(cards, key=lambda card: card.uri):
        if revision_order(card.revision) and (key := _work(card)):
            groups.setdefault(key, []).append(card)
    for group in groups.values():
        revisions: dict[tuple[int, ...], DocumentCard] = {}
        for card in group:
            revisions.setdefault(revision_order(card.revision), card)
        for older, newer in pairwise(revisions[order] for order in sorted(revisions)):
            told = {"evidence": f"revision {newer.revision} after {older.revision}", "how": "revision"}
            yield Edge(newer.document, EdgeKind.SUPERSEDES, older.document, CORPUS_OWNER, "", told)


def _work(card: DocumentCard) -> str:
    """What the revisions of a document have in common: number and title, or a telling title, or the file's name."""
    title = fold_name(without_revision(card.title))
    if card.numbers:
        return f"{number_key(card.numbers[0])} {title}"
    if title and not is_weak(title):
        return title
    stem = re.sub(r"[_-]+", " ", posixpath.splitext(card.file_name)[0])
    folder = posixpath.dirname(card.uri)
    return f"{folder}/{fold_name(without_revision(stem))}" if without_revision(stem) else ""
