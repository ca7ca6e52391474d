"""The graph store in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Self

from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.neo4j.connection import Connection, Neo4jAddress, Parameter, Row
from pipelines.store.neo4j.reader import Neo4jReader
from pipelines.store.neo4j.schema import migrate
from pipelines.store.neo4j.write_statements import DIGESTS
from pipelines.store.neo4j.writer import Neo4jWriter

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

    def query(self, statement: str, **parameters: Parameter) -> Iterator[Row]:
        """Yield the rows of a statement that only reads; `$kb` is this knowledge base."""
        return self._connection.read(statement, kb=self._kb, **parameters)

    def close(self) -> None:
        self._connection.close()
