"""A SQLite file that several threads and processes write, each statement through at once.

What lies in it can be had again: a file that is damaged is dropped and begun anew, and ends nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pipelines.core.errors import StoreUnavailable
from pipelines.core.file_access import can_write, private_file, private_folder, read_only_uri

T = TypeVar("T")
Values = tuple[object, ...] | dict[str, object]

_PATIENCE = 60.0
"""Seconds to wait for another writer."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class SqliteFile:
    """The file at `path`, made with the statements of `schema` where it is not there.

    Its write-ahead log keeps what was written when a process is killed. Where nothing can be written the file is
    `read_only`; one that is not there either is held in memory. Raises `StoreUnavailable` for SQLite's errors.
    """

    def __init__(self, path: Path, schema: Sequence[str]) -> None:
        self._path, self._schema = path, schema
        self._lock = Lock()
        self.read_only = path.exists() and not can_write(path)
        self._db = self._opened()

    def rows(self, statement: str, values: Values = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        return self._run(lambda db: db.execute(statement, values).fetchall())

    def write(self, statement: str, values: Values = ()) -> int:
        """Run a statement; return how many rows it changed."""
        return self._run(lambda db: db.execute(statement, values).rowcount)

    def write_all(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement for each of `values`, all of them or none."""
        self.write_together([(statement, one) for one in values])

    def write_together(self, statements: Sequence[tuple[str, Values]]) -> None:
        """Run statements, all of them or none."""

        def write(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                for statement, values in statements:
                    db.execute(statement, values)
            except sqlite3.Error:
                db.rollback()
                raise
            db.execute("COMMIT")

        self._run(write)

    def wipe(self) -> None:
        """Leave no byte of what was deleted in the file, its log or its free pages; room on the disk is given back."""
        for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            self.write(statement)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return work(self._db)
            except sqlite3.Error as error:
                if not _damaged(error) or self.read_only:
                    raise self._unavailable(error) from error
            self._db.close()
            remove_file(self._path)
            self._db = self._opened()
            try:
                return work(self._db)
            except sqlite3.Error as error:
                raise self._unavailable(error) from error

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.Error as error:
            if not _damaged(error) or self.read_only:
                raise self._unavailable(error) from error
        remove_file(self._path)
        try:
            return self._connect()
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self._address(), timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=True
        )
        made = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", *self._schema)
        try:
            for statement in ("SELECT 1 FROM sqlite_master",) if self.read_only else made:
                db.execute(statement)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _address(self) -> str:
        if self.read_only:
            return read_only_uri(self._path)
        if not can_write(self._path):
            return "file::memory:"
        private_folder(self._path.parent)
        return private_file(self._path).absolute().as_uri()

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"{self._path} cannot be used: {error}", ids=(str(self._path),))


def is_sound(path: Path) -> bool:
    """Whether a file can be read by SQLite from end to end; one that is not there is sound. Nothing is changed."""
    if not path.exists():
        return True
    db = sqlite3.connect(path, timeout=_PATIENCE)
    try:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False
    finally:
        db.close()


def remove_file(path: Path) -> None:
    """Remove a file of SQLite with its log; nobody may have it open."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _damaged(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
