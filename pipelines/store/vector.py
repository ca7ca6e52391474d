"""What a vector store is to Strata: dense and lexical search over records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.core.vectors import Vectors


class RecordKind(StrEnum):
    """What a record stands for; each is searched on its own."""

    DOCUMENT = "document"
    CHUNK = "chunk"
    SUMMARY = "summary"
    ATOM = "atom"
    TAG = "tag"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Record:
    """A text to be found, by its vector and by its terms.

    `id` is the id of the node it stands for (a summary has its chunk's). `chunk` is the chunk to which finding it
    leads, empty for documents, tags and entities. `owner` is as in the graph. The rest is there to filter by: `date`
    is ISO 8601, `page` 0 where there is none.
    """

    id: str
    kind: RecordKind
    owner: str
    text: str
    chunk: str = ""
    uri: str = ""
    media_type: str = ""
    page: int = 0
    date: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search is confined to; an empty field confines nothing.

    `folders` are URI prefixes, `documents` URIs or ids, `since` and `until` inclusive ISO dates.
    """

    documents: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A record found: its id and chunk, and its score (cosine for dense search, BM25 for lexical)."""

    id: str
    chunk: str
    score: float


@dataclass(frozen=True, slots=True)
class Embedded:
    """Records with their vectors: `vectors[i]` is that of `records[i]`."""

    records: tuple[Record, ...] = ()
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))


@runtime_checkable
class VectorStore(Protocol):
    """Records by owner. Writing the same twice is writing it once."""

    def write(self, owners: Collection[str], embedded: Embedded) -> None:
        """Make what the store holds of `owners` equal to `embedded`, whose records all have one of these owners.

        No records removes the owners. Raises `StoreMismatch` where the dimension differs, `StoreUnavailable`.
        """
        ...

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        """Return the nearest records by cosine, best first, ties by id; `vector` has shape (dimension,)."""
        ...

    def match(self, kind: RecordKind, text: str, limit: int, where: Filter = Filter()) -> list[Scored]:
        """Return the records with the best BM25 score for the terms of `text`, best first, ties by id."""
        ...

    def records(self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None) -> Iterator[Embedded]:
        """Yield all records in batches, in order of (kind, id): of these kinds (none: all) and owners (None: all)."""
        ...

    def optimize(self) -> None:
        """Bring the indexes up to what was written; search is right before this too, only slower."""
        ...

    def versions(self) -> Mapping[str, int]:
        """Return a number for each table that grows with each write, by name."""
        ...

    def clear(self) -> None:
        """Remove everything, damaged or not."""
        ...

    def wipe(self) -> None:
        """Leave no byte of what was replaced or removed in any file; who read it has to read anew."""
        ...

    def close(self) -> None: ...
