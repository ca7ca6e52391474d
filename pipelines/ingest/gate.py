"""The self-recall gate over the whole knowledge base: atoms that do not retrieve their own chunk are not indexed.

If most documents are new, worker processes compute it, each for the atoms of its share of the documents, while the
main process links them; otherwise the main process computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from pipelines.atomize.self_recall import ChunkRank, DocumentRecords, rank
from pipelines.core import codec
from pipelines.core.errors import ArtifactUnreadable
from pipelines.core.ids import content_id
from pipelines.core.outcome import each
from pipelines.core.work.job import JobContext, JobResult
from pipelines.ingest.embedding import read_searched
from pipelines.ingest.keys import VERSIONS
from pipelines.resources import Stores, vectors_name
from pipelines.store.artifact import ArtifactStore, drop_unreadable, read_artifact
from pipelines.store.catalog import Entry
from pipelines.store.vector import EmbeddedRecords

STAGE = "recall"
"""Under which the standings of atoms are kept, so that only what changed is asked again."""
SHARED_FROM = 256
"""New documents from which workers ask the gate: of linux-doc so many keep one process busy for three seconds, one of
which each worker takes to read the chunks of all."""
_BREATH = 64
"""Documents that a worker reads before its processor seconds are counted anew: it works on a batch of about as many."""

Standings = Mapping[str, Sequence[ChunkRank]]
"""The ranks of the atoms of documents, by the keys of their vectors."""
SideBySide = Callable[[Callable[..., bytes], Sequence[tuple[object, ...]]], Sequence[Future[JobResult]]]
"""Runs a job's function in the workers, once for each tuple of arguments."""


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


def gate(entries: Sequence[Entry], stores: Stores) -> Gate:
    """Return which atoms of these documents fail: as a query among all chunks, they do not retrieve their own.

    See `pipelines.atomize.self_recall` (PIKE-RAG 5.3.1).

    Raises `DocumentsFailed` where the vectors of some documents cannot be had.
    """
    return _gate_here(entries, stores, _kept(stores))


def begin_gate(entries: Sequence[Entry], stores: Stores, side_by_side: SideBySide, workers: int) -> Callable[[], Gate]:
    """Start `gate`, and return a function that waits for its result; it returns and raises as `gate` does.

    Workers compute it if most documents are new; this process does if few are new, or if a worker fails.
    """
    keys, before = [entry.artifacts["embed"] for entry in entries], _kept(stores)
    if len(keys) - sum(key in before for key in keys) < max(SHARED_FROM, len(keys) / 2):
        done = _gate_here(entries, stores, before)
        return lambda: done
    begun = side_by_side(rank_some, [(stores.artifacts, keys, keys[number::workers]) for number in range(workers)])

    def ended() -> Gate:
        results = [one.result().result for one in begun]
        with codec.collector_paused():
            parts = [codec.unpack(result, _Ranked) for result in results if result is not None]
            if len(parts) < len(results):
                return _gate_here(entries, stores, before)
            found = {key: ranks for part in parts for key, ranks in _unpacked(part.kept).items()}
            _keep(stores, {key: found[key] for key in dict.fromkeys(keys)})
        failed = {key: atoms for part in parts for key, atoms in part.failed.items()}
        return Gate({one.document: failed[key] for one, key in zip(entries, keys, strict=True) if key in failed})

    return ended


def rank_some(job: JobContext, artifacts: ArtifactStore, keys: Sequence[str], asked: Sequence[str]) -> bytes:
    """The job that ranks the atoms of `asked` among the chunks of all documents whose vectors lie under `keys`.

    Raises `ArtifactUnreadable`, `DecodeError`.
    """
    reads = count()

    def read(key: str) -> DocumentRecords:
        if next(reads) % _BREATH == 0:
            job.begin(STAGE)
        if (data := artifacts.get("embed", key)) is None:
            raise ArtifactUnreadable("vectors are gone", ids=(key,))
        return read_searched(data)

    parts = _Parts(keys, read, frozenset(asked))
    with codec.collector_paused():
        found = rank(parts, asked=asked)
        failed = {key: _failed(parts.atoms(key), ranks) for key, ranks in found.items() if not _all_passed(ranks)}
        return codec.pack(_Ranked(_packed(found, keys), failed))


