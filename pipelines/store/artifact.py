"""Artifacts: the results of stages under the digest of what they were made from, and how they are read back typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from pipelines.core import codec
from pipelines.core.document import Document, ReferenceKind
from pipelines.core.errors import ArtifactUnreadable
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Status
from pipelines.store.catalog import Entry

T = TypeVar("T")


@runtime_checkable
class ArtifactStore(Protocol):
    """Bytes by stage and key. An artifact is written whole or not at all, and never changes.

    `[store] artifacts = "module:Class"` chooses one of your own, made as `Class(folder)` with a folder that it has to
    itself. It is pickled to worker processes, which write to it at the same time.
    `pipelines.store.testing.ArtifactStoreContract` tests one.
    """

    def get(self, stage: str, key: str) -> bytes | None:
        """Return the artifact, None where there is none or what is there is not what was kept."""
        ...

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Keep `data`; a second write under the same key changes nothing. Safe under concurrent writers."""
        ...

    def remove(self, stage: str, key: str) -> None:
        """Remove an artifact; an unknown one is no error."""
        ...

    def keys(self, stage: str) -> Iterator[str]:
        """Yield the keys of a stage in order."""
        ...

    def stages(self) -> tuple[str, ...]:
        """Return the names of the stages that have or had artifacts, in order."""
        ...

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        """Remove the artifacts of which `wanted(stage, key)` says no, and what writers that were killed left.

        Return how many artifacts went, without what was left. Nobody may write meanwhile.
        """
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """A part of a container, as it is kept with the container's own artifact."""

    name: str
    digest: str
    size: int
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """`Parsed` as it is kept: pictures and parts by their digests, under which their bytes lie.

    `unread` and `again` are those of `Parsed`: what a limit left out, and whether the next run gets further.
    """

    status: Status
    document: Document | None = None
    pictures: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    reason: str = ""
    error: str = ""
    unread: tuple[str, ...] = ()
    again: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """What a `ParsedRecord` names that lies apart, to be read without the rest of it."""

    pictures: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


def read_document(artifacts: ArtifactStore, entry: Entry) -> Document:
    """Return the parsed document of a searchable entry. Raises `ArtifactUnreadable` where its artifact is gone."""
    record = read_value(artifacts, entry, "parse", ParsedRecord)
    if record.document is None:
        raise ArtifactUnreadable("the artifact holds no document", ids=(entry.uri,))
    return record.document


def read_distillate(artifacts: ArtifactStore, entry: Entry) -> Distillate:
    """Return what was distilled from the document of a searchable entry. Raises `ArtifactUnreadable`."""
    return read_value(artifacts, entry, "atomize", Distillate)


def read_value(artifacts: ArtifactStore, entry: Entry, stage: str, type: type[T]) -> T:
    """Return the value that a stage kept for an entry. Raises `ArtifactUnreadable` where it is gone or damaged."""
    with readable(artifacts, entry, stage):
        return codec.decode(read_artifact(artifacts, entry, stage), type)


@contextmanager
def readable(artifacts: ArtifactStore, entry: Entry, stage: str) -> Iterator[None]:
    """Take what cannot be decoded inside for a damaged artifact, and drop it: the next ingest makes it anew.

    Raises `ArtifactUnreadable`.
    """
    try:
        yield
    except (codec.DecodeError, ValueError) as error:
        artifacts.remove(stage, entry.artifacts[stage])
        raise _unreadable(entry, stage, "damaged") from error


def read_artifact(artifacts: ArtifactStore, entry: Entry, stage: str) -> bytes:
    """Return the result of a stage for an entry. Raises `ArtifactUnreadable` where it is gone."""
    data = artifacts.get(stage, entry.artifacts[stage])
    if data is None:
        raise _unreadable(entry, stage, "gone")
    return data


def _unreadable(entry: Entry, stage: str, how: str) -> ArtifactUnreadable:
    hint = "the next ingest makes it anew"
    return ArtifactUnreadable(f"the {stage} artifact of {entry.uri} is {how}", ids=(entry.uri,), hint=hint)
