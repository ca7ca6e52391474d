"""The copy of a place's documents that an ingest reads: what is new or another version is fetched, what is gone goes.

The copy is a folder below the knowledge base, so that plan, compile and the rest see a folder as they do otherwise, and
a run that is killed fetches nothing twice. A line of the record is written for each document once it lies there whole.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import BinaryIO, TextIO, cast

from pipelines.core.errors import SourceError, TooLarge
from pipelines.core.file_access import append_to, private_folder
from pipelines.core.ids import digest, part_name, path_of, uri_of
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.report import Event, Phase, Progress, Stage
from pipelines.ingest.scan import FoundFile, reason_by_name, reason_by_size
from pipelines.ingest.sources.source import DocumentSource, Listed
from pipelines.sections import IngestSettings

LONGEST = 200
"""Bytes of a component of a copy's name; file systems allow 255."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The folder that a run reads, and where what lies there comes from.

    `shown` is what the user called it, without secrets. `left_out` are documents of the place that are not in the
    folder, with their reasons, `failures` those whose last copy stands for them.
    """

    folder: Path
    shown: str
    left_out: tuple[FoundFile, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Copied:
    """A line of the record: what a document is called at its place, which version of it lies where, and its bytes."""

    name: str
    version: str
    path: str
    size: int

    @property
    def line(self) -> str:
        """The line; names that are no UTF-8 stand in it as they do in Python."""
        return json.dumps([self.name, self.version, self.path, self.size]) + "\n"

    @staticmethod
    def of(line: str) -> Copied | None:
        """Return what a line says, None for one that was not written to its end."""
        try:
            name, version, path, size = json.loads(line)
        except ValueError:
            return None
        return Copied(name, version, path, size)


@dataclass(slots=True)
class _Place:
    """The files of a mirror: the copies, what is being fetched, and the record, of one location."""

    root: Path
    location: str
    copied: dict[str, Copied] = field(default_factory=dict)

    @property
    def files(self) -> Path:
        return self.root / "files"

    @property
    def record(self) -> Path:
        return self.root / "copied.jsonl"

    def read(self) -> None:
        """Read the record, as far as it is of this location; a line that was not written to its end is none."""
        lines = self.lines()
        if lines[:1] == [self._head]:
            self.copied = {one.name: one for line in lines[1:] if (one := Copied.of(line)) is not None}

    def write(self) -> None:
        """Write the record anew."""
        self.replace([self._head, *(one.line for one in self.copied.values())])

    def lines(self) -> list[str]:
        return self.record.read_text("ascii").splitlines(keepends=True) if self.record.is_file() else []

    def replace(self, lines: Iterable[str]) -> None:
        """Have the record hold these lines, at once."""
        with tempfile.NamedTemporaryFile("w", dir=self.root, encoding="ascii", delete=False) as file:
            file.writelines(lines)
        os.replace(file.name, self.record)

    @property
    def _head(self) -> str:
        return digest(self.location.encode()) + "\n"

    def path(self, name: str) -> Path:
        return self.files / name

    def holds(self, one: Copied | None, path: str) -> bool:
        """Whether a copy lies at a path as it was written."""
        try:
            return one is not None and one.path == path and self.path(path).lstat().st_size == one.size
        except OSError:
            return False


def bring_up(
    source: DocumentSource, location: str, root: Path, shown: str, settings: IngestSettings, tell: Progress
) -> Origin:
    """Bring the copies below `root` up to what a place has, and return them as the origin of a run.

    Args:
        source: reads the place.
        location: the place as the user named it; copies of another one are not used.
        root: a folder for the copies and their record, made where there is none.
        shown: the location without secrets.
        settings: which documents are taken; the others are not fetched.
        tell: is called with an event for each document that was fetched or could not be.

    Raises:
        SourceError: the place cannot be listed, or has no documents; nothing is changed then.
    """
    tell(Event(Stage.FETCH, Phase.STARTED, detail=shown))
    listed = {one.name: one for one in source.list()}
    if not listed:
        raise SourceError(f"no documents in {shown}", hint="nothing was changed")
    place = _Place(private_folder(root), location)
    if os.path.realpath(place.files) != os.path.join(os.path.realpath(root), "files"):
        raise SourceError(f"{place.files} is a link", hint="remove it")
    place.read()
    paths = paths_of(listed)
    left_out = {name: found for name, path in paths.items() if (found := _left_out(path, listed[name], settings))}
    wanted = {name: path for name, path in paths.items() if name not in left_out}
    _drop(place, wanted)
    due = [name for name, path in wanted.items() if not _is_current(place, listed[name], path)]
    failures: list[Failure] = []
    for name, missed in _fetch(source, place, {name: wanted[name] for name in due}, settings.max_file_mb << 20, tell):
        if place.holds(place.copied.get(name), wanted[name]):
            reason = f"{missed.reason}; the former version stays"
            failures.append(Failure(uri_of(wanted[name]), Stage.FETCH.value, reason, retryable=True))
        else:
            left_out[name] = _found(wanted[name], listed[name], missed.status, missed.reason)
    place.write()
    tell(Event(Stage.FETCH, Phase.DONE, detail=f"{len(due)} of {len(wanted)} documents"))
    return Origin(place.files, shown, tuple(left_out.values()), tuple(failures))


def forget_copies(root: Path, uris: Iterable[str]) -> None:
    """Remove the copies of documents, by their URIs, and what the record says of them."""
    place, gone = _Place(root, ""), {str(path_of(uri)) for uri in uris}
    if lines := place.lines():
        for path in gone:
            place.path(path).unlink(missing_ok=True)
        place.replace([lines[0], *(line for line in lines[1:] if (one := Copied.of(line)) and one.path not in gone)])


def paths_of(names: Iterable[str]) -> dict[str, str]:
    """Return under which relative path each document is kept, by its name at its place.

    A path leads nowhere out of the folder. Of names that would be one file, or a file and a folder, those that are not
    written as they are get a mark by their digest.
    """
    plain = {name: _plain(name) for name in names}
    often = Counter(plain.values())
    folders = {str(parent) for path in plain.values() for parent in PurePosixPath(path).parents}
    clashes = {name for name, path in plain.items() if path in folders or (often[path] > 1 and path != name)}
    return {name: _marked(path, name) if name in clashes else path for name, path in plain.items()}


@dataclass(frozen=True, slots=True)
class _Missed:
    """Why a document was not fetched; where it is `gone`, or too large by now, a former copy goes too."""

    reason: str
    status: Status = Status.FAILED
    gone: bool = False


def _plain(name: str) -> str:
    """A name as a path: no "..", nothing that a file system refuses, no component that is too long for one."""
    safe = part_name(name.replace("\0", ""))
    return "/".join(map(_short, path_of(safe).parts)) if safe else _marked("document", name)


def _short(part: str) -> str:
    data = os.fsencode(part)
    if len(data) <= LONGEST:
        return part
    suffix = PurePosixPath(part).suffix
    suffix = suffix if len(os.fsencode(suffix)) <= 16 else ""
    return _marked(data[: LONGEST - 40].decode("utf-8", "ignore") + suffix, part)


def _marked(path: str, name: str) -> str:
    whole = PurePosixPath(path)
    return str(whole.with_name(f"{whole.stem}~{digest(os.fsencode(name))[:12]}{whole.suffix}"))


def _left_out(path: str, one: Listed, settings: IngestSettings) -> FoundFile | None:
    if reason := one.left_out or reason_by_name(PurePosixPath(path), settings):
        return _found(path, one, Status.SKIPPED, reason)
    if reason := reason_by_size(one.size, settings):
        return _found(path, one, Status.TOO_LARGE, reason)
    return None


def _found(path: str, one: Listed, status: Status, reason: str) -> FoundFile:
    return FoundFile(uri_of(path), Path(path), max(one.size, 0), status=status, reason=reason)


def _is_current(place: _Place, one: Listed, path: str) -> bool:
    had = place.copied.get(one.name)
    return had is not None and bool(one.version) and had.version == one.version and place.holds(had, path)


def _drop(place: _Place, wanted: Mapping[str, str]) -> None:
    """Remove all files that are no copy of a document that is wanted, and folders without files."""
    place.copied = {name: one for name, one in place.copied.items() if wanted.get(name) == one.path}
    kept = {one.path for one in place.copied.values()}
    private_folder(place.files)
    for folder, folders, files in os.walk(place.files, topdown=False):
        here = Path(folder)
        for name in files:
            if (here / name).relative_to(place.files).as_posix() not in kept:
                (here / name).unlink()
        for name in folders:
            if (here / name).is_symlink():
                (here / name).unlink()
            elif not any((here / name).iterdir()):
                (here / name).rmdir()
    place.write()


def _fetch(
    source: DocumentSource, place: _Place, due: Mapping[str, str], most: int, tell: Progress
) -> Iterator[tuple[str, _Missed]]:
    """Fetch documents, and yield those that could not be, with the reason."""
    with _scratch(place.root) as scratch, append_to(place.record) as record, _threads(source.at_once) as threads:
        copies = _Copies(source, place, scratch, record, most)
        for name, came in zip(due, threads.map(lambda name: copies.fetch(name, due[name]), due), strict=True):
            if isinstance(came, Copied):
                place.copied[name] = came
                tell(Event(Stage.FETCH, Phase.DONE, uri_of(due[name])))
                continue
            if came.gone:
                place.path(due[name]).unlink(missing_ok=True)
            tell(Event(Stage.FETCH, Phase.FAILED, uri_of(due[name]), came.reason))
            yield name, came


class _Copies:
    """Fetches documents one by one, in any thread; what lies there whole is in the record at once."""

    def __init__(self, source: DocumentSource, place: _Place, scratch: Path, record: TextIO, most: int) -> None:
        self._source = source
        self._place = place
        self._scratch = scratch
        self._record = record
        self._most = most
        self._lock = Lock()

    def fetch(self, name: str, path: str) -> Copied | _Missed:
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

    def _copy(self, name: str, path: str) -> Copied:
        """Fetch a document, whole or not at all; where the copy that is there is its present version, that stays."""
        place, target = self._place, self._place.path(path)
        had = place.copied.get(name)
        known = had.version if had is not None and place.holds(had, path) else ""
        with tempfile.NamedTemporaryFile(dir=self._scratch, delete=False) as file:
            into = cast("BinaryIO", _Bounded(cast("BinaryIO", file.file), self._most))
            version = self._source.read(name, into, known)
            size = file.tell()
        if had is not None and known and version == known:
            return had
        if not Path(os.path.realpath(private_folder(target.parent))).is_relative_to(os.path.realpath(place.files)):
            raise SourceError(f"{target.parent} leads out of the copies")
        os.replace(file.name, target)
        copied = Copied(name, version, path, size)
        with self._lock:
            self._record.write(copied.line)
            self._record.flush()
        return copied


class _Bounded:
    """A file that takes so many bytes at most. Raises `TooLarge` for more."""

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
    """A folder for what is being fetched; one that a killed run left goes."""
    folder = root / "fetching"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        yield private_folder(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _threads(number: int) -> Iterator[ThreadPoolExecutor]:
    """Threads whose waiting work is dropped where the run is interrupted."""
    pool = ThreadPoolExecutor(number)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
