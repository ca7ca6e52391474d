"""A SQLite file that several threads and processes write, each statement through at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from pipelines.core.errors import StoreUnavailable

Values = tuple[object, ...] | dict[str, object]

_PATIENCE = 60.0
"""Seconds to wait for another writer."""


class SqliteFile:
    """The file at `path`, made with `schema` where it is not there. Raises `StoreUnavailable` for SQLite's errors.

    Its write-ahead log keeps what was written when a process is killed.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self._path = path
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", schema):
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

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"{self._path} cannot be used: {error}", ids=(str(self._path),))
