"""Writing one owner's nodes and edges to Neo4j: made at once where the owner is new, else compared and mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pipelines.core.graph import Edge, EdgeKind, Node, Subgraph
from pipelines.store.digest import subgraph_digest
from pipelines.store.neo4j import statements
from pipelines.store.neo4j.connection import Connection, Transaction
from pipelines.store.neo4j.errors import Occupied
from pipelines.store.neo4j.records import hash_text
from pipelines.store.neo4j.schema import BASE, OWNER, labels_of
from pipelines.store.neo4j.statements import UNFINISHED, Place

T = TypeVar("T")
Step = Callable[[Transaction], None]

BATCH = 5000
"""Rows of one statement."""
AT_ONCE = 20_000
"""Nodes and edges up to which an owner is written in one transaction."""


@dataclass(frozen=True, slots=True)
class _Content:
    """A subgraph without repetitions, in the order in which it is written."""

    owner: str
    digest: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @staticmethod
    def of(subgraph: Subgraph) -> _Content:
        nodes = {node.id: node for node in subgraph.nodes}
        edges = {place(edge): edge for edge in subgraph.edges}
        return _Content(
            subgraph.owner,
            subgraph_digest(subgraph),
            tuple(sorted(nodes.values(), key=lambda node: (labels_of(node), node.id))),
            tuple(sorted(edges.values(), key=lambda edge: (edge.kind.value, edge.target, edge.source, edge.key))),
        )

    def foreign_ends(self, edges: Iterable[Edge]) -> list[str]:
        """The ends of these edges that are not among the nodes, in order."""
        own = {node.id for node in self.nodes}
        return sorted({end for edge in edges for end in (edge.source, edge.target)} - own)


def place(edge: Edge) -> Place:
    return edge.source, edge.kind.value, edge.target, edge.key


class Writer:
    """Writes into one knowledge base of a Neo4j."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    def write(self, subgraph: Subgraph, afresh: bool) -> None:
        """Make what Neo4j holds of the owner equal to `subgraph`.

        With `afresh`, an owner that is not known yet is written without looking for what is there. That must not be
        repeated after a broken connection, which leaves open what has landed.
        """
        content = _Content.of(subgraph)
        if afresh and not self._is_known(content.owner):
            try:
                self._run(content, self._creation(content))
            except Occupied:  # another owner's node, or a place that edges lead to already
                self._run(content, self._mending(content))
        else:
            self._run(content, self._mending(content))

    def remove(self, owner: str) -> None:
        """Remove all that `owner` has, and the edges of others at its nodes."""
        self._connection.write(lambda transaction: statements.delete_owner(transaction, self._kb, owner))

    def _is_known(self, owner: str) -> bool:
        found = f"MATCH (o:{OWNER} {{kb: $kb, owner: $owner}}) RETURN 1 AS one"
        return bool(list(self._connection.read(found, kb=self._kb, owner=owner)))

    def _creation(self, content: _Content) -> Iterator[Step]:
        """Nodes first: the constraint refuses one that is there, and with that the whole way of writing."""
        kb = self._kb
        own = {node.id for node in content.nodes}
        yield from _steps(content.nodes, lambda t, rows: statements.create_nodes(t, kb, rows))
        yield from _steps(content.foreign_ends(content.edges), lambda t, ids: statements.hold_places(t, kb, ids))
        firm = [edge for edge in content.edges if edge.source in own]
        yield from _steps(firm, lambda t, rows: statements.create_edges(t, kb, rows))
        loose = [edge for edge in content.edges if edge.source not in own]  # another owner may have the same
        yield from _steps(loose, lambda t, rows: statements.put_edges(t, kb, rows))

    def _mending(self, content: _Content) -> Iterator[Step]:
        kb, owner = self._kb, content.owner
        held_nodes, held_edges = self._held_nodes(owner), self._held_edges(owner)
        gone_edges = sorted(held_edges.keys() - {place(edge) for edge in content.edges})
        gone_nodes = sorted(held_nodes.keys() - {node.id for node in content.nodes})
        nodes = [node for node in content.nodes if held_nodes.get(node.id) != hash_text(node)]
        edges = [edge for edge in content.edges if held_edges.get(place(edge)) != hash_text(edge)]
        yield from _steps(gone_edges, lambda t, rows: statements.delete_edges(t, kb, owner, rows))
        yield from _steps(gone_nodes, lambda t, ids: statements.delete_nodes(t, kb, owner, ids))
        yield from _steps(nodes, lambda t, rows: statements.put_nodes(t, kb, owner, rows))
        yield from _steps(content.foreign_ends(edges), lambda t, ids: statements.hold_places(t, kb, ids))
        yield from _steps(edges, lambda t, rows: statements.put_edges(t, kb, rows))
        yield lambda t: statements.drop_unused_places(t, kb)

    def _run(self, content: _Content, steps: Iterable[Step]) -> None:
        """Take the steps in one transaction; where they are many in one each, the owner marked as unfinished."""

        def note(digest: str) -> Step:
            return lambda t: statements.set_digest(t, self._kb, content.owner, digest)

        todo = list(steps)
        if len(content.nodes) + len(content.edges) <= AT_ONCE:
            return self._connection.write(lambda t: _take(t, [*todo, note(content.digest)]))
        for step in (note(UNFINISHED), *todo, note(content.digest)):
            self._connection.write(step)
        return None

    def _held_nodes(self, owner: str) -> dict[str, str]:
        statement = f"MATCH (n:{BASE} {{kb: $kb, owner: $owner}}) RETURN n.id AS id, n.hash AS hash"
        rows = self._connection.read(statement, kb=self._kb, owner=owner)
        return {str(row["id"]): str(row["hash"]) for row in rows}

    def _held_edges(self, owner: str) -> dict[Place, str]:
        told = "RETURN a.id AS source, type(r) AS kind, b.id AS target, r.key AS key, r.hash AS hash"
        statement = " UNION ALL ".join(f"{statements.owned_edges(kind)} {told}" for kind in EdgeKind)
        rows = self._connection.read(statement, kb=self._kb, owner=owner)
        return {
            (str(row["source"]), str(row["kind"]), str(row["target"]), str(row["key"])): str(row["hash"])
            for row in rows
        }


def _steps(rows: Sequence[T], work: Callable[[Transaction, Sequence[T]], None]) -> Iterator[Step]:
    def on(batch: Sequence[T]) -> Step:
        return lambda transaction: work(transaction, batch)

    for start in range(0, len(rows), BATCH):
        yield on(rows[start : start + BATCH])


def _take(transaction: Transaction, steps: Iterable[Step]) -> None:
    for step in steps:
        step(transaction)
