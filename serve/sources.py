"""The file a document was made of, where it is still there and still what was ingested."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from pipelines.core.document import Source
from pipelines.core.errors import LeadsOut, NotFound
from pipelines.core.uris import INSIDE, path_of
from pipelines.ingest.scan import as_path, has_descriptor_paths, open_file, within
from pipelines.parse.isolate import laid_out
from pipelines.store.catalog import Entry
from serve.library import OpenBase

_MEBIBYTE = 1 << 20
_Stamp = tuple[int, int, int, int, int]
"""Device, number, size and time stamps of a file: while they are the same, so are its bytes."""


class SourceFiles:
    """Opens source files. What a file's bytes are is looked at once, until the system sees the file change."""

    def __init__(self, largest_mb: int) -> None:
        self._largest_mb = largest_mb
        self._known: dict[_Stamp, str] = {}
        self._lock = Lock()

    def missing(self, base: OpenBase, entry: Entry) -> str:
        """Return why there is no source to draw from, empty where there seems to be one; no file is read."""
        if INSIDE in entry.uri:
            return ""
        if base.folder is None:
            return "the server does not know the folder of the documents (--folder)"
        if not (base.folder / path_of(entry.uri)).is_file():
            return "the file is no longer in its folder"
        return ""

    @contextmanager
    def path(self, base: OpenBase, entry: Entry) -> Iterator[Path]:
        """Yield a path to the bytes that were ingested, readable by a process of this user.

        Raises `NotFound`, with the reason, where there are none.
        """
        if INSIDE in entry.uri:
            with self._part(base, entry) as path:
                yield path
            return
        if reason := self.missing(base, entry):
            raise NotFound(reason, ids=(entry.uri,))
        assert base.folder is not None  # `missing` says so  # noqa: S101
        with self._opened(base.folder / path_of(entry.uri), base, entry) as path:
            yield path

    @contextmanager
    def _part(self, base: OpenBase, entry: Entry) -> Iterator[Path]:
        """A part of a container: the ingest kept its bytes."""
        data = base.knowledge.stores.artifacts.get("member", entry.digest)
        if data is None:
            raise NotFound("the bytes of this part are no longer kept", ids=(entry.uri,))
        with TemporaryDirectory(prefix="strata-") as scratch:
            source = Source(entry.uri, entry.media_type, entry.size, entry.digest)
            with laid_out(data, source, Path(scratch)) as path:
                yield path

    @contextmanager
    def _opened(self, path: Path, base: OpenBase, entry: Entry) -> Iterator[Path]:
        assert base.folder is not None  # noqa: S101
        try:
            descriptor = open_file(path, within(base.folder, base.settings.ingest))
        except LeadsOut as error:
            raise NotFound(f"the file is {error.message}", ids=(entry.uri,)) from error
        except (OSError, ValueError) as error:
            raise NotFound("the file can no longer be read", ids=(entry.uri,)) from error
        try:
            self._check(descriptor, entry)
            if not has_descriptor_paths():
                yield path
                return
            with as_path(descriptor, path.suffix) as link:
                yield link
        finally:
            os.close(descriptor)

    def _check(self, descriptor: int, entry: Entry) -> None:
        """Raise `NotFound` where the bytes are others than those that were ingested."""
        state = os.fstat(descriptor)
        if state.st_size > self._largest_mb * _MEBIBYTE:
            raise NotFound(f"the file is larger than {self._largest_mb} MiB: its pages are not drawn", ids=(entry.uri,))
        stamp = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        with self._lock:
            known = self._known.get(stamp)
        if known is None:
            known = _digest(descriptor)
            with self._lock:
                self._known[stamp] = known
        if known != entry.digest:
            raise NotFound("the file has changed since it was ingested", ids=(entry.uri,))


def _digest(descriptor: int) -> str:
    with open(os.dup(descriptor), "rb") as file:
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
    return found
