"""A view of the vector store, restricted to the documents that a caller can see, with their own term statistics.

Global term statistics would leak through the scores: somebody who can write a document could find out which words other
documents contain. Lexical scores are therefore computed here, from the visible documents only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang import bm25
from pipelines.lang.terms import terms
from pipelines.store.vector import EmbeddedRecords, Filter, Record, RecordKind, Scored, VectorStore
from serve.access import Scope
from serve.confined.graph import Seen, refuse

_OF_CORPUS = (RecordKind.TAG, RecordKind.ENTITY)


class ConfinedVectors:
    """Implements `VectorStore`. The terms of each kind of record are read once and cached until `close`."""

    def __init__(self, vectors: VectorStore, scope: Scope, seen: Callable[[], Seen]) -> None:
        self._vectors, self._scope, self._seen = vectors, scope, seen
        self._terms: dict[RecordKind, _Terms] = {}
        self._lock = Lock()

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        if kind in _OF_CORPUS:
            return _nearest(self.records((kind,)), vector, limit)
        confined = self._confined(where)
        return self._vectors.search(kind, vector, limit, confined) if confined else []

    def match(
        self, kind: RecordKind, wanted: Mapping[str, float], limit: int, where: Filter = Filter()
    ) -> list[Scored]:
        with self._lock:
            if kind not in self._terms:
                self._terms[kind] = _Terms.of(self.records((kind,)))
            read = self._terms[kind]
        return read.match(wanted, limit, where)

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[EmbeddedRecords]:
        seen = self._seen()
        names = {node.id for node in seen.corpus.nodes}
        for kind in sorted(kinds or RecordKind):
            if kind not in _OF_CORPUS:
                among = seen.documents if owners is None else seen.documents.intersection(owners)
                yield from self._vectors.records((kind,), among)
            elif owners is None:
                yield from (_only(batch, names) for batch in self._vectors.records((kind,)))

    def write(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        refuse()

    def optimize(self, *, erase: bool = False) -> None:
        refuse()

    def close(self) -> None:
        with self._lock:
            self._terms.clear()
        self._vectors.close()

    def _confined(self, where: Filter) -> Filter | None:
        """Return the filter restricted to the scope, None if nothing can match it."""
        folders = self._scope.within(where.folders)
        return replace(where, folders=folders) if folders else None


def _only(batch: EmbeddedRecords, names: Collection[str]) -> EmbeddedRecords:
    """Return the tags and entities with these ids, without their texts, which contain spellings of all documents."""
    places = [place for place, record in enumerate(batch.records) if record.id in names]
    records = tuple(replace(batch.records[place], text="") for place in places)
    return EmbeddedRecords(records, batch.vectors[places])


def _nearest(batches: Iterator[EmbeddedRecords], vector: Vectors, limit: int) -> list[Scored]:
    found: list[Scored] = []
    for batch in batches:
        sizes = np.linalg.norm(batch.vectors, axis=1) * np.linalg.norm(vector) if batch.records else np.zeros(0)
        cosines = batch.vectors @ vector / np.where(sizes, sizes, 1) if batch.records else np.zeros(0)
        rows = zip(batch.records, cosines.tolist(), sizes.tolist(), strict=True)
        found += [Scored(record.id, record.chunk, cosine) for record, cosine, size in rows if size]
    return _best(found, limit)


def _best(found: list[Scored], limit: int) -> list[Scored]:
    return sorted(found, key=lambda one: (-one.score, one.id))[: max(0, limit)]


@dataclass(frozen=True, slots=True)
class _Terms:
    """Records without texts, and for each term the positions of its records and its weights there (BM25)."""

    records: tuple[Record, ...]
    postings: Mapping[str, tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, batches: Iterator[EmbeddedRecords]) -> _Terms:
        records: list[Record] = []
        lengths: list[int] = []
        held: dict[str, list[tuple[int, int]]] = {}
        for record in (record for batch in batches for record in batch.records):
            counted = Counter(terms(record.text, record.language))
            for term, times in counted.items():
                held.setdefault(term, []).append((len(records), times))
            records.append(replace(record, text=""))
            lengths.append(counted.total())
        norms = bm25.length_norms(np.array(lengths, dtype=np.float32))
        return cls(tuple(records), {term: _weighted(places, norms) for term, places in held.items()})

    def match(self, wanted: Mapping[str, float], limit: int, where: Filter) -> list[Scored]:
        scores = np.zeros(len(self.records), dtype=np.float32)
        for term in wanted.keys() & self.postings.keys():
            places, weights = self.postings[term]
            scores[places] += np.float32(wanted[term]) * weights
        order = np.argsort(-scores, kind="stable")[: int((scores > 0).sum())]
        found = (Scored(self.records[place].id, self.records[place].chunk, float(scores[place]))
                 for place in order if _lets_through(where, self.records[place]))  # fmt: skip
        return _best(list(found), limit)


def _weighted(places: list[tuple[int, int]], norms: Vectors) -> tuple[np.ndarray, np.ndarray]:
    numbers, times = np.array(places, dtype=np.int32).T
    rarity = bm25.inverse_frequency(len(norms), len(places))
    weights = rarity * times * (bm25.K1 + 1) / (times + norms[numbers])
    return numbers, weights.astype(np.float32)


def _lets_through(where: Filter, record: Record) -> bool:
    folders = tuple(f"{folder.strip('/')}/" for folder in where.folders)
    return (
        (not where.documents or record.uri in where.documents or record.owner in where.documents)
        and (not folders or record.uri.startswith(folders))
        and (not where.media_types or record.media_type in where.media_types)
        and (not where.tags or not set(where.tags).isdisjoint(record.tags))
        and (not where.pages or record.page in where.pages)
        and (not where.since or record.date >= where.since)
        and (not where.until or "" < record.date <= where.until + "~")
    )
