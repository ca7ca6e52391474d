"""Artifacts: the results of stages, stored under the digest of their inputs. Protocol, file store and typed reading.

`FileArtifacts` stores them as `ROOT/STAGE/ab/abcdef...`, writes each atomically, and checks it when it is read. A
compressed file begins with a mark and the digest of stage, key and content, so that truncated, emptied and exchanged
files are detected. Files of earlier versions have a different header or none, and can still be read.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from pipelines.core import codec
from pipelines.core.document import Document, ReferenceKind
from pipelines.core.errors import ArtifactUnreadable, StoreError
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Status
from pipelines.store.catalog import Entry

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


@runtime_checkable
class ArtifactStore(Protocol):
    """Bytes by stage and key. Artifacts are written atomically, and never change.

    `[store] artifacts = "module:Class"` selects your own implementation, created as `Class(folder)` with a folder for
    its exclusive use. It is pickled to worker processes, which write to it concurrently.
    `pipelines.store.testing.ArtifactStoreContract` tests it.
    """

    def get(self, stage: str, key: str) -> bytes | None:
        """Return the artifact, or None if it is missing or damaged."""
        ...

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Store `data`; a second write under the same key has no effect. Safe with concurrent writers."""
        ...

    def remove(self, stage: str, key: str) -> None:
        """Remove an artifact; an unknown one is not an error."""
        ...

    def keys(self, stage: str) -> Iterator[str]:
        """Yield the keys of a stage in order."""
        ...

    def stages(self) -> tuple[str, ...]:
        """Return the names of the stages that have or had artifacts, in order."""
        ...

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        """Remove the artifacts for which `wanted(stage, key)` is false, and files that killed writers have left.

        Returns the number of removed artifacts. There must be no writers at the same time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """A part of a container, as stored in the artifact of the container."""

    name: str
    digest: str
    size: int
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """The stored form of `Parsed`: pictures and parts are represented by the digests under which they are stored.

    `unread` and `again` are as in `Parsed`: what a limit left out, and whether the next run will read more.
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
    """The pictures and parts of a `ParsedRecord`, to decode them without the rest of it."""

    pictures: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


def read_document(artifacts: ArtifactStore, entry: Entry) -> Document:
    """Return the parsed document of a searchable entry. Raises `ArtifactUnreadable`."""
    record = read_value(artifacts, entry, "parse", ParsedRecord)
    if record.document is None:
        raise ArtifactUnreadable("the artifact holds no document", ids=(entry.uri,))
    return record.document


def read_distillate(artifacts: ArtifactStore, entry: Entry) -> Distillate:
    """Return the distillate of a searchable entry. Raises `ArtifactUnreadable`."""
    return read_value(artifacts, entry, "atomize", Distillate)


def read_value(artifacts: ArtifactStore, entry: Entry, stage: str, type: type[T]) -> T:
    """Return the decoded result of a stage for an entry. Raises `ArtifactUnreadable` if it is missing or damaged."""
    with drop_unreadable(artifacts, entry, stage):
        return codec.decode(read_artifact(artifacts, entry, stage), type)


@contextmanager
def drop_unreadable(artifacts: ArtifactStore, entry: Entry, stage: str) -> Iterator[None]:
    """Remove the artifact if it cannot be decoded inside the context, and raise `ArtifactUnreadable`.

    The next ingest computes it again.
    """
    try:
        yield
    except (codec.DecodeError, ValueError) as error:
        artifacts.remove(stage, entry.artifacts[stage])
        raise _unreadable(entry, stage, "damaged") from error


def read_artifact(artifacts: ArtifactStore, entry: Entry, stage: str) -> bytes:
    """Return the result of a stage for an entry. Raises `ArtifactUnreadable` if it is missing."""
    data = artifacts.get(stage, entry.artifacts[stage])
    if data is None:
        raise _unreadable(entry, stage, "gone")
    return data


def _unreadable(entry: Entry, stage: str, how: str) -> ArtifactUnreadable:
    hint = "the next ingest makes it anew"
    return ArtifactUnreadable(f"the {stage} artifact of {entry.uri} is {how}", ids=(entry.uri,), hint=hint)


_NAME = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")
_TEMPORARY = ".writing-"  # hidden, so that `keys` ignores files that a crash has left
_MARK, _MARK_BEFORE = b"\x00strata2", b"\x00strata1"  # no stream of zlib begins with a zero
_DIGEST_BYTES = 16
_PLAIN = frozenset(("picture", "member"))
"""Stages whose artifacts are not compressed, because they already are or are opened directly. Their keys are the
hexadecimal SHA-256 of the content."""


class FileArtifacts:
    """See `ArtifactStore`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, stage: str, key: str) -> Path:
        """Return the path of an artifact, which may not exist. Raises `ValueError` for an invalid name."""
        for name in (stage, key):
            if not _NAME.fullmatch(name):
                raise ValueError(f"not a name of an artifact: {name!r}")
        return self._root / stage / key[:2] / key

    def get(self, stage: str, key: str) -> bytes | None:
        """See `ArtifactStore`. Raises `ArtifactUnreadable` if the file exists but cannot be read."""
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
    return _MARK + _checksum(stage, key, data) + compressed(data)


def _unpacked(stage: str, key: str, kept: bytes) -> bytes | None:
    mark, checksum, rest = kept[: len(_MARK)], kept[len(_MARK) :][:_DIGEST_BYTES], kept[len(_MARK) + _DIGEST_BYTES :]
    if mark not in (_MARK, _MARK_BEFORE):
        return _decompressed_zlib(kept)
    data = _decompressed(rest) if mark == _MARK else _decompressed_zlib(rest)
    return data if data is not None and checksum == _checksum(stage, key, data) else None


def _checksum(stage: str, key: str, data: bytes) -> bytes:
    """Return the first bytes of the SHA-256 of stage, key and content."""
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


_LEVEL = 3
"""The zstd compression level: higher ones take twice the time and save 3 %."""
_SIZE = struct.Struct("<Q")
_LARGEST = 1 << 32
"""Maximum decompressed bytes, whatever a damaged header says: four times as many as a reader may return."""


def compressed(data: bytes) -> bytes:
    """Return the size of `data` and its bytes compressed with zstd, in Arrow's build.

    For the artifacts of linux-doc (a sample of ten pages in 400, 66 MB), the result is an eighth smaller than with
    zlib, in a fifth of the time for compression and a quarter for decompression.
    """
    packed: bytes = _codec().compress(data, asbytes=True)
    return _SIZE.pack(len(data)) + packed


def _decompressed(kept: bytes) -> bytes | None:
    """Return the data that `compressed` was given, or None if it is damaged."""
    if len(kept) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack_from(kept)
    if size > _LARGEST:
        return None
    try:
        data: bytes = _codec().decompress(kept[_SIZE.size :], size, asbytes=True)
    except (OSError, ValueError, MemoryError):
        return None
    return data


def _decompressed_zlib(kept: bytes) -> bytes | None:
    """Return data that an earlier version compressed with zlib, or None if it is damaged."""
    try:
        return zlib.decompress(kept)
    except zlib.error:
        return None


@lru_cache(maxsize=1)
def _codec() -> pa.Codec:
    import pyarrow as pa  # slow to import, and not needed by commands without artifacts

    return pa.Codec("zstd", compression_level=_LEVEL)
