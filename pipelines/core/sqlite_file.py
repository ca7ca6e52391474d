"""A SQLite file with concurrent readers and one writer, and the translation of SQLite's errors."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipelines.core.errors import KnowledgeBaseNotFound, StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.file_access import can_write, private_file, read_only_uri

Prepare = Callable[[sqlite3.Connection], None]

_BUSY_SECONDS = 30.0
"""Seconds that a writer waits for another one."""
_CHECKPOINT_PAGES = 8000
"""Pages of 4 KiB in the log before they are written to the database: ids are hashes, so the same pages change
repeatedly."""
_PAGE_CACHE_KIB = 65536
# By the primary result code of SQLite; any other code is a `StoreError`, which is not retryable.
_ERRORS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreUnavailable, "the knowledge base is busy"),
    sqlite3.SQLITE_LOCKED: (StoreUnavailable, "the knowledge base is busy"),
    sqlite3.SQLITE_FULL: (StoreError, "the disk is full"),
    sqlite3.SQLITE_READONLY: (StoreError, "the knowledge base cannot be written to"),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "the knowledge base cannot be opened"),
    sqlite3.SQLITE_NOTADB: (StoreMismatch, "{name} is damaged or not a database"),
    sqlite3.SQLITE_CORRUPT: (StoreMismatch, "{name} is damaged"),
}
_ANEW = "remove {name} and ingest the folder again: parsed documents and cached replies are kept"
# Statements that begin, commit and roll back a transaction: the outermost one, and a nested one.
_STEPS = {
    False: ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"),
    True: ("SAVEPOINT inner", "RELEASE inner", "ROLLBACK TO inner;RELEASE inner"),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise an error of SQLite as one of ours, with its cause."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind, message = _ERRORS.get(code, (StoreError, str(error)))
        hint = _ANEW.format(name=path.name) if kind is StoreMismatch else ""
        raise kind(message.format(name=path.name), ids=(str(path),), hint=hint) from error


def connect(address: str, *pragmas: str) -> sqlite3.Connection:
    """Open the file at a URI in autocommit mode; any thread may use and close the connection."""
    connection = sqlite3.connect(
        address, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
    )
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def wipe(connection: sqlite3.Connection) -> bool:
    """Erase every byte of deleted data from the file, its log and its free pages.

    Return False if a reader kept the log from being truncated for as long as writers wait.
    """
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def is_sound(path: Path) -> bool:
    """Whether SQLite's integrity check passes; true for a missing file. Nothing is changed."""
    if not path.exists():
        return True
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        return _is_sound(connection)
    finally:
        connection.close()


def _is_sound(connection: sqlite3.Connection) -> bool:
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False


def remove_file(path: Path) -> None:
    """Remove a SQLite file with its log; it must not be open."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


class SqliteFile:
    """A database in WAL mode: one connection for writing, and one for each reading thread.

    Reads see the last committed state, or the thread's own open transaction. Any thread may write, one at a time.
    `migrate` gets the connection when the file is opened for writing. With `create=False`, a file that cannot be
    written is opened for reading, if `require_current` does not raise. Raises `KnowledgeBaseNotFound` if there is no
    file and `create` is False, `StoreMismatch` if it is not a database, and the errors of `migrate` and
    `require_current`.
    """

    def __init__(self, path: Path, migrate: Prepare, require_current: Prepare, create: bool = True) -> None:
        if not create and not path.is_file():
            raise KnowledgeBaseNotFound(str(path.parent))
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._local = threading.local()
        self._readers: dict[threading.Thread, sqlite3.Connection] = {}
        self._opening = threading.Lock()
        with translated(path):
            if not create and not can_write(path):
                self._address = read_only_uri(path)
                self._writer = self._connect()
                require_current(self._writer)
                return
            self._address = private_file(path).absolute().as_uri()
            self._writer = self._connect()
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            migrate(self._writer)

    def _connect(self) -> sqlite3.Connection:
        return connect(self._address, "synchronous = NORMAL", f"cache_size = -{_PAGE_CACHE_KIB}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the writing connection in a transaction; a nested one becomes part of the outer one."""
        with self._lock, translated(self.path):
            begin, keep, undo = _STEPS[self._depth > 0]
            self._writer.execute(begin)
            self._depth += 1
            self._local.inside = True
            try:
                yield self._writer
            except BaseException:
                self._leave(undo)
                raise
            self._leave(keep)

    def _leave(self, ending: str) -> None:
        self._depth -= 1
        self._local.inside = self._depth > 0
        for statement in ending.split(";"):
            self._writer.execute(statement)

    def reader(self) -> sqlite3.Connection:
        """Return the connection that this thread reads with."""
        if getattr(self._local, "inside", False):
            return self._writer
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()  # without the writer's lock: readers never wait
            connection.execute("PRAGMA query_only = ON")
            self._keep(connection)
        return connection

    def _keep(self, connection: sqlite3.Connection) -> None:
        """Register this thread's connection, and close the connections of threads that have ended.

        Otherwise each thread of a server would leave an open file and its page cache behind.
        """
        with self._opening:
            ended = [thread for thread in self._readers if not thread.is_alive()]
            for thread in ended:
                self._readers.pop(thread).close()
            self._readers[threading.current_thread()] = connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads of this thread in the block see the same state, whatever is committed in the meantime.

        A nested snapshot is part of the outer one. A query that is started inside must be read to its end inside.
        """
        if getattr(self._local, "inside", False) or getattr(self._local, "snapshot", False):
            yield
            return
        reader = self.reader()
        with translated(self.path):
            reader.execute("BEGIN")
        self._local.snapshot = True
        try:
            yield
        finally:
            self._local.snapshot = False
            with translated(self.path):
                reader.execute("COMMIT")

    def rows(self, sql: str, values: tuple[str | int, ...] = ()) -> Iterator[tuple[object, ...]]:
        """Yield the rows of a query as they are read."""
        with translated(self.path):
            yield from self.reader().execute(sql, values)

    def wipe(self) -> bool:
        """Erase deleted data; see the function `wipe`."""
        with self._lock, translated(self.path):
            return wipe(self._writer)

    def is_sound(self) -> bool:
        """Whether SQLite's integrity check passes."""
        return _is_sound(self.reader())

    def close(self) -> None:
        """Close all connections; closing twice is allowed."""
        with self._lock, self._opening:
            self._writer.close()
            while self._readers:
                self._readers.popitem()[1].close()
