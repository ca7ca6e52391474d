"""The graph in SQLite."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

from pipelines.core.codec import decode
from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, PropertyValue, Subgraph
from pipelines.core.sqlite_file import SqliteFile
from pipelines.store.graph import EMPTY, SubgraphRows, adjusted, item_hash, rows_of

_Item = TypeVar("_Item")
_Place = tuple[str | int, ...]
"""A row's primary key."""
_Values = tuple[str | int | bytes, ...]
"""The other columns of a row; the last one is the hash."""
_EDGE_KEY = ("source", "kind", "target", "key")
_AMONG = "(SELECT value FROM json_each(?))"
_NODES = (
    "SELECT node.id, kind, owner.id, properties, hash FROM ids AS node {join} nodes ON nodes.id = node.number"
    " JOIN ids AS owner ON owner.number = nodes.owner{where} ORDER BY node.id"
)
_EDGES = (
    "SELECT source.id, kind, target.id, owner.id, key, properties, hash FROM ids AS source"
    " {join} edges ON edges.source = source.number JOIN ids AS target ON target.number = edges.target"
    " JOIN ids AS owner ON owner.number = edges.owner{where} ORDER BY source.id, kind, target.id, key"
)
_DIGEST = re.compile("[0-9a-f]{32}")
_IN_ORDER = "CROSS JOIN"
"""Makes SQLite read ids in their order and look up the rest, instead of sorting all rows."""
_PLACE = ", ".join(f"json_extract(value, '$[{i}]')" for i in range(4))
_EDGES_AMONG = f"(SELECT {_PLACE} FROM json_each(?))"  # noqa: S608


class SqliteGraph:
    """See `GraphStore`. Replacing an owner writes only the rows that differ.

    Rows have numbers instead of ids, because an id is as long as the rest of many edges, and is part of all their
    indexes. Nodes that are read by id are compared with their hashes, so that quotes are never from damaged rows.
    Raises `StoreMismatch` for a damaged row.
    """

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def write(self, subgraph: Subgraph) -> None:
        self.write_rows(rows_of(subgraph))

    def write_rows(self, rows: SubgraphRows) -> None:
        """Do the same as `write` with the subgraph of these rows."""
        with self._file.transaction() as connection:
            (unused,) = connection.execute("SELECT ifnull(max(number), 0) + 1 FROM ids").fetchone()
            numbers = _numbers(connection, rows)
            owner = numbers[rows.owner]
            nodes: dict[_Place, _Values] = {
                (numbers[id],): (kind, owner, properties, hash) for id, kind, properties, hash in rows.nodes
            }
            edges: dict[_Place, _Values] = {
                (numbers[source], kind, numbers[target], key): (owner, properties, hash)
                for source, kind, target, key, properties, hash in rows.edges
            }
            _replace(connection, "nodes", ("id",), owner, nodes, unused)
            _replace(connection, "edges", _EDGE_KEY, owner, edges, unused)

    def remove(self, owner: str) -> None:
        with self._file.transaction() as connection:
            row = connection.execute("SELECT number FROM ids WHERE id = ?", (owner,)).fetchone()
            number = row[0] if row else None
            own = "(SELECT id FROM nodes WHERE owner = ?)"
            touching = f"SELECT source, kind, target, key FROM edges WHERE source IN {own} OR target IN {own}"  # noqa: S608
            keys = list(connection.execute(touching, (number, number)))
            keys += connection.execute("SELECT source, kind, target, key FROM edges WHERE owner = ?", (number,))
            _delete(connection, "edges", _EDGE_KEY, keys)
            _delete(connection, "nodes", ("id",), list(connection.execute(own[1:-1], (number,))))
            # Its digest is not that of an empty set if a hash was damaged.
            connection.execute("DELETE FROM owners WHERE owner = ?", (number,))

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        own = None if owner is None else (owner,)
        where, values = _where({"kind": kinds or None, "node.id": ids, "owner.id": own})
        join = _IN_ORDER if not kinds and owner is None else "JOIN"
        for *row, hash in self._file.rows(_NODES.format(join=join, where=where), values):
            node = _readable(row, _node)
            if ids is not None and item_hash(node) != hash:
                raise _damaged(node.id)
            yield node

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        own = None if owner is None else (owner,)
        where, values = _where({"kind": kinds or None, "source.id": sources, "target.id": targets, "owner.id": own})
        join = _IN_ORDER if sources is targets is owner is None else "JOIN"
        for *row, _ in self._file.rows(_EDGES.format(join=join, where=where), values):
            yield _readable(row, _edge)

    def owners(self) -> Mapping[str, str]:
        # With a plain join, SQLite would read all ids in order, of which there are two hundred for each owner.
        rows = self._file.rows("SELECT id, digest FROM owners CROSS JOIN ids ON number = owner ORDER BY id")
        return {str(owner): str(digest) for owner, digest in rows}

    def node_hashes(self, kind: NodeKind) -> Mapping[str, bytes]:
        """See `Hashed`."""
        sql = "SELECT ids.id, hash FROM nodes JOIN ids ON ids.number = nodes.id WHERE kind = ?"
        return dict(cast("Iterator[tuple[str, bytes]]", self._file.rows(sql, (kind.value,))))

    def damaged(self) -> frozenset[str]:
        """Return the owners of damaged rows; reads the whole graph."""
        found = set()
        for rows, read, at in ((_NODES, _node, 2), (_EDGES, _edge, 3)):
            for *row, hash in self._file.rows(rows.format(join=_IN_ORDER, where="")):
                try:
                    sound = item_hash(read(row)) == hash
                except (ValueError, TypeError):
                    sound = False
                if not sound:
                    found.add(str(row[at]))
        return frozenset(found)

    def drop_unused_ids(self) -> None:
        """Delete the ids that no node and no edge uses."""
        used = (("id", "nodes"), ("owner", "nodes"), ("source", "edges"), ("target", "edges"), ("owner", "edges"))
        left = "".join(f" EXCEPT SELECT {column} FROM {table}" for column, table in used)  # noqa: S608
        with self._file.transaction() as connection:
            connection.execute(f"DELETE FROM ids WHERE number IN (SELECT number FROM ids{left})")  # noqa: S608

    def close(self) -> None:
        self._file.close()