@codec.collector_paused()
def _gate_here(entries: Sequence[Entry], stores: Stores, before: Standings) -> Gate:
    by_key = {entry.artifacts["embed"]: entry for entry in entries}

    def read(key: str) -> DocumentRecords:
        data = read_artifact(stores.artifacts, by_key[key], "embed")
        with drop_unreadable(stores.artifacts, by_key[key], "embed"):
            return read_searched(data)

    parts = _Parts(tuple(by_key), read, frozenset(key for key, ranks in before.items() if not _all_passed(ranks)))
    try:
        found = rank(parts, before)
    except Exception:
        # Each is read alone, to tell which ones cannot be: they cost themselves and not the others.
        each("gate", entries, _document, lambda entry: read(entry.artifacts["embed"]))
        raise
    if found != before:
        _keep(stores, found)
    failing = [entry for entry in entries if not _all_passed(found[entry.artifacts["embed"]])]
    failed = each("gate", failing, _document, lambda one: _failed_of(one.artifacts["embed"], parts, found))
    return Gate({entry.document: atoms for entry, atoms in zip(failing, failed, strict=True)})


def _document(entry: Entry) -> str:
    return entry.document


def _failed_of(key: str, parts: _Parts, found: Standings) -> tuple[str, ...]:
    return _failed(parts.atoms(key), found[key])


def _all_passed(standings: Sequence[ChunkRank]) -> bool:
    return all(one.passed for one in standings)


def _failed(atoms: Sequence[str], standings: Sequence[ChunkRank]) -> tuple[str, ...]:
    return tuple(sorted(atom for atom, standing in zip(atoms, standings, strict=True) if not standing.passed))


class _Parts(Mapping[str, DocumentRecords]):
    """The atoms and chunks of documents by the key of their vectors, read each time that they are asked for."""

    def __init__(
        self, keys: Sequence[str], read: Callable[[str], DocumentRecords], failing: frozenset[str] = frozenset()
    ) -> None:
        """Take the documents that are `failing`, with atoms that failed before: the ids of these are remembered."""
        self._keys = dict.fromkeys(keys)
        self._read = read
        self._failing = failing
        self._atoms: dict[str, tuple[str, ...]] = {}

    def __getitem__(self, key: str) -> DocumentRecords:
        records = self._read(key)
        if key in self._failing:
            self._atoms[key] = records.atoms.ids
        return records

    def atoms(self, key: str) -> tuple[str, ...]:
        """Return the ids of a document's atoms."""
        known = self._atoms.get(key)
        return self[key].atoms.ids if known is None else known

    def __contains__(self, key: object) -> bool:
        return key in self._keys  # the one of `Mapping` would read the vectors for each question

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Standings as they are kept: the chunks above an atom's own by the number of their document among `keys`.

    `standings` are those of the documents with the numbers `of`, where it is there, else of all.
    """

    keys: tuple[str, ...]
    standings: tuple[tuple[tuple[int, tuple[tuple[int, int], ...], bool], ...], ...]
    of: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What a worker found: the standings that it was asked for, and the atoms that failed, by the keys of documents."""

    kept: _Kept
    failed: Mapping[str, tuple[str, ...]]


def _kept(stores: Stores) -> Standings:
    data = stores.artifacts.get(STAGE, _key(stores))
    return _unpacked(codec.decode(data, _Kept)) if data is not None else {}


def _keep(stores: Stores, standings: Standings) -> None:
    stores.artifacts.remove(STAGE, _key(stores))
    stores.artifacts.put(STAGE, _key(stores), codec.encode(_packed(standings, tuple(standings))))


def _key(stores: Stores) -> str:
    return content_id(STAGE, str(VERSIONS[STAGE]), vectors_name(stores.embedder.info)).partition(":")[2]


def _packed(standings: Standings, keys: Sequence[str]) -> _Kept:
    """The standings of some of the documents of `keys`."""
    numbers = {key: number for number, key in enumerate(keys)}
    packed = tuple(
        tuple((one.own, tuple((numbers[key], place) for key, place in one.above), one.truncated) for one in of_part)
        for of_part in standings.values()
    )
    return _Kept(tuple(numbers), packed, tuple(numbers[key] for key in standings))


def _unpacked(kept: _Kept) -> dict[str, tuple[ChunkRank, ...]]:
    def standing(own: int, above: Sequence[tuple[int, int]], more: bool) -> ChunkRank:
        return ChunkRank(own, tuple((kept.keys[number], place) for number, place in above), more)

    keys = kept.keys if kept.of is None else [kept.keys[number] for number in kept.of]
    return {key: tuple(standing(*one) for one in of_part) for key, of_part in zip(keys, kept.standings, strict=True)}


def join_records(parts: Sequence[EmbeddedRecords]) -> EmbeddedRecords:
    """Return the records of all parts, in their order."""
    filled = [part for part in parts if part.records]
    if not filled:
        return EmbeddedRecords()
    records = tuple(record for part in filled for record in part.records)
    terms = tuple(one for part in filled for one in part.with_terms().terms)
    return EmbeddedRecords(records, np.concatenate([part.vectors for part in filled]), terms)
