"""The self-recall gate over the whole knowledge base: atoms that do not retrieve their own chunk are not indexed.

In a large knowledge base, worker processes compute it while the main process links the documents: if most documents are
new, each for the atoms of its share of the documents, otherwise one for the changed documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from pipelines.atomize.self_recall import ChunkRank, DocumentRecords, Ranks, rank
from pipelines.core import codec
from pipelines.core.errors import ArtifactUnreadable
from pipelines.core.ids import content_id
from pipelines.core.outcome import each
from pipelines.core.work.job import JobContext, SubmitAll
from pipelines.ingest.embedding import read_searched
from pipelines.ingest.keys import VERSIONS
from pipelines.resources import Stores, vectors_name
from pipelines.store.artifact import ArtifactStore, drop_unreadable, read_artifact
from pipelines.store.catalog import Entry

STAGE = "recall"
"""The stage under which the ranks of atoms are stored, so that only those of changed documents are computed."""
SHARED_FROM = 256
"""Minimum documents for which workers compute the gate: with linux-doc, so many new ones take one process three
seconds, and each worker takes one second to read all chunks."""
_PER_LIMIT = 64
"""Documents that a worker reads before its CPU limit is restarted: about the size of a batch."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The atoms that failed the gate, by document."""

    quarantined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_wrong(self, wrong: Mapping[str, tuple[str, ...]]) -> Gate:
        """Return a gate that also quarantines the atoms that users rejected, by document."""
        failed = dict(self.quarantined)
        for document, atoms in wrong.items():
            failed[document] = tuple(sorted({*failed.get(document, ()), *atoms}))
        return Gate(failed)


def gate(entries: Sequence[Entry], stores: Stores) -> Gate:
    """Return the atoms that fail: as a query among all chunks, they do not retrieve their own chunk.

    See `pipelines.atomize.self_recall` (PIKE-RAG 5.3.1). Raises `DocumentsFailed` if the vectors of some documents
    cannot be read.
    """
    by_key = {entry.artifacts["embed"]: entry for entry in entries}

    def read(key: str) -> DocumentRecords:
        data = read_artifact(stores.artifacts, by_key[key], "embed")
        with drop_unreadable(stores.artifacts, by_key[key], "embed"):
            return read_searched(data)

    try:
        failed = _failed_atoms(stores.artifacts, _place(stores), tuple(by_key), read)
    except Exception:
        # Read each document separately, to find those that fail.
        each("gate", entries, lambda entry: entry.document, lambda entry: read(entry.artifacts["embed"]))
        raise
    return _gate_of(failed, entries)


def begin_gate(entries: Sequence[Entry], stores: Stores, submit_all: SubmitAll, workers: int) -> Callable[[], Gate]:
    """Start computing `gate`, and return a function that waits for its result; it returns and raises as `gate` does.

    This process computes it if there are few documents, or if a worker fails.
    """
    keys, place = [entry.artifacts["embed"] for entry in entries], _place(stores)
    if len(keys) < SHARED_FROM:
        done = gate(entries, stores)
        return lambda: done
    new = len(set(keys) - _kept_keys(stores.artifacts, place))
    share = new >= max(SHARED_FROM, len(keys) / 2)
    if share:
        jobs = submit_all(rank_documents, [(stores.artifacts, keys, keys[one::workers]) for one in range(workers)])
    else:
        jobs = submit_all(update_ranks, [(stores.artifacts, place, keys)])

    @codec.collector_paused()
    def ended() -> Gate:
        results = [job.result().result for job in jobs]
        done = [result for result in results if result is not None]
        if len(done) < len(results):
            return gate(entries, stores)
        if not share:
            return _gate_of(codec.unpack(done[0], dict[str, tuple[str, ...]]), entries)
        parts = [codec.unpack(result, _Ranked) for result in done]
        found = {key: ranks for part in parts for key, ranks in _unpacked(part.kept).items()}
        _keep(stores.artifacts, place, {key: found[key] for key in dict.fromkeys(keys)})
        return _gate_of({key: atoms for part in parts for key, atoms in part.failed.items()}, entries)

    return ended


def _gate_of(failed: Mapping[str, tuple[str, ...]], entries: Sequence[Entry]) -> Gate:
    """Return the gate for failed atoms by the keys of vectors."""
    keys = ((entry.document, entry.artifacts["embed"]) for entry in entries)
    return Gate({document: failed[key] for document, key in keys if key in failed})


def rank_documents(job: JobContext, artifacts: ArtifactStore, keys: Sequence[str], asked: Sequence[str]) -> bytes:
    """Rank the atoms of the documents `asked` among the chunks of all documents; return a packed `_Ranked`.

    The function of a job. Documents are identified by the keys of their vectors. Raises `ArtifactUnreadable`,
    `DecodeError`.
    """
    records = _RecordsByKey(keys, _reader(job, artifacts), frozenset(asked))
    with codec.collector_paused():
        found = rank(records, asked=asked)
        return codec.pack(_Ranked(_packed(found, keys), _failed_of(records, found)))


