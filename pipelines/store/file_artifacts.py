"""Artifacts and pictures as files: `ROOT/STAGE/ab/abcdef...`, each written whole by a rename and checked when read.

What is compressed begins with a mark and the digest of stage, key and content, so that a file that was cut, emptied or
put in another's place is not taken for what was kept. Files of earlier versions have no such head; they are read as
they are.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from pipelines.core.errors import ArtifactUnreadable, StoreError
from pipelines.core.ids import digest

_NAME = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")
_TEMPORARY = ".writing-"  # hidden, so that `keys` passes over what a crash left
_MARK = b"\x00strata1"  # no stream of zlib begins with a zero
_DIGEST_BYTES = 16


class FileArtifacts:
    """See `ArtifactStore`.

    What the `plain` stages keep is compressed already, or to be opened as it is; their keys are the SHA-256 of what
    lies there, in hexadecimal digits.
    """

    def __init__(self, root: Path, plain: Collection[str] = ("picture", "member")) -> None:
        self._root = root
        self._plain = frozenset(plain)

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
        if stage in self._plain:
            return data if digest(data) == key else None
        return _unpacked(stage, key, data)

    def put(self, stage: str, key: str, data: bytes) -> None:
        path = self.path(stage, key)
        if self.get(stage, key) is not None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data if stage in self._plain else _packed(stage, key, data))
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
    return _MARK + _bound(stage, key, data) + zlib.compress(data, 3)


def _unpacked(stage: str, key: str, kept: bytes) -> bytes | None:
    head = len(_MARK) + _DIGEST_BYTES
    marked = kept.startswith(_MARK)
    try:
        data = zlib.decompress(kept[head:] if marked else kept)
    except zlib.error:
        return None
    return data if not marked or kept[len(_MARK) : head] == _bound(stage, key, data) else None


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