def _node(row: Sequence[object]) -> Node:
    id, kind, owner, properties = row
    return Node(str(id), NodeKind(str(kind)), str(owner), _properties(properties))


def _edge(row: Sequence[object]) -> Edge:
    source, kind, target, owner, key, properties = row
    return Edge(str(source), EdgeKind(str(kind)), str(target), str(owner), str(key), _properties(properties))


def _readable(row: Sequence[object], read: Callable[[Sequence[object]], _Item]) -> _Item:
    try:
        return read(row)
    except ValueError as error:
        raise _damaged(str(row[0])) from error


def _damaged(id: str) -> StoreMismatch:
    return StoreMismatch("a row of the graph is damaged", ids=(id,), hint="`strata fsck --repair` writes it again")


def _properties(data: object) -> dict[str, PropertyValue]:
    return decode(data if isinstance(data, bytes) else str(data), dict[str, PropertyValue])


def _numbers(connection: sqlite3.Connection, rows: SubgraphRows) -> dict[str, int]:
    """Return the numbers of all ids in a subgraph; new ones are consecutive, so that its rows are stored together."""
    ids = dict.fromkeys((rows.owner, *(node.id for node in rows.nodes)))
    ids |= dict.fromkeys(end for edge in rows.edges for end in (edge.source, edge.target))
    values = (json.dumps(list(ids)),)
    connection.execute("INSERT OR IGNORE INTO ids (id) SELECT value FROM json_each(?)", values)
    return dict(connection.execute(f"SELECT id, number FROM ids WHERE id IN {_AMONG}", values))  # noqa: S608


def _where(filters: Mapping[str, Collection[str] | None]) -> tuple[str, tuple[str, ...]]:
    """Return the WHERE clause, and its values, for columns that must have one of these values; None is no condition."""
    wanted = {column: sorted(values) for column, values in filters.items() if values is not None}
    clause = " AND ".join(f"{column} IN {_AMONG}" for column in wanted)
    return f" WHERE {clause}" if clause else "", tuple(json.dumps(values) for values in wanted.values())


def _replace(
    connection: sqlite3.Connection,
    table: str,
    key: tuple[str, ...],
    owner: int,
    rows: Mapping[_Place, _Values],
    unused: int,
) -> None:
    """Replace an owner's rows by `rows`; there are no rows whose key begins with `unused` or a higher number."""
    held = {
        tuple(row[:-1]): row[-1]
        for row in connection.execute(f"SELECT {', '.join(key)}, hash FROM {table} WHERE owner = ?", (owner,))  # noqa: S608
    }
    changed = [place for place in rows if held.get(place) != rows[place][-1]]
    # Rows of other owners with the same keys are replaced too: the last writer wins.
    taken = [place for place in changed if int(place[0]) < unused]
    _delete(connection, table, key, [place for place in held if place not in rows] + taken)
    marks = ", ".join("?" * (5 if table == "nodes" else 7))
    added = ((*place, *rows[place]) for place in changed)
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", added)  # noqa: S608
    _adjust(connection, owner, added=[cast("bytes", rows[place][-1]) for place in changed])


def _delete(connection: sqlite3.Connection, table: str, key: tuple[str, ...], places: Sequence[_Place]) -> None:
    if not places:
        return
    if table == "nodes":
        among, values = f"id IN {_AMONG}", json.dumps([place[0] for place in places])
    else:
        among, values = f"({', '.join(key)}) IN {_EDGES_AMONG}", json.dumps(list(places))
    taken: dict[int, list[bytes]] = {}
    for owner, hash in connection.execute(f"DELETE FROM {table} WHERE {among} RETURNING owner, hash", (values,)):  # noqa: S608
        taken.setdefault(owner, []).append(hash)
    for owner, hashes in taken.items():
        _adjust(connection, owner, removed=hashes)


def _adjust(
    connection: sqlite3.Connection, owner: int, added: Iterable[bytes] = (), removed: Iterable[bytes] = ()
) -> None:
    row = connection.execute("SELECT digest FROM owners WHERE owner = ?", (owner,)).fetchone()
    # A damaged digest stays a wrong one, which `strata fsck` finds.
    digest = adjusted(row[0] if row and _DIGEST.fullmatch(str(row[0])) else EMPTY, added, removed)
    if digest == EMPTY:
        connection.execute("DELETE FROM owners WHERE owner = ?", (owner,))
    else:
        connection.execute("INSERT OR REPLACE INTO owners VALUES (?, ?)", (owner, digest))
