"""The graph store in Neo4j; it reads nodes and edges in the order that the protocol promises."""

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
_EDGE = "RETURN a.id AS source, type(r) AS kind, b.id AS target, properties(r) AS told"


class Neo4jReader:
    """Reads one knowledge base of a Neo4j."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    def nodes(self, kinds: Collection[NodeKind], ids: Collection[str] | None, owner: str | None) -> Iterator[Node]:
        among = " AND (" + " OR ".join(f"n:{kind.value}" for kind in NodeKind if kind in kinds) + ")" if kinds else ""
        of = " AND n.owner = $owner" if owner is not None else ""
        told = f" AND NOT n:{PENDING}{among}{of} RETURN labels(n) AS labels, properties(n) AS told ORDER BY n.id"
        of_owner: dict[str, Parameter] = {"kb": self._kb} if owner is None else {"kb": self._kb, "owner": owner}
        if ids is None:
            # The index on (kb, id) gives them in order when the id is asked to be above something.
            where = "n.kb = $kb AND n.id >= ''" if owner is None else "n.kb = $kb"
            rows = self._connection.read(f"MATCH (n:{BASE}) WHERE {where}{told}", **of_owner)
            yield from map(read_node, rows)
            return
        for some in _batches(ids):
            statement = f"MATCH (n:{BASE}) WHERE n.kb = $kb AND n.id IN $ids{told}"
            yield from map(read_node, self._connection.read(statement, ids=some, **of_owner))

    def edges(
        self,
        kinds: Collection[EdgeKind],
        sources: Collection[str] | None,
        targets: Collection[str] | None,
        owner: str | None,
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
        """The edges of these kinds that have one of `ids` at their end `a` (source) or `b` (target)."""
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
        """All edges: the server gives them by source, in the index's order, what is left to sort is small."""
        types = "|".join(kind.value for kind in kinds)
        statement = (
            f"MATCH (a:{BASE}) WHERE a.kb = $kb AND a.id >= '' WITH a ORDER BY a.id MATCH (a)-[r:{types}]->(b) {_EDGE}"
        )
        rows = self._connection.read(statement, kb=self._kb)
        for _, group in groupby(map(read_edge, rows), key=lambda edge: edge.source):
            yield from _ordered(group)


def _ordered(edges: Iterator[Edge]) -> list[Edge]:
    return sorted(edges, key=lambda edge: (edge.source, edge.kind.value, edge.target, edge.key))


def _batches(ids: Collection[str]) -> Iterator[list[str]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), _IDS):
        yield ordered[start : start + _IDS]


PATIENCE = 120.0
"""Seconds to wait for a server that went away while it was written to."""


class Neo4jStore:
    """See `GraphStore`. One Neo4j holds many knowledge bases, apart by the property `kb` of their nodes.

    Writing is safe from many threads and processes. A server that goes away and comes back within `patience` is
    waited for; what was being written is then compared with what has landed.
    """

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb
        self._writer = Neo4jWriter(connection, kb)
        self._reader = Neo4jReader(connection, kb)

    @classmethod
    def open(cls, address: Neo4jAddress, kb: str, patience: float = PATIENCE) -> Self:
        """Connect, and bring constraints and indexes up to date.

        Raises `StoreUnavailable` where no server answers (at once: patience is for one that was there),
        `StoreMismatch` where a later version wrote, `StoreError` where the password is wrong.
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
        return self._reader.nodes(kinds, ids, owner)

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        return self._reader.edges(kinds, sources, targets, owner)

    def owners(self) -> Mapping[str, str]:
        rows = self._connection.patiently(lambda number: list(self._connection.read(DIGESTS, kb=self._kb)))
        noted = {str(row["owner"]): str(row["digest"]) for row in sorted(rows, key=lambda row: str(row["place"]))}
        return dict(sorted(noted.items()))

    def query(self, statement: str, **parameters: Parameter) -> Iterator[ResultRow]:
        """Yield the rows of a statement that only reads; `$kb` is this knowledge base."""
        return self._connection.read(statement, kb=self._kb, **parameters)

    def close(self) -> None:
        self._connection.close()
