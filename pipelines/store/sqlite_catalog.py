"""The catalog in SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipelines.core.codec import decode, encode
from pipelines.store.catalog import Entry
from pipelines.store.sqlite_file import SqliteFile


class SqliteCatalog:
    """See `Catalog`; its transaction is the file's, so the graph's writes are in it too."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def entries(self) -> tuple[Entry, ...]:
        rows = self._file.rows("SELECT entry FROM entries ORDER BY uri")
        return tuple(decode(entry, Entry) for (entry,) in rows if isinstance(entry, bytes))

    def record(self, entry: Entry) -> None:
        with self._file.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (entry.uri, encode(entry)))

    def remove(self, uri: str) -> None:
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM entries WHERE uri = ?", (uri,))

    def fact(self, name: str) -> str | None:
        for (value,) in self._file.rows("SELECT value FROM facts WHERE name = ?", (name,)):
            return str(value)
        return None

    def set_fact(self, name: str, value: str) -> None:
        with self._file.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._file.transaction():
            yield
