"""The self-recall gate over the whole knowledge base: atoms that do not retrieve their own chunk are not indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipelines.atomize.self_recall import ChunkRank, DocumentRecords, SearchRecords, rank, self_recall
from pipelines.core import codec
from pipelines.core.failures import each
from pipelines.core.ids import content_id
from pipelines.ingest.embedding import read_records, read_terms
from pipelines.ingest.keys import VERSIONS
from pipelines.resources import Stores, vectors_name
from pipelines.store.artifact import read_artifact, readable
from pipelines.store.catalog import Entry
from pipelines.store.vector import EmbeddedRecords, RecordKind

STAGE = "recall"
"""Under which the standings of atoms are kept, so that only what changed is asked again."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Which atoms failed, by document, and the share of each document's atoms that passed."""

    quarantined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def with_wrong(self, wrong: Mapping[str, tuple[str, ...]]) -> Gate:
        """Return the same with atoms that people called wrong, by document."""
        failed = dict(self.quarantined)
        for document, atoms in wrong.items():
            failed[document] = tuple(sorted({*failed.get(document, ()), *atoms}))
        return Gate(failed, self.shares)


def gate(entries: Sequence[Entry], stores: Stores) -> Gate:
    """Return which atoms of these documents fail: as a query among all chunks, they do not retrieve their own.

    See `pipelines.atomize.self_recall` (PIKE-RAG 5.3.1).

    Raises `DocumentsFailed` where the vectors of some documents cannot be had.
    """
    read = each("gate", entries, lambda entry: entry.document, lambda entry: _part(entry, stores))
    parts = {entry.artifacts["embed"]: part for entry, part in zip(entries, read, strict=True)}
    recall = self_recall(parts, _standings(parts, stores))
    owners = {record.id: record.owner for part in parts.values() for record in part.atoms.embedded.records}
    quarantined: dict[str, list[str]] = {}
    for atom in sorted(recall.quarantined):
        quarantined.setdefault(owners[atom], []).append(atom)
    return Gate({document: tuple(failed) for document, failed in quarantined.items()}, recall.shares)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Standings as they are kept: the chunks above an atom's own by the number of their document among `keys`."""

    keys: tuple[str, ...]
    standings: tuple[tuple[tuple[int, tuple[tuple[int, int], ...], bool], ...], ...]


def _standings(parts: Mapping[str, DocumentRecords], stores: Stores) -> Mapping[str, Sequence[ChunkRank]]:
    made = content_id(STAGE, str(VERSIONS[STAGE]), vectors_name(stores.embedder.info))
    key = made.partition(":")[2]
    kept = stores.artifacts.get(STAGE, key)
    before = _unpacked(codec.decode(kept, _Kept)) if kept is not None else {}
    found = rank(parts, before)
    if found != before:
        stores.artifacts.remove(STAGE, key)
        stores.artifacts.put(STAGE, key, codec.encode(_packed(found)))
    return found


def _packed(standings: Mapping[str, Sequence[ChunkRank]]) -> _Kept:
    numbers = {key: number for number, key in enumerate(standings)}
    return _Kept(
        tuple(numbers),
        tuple(
            tuple((one.own, tuple((numbers[key], place) for key, place in one.above), one.truncated) for one in of_part)
            for of_part in standings.values()
        ),
    )


def _unpacked(kept: _Kept) -> dict[str, tuple[ChunkRank, ...]]:
    def standing(own: int, above: Sequence[tuple[int, int]], more: bool) -> ChunkRank:
        return ChunkRank(own, tuple((kept.keys[number], place) for number, place in above), more)

    return {
        key: tuple(standing(*one) for one in of_part) for key, of_part in zip(kept.keys, kept.standings, strict=True)
    }


def joined(parts: Sequence[EmbeddedRecords]) -> EmbeddedRecords:
    """Return the records of all parts, in their order."""
    filled = [part for part in parts if part.records]
    if not filled:
        return EmbeddedRecords()
    records = tuple(record for part in filled for record in part.records)
    return EmbeddedRecords(records, np.concatenate([part.vectors for part in filled]))


def _part(entry: Entry, stores: Stores) -> DocumentRecords:
    data = read_artifact(stores.artifacts, entry, "embed")
    with readable(stores.artifacts, entry, "embed"):
        embedded, terms = read_records(data), read_terms(data)
    return DocumentRecords(_of_kind(embedded, terms, RecordKind.ATOM), _of_kind(embedded, terms, RecordKind.CHUNK))


def _of_kind(embedded: EmbeddedRecords, terms: Sequence[str], kind: RecordKind) -> SearchRecords:
    places = [place for place, record in enumerate(embedded.records) if record.kind is kind]
    records = tuple(embedded.records[place] for place in places)
    return SearchRecords(EmbeddedRecords(records, embedded.vectors[places]), tuple(terms[place] for place in places))
