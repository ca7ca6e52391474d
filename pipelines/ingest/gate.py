"""The self-recall gate over the whole knowledge base: atoms that do not retrieve their own chunk are not indexed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipelines.atomize.self_recall import ChunkRank, DocumentRecords, rank
from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.core.outcome import each
from pipelines.ingest.embedding import read_searched
from pipelines.ingest.keys import VERSIONS
from pipelines.resources import Stores, vectors_name
from pipelines.store.artifact import drop_unreadable, read_artifact
from pipelines.store.catalog import Entry
from pipelines.store.vector import EmbeddedRecords

STAGE = "recall"
"""Under which the standings of atoms are kept, so that only what changed is asked again."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Which atoms failed, by document."""

    quarantined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_wrong(self, wrong: Mapping[str, tuple[str, ...]]) -> Gate:
        """Return the same with atoms that people called wrong, by document."""
        failed = dict(self.quarantined)
        for document, atoms in wrong.items():
            failed[document] = tuple(sorted({*failed.get(document, ()), *atoms}))
        return Gate(failed)


@codec.collector_paused()
def gate(entries: Sequence[Entry], stores: Stores) -> Gate:
    """Return which atoms of these documents fail: as a query among all chunks, they do not retrieve their own.

    See `pipelines.atomize.self_recall` (PIKE-RAG 5.3.1).

    Raises `DocumentsFailed` where the vectors of some documents cannot be had.
    """
    parts = _Parts(entries, stores)
    try:
        standings = _standings(parts, stores)
    except Exception:
        # Each is read alone, to tell which ones cannot be: they cost themselves and not the others.
        each("gate", entries, lambda entry: entry.document, lambda entry: parts[entry.artifacts["embed"]])
        raise
    failing = [entry for entry in entries if not _all_passed(standings[entry.artifacts["embed"]])]
    failed = each("gate", failing, lambda entry: entry.document, lambda entry: _failed(entry, parts, standings))
    return Gate({entry.document: atoms for entry, atoms in zip(failing, failed, strict=True)})


def _all_passed(standings: Sequence[ChunkRank]) -> bool:
    return all(one.passed for one in standings)


def _failed(entry: Entry, parts: _Parts, standings: Mapping[str, Sequence[ChunkRank]]) -> tuple[str, ...]:
    key = entry.artifacts["embed"]
    found = zip(parts.atoms(key), standings[key], strict=True)
    return tuple(sorted(atom for atom, standing in found if not standing.passed))


class _Parts(Mapping[str, DocumentRecords]):
    """The atoms and chunks of documents by the key of their vectors, read each time that they are asked for."""

    def __init__(self, entries: Sequence[Entry], stores: Stores) -> None:
        self._entries = {entry.artifacts["embed"]: entry for entry in entries}
        self._stores = stores
        self._atoms: dict[str, tuple[str, ...]] = {}
        self.failing: frozenset[str] = frozenset()
        """Documents with atoms that failed when they were last asked: their ids are remembered once they are read."""

    def __getitem__(self, key: str) -> DocumentRecords:
        entry, artifacts = self._entries[key], self._stores.artifacts
        data = read_artifact(artifacts, entry, "embed")
        with drop_unreadable(artifacts, entry, "embed"):
            records = read_searched(data)
        if key in self.failing:
            self._atoms[key] = records.atoms.ids
        return records

    def atoms(self, key: str) -> tuple[str, ...]:
        """Return the ids of a document's atoms."""
        known = self._atoms.get(key)
        return self[key].atoms.ids if known is None else known

    def __contains__(self, key: object) -> bool:
        return key in self._entries  # the one of `Mapping` would read the vectors for each question

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Standings as they are kept: the chunks above an atom's own by the number of their document among `keys`."""

    keys: tuple[str, ...]
    standings: tuple[tuple[tuple[int, tuple[tuple[int, int], ...], bool], ...], ...]


def _standings(parts: _Parts, stores: Stores) -> Mapping[str, Sequence[ChunkRank]]:
    made = content_id(STAGE, str(VERSIONS[STAGE]), vectors_name(stores.embedder.info))
    key = made.partition(":")[2]
    kept = stores.artifacts.get(STAGE, key)
    before = _unpacked(codec.decode(kept, _Kept)) if kept is not None else {}
    parts.failing = frozenset(key for key, standings in before.items() if not _all_passed(standings))
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


def join_records(parts: Sequence[EmbeddedRecords]) -> EmbeddedRecords:
    """Return the records of all parts, in their order."""
    filled = [part for part in parts if part.records]
    if not filled:
        return EmbeddedRecords()
    records = tuple(record for part in filled for record in part.records)
    terms = tuple(one for part in filled for one in part.with_terms().terms)
    return EmbeddedRecords(records, np.concatenate([part.vectors for part in filled]), terms)
