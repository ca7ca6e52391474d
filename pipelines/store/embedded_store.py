"""The embedded store: graph and catalog in one SQLite file, written under one transaction by one process at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self

from pipelines.core.errors import StoreError, StoreLocked
from pipelines.core.sqlite_file import SqliteFile
from pipelines.store.catalog import Catalog, SqliteCatalog
from pipelines.store.graph import GraphStore
from pipelines.store.migrations import migrate, require_current
from pipelines.store.sqlite_graph import SqliteGraph

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond what is written, so that others can read the process id
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class EmbeddedStore:
    """`graph` and `catalog` of one file. Any thread may read and write; another process may read while one writes."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._graph = SqliteGraph(file)
        self.graph: GraphStore = self._graph
        self.catalog: Catalog = SqliteCatalog(file)

    @classmethod
    def open(cls, path: Path, create: bool = True) -> Self:
        """Open the file `path`, making it where `create` allows.

        Raises `KnowledgeBaseNotFound` where there is none, `StoreMismatch` where it is damaged, something else, or
        made by a later version.
        """
        return cls(SqliteFile(path, migrate, require_current, create))

    @property
    def path(self) -> Path:
        return self._file.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, to graph and catalog, lands together or not at all."""
        with self._file.transaction():
            yield

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that this thread reads inside, of graph and catalog, be of one moment."""
        return self._file.snapshot()

    def exclusive(self) -> AbstractContextManager[None]:
        """Be the only writer inside: held for the run of a build. Raises `StoreLocked` at once where another is."""
        return writer_lock(self.path.with_name(self.path.name + ".lock"))

    def wipe(self) -> bool:
        """Leave no byte of what was removed in the file; False where a reader kept the log from being emptied."""
        self._graph.drop_unused_ids()
        return self._file.wipe()

    def is_sound(self) -> bool:
        """Whether the file can be read from end to end."""
        return self._file.is_sound()

    def damaged_owners(self) -> frozenset[str]:
        """Return the owners of nodes and edges that are not what was written; the whole graph is read."""
        return self._graph.damaged()

    def close(self) -> None:
        self._file.close()


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` inside; readers never ask for it.

    Raises `StoreLocked`, which names the process that holds it, at once and without waiting, and
    `StoreError` where it cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"the knowledge base cannot be written to: {error.strerror}", ids=(str(path),)) from error
    try:
        try:
            _try_lock(handle)
        except OSError as error:
            raise _locked(path) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> StoreLocked:
    try:
        holder = path.read_text().strip()
    except OSError:
        holder = ""
    by = f" (process {holder})" if holder else ""
    return StoreLocked(f"another process is writing this knowledge base{by}", hint="wait until it has ended")
