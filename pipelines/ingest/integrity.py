"""Integrity checks of a knowledge base: damaged data, and inconsistencies between its stores in both directions."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from pipelines.core import codec
from pipelines.core.errors import StoreError
from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.ids import digest
from pipelines.core.sqlite_file import is_sound
from pipelines.graph.mentions import STAGE as MENTIONS
from pipelines.graph.mentions import cache_key
from pipelines.ingest.keys import COMPILED
from pipelines.llm.cache import ReplyStore
from pipelines.resources import Stores
from pipelines.store.artifact import ArtifactStore, Parts
from pipelines.store.catalog import Entry
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.vector import EmbeddedRecords

SAMPLED_SHARE, SAMPLED_LEAST = 16, 64
"""A sample has one artifact in 16, and at least 64."""
RETRIEVAL_INDEX = "retrieval*/*.npz"
"""The files of the retrieval index, which is built from the graph."""

Sums = dict[str, dict[str, int]]
"""The checksums of records: by owner, and then by kind and id."""


class StorePart(StrEnum):
    """A part of a knowledge base that is checked."""

    CATALOG = "catalog"
    GRAPH = "graph"
    VECTORS = "vectors"
    ARTIFACTS = "artifacts"
    CACHES = "caches"


class Defect(StrEnum):
    MISSING = "missing"
    """In the catalog, but not in the store."""
    ORPHAN = "orphan"
    """In the store, but not in the catalog."""
    CHANGED = "changed"
    """The stored data differs from what was written, or is an earlier version."""


@dataclass(frozen=True, slots=True, order=True)
class Inconsistency:
    """A defect of stored data; `subject` is an owner, a node, a file, or the stage and key of an artifact."""

    place: StorePart
    fault: Defect
    subject: str
    detail: str = ""


def check_graph(
    entries: Iterable[Entry], recorded: Mapping[str, str], actual: Mapping[str, str]
) -> Iterator[Inconsistency]:
    """Yield the differences between the catalog and the graph.

    `recorded` has the digests that the store has recorded (`owners()`), `actual` those of its contents (`recount()`).
    """
    wanted = {entry.document: entry.uri for entry in entries if entry.status.searchable}
    for document, uri in sorted(wanted.items()):
        if document not in recorded and document not in actual:
            yield Inconsistency(StorePart.GRAPH, Defect.MISSING, document, uri)
    for owner in sorted(recorded.keys() | actual.keys()):
        if owner not in wanted and owner != CORPUS_OWNER:
            yield Inconsistency(StorePart.GRAPH, Defect.ORPHAN, owner)
        elif recorded.get(owner) != actual.get(owner):
            yield Inconsistency(
                StorePart.GRAPH, Defect.CHANGED, owner, "its nodes and edges differ from what was written"
            )


def check_ends(nodes: Set[str], ends: Iterable[tuple[str, str]]) -> Iterator[Inconsistency]:
    """Yield the missing nodes of edges; `nodes` has the ids of all nodes, `ends` the source and target of each edge."""
    for source, target in ends:
        for end in (source, target):
            if end not in nodes:
                yield Inconsistency(
                    StorePart.GRAPH, Defect.MISSING, end, f"an edge between {source} and {target} needs it"
                )


def check_copy(
    source: Mapping[str, str], target: Mapping[str, str], actual: Mapping[str, str]
) -> Iterator[Inconsistency]:
    """Yield the differences of a copy of the graph: `owners()` of the graph and the copy, `recount()` of the copy."""
    for owner in sorted(source.keys() | target.keys() | actual.keys()):
        if owner not in source:
            yield Inconsistency(StorePart.GRAPH, Defect.ORPHAN, owner, "only in the copy")
        elif owner not in target:
            yield Inconsistency(StorePart.GRAPH, Defect.MISSING, owner, "not in the copy")
        elif not source[owner] == target[owner] == actual.get(owner):
            yield Inconsistency(StorePart.GRAPH, Defect.CHANGED, owner, "the copy differs")


def check_vectors(
    entries: Iterable[Entry], wanted: Mapping[str, Set[str]], held: Mapping[str, Set[str]]
) -> Iterator[Inconsistency]:
    """Yield missing and surplus vectors; `wanted` and `held` are the expected and stored ids of records by owner."""
    known = {entry.document for entry in entries if entry.status.searchable} | {CORPUS_OWNER}
    for owner in sorted(wanted.keys() | held.keys()):
        expected, stored = wanted.get(owner, set()), held.get(owner, set())
        if owner not in known:
            yield Inconsistency(StorePart.VECTORS, Defect.ORPHAN, owner, f"{len(stored)} records")
            continue
        if missing := expected - stored:
            yield Inconsistency(StorePart.VECTORS, Defect.MISSING, owner, f"{len(missing)} records")
        if surplus := stored - expected:
            yield Inconsistency(StorePart.VECTORS, Defect.ORPHAN, owner, f"{len(surplus)} records")


def check_records(
    wanted: Mapping[str, Mapping[str, int]], held: Mapping[str, Mapping[str, int]]
) -> Iterator[Inconsistency]:
    """Yield the owners of records whose checksums differ; records that are missing on one side are ignored."""
    for owner in sorted(wanted.keys() & held.keys()):
        expected, stored = wanted[owner], held[owner]
        if changed := [id for id in expected.keys() & stored.keys() if expected[id] != stored[id]]:
            yield Inconsistency(StorePart.VECTORS, Defect.CHANGED, owner, f"{len(changed)} records")


def check_artifacts(entries: Iterable[Entry], held: Mapping[str, Collection[str]]) -> Iterator[Inconsistency]:
    """Yield the missing artifacts of searchable documents; `held` has the stored keys of each stage to check.

    Surplus artifacts are not a defect: they are reused if a file returns to an earlier content.
    """
    keys = {stage: frozenset(found) for stage, found in held.items()}
    for entry in entries:
        for stage, key in sorted(entry.artifacts.items()):
            if entry.status.searchable and stage in keys and key not in keys[stage]:
                yield Inconsistency(StorePart.ARTIFACTS, Defect.MISSING, f"{stage}/{key}", entry.uri)


@dataclass(frozen=True, slots=True)
class ArtifactInspection:
    """The number of artifacts, how many of them were read, and the damaged and missing ones."""

    held: int
    read: int
    findings: tuple[Inconsistency, ...]


def inspect_artifacts(stores: Stores, entries: Sequence[Entry], every: bool) -> ArtifactInspection:
    """Read all artifacts, or a sample: those with the lowest digests of their keys, so that it is reproducible."""
    artifacts = stores.artifacts
    held = [(stage, key) for stage in artifacts.stages() for key in artifacts.keys(stage)]
    chosen = held if every else _sample(held)
    damaged = [pair for pair in chosen if artifacts.get(*pair) is None]
    absent = set(_parts_of(artifacts, entries)) - set(held) if every else set()
    owners = _owners(artifacts, entries) if damaged or absent else {}
    faults = [*((pair, Defect.CHANGED) for pair in damaged), *((pair, Defect.MISSING) for pair in sorted(absent))]
    findings = tuple(
        Inconsistency(StorePart.ARTIFACTS, fault, "/".join(pair), uri)
        for pair, fault in faults
        for uri in owners.get(pair, [""])
    )
    return ArtifactInspection(len(held), len(chosen), findings)


def is_lost(entry: Entry, artifacts: ArtifactStore) -> bool:
    """Return whether an artifact of a compiled document is missing or damaged."""
    return any(artifacts.get(stage, entry.artifacts.get(stage, "none")) is None for stage in COMPILED)


def inspect_caches(folder: KnowledgeBaseFolder) -> Iterator[Inconsistency]:
    """Yield the damaged caches, whose contents can be computed again."""
    for path in (folder.replies, folder.embeddings):
        if not is_sound(path):
            yield Inconsistency(
                StorePart.CACHES, Defect.CHANGED, path.name, "it is created again, its contents are lost"
            )
        elif path == folder.replies and path.is_file() and (damaged := _damaged_replies(path)):
            yield Inconsistency(
                StorePart.CACHES, Defect.CHANGED, path.name, f"{damaged} replies, which are requested again"
            )
    for path in sorted(folder.root.glob(RETRIEVAL_INDEX)):
        if not _is_whole(path):
            yield Inconsistency(
                StorePart.CACHES, Defect.CHANGED, str(path.relative_to(folder.root)), "it is built again"
            )


def sums_of(embedded: EmbeddedRecords) -> Sums:
    """Return a checksum of each record and its vector."""
    sums: Sums = {}
    for record, vector in zip(embedded.records, embedded.vectors, strict=True):
        sum = zlib.crc32(vector.tobytes(), zlib.crc32(codec.encode(record)))
        sums.setdefault(record.owner, {})[f"{record.kind}/{record.id}"] = sum
    return sums


def held_sums(stores: Stores) -> Sums:
    """Return the checksums of all records in the vector store. Raises `StoreError` if it cannot be read."""
    held: Sums = {}
    for batch in stores.vectors.records():
        for owner, sums in sums_of(batch).items():
            held.setdefault(owner, {}).update(sums)
    return held


def _sample(held: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    ordered = sorted(held, key=lambda pair: digest("/".join(pair).encode()))
    return ordered[: max(SAMPLED_LEAST, len(ordered) // SAMPLED_SHARE)]


def _owners(artifacts: ArtifactStore, entries: Sequence[Entry]) -> Mapping[tuple[str, str], list[str]]:
    """Return the URIs of the documents that each artifact belongs to."""
    owners: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        pairs = {(stage, key) for stage, key in entry.artifacts.items() if stage in COMPILED}
        pairs |= {(MENTIONS, cache_key(entry.document))} if entry.document else set()
        for pair in (*pairs, *_parts_of(artifacts, [entry])):
            owners.setdefault(pair, []).append(entry.uri)
    return owners


def _parts_of(artifacts: ArtifactStore, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        data = artifacts.get("parse", entry.artifacts.get("parse", "none"))
        if data is not None:
            parts = codec.decode(data, Parts)
            yield from (("picture", picture) for picture in parts.pictures)
            yield from (("member", member.digest) for member in parts.members)


def _damaged_replies(path: Path) -> int:
    store = ReplyStore(path)
    try:
        return len(store.damaged())
    except StoreError:
        return 1
    finally:
        store.close()


def _is_whole(path: Path) -> bool:
    try:
        with ZipFile(path) as file:
            return file.testzip() is None
    except (OSError, BadZipFile, ValueError, NotImplementedError, RuntimeError, zlib.error):
        return False
