"""Artifacts, the results of stages under the digest of what they were made from: protocol, files, typed reading.

`FileArtifacts` keeps them as `ROOT/STAGE/ab/abcdef...`, each written whole by a rename and checked when read. What is
compressed begins with a mark and the digest of stage, key and content, so that a file that was cut, emptied or put in
another's place is not taken for what was kept. Files of earlier versions have another head or none, and are read too.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from pipelines.core import codec
from pipelines.core.document import Document, ReferenceKind
from pipelines.core.errors import ArtifactUnreadable, StoreError
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Status
from pipelines.store.catalog import Entry
from pipelines.store.compression import compressed, decompressed, decompressed_before

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
    with drop_unreadable(artifacts, entry, stage):
        return codec.decode(read_artifact(artifacts, entry, stage), type)


@contextmanager
def drop_unreadable(artifacts: ArtifactStore, entry: Entry, stage: str) -> Iterator[None]:
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


_NAME = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")
_TEMPORARY = ".writing-"  # hidden, so that `keys` passes over what a crash left
_MARK, _MARK_BEFORE = b"\x00strata2", b"\x00strata1"  # no stream of zlib begins with a zero
_DIGEST_BYTES = 16
_PLAIN = frozenset(("picture", "member"))
"""Stages whose artifacts are compressed already, or to be opened as they are; their keys are the SHA-256 of what lies
there, in hexadecimal digits."""


class FileArtifacts:
    """See `ArtifactStore`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, stage: str, key: str) -> Path:
        """Return where the artifact lies or would lie. Raises `ValueError` on what is no plain name."""
        for name in (stage, key):
            if not _NAME.fullmatch(name):
                raise ValueError(f"not a name of an artifact: {name!r}")
        return self._root / stage / key[:2] / key

    def get(self, stage: str, key: str) -> bytes | None:
        """See `ArtifactStore`; one that is damaged counts as absent, so it is made again."""
        try:
            data = self.path(stage, key).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as error:
            raise ArtifactUnreadable(f"an artifact cannot be read: {error}", ids=(stage, key)) from error
        if stage in _PLAIN:
            return data if digest(data) == key else None
        return _unpacked(stage, key, data)

    def put(self, stage: str, key: str, data: bytes) -> None:
        path = self.path(stage, key)
        if self.get(stage, key) is not None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data if stage in _PLAIN else _packed(stage, key, data))
        except OSError as error:
            raise StoreError(f"an artifact cannot be written: {error.strerror}", ids=(stage, key)) from error

    def remove(self, stage: str, key: str) -> None:
        self.path(stage, key).unlink(missing_ok=True)

    def keys(self, stage: str) -> Iterator[str]:
        for folder in sorted(_listed(self._root / stage)):
            yield from sorted(name for name in _listed(self._root / stage / folder) if not name.startswith("."))

    def stages(self) -> tuple[str, ...]:
        return tuple(sorted(_listed(self._root)))

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        removed = 0
        for stage in self.stages():
            for key in list(self.keys(stage)):
                if not wanted(stage, key):
                    self.remove(stage, key)
                    removed += 1
            for left in (self._root / stage).glob(f"*/{_TEMPORARY}*"):
                left.unlink(missing_ok=True)
        return removed


def _packed(stage: str, key: str, data: bytes) -> bytes:
    return _MARK + _bound(stage, key, data) + compressed(data)


def _unpacked(stage: str, key: str, kept: bytes) -> bytes | None:
    mark, bound, rest = kept[: len(_MARK)], kept[len(_MARK) :][:_DIGEST_BYTES], kept[len(_MARK) + _DIGEST_BYTES :]
    if mark not in (_MARK, _MARK_BEFORE):
        return decompressed_before(kept)
    data = decompressed(rest) if mark == _MARK else decompressed_before(rest)
    return data if data is not None and bound == _bound(stage, key, data) else None


def _bound(stage: str, key: str, data: bytes) -> bytes:
    """The digest of what is kept, bound to the place where it belongs."""
    return hashlib.sha256(b"%s/%s\n%s" % (stage.encode(), key.encode(), data)).digest()[:_DIGEST_BYTES]


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _write_whole(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
