"""The catalog: every file of the folder ends in it as indexed, skipped or failed. Its protocol, and SQLite's."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from pipelines.core.codec import DecodeError, decode, encode
from pipelines.core.outcome import Status
from pipelines.core.sqlite_file import SqliteFile


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, or one member of a container.

    `modified_ns` and `changed_ns` are the file's time stamps when `digest` was taken: where they and the size are as
    they were, it is not read. The latter cannot be set, so that a file with an old date and other content is noticed.
    `parent` is the URI of the container it was taken from. `artifacts` are the digests under which the results of
    the stages lie, by stage. `counts` tells pages, chunks, atoms and the like by name. `stage` is the one that a
    document failed in after it was parsed.
    """

    uri: str
    digest: str
    size: int
    status: Status
    document: str = ""
    reason: str = ""
    media_type: str = ""
    title: str = ""
    modified_ns: int = 0
    parent: str = ""
    artifacts: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stage: str = ""
    changed_ns: int = 0

    def unloaded(self) -> Entry:
        """Return the entry without the key of what was loaded of it, so that the next load writes its document."""
        return replace(self, artifacts={stage: key for stage, key in self.artifacts.items() if stage != "load"})


@runtime_checkable
class Catalog(Protocol):
    """Entries by URI, and a few facts about the knowledge base itself."""

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries in order of URI."""
        ...

    def record(self, entry: Entry) -> None:
        """Write `entry` in place of the one with its URI."""
        ...

    def remove(self, uri: str) -> None:
        """Remove an entry; an unknown URI is no error."""
        ...

    def fact(self, name: str) -> str | None:
        """Return what was last recorded under `name`, None where nothing was."""
        ...

    def set_fact(self, name: str, value: str) -> None: ...

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside lands together or not at all; in the embedded store with the graph's writes."""
        ...


DAMAGED = "its entry in the catalog is damaged"
"""The reason of an entry that cannot be read: the next ingest takes the file up again."""


class SqliteCatalog:
    """See `Catalog`; its transaction is the file's, so the graph's writes are in it too.

    A row whose checksum is wrong is ignored: an entry then counts as failed, a fact as not recorded.
    """

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._decoded: dict[str, tuple[_Row, Entry]] = {}

    def entries(self) -> tuple[Entry, ...]:
        """See `Catalog`. A run asks a dozen times: a row that is as it was when it was last asked is not decoded."""
        before, now = self._decoded, dict[str, tuple[_Row, Entry]]()
        for uri, *row in self._file.rows("SELECT uri, entry, sum FROM entries ORDER BY uri"):
            name, held = str(uri), (row[0], row[1])
            known = before.get(name)
            now[name] = known if known is not None and known[0] == held else (held, _read(name, *held))
        self._decoded = now  # at once: other threads ask too
        return tuple(entry for _, entry in now.values())

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


_Row = tuple[object, object]
"""An entry as its row has it, and its checksum."""


def _read(uri: str, data: object, sum: object) -> Entry:
    if isinstance(data, bytes) and sum in (None, _sum(uri, data)):
        try:
            return decode(data, Entry)
        except DecodeError:
            pass
    return Entry(uri, "", 0, Status.FAILED, reason=DAMAGED)


def _sum(name: str, data: bytes) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass") + b"\n" + data)
