"""Artifacts and pictures as files: `ROOT/STAGE/ab/abcdef...`, each written whole by a rename."""

from __future__ import annotations

import os
import re
import tempfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

from pipelines.core.errors import ArtifactUnreadable, StoreError

_NAME = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_.-]*")
_TEMPORARY = ".writing-"  # hidden, so that `keys` passes over what a crash left


class FileArtifacts:
    """See `ArtifactStore`. What the `plain` stages keep is compressed already, or to be opened as it is."""

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
        """See `ArtifactStore`; one that a crash of the machine left damaged counts as absent, so it is made again."""
        try:
            data = self.path(stage, key).read_bytes()
            return data if stage in self._plain else zlib.decompress(data)
        except (FileNotFoundError, zlib.error):
            return None
        except OSError as error:
            raise ArtifactUnreadable(f"an artifact cannot be read: {error}", ids=(stage, key)) from error

    def put(self, stage: str, key: str, data: bytes) -> None:
        path = self.path(stage, key)
        if self.get(stage, key) is not None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data if stage in self._plain else zlib.compress(data, 3))
        except OSError as error:
            raise StoreError(f"an artifact cannot be written: {error}", ids=(stage, key)) from error

    def remove(self, stage: str, key: str) -> None:
        self.path(stage, key).unlink(missing_ok=True)

    def keys(self, stage: str) -> Iterator[str]:
        for folder in sorted(_listed(self._root / stage)):
            yield from sorted(name for name in _listed(self._root / stage / folder) if not name.startswith("."))

    def stages(self) -> tuple[str, ...]:
        """Return the names of the stages that have or had artifacts, in order."""
        return tuple(sorted(_listed(self._root)))


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
