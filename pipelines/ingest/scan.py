"""Scans the folder for files, decides which are left out and why, and opens files safely.

A file that was exchanged for a link out of the folder after the scan is not read.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from pipelines.core.errors import FolderNotFound, LeadsOut
from pipelines.core.ids import is_clutter, uri_of
from pipelines.core.outcome import Status
from pipelines.sections import IngestSettings
from pipelines.store.folder import KnowledgeBaseFolder

OUTSIDE = "a link that leads out of the folder"
_DESCRIPTORS = Path("/proc/self/fd")
_PLAIN_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,15}")
_MEBIBYTE = 1 << 20
_DATABASE = KnowledgeBaseFolder(Path()).database.name
_KINDS = {
    stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the folder. If it is left out, `status` and `reason` are set.

    `path` is used to open the file, `uri` is its name everywhere else. `within` is the real path of the folder that the
    file must be inside of when it is opened, or None if links may lead out of it. `changed_ns` is the system's time of
    the last change, which programs cannot set, unlike `modified_ns`.
    """

    uri: str
    path: Path
    size: int = 0
    modified_ns: int = 0
    status: Status | None = None
    reason: str = ""
    within: Path | None = None
    changed_ns: int = 0


def scan(folder: Path, settings: IngestSettings) -> tuple[FoundFile, ...]:
    """Return every file below `folder` in order of URI, including those left out, without opening any.

    Links to files are followed within the folder, and out of it if the settings allow it; links to folders are not
    followed. A knowledge base below the folder is left out as a whole. Raises `FolderNotFound`.
    """
    if not folder.is_dir():
        raise FolderNotFound(str(folder))
    return tuple(sorted(_Scan(folder, settings).files(), key=lambda found: found.uri))


def within(folder: Path, settings: IngestSettings) -> Path | None:
    """Return the real path that the files of the folder must be inside of, or None if links may lead out."""
    return None if settings.follow_links else Path(os.path.realpath(folder))


def digest_file(path: Path, within: Path | None = None) -> str:
    """Return the SHA-256 of a file. Raises `OSError`, and `LeadsOut` for a file that is not inside `within`."""
    with open(open_file(path, within), "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


class _Scan:
    """A walk over a folder; not recursive, so that its depth is not limited."""

    def __init__(self, folder: Path, settings: IngestSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._within = within(folder, settings)

    def files(self) -> Iterator[FoundFile]:
        left = [self._folder]
        while left:
            place = left.pop()
            try:
                with os.scandir(place) as entries:
                    inside = list(entries)
            except OSError as error:
                yield self._left_out(place, Status.FAILED, f"cannot be read: {error.strerror}")
                continue
            if place != self._folder and any(entry.name == _DATABASE for entry in inside):
                yield self._left_out(place, Status.SKIPPED, "a knowledge base")
                continue
            for entry in inside:
                path = Path(entry.path)
                if not _is_folder(entry):
                    yield self._found(path, _is_link(entry))
                elif path.name.startswith(".") and not self._settings.hidden:
                    yield self._left_out(path, Status.SKIPPED, "hidden folder")
                else:
                    left.append(path)

    def _found(self, path: Path, linked: bool) -> FoundFile:
        if reason := reason_by_name(path.relative_to(self._folder), self._settings):
            return self._left_out(path, Status.SKIPPED, reason)
        if linked and self._within is not None and not Path(os.path.realpath(path)).is_relative_to(self._within):
            return self._left_out(path, Status.SKIPPED, OUTSIDE)
        try:
            state = path.stat()
        except OSError as error:
            how = "a link that leads nowhere" if linked else "cannot be read"
            return self._left_out(path, Status.FAILED, f"{how}: {error.strerror}")
        status, reason = self._status(state, linked)
        return FoundFile(
            self._uri(path), path, state.st_size, state.st_mtime_ns, status, reason, self._within, state.st_ctime_ns
        )

    def _status(self, state: os.stat_result, linked: bool) -> tuple[Status | None, str]:
        if linked and stat.S_ISDIR(state.st_mode):
            return Status.SKIPPED, "a link to a folder"
        if not stat.S_ISREG(state.st_mode):
            return Status.SKIPPED, f"not a regular file but {_KINDS.get(stat.S_IFMT(state.st_mode), 'something else')}"
        if reason := reason_by_size(state.st_size, self._settings):
            return Status.TOO_LARGE, reason
        return None, ""

    def _left_out(self, path: Path, status: Status, reason: str) -> FoundFile:
        return FoundFile(self._uri(path), path, status=status, reason=reason)

    def _uri(self, path: Path) -> str:
        return uri_of(path.relative_to(self._folder))


def reason_by_name(relative: PurePath, settings: IngestSettings) -> str:
    """Return why a file with this relative path is left out, or an empty string."""
    if not settings.hidden and relative.name.startswith("."):
        return "hidden file"
    if not settings.hidden and any(part.startswith(".") for part in relative.parts):
        return "hidden folder"
    if relative.name.startswith("~$"):
        return "lock file of an open document"
    if is_clutter(relative.as_posix()):
        return "metadata file of macOS or Windows"
    for pattern in settings.exclude:
        if _matches(relative, pattern):
            return f"excluded by {pattern!r}"
    return "" if any(_matches(relative, pattern) for pattern in settings.include) else "not included"


def reason_by_size(size: int, settings: IngestSettings) -> str:
    """Return why a file of `size` bytes is left out, or an empty string."""
    most = settings.max_file_mb
    return f"larger than {most} MiB (ingest.max_file_mb)" if size > most * _MEBIBYTE else ""


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):  # the error occurs again, and is reported, when the file is examined
        return entry.is_dir(follow_symlinks=False)
    return False


def _is_link(entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):
        return entry.is_symlink()
    return False


def _matches(relative: PurePath, pattern: str) -> bool:
    flat, name = pattern.removeprefix("**/"), relative.as_posix()
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, flat) or PurePosixPath(name).match(flat)


def open_file(path: Path, within: Path | None = None) -> int:
    """Open the regular file at `path` for reading and return its descriptor, which the caller closes.

    With `within`, a real path, the opened file is inside of it, even if `path` was exchanged since. Opening a pipe or
    device does not block. Raises `LeadsOut` and `OSError`.
    """
    target = path if within is None or has_descriptor_paths() else Path(os.path.realpath(path))
    descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        _check(descriptor, target, within)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(descriptor: int, target: Path, within: Path | None) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "no longer a regular file", str(target))
    if within is not None:
        # The path of the file that was actually opened, if the system can tell.
        opened = os.readlink(_DESCRIPTORS / str(descriptor)) if has_descriptor_paths() else str(target)
        if not Path(opened).is_relative_to(within):
            raise LeadsOut(OUTSIDE, ids=(str(target),))


@contextmanager
def as_path(descriptor: int, suffix: str = "", scratch: Path | None = None) -> Iterator[Path]:
    """Yield a path to an open file, which any process of this user can use, even if the file is moved.

    It is below `scratch`, ends in `suffix` if that is alphanumeric, and is valid while the descriptor is open.
    """
    with tempfile.TemporaryDirectory(prefix="strata-", dir=scratch) as folder:
        link = Path(folder) / f"file{suffix if _PLAIN_SUFFIX.fullmatch(suffix) else ''}"
        link.symlink_to(f"/proc/{os.getpid()}/fd/{descriptor}")
        yield link


def has_descriptor_paths() -> bool:
    """Return whether this system has paths for file descriptors (Linux)."""
    return _DESCRIPTORS.is_dir()
