"""The catalog: the status of every file of the folder. Its protocol, and the implementation in SQLite."""

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
    """A file, or a member of a container.

    `modified_ns` and `changed_ns` are the file's time stamps when `digest` was computed: if they and the size are
    unchanged, the file is not read. Programs cannot set `changed_ns`, so a changed file with an old date is detected.
    `parent` is the URI of the container of a member. `artifacts` has the keys of the results of stages, by stage.
    `counts` has the number of pages, chunks, atoms and so on, by name. `stage` is the one in which a document failed
    after it was parsed.
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
        """Return the entry without its load key, so that the next load writes the document again."""
        return replace(self, artifacts={stage: key for stage, key in self.artifacts.items() if stage != "load"})


@runtime_checkable
class Catalog(Protocol):
    """Entries by URI, and facts about the knowledge base."""

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries in order of URI."""
        ...

    def record(self, entry: Entry) -> None:
        """Write `entry`, replacing the one with its URI."""
        ...

    def remove(self, uri: str) -> None:
        """Remove an entry; an unknown URI is not an error."""
        ...

    def fact(self, name: str) -> str | None:
        """Return the value last recorded under `name`, or None."""
        ...

    def set_fact(self, name: str, value: str) -> None: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Write inside the context atomically; in the embedded store together with writes to the graph."""
        ...


DAMAGED = "its entry in the catalog is damaged"
"""The reason of an entry that cannot be read; the next ingest compiles its file again."""


class SqliteCatalog:
    """See `Catalog`. Transactions are those of the file, which include writes to the graph.

    A row with a wrong checksum is ignored: its entry counts as failed, its fact as not recorded.
    """

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._decoded: dict[str, tuple[_Row, Entry]] = {}

    def entries(self) -> tuple[Entry, ...]:
        """See `Catalog`. Unchanged rows are decoded only once, because a run reads all entries a dozen times."""
        before, now = self._decoded, dict[str, tuple[_Row, Entry]]()
        for uri, *row in self._file.rows("SELECT uri, entry, sum FROM entries ORDER BY uri"):
            name, held = str(uri), (row[0], row[1])
            known = before.get(name)
            now[name] = known if known is not None and known[0] == held else (held, _read(name, *held))
        self._decoded = now  # in one assignment, for other threads
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
"""An encoded entry and its checksum."""


def _read(uri: str, data: object, sum: object) -> Entry:
    if isinstance(data, bytes) and sum in (None, _sum(uri, data)):
        try:
            return decode(data, Entry)
        except DecodeError:
            pass
    return Entry(uri, "", 0, Status.FAILED, reason=DAMAGED)


def _sum(name: str, data: bytes) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass") + b"\n" + data)
