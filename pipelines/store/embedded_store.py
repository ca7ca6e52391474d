"""The embedded store: graph and catalog in one SQLite file, written under one transaction by one process at a time.

The shape of the file: numbered steps, applied in order, each recorded in it.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self

from pipelines.core.errors import StoreError, StoreLocked, StoreMismatch
from pipelines.core.sqlite_file import SqliteFile
from pipelines.store.catalog import Catalog, SqliteCatalog
from pipelines.store.graph import GraphStore
from pipelines.store.sqlite_graph import SqliteGraph

Migration = Callable[[sqlite3.Connection], None]
if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond what is written, so that others can read the process id
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def m001_graph(connection: sqlite3.Connection) -> None:
    """Nodes, edges, and what each owner's add up to."""
    connection.execute(
        "CREATE TABLE nodes (id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL,"
        " properties BLOB NOT NULL, hash BLOB NOT NULL)"
    )
    connection.execute("CREATE INDEX nodes_by_owner ON nodes (owner)")
    connection.execute("CREATE INDEX nodes_by_kind ON nodes (kind, id)")
    connection.execute(
        "CREATE TABLE edges (source TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, key TEXT NOT NULL,"
        " owner TEXT NOT NULL, properties BLOB NOT NULL, hash BLOB NOT NULL,"
        " PRIMARY KEY (source, kind, target, key)) WITHOUT ROWID"
    )
    connection.execute("CREATE INDEX edges_by_target ON edges (target, kind)")
    connection.execute("CREATE INDEX edges_by_owner ON edges (owner)")
    connection.execute("CREATE TABLE owners (owner TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID")


def m002_catalog(connection: sqlite3.Connection) -> None:
    """The ledger of files, and facts about the knowledge base."""
    connection.execute("CREATE TABLE entries (uri TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID")
    connection.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")


def m003_sums(connection: sqlite3.Connection) -> None:
    """Checksums of entries and facts; what was written before has none."""
    connection.execute("ALTER TABLE entries ADD COLUMN sum INTEGER")
    connection.execute("ALTER TABLE facts ADD COLUMN sum INTEGER")


def m004_numbers(connection: sqlite3.Connection) -> None:
    """Each id is written once: nodes and edges have its number, and those that are made together stand together."""
    connection.execute("CREATE TABLE ids (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)")
    connection.execute("INSERT INTO ids (id) SELECT id FROM nodes ORDER BY owner")
    for table, column in (("edges", "source"), ("edges", "target"), ("edges", "owner"), ("nodes", "owner")):
        connection.execute(f"INSERT OR IGNORE INTO ids (id) SELECT {column} FROM {table}")  # noqa: S608
    for table in ("nodes", "edges", "owners"):
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    connection.execute(
        "CREATE TABLE nodes (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, owner INTEGER NOT NULL,"
        " properties BLOB NOT NULL, hash BLOB NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE edges (source INTEGER NOT NULL, kind TEXT NOT NULL, target INTEGER NOT NULL, key TEXT NOT NULL,"
        " owner INTEGER NOT NULL, properties BLOB NOT NULL, hash BLOB NOT NULL,"
        " PRIMARY KEY (source, kind, target, key)) WITHOUT ROWID"
    )
    connection.execute("CREATE TABLE owners (owner INTEGER PRIMARY KEY, digest TEXT NOT NULL)")
    number = "(SELECT number FROM ids WHERE ids.id = {})".format
    connection.execute(
        f"INSERT INTO nodes SELECT {number('old.id')}, kind, {number('old.owner')}, properties, hash"  # noqa: S608
        " FROM old_nodes AS old ORDER BY 1"
    )
    connection.execute(
        f"INSERT INTO edges SELECT {number('source')}, kind, {number('target')}, key, {number('owner')},"  # noqa: S608
        " properties, hash FROM old_edges ORDER BY 1"
    )
    connection.execute(f"INSERT INTO owners SELECT {number('owner')}, digest FROM old_owners")  # noqa: S608
    for table in ("nodes", "edges", "owners"):
        connection.execute(f"DROP TABLE old_{table}")
    connection.execute("CREATE INDEX nodes_by_owner ON nodes (owner)")
    connection.execute("CREATE INDEX nodes_by_kind ON nodes (kind)")
    connection.execute("CREATE INDEX edges_by_target ON edges (target, kind)")
    connection.execute("CREATE INDEX edges_by_owner ON edges (owner)")


