"""The graph store in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Self

from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.neo4j.connection import Connection, Neo4jAddress, Parameter, ResultRow
from pipelines.store.neo4j.schema import BASE, PENDING, migrate, read_edge, read_node
from pipelines.store.neo4j.write_statements import DIGESTS, owned_edges
from pipelines.store.neo4j.writer import Neo4jWriter

_IDS = 1000
"""Ids looked up by one statement."""
_EDGE = "RETURN a.id AS source, type(r) AS kind, b.id AS target, properties(r) AS properties"


PATIENCE = 120.0
"""Seconds to wait for a server that stops answering during a write."""


class Neo4jStore:
    """See `GraphStore`. A Neo4j server can have several knowledge bases, separated by the property `kb` of their nodes.

    Several threads and processes may write. If the server stops answering, writes wait for it for up to `patience`
    seconds, and then compare the data with what was committed.
    """

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb
        self._writer = Neo4jWriter(connection, kb)

    @classmethod
    def open(cls, address: Neo4jAddress, kb: str, patience: float = PATIENCE) -> Self:
        """Connect, and update constraints and indexes.

        Raises `StoreUnavailable` if no server answers (without waiting for `patience`), `StoreMismatch` if the database
        is of a later version, `StoreError` if the password is wrong.
        """
        connection = Connection(address, patience)
        try:
            migrate(connection, kb)
        except BaseException:
            connection.close()
            raise
        return cls(connection, kb)

    def write(self, subgraph: Subgraph) -> None:
        self._connection.patiently(lambda number: self._writer.write(subgraph, afresh=number == 0))

    def remove(self, owner: str) -> None:
        self._connection.patiently(lambda number: self._writer.remove(owner))

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        conditions = f"AND NOT n:{PENDING}"
        if kinds:
            conditions += " AND (" + " OR ".join(f"n:{kind.value}" for kind in NodeKind if kind in kinds) + ")"
        parameters: dict[str, Parameter] = {"kb": self._kb}
        if owner is not None:
            conditions += " AND n.owner = $owner"
            parameters["owner"] = owner
        rest = f"{conditions} RETURN labels(n) AS labels, properties(n) AS properties ORDER BY n.id"
        if ids is None:
            # With a lower bound for the id, the index on (kb, id) returns the nodes in order.
            where = "n.kb = $kb AND n.id >= ''" if owner is None else "n.kb = $kb"
            rows = self._connection.read(f"MATCH (n:{BASE}) WHERE {where} {rest}", **parameters)
            yield from map(read_node, rows)
            return
        for some in _batches(ids):
            statement = f"MATCH (n:{BASE}) WHERE n.kb = $kb AND n.id IN $ids {rest}"
            yield from map(read_node, self._connection.read(statement, ids=some, **parameters))

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        wanted = [kind for kind in EdgeKind if kind in kinds] or list(EdgeKind)
        if owner is not None:
            yield from self._of_owner(wanted, sources, targets, owner)
        elif sources is not None:
            within = None if targets is None else frozenset(targets)
            for some in _batches(sources):
                found = self._at("a", wanted, some)
                yield from _ordered(edge for edge in found if within is None or edge.target in within)
        elif targets is not None:
            found = (edge for some in _batches(targets) for edge in self._at("b", wanted, some))
            yield from _ordered(found)
        else:
            yield from self._all(wanted)

    def _at(self, end: str, kinds: Sequence[EdgeKind], ids: Sequence[str]) -> Iterator[Edge]:
        """Yield the edges of these kinds whose end `a` (source) or `b` (target) is one of `ids`."""
        types = "|".join(kind.value for kind in kinds)
        statement = f"MATCH ({end}:{BASE}) WHERE {end}.kb = $kb AND {end}.id IN $ids MATCH (a)-[r:{types}]->(b) {_EDGE}"
        yield from map(read_edge, self._connection.read(statement, kb=self._kb, ids=ids))

    def _of_owner(
        self,
        kinds: Sequence[EdgeKind],
        sources: Collection[str] | None,
        targets: Collection[str] | None,
        owner: str,
    ) -> Iterator[Edge]:
        statement = " UNION ALL ".join(f"{owned_edges(kind)} {_EDGE}" for kind in kinds)
        found = map(read_edge, self._connection.read(statement, kb=self._kb, owner=owner))
        ends = [None if ends is None else frozenset(ends) for ends in (sources, targets)]
        yield from _ordered(
            edge
            for edge in found
            if (ends[0] is None or edge.source in ends[0]) and (ends[1] is None or edge.target in ends[1])
        )

    def _all(self, kinds: Sequence[EdgeKind]) -> Iterator[Edge]:
        """Yield all edges; the server sorts them by source with an index, so only those of a source are sorted here."""
        types = "|".join(kind.value for kind in kinds)
        statement = (
            f"MATCH (a:{BASE}) WHERE a.kb = $kb AND a.id >= '' WITH a ORDER BY a.id MATCH (a)-[r:{types}]->(b) {_EDGE}"
        )
        rows = self._connection.read(statement, kb=self._kb)
        for _, group in groupby(map(read_edge, rows), key=lambda edge: edge.source):
            yield from _ordered(group)

    def owners(self) -> Mapping[str, str]:
        rows = self._connection.patiently(lambda number: list(self._connection.read(DIGESTS, kb=self._kb)))
        digests = {str(row["owner"]): str(row["digest"]) for row in sorted(rows, key=lambda row: str(row["place"]))}
        return dict(sorted(digests.items()))

    def query(self, statement: str, **parameters: Parameter) -> Iterator[ResultRow]:
        """Yield the rows of a read-only statement; `$kb` is the name of this knowledge base."""
        return self._connection.read(statement, kb=self._kb, **parameters)

    def close(self) -> None:
        self._connection.close()


def _ordered(edges: Iterator[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: (edge.source, edge.kind.value, edge.target, edge.key))


def _batches(ids: Collection[str]) -> Iterator[list[str]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), _IDS):
        yield ordered[start : start + _IDS]
