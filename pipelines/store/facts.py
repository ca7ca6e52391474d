"""What a catalog records of the knowledge base as a whole, beside its entries: facts, each with a name and a type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pipelines.core import codec
from pipelines.core.knowledge import TagPair
from pipelines.store.catalog import Catalog

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """A value that a catalog keeps under `name`, as JSON; `default` where none is recorded.

    pairs = TAG_PAIRS.read(catalog)
    TAG_PAIRS.write(catalog, (*pairs, TagPair("leak", "leakage")))
    """

    name: str
    type: type[T]
    default: T

    def read(self, catalog: Catalog) -> T:
        told = catalog.fact(self.name)
        return codec.decode(told, self.type) if told else self.default

    def write(self, catalog: Catalog, value: T) -> None:
        catalog.set_fact(self.name, codec.encode(value).decode())

    def forget(self, catalog: Catalog) -> None:
        catalog.set_fact(self.name, "")


@dataclass(frozen=True, slots=True)
class Ingest:
    """An ingest that was begun: how many documents it found in the folder, and whether it went through to its end.

    `found` is 0 until the folder was looked through; parts of containers are not counted.
    """

    found: int = 0
    finished: bool = False


LINKED_FACT = "linked"
"""The key of the links that the stores hold, as it is; empty while they are behind."""
WRITING_FACT = "writing"
"""Set while a load goes on: a run that finds it set was preceded by one that was killed."""
INGEST_FACT = "ingest"
INGEST: Fact[Ingest | None] = Fact(INGEST_FACT, Ingest, None)
"""The ingest that was begun last; None in what was built before ingests were recorded."""
TAG_PAIRS: Fact[tuple[TagPair, ...]] = Fact("tag pairs", tuple[TagPair, ...], ())
"""The pairs of users' words and the corpus's tags that were learned from question-answer samples."""
VECTOR_STORE: Fact[str] = Fact("vector store", str, "lancedb")
"""The vector store that holds the active vectors, as the setting `store.vectors` names it."""
TABLE_VERSIONS: Fact[Mapping[str, Mapping[str, int]]] = Fact("vectors", Mapping[str, Mapping[str, int]], {})
"""The versions of the active vectors' tables, by the name of their folder: see `pipelines.store.vector.Versioned`."""


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    """What a knowledge base holds, and whether that is all it was to hold.

    `documents` counts the files in the catalog, `searchable` those that can be found. `begun` says that an ingest was
    ever begun, `finished` that the last one went through to its end; `found` is the number of documents that it found.
    `links_behind` says that the links between the documents are missing or older than they are.
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
    """Return how far the knowledge base has come; needs no lock."""
    entries = catalog.entries()
    searchable = sum(entry.status.searchable for entry in entries)
    behind = bool(searchable) and not catalog.fact(LINKED_FACT)
    last = INGEST.read(catalog)
    if last is None:
        return KnowledgeState(len(entries), searchable, 0, bool(entries), bool(searchable) and not behind, behind)
    return KnowledgeState(len(entries), searchable, last.found, True, last.finished, behind)


def record_ingest(catalog: Catalog, ingest: Ingest) -> None:
    """Note that an ingest was begun, or that it has ended."""
    INGEST.write(catalog, ingest)
