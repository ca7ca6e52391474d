"""A SQLite file that many threads read and one writes, and our errors for SQLite's."""

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
"""How long a writer waits for another one."""
_CHECKPOINT_PAGES = 8000
"""Pages of 4 KiB that gather before they go into a database: ids are hashes, so the same pages change again and
again."""
_PAGE_CACHE_KIB = 65536
# By the primary code of SQLite's result; what the table lacks is a StoreError, for which trying again is no help.
_ERRORS: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreUnavailable, "the knowledge base is busy"),
    sqlite3.SQLITE_LOCKED: (StoreUnavailable, "the knowledge base is busy"),
    sqlite3.SQLITE_FULL: (StoreError, "the disk is full"),
    sqlite3.SQLITE_READONLY: (StoreError, "the knowledge base cannot be written to"),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "the knowledge base cannot be opened"),
    sqlite3.SQLITE_NOTADB: (StoreMismatch, "{name} is damaged, or no database at all"),
    sqlite3.SQLITE_CORRUPT: (StoreMismatch, "{name} is damaged"),
}
_ANEW = "remove {name} and ingest the folder again: what was read and asked is kept beside it"
# How a transaction begins, is kept and is undone: the outermost, and one inside another.
_STEPS = {
    False: ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"),
    True: ("SAVEPOINT inner", "RELEASE inner", "ROLLBACK TO inner;RELEASE inner"),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into ours, with the cause chained."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind, message = _ERRORS.get(code, (StoreError, str(error)))
        hint = _ANEW.format(name=path.name) if kind is StoreMismatch else ""
        raise kind(message.format(name=path.name), ids=(str(path),), hint=hint) from error


def connect(address: str, *pragmas: str) -> sqlite3.Connection:
    """Open the file at a URI, each statement a transaction of its own; any thread may use and close the connection."""
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
    """Leave no byte of what was deleted in the file, its log or its free pages.

    Return False where a reader, for as long as writers wait for one another, kept the log from being emptied.
    """
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def is_sound(path: Path) -> bool:
    """Whether a file can be read by SQLite from end to end; one that is not there is sound. Nothing is changed."""
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
    """Remove a file of SQLite with its log; nobody may have it open."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


class SqliteFile:
    """A database in WAL mode: one connection that writes, one for each thread that reads.

    Reads see what was last committed, or the own open transaction. Writing is safe from any thread, one at a time.
    `migrate` is given the connection when the file is opened to be written. Where `create` is False, a file that
    cannot be written can be read, if `require_current` lets it. Raises `KnowledgeBaseNotFound` where there is no file
    and `create` is False, `StoreMismatch` where it is no database, and what the two raise.
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
        """Give the writing connection; all inside lands together or not at all. One inside another is part of it."""
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
            connection = self._local.connection = self._connect()  # not under the writer's lock: no reader waits for it
            connection.execute("PRAGMA query_only = ON")
            self._keep(connection)
        return connection

    def _keep(self, connection: sqlite3.Connection) -> None:
        """Keep this thread's connection to be closed with the file, and close those of threads that have ended.

        A server's threads come and go: each would leave its file open, and what it has read of it in memory.
        """
        with self._opening:
            ended = [thread for thread in self._readers if not thread.is_alive()]
            for thread in ended:
                self._readers.pop(thread).close()
            self._readers[threading.current_thread()] = connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads inside be of one moment, whatever is committed meanwhile.

        One inside another is part of it. No row may be left unread inside that is read on outside.
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
        """See `wipe`."""
        with self._lock, translated(self.path):
            return wipe(self._writer)

    def is_sound(self) -> bool:
        """Whether SQLite can read the file from end to end."""
        return _is_sound(self.reader())

    def close(self) -> None:
        """Close every connection; twice is allowed."""
        with self._lock, self._opening:
            self._writer.close()
            while self._readers:
                self._readers.popitem()[1].close()
