"""The catalog in SQLite, each row with a checksum."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from pipelines.core.codec import DecodeError, decode, encode
from pipelines.core.outcome import Status
from pipelines.core.sqlite_file import SqliteFile
from pipelines.store.catalog import Entry

DAMAGED = "its entry in the catalog is damaged"
"""The reason of an entry that cannot be read: the next ingest takes the file up again."""


class SqliteCatalog:
    """See `Catalog`; its transaction is the file's, so the graph's writes are in it too.

    A row that is not what was written is not believed: an entry then counts as failed, a fact as not recorded.
    """

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def entries(self) -> tuple[Entry, ...]:
        rows = self._file.rows("SELECT uri, entry, sum FROM entries ORDER BY uri")
        return tuple(_read(str(uri), entry, sum) for uri, entry, sum in rows)

    def record(self, entry: Entry) -> None:
        data = encode(entry)
        row = (entry.uri, data, _sum(entry.uri, data))
        with self._file.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", row)

    def remove(self, uri: str) -> None:
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM entries WHERE uri = ?", (uri,))

    def fact(self, name: str) -> str | None:
        for value, sum in self._file.rows("SELECT value, sum FROM facts WHERE name = ?", (name,)):
            return str(value) if sum in (None, _sum(name, str(value).encode())) else None
        return None

    def set_fact(self, name: str, value: str) -> None:
        row = (name, value, _sum(name, value.encode()))
        with self._file.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", row)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._file.transaction():
            yield


def _read(uri: str, data: object, sum: object) -> Entry:
    if isinstance(data, bytes) and sum in (None, _sum(uri, data)):
        try:
            return decode(data, Entry)
        except DecodeError:
            pass
    return Entry(uri, "", 0, Status.FAILED, reason=DAMAGED)


def _sum(name: str, data: bytes) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass") + b"\n" + data)
