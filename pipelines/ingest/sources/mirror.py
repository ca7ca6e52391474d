"""The local copy of a source's documents: new and changed documents are fetched, removed ones are deleted.

The copy is a folder in the knowledge base, which a run reads like any other folder. A line is appended to the record
for each document that is completely copied, so that a killed run fetches no document twice.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import BinaryIO, TextIO, cast

from pipelines.core.errors import SourceError, TooLarge
from pipelines.core.file_access import append_to, private_folder
from pipelines.core.ids import digest, path_of, uri_of
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.report import Event, Phase, Progress, Stage
from pipelines.ingest.scan import FoundFile, reason_by_name, reason_by_size
from pipelines.ingest.sources.source import DocumentSource, Listed, paths_of, without_secrets
from pipelines.sections import IngestSettings


@dataclass(frozen=True, slots=True)
class Origin:
    """The folder that a run reads, and the source of its documents.

    `shown` is the location that the user gave, without secrets. `left_out` has the documents of the source that are not
    in the folder, with reasons; `failures` those that could not be fetched and are represented by their last copy.
    """

    folder: Path
    shown: str
    left_out: tuple[FoundFile, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyRecord:
    """A line of the record: name and version of a document in the source, path and size in bytes of its copy."""

    name: str
    version: str
    path: str
    size: int

    @property
    def line(self) -> str:
        """The line as ASCII; bytes of names that are not UTF-8 are escaped surrogates."""
        return json.dumps([self.name, self.version, self.path, self.size]) + "\n"

    @staticmethod
    def of(line: str) -> CopyRecord | None:
        """Return the parsed line, or None if it is incomplete."""
        try:
            name, version, path, size = json.loads(line)
        except ValueError:
            return None
        return CopyRecord(name, version, path, size)


@dataclass(slots=True)
class _Mirror:
    """The copies of one location, and their record."""

    root: Path
    location: str
    copied: dict[str, CopyRecord] = field(default_factory=dict)

    @property
    def files(self) -> Path:
        return self.root / "files"

    @property
    def record(self) -> Path:
        return self.root / "copied.jsonl"

    def read(self) -> None:
        """Read the record if it is of this location; incomplete lines are ignored."""
        lines = self.lines()
        if lines[:1] == [self._head]:
            self.copied = {one.name: one for line in lines[1:] if (one := CopyRecord.of(line)) is not None}

    def write(self) -> None:
        """Write the whole record."""
        self.replace([self._head, *(one.line for one in self.copied.values())])

    def lines(self) -> list[str]:
        return self.record.read_text("ascii").splitlines(keepends=True) if self.record.is_file() else []

    def replace(self, lines: Iterable[str]) -> None:
        """Replace the lines of the record atomically."""
        with tempfile.NamedTemporaryFile("w", dir=self.root, encoding="ascii", delete=False) as file:
            file.writelines(lines)
        os.replace(file.name, self.record)

    @property
    def _head(self) -> str:
        return digest(self.location.encode()) + "\n"

    def path(self, name: str) -> Path:
        return self.files / name

    def holds(self, one: CopyRecord | None, path: str) -> bool:
        """Return whether the file at a path is the recorded copy, with the recorded size."""
        try:
            return one is not None and one.path == path and self.path(path).lstat().st_size == one.size
        except OSError:
            return False


def update_copies(
    source: DocumentSource, location: str, root: Path, settings: IngestSettings, tell: Progress
) -> Origin:
    """Update the copies below `root` to the present state of a source, and return the origin of a run.

    Args:
        source: the source to read.
        location: the location that the user gave; copies of a different one are not used.
        root: the folder for the copies and their record; it is created if missing.
        settings: select the documents to fetch.
        tell: called with an event for each document that was fetched, or that could not be fetched.

    Raises:
        SourceError: the source cannot be listed, or has no documents; nothing is changed then.
    """
    shown = without_secrets(location)
    tell(Event(Stage.FETCH, Phase.STARTED, detail=shown))
    listed = {one.name: one for one in source.list()}
    if not listed:
        raise SourceError(f"no documents in {shown}", hint="nothing was changed")
    mirror = _Mirror(private_folder(root), location)
    if os.path.realpath(mirror.files) != os.path.join(os.path.realpath(root), "files"):
        raise SourceError(f"{mirror.files} is a link", hint="remove it")
    mirror.read()
    paths = paths_of(listed)
    left_out = {name: found for name, path in paths.items() if (found := _left_out(path, listed[name], settings))}
    wanted = {name: path for name, path in paths.items() if name not in left_out}
    _drop(mirror, wanted)
    due = [name for name, path in wanted.items() if not _is_current(mirror, listed[name], path)]
    failures: list[Failure] = []
    for name, missed in _fetch(source, mirror, {name: wanted[name] for name in due}, settings.max_file_mb << 20, tell):
        if mirror.holds(mirror.copied.get(name), wanted[name]):
            reason = f"{missed.reason}; the former version stays"
            failures.append(Failure(uri_of(wanted[name]), Stage.FETCH.value, reason, retryable=True))
        else:
            left_out[name] = _found(wanted[name], listed[name], missed.status, missed.reason)
    mirror.write()
    tell(Event(Stage.FETCH, Phase.DONE, detail=f"{len(due)} of {len(wanted)} documents"))
    return Origin(mirror.files, shown, tuple(left_out.values()), tuple(failures))


def forget_copies(root: Path, uris: Iterable[str]) -> None:
    """Remove the copies of documents, by their URIs, and their lines of the record."""
    mirror, gone = _Mirror(root, ""), {str(path_of(uri)) for uri in uris}
    if lines := mirror.lines():
        for path in gone:
            mirror.path(path).unlink(missing_ok=True)
        kept = (line for line in lines[1:] if (one := CopyRecord.of(line)) and one.path not in gone)
        mirror.replace([lines[0], *kept])


@dataclass(frozen=True, slots=True)
class _Missed:
    """Why a document was not fetched. If it is `gone` or has become too large, its copy is removed."""

    reason: str
    status: Status = Status.FAILED
    gone: bool = False


def _left_out(path: str, one: Listed, settings: IngestSettings) -> FoundFile | None:
    if reason := one.left_out or reason_by_name(PurePosixPath(path), settings):
        return _found(path, one, Status.SKIPPED, reason)
    if reason := reason_by_size(one.size, settings):
        return _found(path, one, Status.TOO_LARGE, reason)
    return None


def _found(path: str, one: Listed, status: Status, reason: str) -> FoundFile:
    return FoundFile(uri_of(path), Path(path), max(one.size, 0), status=status, reason=reason)


def _is_current(mirror: _Mirror, one: Listed, path: str) -> bool:
    had = mirror.copied.get(one.name)
    return had is not None and bool(one.version) and had.version == one.version and mirror.holds(had, path)


def _drop(mirror: _Mirror, wanted: Mapping[str, str]) -> None:
    """Remove all files that are not copies of wanted documents, and empty folders."""
    mirror.copied = {name: one for name, one in mirror.copied.items() if wanted.get(name) == one.path}
    kept = {one.path for one in mirror.copied.values()}
    private_folder(mirror.files)
    for folder, folders, files in os.walk(mirror.files, topdown=False):
        here = Path(folder)
        for name in files:
            if (here / name).relative_to(mirror.files).as_posix() not in kept:
                (here / name).unlink()
        for name in folders:
            if (here / name).is_symlink():
                (here / name).unlink()
            elif not any((here / name).iterdir()):
                (here / name).rmdir()
    mirror.write()


def _fetch(
    source: DocumentSource, mirror: _Mirror, due: Mapping[str, str], most: int, tell: Progress
) -> Iterator[tuple[str, _Missed]]:
    """Fetch documents, and yield those that could not be fetched, with the reason."""
    with _scratch(mirror.root) as scratch, append_to(mirror.record) as record, _threads(source.at_once) as threads:
        fetcher = _Fetcher(source, mirror, scratch, record, most)
        for name, result in zip(due, threads.map(lambda name: fetcher.fetch(name, due[name]), due), strict=True):
            if isinstance(result, CopyRecord):
                mirror.copied[name] = result
                tell(Event(Stage.FETCH, Phase.DONE, uri_of(due[name])))
                continue
            if result.gone:
                mirror.path(due[name]).unlink(missing_ok=True)
            tell(Event(Stage.FETCH, Phase.FAILED, uri_of(due[name]), result.reason))
            yield name, result


class _Fetcher:
    """Fetches single documents, from any thread, and records each as soon as it is complete."""

    def __init__(self, source: DocumentSource, mirror: _Mirror, scratch: Path, record: TextIO, most: int) -> None:
        self._source = source
        self._mirror = mirror
        self._scratch = scratch
        self._record = record
        self._most = most
        self._lock = Lock()

    def fetch(self, name: str, path: str) -> CopyRecord | _Missed:
        try:
            return self._copy(name, path)
        except TooLarge as error:
            return _Missed(error.message, Status.TOO_LARGE, gone=True)
        except FileNotFoundError:
            return _Missed("it is no longer there", gone=True)
        except OSError as error:
            return _Missed(f"cannot be fetched: {error.strerror or error}")
        except SourceError as error:
            return _Missed(f"cannot be fetched: {error.message}")

    def _copy(self, name: str, path: str) -> CopyRecord:
        """Fetch a document completely, unless its copy is the present version."""
        mirror, target = self._mirror, self._mirror.path(path)
        had = mirror.copied.get(name)
        known = had.version if had is not None and mirror.holds(had, path) else ""
        with tempfile.NamedTemporaryFile(dir=self._scratch, delete=False) as file:
            into = cast("BinaryIO", _Bounded(cast("BinaryIO", file.file), self._most))
            version = self._source.read(name, into, known)
            size = file.tell()
        if had is not None and known and version == known:
            return had
        if not Path(os.path.realpath(private_folder(target.parent))).is_relative_to(os.path.realpath(mirror.files)):
            raise SourceError(f"{target.parent} leads out of the copies")
        os.replace(file.name, target)
        copied = CopyRecord(name, version, path, size)
        with self._lock:
            self._record.write(copied.line)
            self._record.flush()
        return copied


class _Bounded:
    """A file that accepts at most `most` bytes. Raises `TooLarge` for more."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._left = most
        self._most = most

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge(f"larger than {self._most >> 20} MiB (ingest.max_file_mb)")
        return self._file.write(data)


@contextmanager
def _scratch(root: Path) -> Iterator[Path]:
    """Yield an empty folder for files being fetched; one that a killed run left is removed."""
    folder = root / "fetching"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield private_folder(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _threads(number: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a thread pool whose queued work is cancelled if the run is interrupted."""
    pool = ThreadPoolExecutor(number)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
