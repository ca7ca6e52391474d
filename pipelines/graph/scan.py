"""Searching a document for names, once for each set of names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipelines.core import codec
from pipelines.graph.card import DocumentCard
from pipelines.graph.mentions import Hit, Names, Passage
from pipelines.store.artifact import ArtifactStore

STAGE = "mentions"
_VERSION = "2"
"""Raised when the same names and texts give other hits."""


@dataclass(frozen=True, slots=True)
class _Scanned:
    """What was found in a document, and what it was found from."""

    state: str
    hits: tuple[Hit, ...]


def find_names(
    card: DocumentCard, names: Names, text_of: Callable[[str], Sequence[Passage]], cache: ArtifactStore | None
) -> tuple[Hit, ...]:
    """Return the hits of `names` in a document, from `cache` where text and names are those it was searched with."""
    if cache is None:
        return names.find(text_of(card.document))
    key = cache_key(card.document)
    state = f"{_VERSION} {names.digest} {card.chunks}"
    kept = cache.get(STAGE, key)
    if kept is not None and (scanned := codec.decode(kept, _Scanned)).state == state:
        return scanned.hits
    hits = names.find(text_of(card.document))
    cache.remove(STAGE, key)
    cache.put(STAGE, key, codec.encode(_Scanned(state, hits)))
    return hits


def cache_key(document: str) -> str:
    """Return the key under which a document's hits lie; forgetting it removes them too."""
    return document.rpartition(":")[2]
