"""A SQLite file that several threads and processes write, each statement through at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from pipelines.core.errors import StoreUnavailable
from pipelines.core.private import private_file, private_folder
from pipelines.core.read_only import can_write, read_only_uri

Values = tuple[object, ...] | dict[str, object]

_PATIENCE = 60.0
"""Seconds to wait for another writer."""


class SqliteFile:
    """The file at `path`, made with `schema` where it is not there. Raises `StoreUnavailable` for SQLite's errors.

    Its write-ahead log keeps what was written when a process is killed. Where nothing can be written the file is
    `read_only`; one that is not there either is held in memory.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._lock = Lock()
        self.read_only = path.exists() and not can_write(path)
        try:
            self._db = sqlite3.connect(
                self._address(), timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=True
            )
            made = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", schema)
            for statement in ("SELECT 1 FROM sqlite_master",) if self.read_only else made:
                self._db.execute(statement)
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def rows(self, statement: str, values: Values = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._unavailable(error) from error

    def write(self, statement: str, values: Values = ()) -> int:
        """Run a statement; return how many rows it changed."""
        with self._lock:
            try:
                return self._db.execute(statement, values).rowcount
            except sqlite3.Error as error:
                raise self._unavailable(error) from error

    def write_all(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement for each of `values`, all of them or none."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany(statement, values)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                self._db.rollback()
                raise self._unavailable(error) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _address(self) -> str:
        if self.read_only:
            return read_only_uri(self._path)
        if not can_write(self._path):
            return "file::memory:"
        private_folder(self._path.parent)
        return private_file(self._path).absolute().as_uri()

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"{self._path} cannot be used: {error}", ids=(str(self._path),))
