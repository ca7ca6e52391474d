"""The self-recall gate over the whole knowledge base: atoms that do not bring back their own chunk are not indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipelines.atomize.recall import self_recall
from pipelines.ingest.artifacts import read_artifact
from pipelines.ingest.records import read_records
from pipelines.resources import Stores
from pipelines.store.catalog import Entry
from pipelines.store.vector import Embedded, RecordKind


@dataclass(frozen=True, slots=True)
class Gate:
    """Which atoms failed, by document, and the share of each document's atoms that passed."""

    quarantined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)


def gate(entries: Sequence[Entry], stores: Stores) -> Gate:
    """Return which atoms of these documents fail, asked against all their chunks (PIKE-RAG 5.3.1)."""
    atoms: list[Embedded] = []
    chunks: list[Embedded] = []
    for entry in entries:
        embedded = read_records(read_artifact(stores, entry, "embed"))
        atoms.append(_of_kind(embedded, RecordKind.ATOM))
        chunks.append(_of_kind(embedded, RecordKind.CHUNK))
    everything = joined(atoms)
    recall = self_recall(everything, joined(chunks))
    owners = {record.id: record.owner for record in everything.records}
    quarantined: dict[str, list[str]] = {}
    for atom in sorted(recall.quarantined):
        quarantined.setdefault(owners[atom], []).append(atom)
    return Gate({document: tuple(failed) for document, failed in quarantined.items()}, recall.shares)


def joined(parts: Sequence[Embedded]) -> Embedded:
    """Return the records of all parts, in their order."""
    filled = [part for part in parts if part.records]
    if not filled:
        return Embedded()
    records = tuple(record for part in filled for record in part.records)
    return Embedded(records, np.concatenate([part.vectors for part in filled]))


def _of_kind(embedded: Embedded, kind: RecordKind) -> Embedded:
    places = [place for place, record in enumerate(embedded.records) if record.kind is kind]
    return Embedded(tuple(embedded.records[place] for place in places), embedded.vectors[places])
