"""The protocol of vector stores: dense and lexical search over records, which are texts with vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms


class RecordKind(StrEnum):
    """What a record represents; each kind is searched separately."""

    DOCUMENT = "document"
    SECTION = "section"
    CHUNK = "chunk"
    SUMMARY = "summary"
    ATOM = "atom"
    TAG = "tag"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Record:
    """A text that is searched by its vector and its terms.

    `id` is that of the node it represents (of the chunk, for a summary). `chunk` is the id of the chunk that it belongs
    to, empty for documents, sections, tags and entities. `owner` is as in the graph. `language` is that of the text,
    for stemming, empty if unknown. The other fields are used by filters: `date` is in ISO 8601, `page` is 0 if unknown.
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
    """The conditions of a search; an empty field is no condition.

    `folders` are URI prefixes, `documents` are URIs or ids, `since` and `until` are inclusive ISO dates.
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
    """A search result: the id and chunk of a record, and its score (cosine for dense, BM25 for lexical search)."""

    id: str
    chunk: str
    score: float


@dataclass(frozen=True, slots=True)
class EmbeddedRecords:
    """Records with their vectors: `vectors[i]` is that of `records[i]`.

    `terms[i]` are the terms of its text, separated by blanks. `terms` is empty if they are not computed yet.
    """

    records: tuple[Record, ...] = ()
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    terms: tuple[str, ...] = ()

    def with_terms(self) -> EmbeddedRecords:
        """Return the same records with their terms."""
        if len(self.terms) == len(self.records):
            return self
        return EmbeddedRecords(self.records, self.vectors, tuple(map(terms_of, self.records)))

    def at(self, places: Sequence[int]) -> EmbeddedRecords:
        """Return the records at these indices, in this order."""
        terms = tuple(self.terms[place] for place in places) if self.terms else ()
        return EmbeddedRecords(tuple(self.records[place] for place in places), self.vectors[list(places)], terms)


def join_records(parts: Sequence[EmbeddedRecords]) -> EmbeddedRecords:
    """Return the records of all parts, in order, with their terms."""
    filled = [part for part in parts if part.records]
    if not filled:
        return EmbeddedRecords()
    records = tuple(record for part in filled for record in part.records)
    terms = tuple(one for part in filled for one in part.with_terms().terms)
    return EmbeddedRecords(records, np.concatenate([part.vectors for part in filled]), terms)


def terms_of(record: Record) -> str:
    """Return the terms of a record's text, separated by blanks."""
    return " ".join(terms(record.text, record.language))


@runtime_checkable
class VectorStore(Protocol):
    """Records with their vectors, replaced and removed by owner. Writing is idempotent.

    `[store] vectors = "module:Class"` selects your own implementation, created as `Class(folder, dimension)`: a folder
    for its exclusive use, which does not exist yet (a remote store may ignore it), and the length of the vectors. The
    constructor must be cheap: connect at the first use. `pipelines.store.testing.VectorStoreContract` tests it.
    """

    def write(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        """Replace all records of `owners` by `embedded`, whose records all have one of these owners.

        Without records, the owners are removed. Raises `StoreMismatch` if the dimension differs, `StoreUnavailable`.
        """
        ...

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        """Return the records with the highest cosine, best first, ties by id; `vector` has shape (dimension,).

        A zero vector has no cosine: it finds nothing and is never found.
        """
        ...

    def match(
        self, kind: RecordKind, wanted: Mapping[str, float], limit: int, where: Filter = Filter()
    ) -> list[Scored]:
        """Return the records with the best BM25 score for the terms of `wanted`, best first, ties by id.

        `wanted` has the weights of the terms. The terms of a record are those of `pipelines.lang.terms.terms` for its
        text and language.
        """
        ...

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[EmbeddedRecords]:
        """Yield all records of these kinds (empty: all) and owners (None: all), in batches, in order of (kind, id).

        Their vectors may be rounded as in `pipelines.core.vectors`, but are the same each time.
        """
        ...

    def optimize(self, *, erase: bool = False) -> None:
        """Update the indexes after writing; search is correct without this, but slower.

        With `erase`, also rewrite the files, so that they contain no replaced or removed data.
        """
        ...

    def close(self) -> None:
        """Close connections and files; may be called twice, and a later use opens them again."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An optional protocol of vector stores: versions of tables, to detect deleted or outdated ones."""

    def versions(self) -> Mapping[str, int]:
        """Return a number for each table, by name, that increases with each write."""
        ...


@runtime_checkable
class Revisable(Protocol):
    """An optional protocol of vector stores: changes of a few of an owner's records, without reading all vectors.

    Without it, all records of tags and entities are read and compared by every ingest that changes any.
    """

    def texts(self, kind: RecordKind, owner: str) -> Mapping[str, str]:
        """Return the texts of an owner's records of a kind by id, in any order; an empty one for a repeated id."""
        ...

    def revise(self, kind: RecordKind, owner: str, gone: Sequence[str], added: EmbeddedRecords) -> None:
        """Remove the records with the ids `gone`, then add others, all of this kind and owner.

        No id of `added` is in the store, except those in `gone`.
        """
        ...


@runtime_checkable
class Termed(Protocol):
    """An optional protocol of vector stores: the terms that they keep for lexical search.

    Without it, the terms of all new chunks are computed once more for the retrieval index.
    """

    def terms(self, kind: RecordKind, owners: Collection[str] | None) -> Iterator[tuple[str, str]]:
        """Yield the ids of the records of a kind and owners (None: all) in any order, with their terms.

        The terms are separated by blanks, see `EmbeddedRecords`.
        """
        ...
