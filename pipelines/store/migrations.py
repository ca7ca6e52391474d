"""The shape of the SQLite file: numbered steps, applied in order, each recorded in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from pipelines.core.errors import StoreMismatch

Migration = Callable[[sqlite3.Connection], None]


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
