"""Reading what lies in a knowledge base, to see whether it is what was written: artifacts, vectors, caches."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from pipelines.core import codec
from pipelines.core.errors import StoreError
from pipelines.core.ids import digest
from pipelines.core.sqlite_file import is_sound
from pipelines.graph.mentions import STAGE as MENTIONS
from pipelines.graph.mentions import cache_key
from pipelines.ingest.keys import COMPILED
from pipelines.llm.cache import ReplyStore
from pipelines.resources import Stores
from pipelines.store.artifact import ArtifactStore, Parts
from pipelines.store.catalog import Entry
from pipelines.store.consistency import Defect, Inconsistency, StorePart
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.vector import EmbeddedRecords

SAMPLED_SHARE, SAMPLED_LEAST = 16, 64
"""A sample reads one artifact in so many, and so many at least."""
RETRIEVAL_INDEX = "retrieval*/*.npz"
"""Where question answering keeps what it read of the graph."""

Sums = dict[str, dict[str, int]]
"""Checksums of records by kind and id, by owner."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """How many artifacts there are and how many of them were read, and which are not what was kept."""

    held: int
    read: int
    findings: tuple[Inconsistency, ...]


def inspect_artifacts(stores: Stores, entries: Sequence[Entry], every: bool) -> Inspected:
    """Read artifacts: all, or a sample that is the same until other artifacts are there, the least by digest."""
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
    return Inspected(len(held), len(chosen), findings)


def inspect_caches(places: KnowledgeBaseFolder) -> Iterator[Inconsistency]:
    """Yield what is damaged among the files that only spare work."""
    for path in (places.replies, places.embeddings):
        if not is_sound(path):
            yield Inconsistency(
                StorePart.CACHES, Defect.CHANGED, path.name, "it is begun anew: what was kept there is lost"
            )
        elif path == places.replies and path.is_file() and (damaged := _damaged_replies(path)):
            yield Inconsistency(
                StorePart.CACHES, Defect.CHANGED, path.name, f"{damaged} replies, which are asked for anew"
            )
    for path in sorted(places.root.glob(RETRIEVAL_INDEX)):
        if not _is_whole(path):
            yield Inconsistency(StorePart.CACHES, Defect.CHANGED, str(path.relative_to(places.root)), "it is read anew")


def sums_of(embedded: EmbeddedRecords) -> Sums:
    """Return what stands for each record and its vector."""
    sums: Sums = {}
    for record, vector in zip(embedded.records, embedded.vectors, strict=True):
        sum = zlib.crc32(vector.tobytes(), zlib.crc32(codec.encode(record)))
        sums.setdefault(record.owner, {})[f"{record.kind}/{record.id}"] = sum
    return sums


def held_sums(stores: Stores) -> Sums:
    """Return the sums of all records that the store of vectors holds. Raises `StoreError` where it cannot be read."""
    held: Sums = {}
    for batch in stores.vectors.records():
        for owner, sums in sums_of(batch).items():
            held.setdefault(owner, {}).update(sums)
    return held


def _sample(held: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    ordered = sorted(held, key=lambda pair: digest("/".join(pair).encode()))
    return ordered[: max(SAMPLED_LEAST, len(ordered) // SAMPLED_SHARE)]


def _owners(artifacts: ArtifactStore, entries: Sequence[Entry]) -> Mapping[tuple[str, str], list[str]]:
    """The documents that each artifact was made of."""
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
