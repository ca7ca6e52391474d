"""The embedded store: graph and catalog in one SQLite file, with common transactions and one writing process at a time.

The schema is created by numbered migrations, which are applied in order and recorded in the file.
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
from pipelines.store.sqlite_graph import SqliteGraph

Migration = Callable[[sqlite3.Connection], None]
if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the end, so that others can read the process id
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def m001_graph(connection: sqlite3.Connection) -> None:
    """Create the tables of nodes, edges and owners; owners have a digest of their nodes and edges."""
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
    """Create the tables of the catalog: entries of files, and facts about the knowledge base."""
    connection.execute("CREATE TABLE entries (uri TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID")
    connection.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")


def m003_sums(connection: sqlite3.Connection) -> None:
    """Add checksums of entries and facts; existing rows have none."""
    connection.execute("ALTER TABLE entries ADD COLUMN sum INTEGER")
    connection.execute("ALTER TABLE facts ADD COLUMN sum INTEGER")


def m004_numbers(connection: sqlite3.Connection) -> None:
    """Store each id once and refer to it by number; nodes and edges written together are stored next to each other."""
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
    """Apply the missing migrations in one transaction.

    Raises `StoreMismatch` if the file is of a later version, with unknown migrations.
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
        connection.execute("VACUUM")  # migrations leave as much free space as they have rewritten


def require_current(connection: sqlite3.Connection) -> None:
    """Raise `StoreMismatch` if a read-only file needs a migration or is of a later version."""
    done, known = applied(connection), [step.__name__ for step in MIGRATIONS]
    _refuse(set(done) - set(known))
    if done != known:
        raise StoreMismatch(
            "this file is of an earlier version of Strata and cannot be migrated, because it is read-only",
            hint="open it once with write access",
        )


def applied(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the applied migrations in order; none for an empty file.

    Raises `StoreMismatch` if the file has tables, but is not a knowledge base: a cache in its place, for example.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables and "migrations" not in tables:
        raise StoreMismatch(
            "strata.db is not the database of a knowledge base",
            hint="remove strata.db and ingest the folder again: parsed documents and cached replies are kept",
        )
    return [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name")] if tables else []


def _refuse(unknown: set[str]) -> None:
    if unknown:
        raise StoreMismatch("a later version of Strata made this file", ids=tuple(sorted(unknown)))


class EmbeddedStore:
    """`graph` and `catalog` in one file. Any thread may read and write; other processes may read while one writes."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self.graph = SqliteGraph(file)
        self.catalog: Catalog = SqliteCatalog(file)

    @classmethod
    def open(cls, path: Path, create: bool = True) -> Self:
        """Open the file `path`; with `create`, it is created if missing.

        Raises `KnowledgeBaseNotFound` if it does not exist, `StoreMismatch` if it is damaged, not a knowledge base, or
        of a later version.
        """
        return cls(SqliteFile(path, migrate, require_current, create))

    @property
    def path(self) -> Path:
        return self._file.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write to graph and catalog inside the context in one transaction."""
        with self._file.transaction():
            yield

    def snapshot(self) -> AbstractContextManager[None]:
        """Read graph and catalog inside the context, in this thread, in a consistent state."""
        return self._file.snapshot()

    def exclusive(self) -> AbstractContextManager[None]:
        """Lock the knowledge base against other writers inside the context. Raises `StoreLocked` without waiting."""
        return writer_lock(self.path.with_name(self.path.name + ".lock"))

    def wipe(self) -> bool:
        """Erase removed data from the file; return False if a reader prevented the log from being emptied."""
        self.graph.drop_unused_ids()
        return self._file.wipe()

    def is_sound(self) -> bool:
        """Return whether the whole file is readable."""
        return self._file.is_sound()

    def damaged_owners(self) -> frozenset[str]:
        """Return the owners of damaged nodes and edges; reads the whole graph."""
        return self.graph.damaged()

    def close(self) -> None:
        self._file.close()


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path` inside the context; readers do not need it.

    Raises `StoreLocked`, with the id of the process that holds it, without waiting, and `StoreError` if the file cannot
    be created.
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