def update_ranks(job: JobContext, artifacts: ArtifactStore, place: str, keys: Sequence[str]) -> bytes:
    """Update the stored ranks for these documents; return the packed failed atoms by the keys of vectors.

    The function of a job. Raises `ArtifactUnreadable`, `DecodeError`.
    """
    return codec.pack(_failed_atoms(artifacts, place, keys, _reader(job, artifacts)))


def _reader(job: JobContext, artifacts: ArtifactStore) -> Callable[[str], DocumentRecords]:
    """Return the function that reads a document in a worker, by the key of its vectors."""
    reads = count()

    def read(key: str) -> DocumentRecords:
        if next(reads) % _PER_LIMIT == 0:
            job.begin(STAGE)
        if (data := artifacts.get("embed", key)) is None:
            raise ArtifactUnreadable("vectors are gone", ids=(key,))
        return read_searched(data)

    return read


@codec.collector_paused()
def _failed_atoms(
    artifacts: ArtifactStore, place: str, keys: Sequence[str], read: Callable[[str], DocumentRecords]
) -> dict[str, tuple[str, ...]]:
    """Update the stored ranks for these documents, and return the failed atoms by the keys of vectors."""
    before = _kept(artifacts, place)
    failing = frozenset(key for key, ranks in before.items() if not _all_passed(ranks))
    records = _RecordsByKey(keys, read, failing)
    found = rank(records, before)
    if found != before:
        _keep(artifacts, place, found)
    return _failed_of(records, found)


def _failed_of(records: _RecordsByKey, found: Ranks) -> dict[str, tuple[str, ...]]:
    return {key: _failed(records.atoms(key), ranks) for key, ranks in found.items() if not _all_passed(ranks)}


def _all_passed(ranks: Sequence[ChunkRank]) -> bool:
    return all(one.passed for one in ranks)


def _failed(atoms: Sequence[str], ranks: Sequence[ChunkRank]) -> tuple[str, ...]:
    return tuple(sorted(atom for atom, one in zip(atoms, ranks, strict=True) if not one.passed))


class _RecordsByKey(Mapping[str, DocumentRecords]):
    """The atoms and chunks of documents by the key of their vectors; each access reads them."""

    def __init__(
        self, keys: Sequence[str], read: Callable[[str], DocumentRecords], failing: frozenset[str] = frozenset()
    ) -> None:
        """`failing` are the documents with atoms that failed before; the ids of their atoms are kept in memory."""
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
        return key in self._keys  # the default of `Mapping` reads the document

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The stored form of ranks by the keys of vectors: chunks above an atom's own have the number of a key in `keys`.

    `standings` has the ranks of the documents with the numbers `of`, or of all if `of` is None.
    """

    keys: tuple[str, ...]
    standings: tuple[tuple[tuple[int, tuple[tuple[int, int], ...], bool], ...], ...]
    of: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The result of a worker: the requested ranks, and the failed atoms by the keys of documents."""

    kept: _Kept
    failed: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _KeptKeys:
    """The fields of `_Kept` that tell whose ranks it has."""

    keys: tuple[str, ...]
    of: tuple[int, ...] | None = None


def _kept(artifacts: ArtifactStore, place: str) -> Ranks:
    data = artifacts.get(STAGE, place)
    return _unpacked(codec.decode(data, _Kept)) if data is not None else {}


def _kept_keys(artifacts: ArtifactStore, place: str) -> set[str]:
    """Return the keys of the documents whose ranks are stored."""
    data = artifacts.get(STAGE, place)
    if data is None:
        return set()
    kept = codec.decode(data, _KeptKeys)
    return set(kept.keys if kept.of is None else (kept.keys[number] for number in kept.of))


def _keep(artifacts: ArtifactStore, place: str, ranks: Ranks) -> None:
    artifacts.remove(STAGE, place)
    artifacts.put(STAGE, place, codec.encode(_packed(ranks, tuple(ranks))))


def _place(stores: Stores) -> str:
    """Return the key of the artifact with the ranks."""
    return content_id(STAGE, str(VERSIONS[STAGE]), vectors_name(stores.embedder.info)).partition(":")[2]


def _packed(ranks: Ranks, keys: Sequence[str]) -> _Kept:
    """Return the stored form of ranks; the documents are among `keys`."""
    numbers = {key: number for number, key in enumerate(keys)}
    packed = tuple(
        tuple((one.own, tuple((numbers[key], place) for key, place in one.above), one.truncated) for one in of_part)
        for of_part in ranks.values()
    )
    return _Kept(tuple(numbers), packed, tuple(numbers[key] for key in ranks))


def _unpacked(kept: _Kept) -> dict[str, tuple[ChunkRank, ...]]:
    def rank_of(own: int, above: Sequence[tuple[int, int]], more: bool) -> ChunkRank:
        return ChunkRank(own, tuple((kept.keys[number], place) for number, place in above), more)

    keys = kept.keys if kept.of is None else [kept.keys[number] for number in kept.of]
    return {key: tuple(rank_of(*one) for one in of_part) for key, of_part in zip(keys, kept.standings, strict=True)}
