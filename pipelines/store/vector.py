"""What a vector store is to Strata: dense and lexical search over records, which are texts with their vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms


class RecordKind(StrEnum):
    """What a record stands for; each is searched on its own."""

    DOCUMENT = "document"
    SECTION = "section"
    CHUNK = "chunk"
    SUMMARY = "summary"
    ATOM = "atom"
    TAG = "tag"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Record:
    """A text to be found, by its vector and by its terms.

    `id` is the id of the node it stands for (a summary has its chunk's). `chunk` is the chunk to which finding it
    leads, empty for documents, sections, tags and entities. `owner` is as in the graph. `language` is that of the
    text, by which its terms are stemmed, empty where it is not known. The rest is there to filter by: `date` is ISO
    8601, `page` 0 where there is none.
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
    language: str = ""


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
class EmbeddedRecords:
    """Records with their vectors: `vectors[i]` is that of `records[i]`.

    `terms[i]` are the terms of its text with blanks between them; there are none where nobody has looked for them yet.
    """

    records: tuple[Record, ...] = ()
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    terms: tuple[str, ...] = ()

    def with_terms(self) -> EmbeddedRecords:
        """Return the same with the terms of each record."""
        if len(self.terms) == len(self.records):
            return self
        return EmbeddedRecords(self.records, self.vectors, tuple(map(terms_of, self.records)))

    def at(self, places: Sequence[int]) -> EmbeddedRecords:
        """Return the records at these places, in their order."""
        terms = tuple(self.terms[place] for place in places) if self.terms else ()
        return EmbeddedRecords(tuple(self.records[place] for place in places), self.vectors[list(places)], terms)


def terms_of(record: Record) -> str:
    """Return the terms of a record's text, with blanks between them."""
    return " ".join(terms(record.text, record.language))


@runtime_checkable
class VectorStore(Protocol):
    """Records with their vectors, replaced and removed by owner. Writing the same twice is writing it once.

    `[store] vectors = "module:Class"` chooses one of your own, made as `Class(folder, dimension)`: a folder that it has
    to itself (not made yet; a store elsewhere has no need of it) and the length of the vectors. Making it must be
    cheap: connect at the first use. `pipelines.store.testing.VectorStoreContract` tests one.
    """

    def write(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        """Make what the store holds of `owners` equal to `embedded`, whose records all have one of these owners.

        No records removes the owners. Raises `StoreMismatch` where the dimension differs, `StoreUnavailable`.
        """
        ...

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        """Return the nearest records by cosine, best first, ties by id; `vector` has shape (dimension,).

        A vector of zeros has no cosine: it finds nothing and is not found.
        """
        ...

    def match(
        self, kind: RecordKind, wanted: Mapping[str, float], limit: int, where: Filter = Filter()
    ) -> list[Scored]:
        """Return the records with the best BM25 score for the terms of `wanted`, best first, ties by id.

        A term counts by its weight there. The terms of a record are those that `pipelines.lang.terms.terms` finds in
        its text as one of its language.
        """
        ...

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[EmbeddedRecords]:
        """Yield all records in batches, in order of (kind, id): of these kinds (none: all) and owners (None: all).

        Their vectors may be rounded as `pipelines.core.vectors` keeps them, and the same each time.
        """
        ...

    def optimize(self, *, erase: bool = False) -> None:
        """Bring the indexes up to what was written; search is right before this too, only slower.

        With `erase`, also rewrite the files, so that no byte of what was replaced or removed stays in them.
        """
        ...

    def close(self) -> None:
        """Let go of connections and open files; twice is allowed, and a later use opens them anew."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """What a vector store can have besides: counts of its writes, by which a deleted or older table is noticed."""

    def versions(self) -> Mapping[str, int]:
        """Return a number for each table that grows with each write, by name."""
        ...
