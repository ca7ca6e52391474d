"""The folder as it stands: which files there are, and which of them are left out, and why."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.core.errors import FolderNotFound
from pipelines.ingest.settings import IngestSettings

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the folder. `left_out` says why it is not taken, empty if it is; `error` why it cannot be read."""

    uri: str
    path: Path
    size: int = 0
    modified_ns: int = 0
    left_out: str = ""
    error: str = ""


def scan(folder: Path, settings: IngestSettings) -> tuple[Found, ...]:
    """Return every file below `folder` in order of URI, the ones left out too. Links to folders are not followed.

    Raises `FolderNotFound`.
    """
    if not folder.is_dir():
        raise FolderNotFound(str(folder))
    return tuple(sorted(_walk(folder, settings), key=lambda found: found.uri))


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes; raises OSError."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _walk(folder: Path, settings: IngestSettings) -> Iterator[Found]:
    unreadable: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=unreadable.append):
        here = Path(place)
        if not settings.hidden:
            for name in [name for name in folders if name.startswith(".")]:
                folders.remove(name)
                yield Found(_uri(folder, here / name), here / name, left_out="hidden folder")
        for name in files:
            yield _found(folder, here / name, settings)
    for error in unreadable:
        path = Path(error.filename)
        yield Found(_uri(folder, path), path, error=f"cannot be read: {error.strerror}")


def _found(folder: Path, path: Path, settings: IngestSettings) -> Found:
    uri = _uri(folder, path)
    try:
        state = path.stat()
    except OSError as error:
        return Found(uri, path, error=f"cannot be read: {error.strerror}")
    return Found(uri, path, state.st_size, state.st_mtime_ns, _reason_to_leave_out(uri, path, settings))


def _reason_to_leave_out(uri: str, path: Path, settings: IngestSettings) -> str:
    if not settings.hidden and path.name.startswith("."):
        return "hidden file"
    if path.name.startswith("~$"):
        return "lock file of an open document"
    if not path.is_file():
        return "not a regular file"
    for pattern in settings.exclude:
        if _matches(uri, pattern):
            return f"excluded by {pattern!r}"
    if not any(_matches(uri, pattern) for pattern in settings.include):
        return "not included"
    return ""


def _matches(uri: str, pattern: str) -> bool:
    flat = pattern.removeprefix("**/")
    return fnmatch.fnmatch(uri, pattern) or fnmatch.fnmatch(uri, flat) or PurePosixPath(uri).match(flat)


def _uri(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
