"""How far a knowledge base has come, as its catalog tells; read without the writer's lock."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core import codec
from pipelines.store.catalog import Catalog

LINKED_FACT = "linked"
"""The fact under which the catalog keeps the key of the links that the stores hold; empty while they are behind."""
WRITING_FACT = "writing"
"""The fact that is set while a load goes on: a run that finds it set was preceded by one that was killed."""
INGEST_FACT = "ingest"
"""The fact under which the catalog keeps the `Ingest` that was begun last."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """An ingest that was begun: how many documents it found in the folder, and whether it went through to its end.

    `found` is 0 until the folder was looked through; parts of containers are not counted.
    """

    found: int = 0
    finished: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """What a knowledge base holds, and whether that is all it was to hold.

    `documents` are the files that the catalog speaks of, `searchable` those that can be found. `begun` says that an
    ingest ever was, `finished` that the last one went through to its end, which one that is under way has not yet;
    `found` is the number of documents that it found. `links_behind` says that the links between the documents are
    missing or older than they are.
    """

    documents: int = 0
    searchable: int = 0
    found: int = 0
    begun: bool = False
    finished: bool = False
    links_behind: bool = False

    @property
    def empty(self) -> bool:
        """Whether no question can be answered from it."""
        return self.searchable == 0

    @property
    def whole(self) -> bool:
        """Whether it holds all that the last ingest set out to bring into it."""
        return self.finished and not self.links_behind


def state(catalog: Catalog) -> KnowledgeState:
    """Return how far the knowledge base has come."""
    entries = catalog.entries()
    searchable = sum(entry.status.searchable for entry in entries)
    behind = bool(searchable) and not catalog.fact(LINKED_FACT)
    told = catalog.fact(INGEST_FACT)
    if told is None:  # built before ingests were recorded
        return KnowledgeState(len(entries), searchable, 0, bool(entries), bool(searchable) and not behind, behind)
    last = codec.decode(told, Ingest)
    return KnowledgeState(len(entries), searchable, last.found, True, last.finished, behind)


def record_ingest(catalog: Catalog, ingest: Ingest) -> None:
    """Note that an ingest was begun, or that it has ended."""
    catalog.set_fact(INGEST_FACT, codec.encode(ingest).decode())
