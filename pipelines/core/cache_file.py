"""A SQLite file for a cache: its content can be recomputed, so a damaged file is deleted and created again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.file_access import can_write, private_file, private_folder, read_only_uri
from pipelines.core.sqlite_file import connect, remove_file, translated, wipe

T = TypeVar("T")
Values = tuple[object, ...] | dict[str, object]


class CacheFile:
    """A cache shared by any number of threads and processes; every statement is committed at once.

    `schema` are the statements that create missing tables. A damaged file is replaced by an empty one. A file that
    cannot be written is `read_only`; if it does not exist either, the cache is kept in memory. Every method raises
    `StoreUnavailable` and no other error.
    """

    def __init__(self, path: Path, schema: Sequence[str]) -> None:
        self._path, self._schema = path, schema
        self._lock = threading.Lock()
        self.read_only = path.exists() and not can_write(path)
        self._db: sqlite3.Connection | None = None
        self._run(lambda _: None)

    def rows(self, statement: str, values: Values = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        return self._run(lambda db: db.execute(statement, values).fetchall())

    def write(self, statement: str, values: Values = ()) -> int:
        """Run a statement; return the number of changed rows."""
        return self._run(lambda db: db.execute(statement, values).rowcount)

    def write_all(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement for each of `values` in one transaction."""
        self.write_together([(statement, one) for one in values])

    def write_together(self, statements: Sequence[tuple[str, Values]]) -> None:
        """Run statements in one transaction."""

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

    def wipe(self) -> bool:
        """Erase deleted data from the file; see `sqlite_file.wipe`."""
        return self._run(wipe)

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        with self._lock:
            if self._db is not None:
                self._db.close()

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                try:
                    return self._tried(work)
                except StoreMismatch:
                    if self.read_only:
                        raise
                    if self._db is not None:
                        self._db.close()
                        self._db = None
                    remove_file(self._path)
                    return self._tried(work)
            except StoreError as error:
                reason = error.__cause__ or error.message
                raise StoreUnavailable(f"{self._path} cannot be used: {reason}", ids=(str(self._path),)) from error

    def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self._path):
            if self._db is None:
                self._db = self._connected()
            return work(self._db)

    def _connected(self) -> sqlite3.Connection:
        first: Sequence[str]
        if self.read_only:
            db, first = connect(read_only_uri(self._path)), ("SELECT 1 FROM sqlite_master",)
        else:
            db, first = connect(self._address(), "journal_mode = WAL", "synchronous = NORMAL"), self._schema
        try:
            for statement in first:
                db.execute(statement)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _address(self) -> str:
        if not can_write(self._path):
            return "file::memory:"
        private_folder(self._path.parent)
        return private_file(self._path).absolute().as_uri()