MIGRATIONS: tuple[Migration, ...] = (m001_graph, m002_catalog, m003_sums, m004_numbers)


def migrate(connection: sqlite3.Connection) -> None:
    """Apply what is missing, all or nothing.

    Raises `StoreMismatch` where the file was made by a later version, with steps that are unknown here.
    """
    known = [step.__name__ for step in MIGRATIONS]
    if applied(connection) == known:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) WITHOUT ROWID")
        done = applied(connection)
        _refuse(set(done) - set(known))
        for step in MIGRATIONS[len(done) :]:
            step(connection)
            connection.execute("INSERT INTO migrations VALUES (?)", (step.__name__,))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    if done:
        connection.execute("VACUUM")  # steps leave as much free room as what they wrote anew


def require_current(connection: sqlite3.Connection) -> None:
    """Raise `StoreMismatch` where a file that cannot be written would have to be migrated, or is of a later version."""
    done, known = applied(connection), [step.__name__ for step in MIGRATIONS]
    _refuse(set(done) - set(known))
    if done != known:
        raise StoreMismatch(
            "an earlier version of Strata made this file, which cannot be written to",
            hint="open it once where it can be written to",
        )


def applied(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the steps that this file has been through, in order; of an empty file none.

    Raises `StoreMismatch` where the file has tables and is no knowledge base's: a cache in its place, say.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and "migrations" not in tables:
        raise StoreMismatch(
            "strata.db is a database of something else",
            hint="remove strata.db and ingest the folder again: what was read and asked is kept beside it",
        )
    return [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name")] if tables else []


def _refuse(unknown: set[str]) -> None:
    if unknown:
        raise StoreMismatch("a later version of Strata made this file", ids=tuple(sorted(unknown)))


class EmbeddedStore:
    """`graph` and `catalog` of one file. Any thread may read and write; another process may read while one writes."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._graph = SqliteGraph(file)
        self.graph: GraphStore = self._graph
        self.catalog: Catalog = SqliteCatalog(file)

    @classmethod
    def open(cls, path: Path, create: bool = True) -> Self:
        """Open the file `path`, making it where `create` allows.

        Raises `KnowledgeBaseNotFound` where there is none, `StoreMismatch` where it is damaged, something else, or
        made by a later version.
        """
        return cls(SqliteFile(path, migrate, require_current, create))

    @property
    def path(self) -> Path:
        return self._file.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, to graph and catalog, lands together or not at all."""
        with self._file.transaction():
            yield

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that this thread reads inside, of graph and catalog, be of one moment."""
        return self._file.snapshot()

    def exclusive(self) -> AbstractContextManager[None]:
        """Be the only writer inside: held for the run of a build. Raises `StoreLocked` at once where another is."""
        return writer_lock(self.path.with_name(self.path.name + ".lock"))

    def wipe(self) -> bool:
        """Leave no byte of what was removed in the file; False where a reader kept the log from being emptied."""
        self._graph.drop_unused_ids()
        return self._file.wipe()

    def is_sound(self) -> bool:
        """Whether the file can be read from end to end."""
        return self._file.is_sound()

    def damaged_owners(self) -> frozenset[str]:
        """Return the owners of nodes and edges that are not what was written; the whole graph is read."""
        return self._graph.damaged()

    def close(self) -> None:
        self._file.close()


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` inside; readers never ask for it.

    Raises `StoreLocked`, which names the process that holds it, at once and without waiting, and
    `StoreError` where it cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"the knowledge base cannot be written to: {error.strerror}", ids=(str(path),)) from error
    try:
        try:
            _try_lock(handle)
        except OSError as error:
            raise _locked(path) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> StoreLocked:
    try:
        holder = path.read_text().strip()
    except OSError:
        holder = ""
    by = f" (process {holder})" if holder else ""
    return StoreLocked(f"another process is writing this knowledge base{by}", hint="wait until it has ended")
