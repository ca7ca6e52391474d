"""Writing one owner's nodes and edges to Neo4j: made at once where the owner is new, else compared and mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from pipelines.core.graph import Edge, EdgeKind, Node, Subgraph
from pipelines.store.graph import EMPTY, adjusted, item_hash
from pipelines.store.neo4j import write_statements
from pipelines.store.neo4j.connection import Connection, Occupied, Transaction
from pipelines.store.neo4j.schema import BASE, UNFINISHED, HashedItem, labels_of
from pipelines.store.neo4j.write_statements import EdgePlace

T = TypeVar("T")
WriteStep = Callable[[Transaction], None]
WritePhase = Sequence[WriteStep]
"""Steps that may be taken in any order, or at the same time."""

BATCH = 5000
"""Rows of one statement."""
AT_ONCE = 20_000
"""Nodes and edges up to which an owner is written in one transaction."""
STEPS_AT_A_TIME = 3


@dataclass(frozen=True, slots=True)
class _SortedSubgraph:
    """A subgraph without repetitions, in the order in which it is written."""

    owner: str
    digest: str
    nodes: tuple[HashedItem[Node], ...]
    edges: tuple[HashedItem[Edge], ...]
    own: frozenset[str]
    """The ids of the nodes."""

    @staticmethod
    def of(subgraph: Subgraph) -> _SortedSubgraph:
        nodes = {node.id: node for node in subgraph.nodes}
        edges = {place(edge): edge for edge in subgraph.edges}
        # Edges by target: what documents share are the ends of their edges, and locks are taken in this order.
        places = sorted(edges, key=lambda at: (at[1], at[2], at[0], at[3]))
        hashed_nodes = [HashedItem(node, item_hash(node)) for _, _, node in sorted(map(_by_label, nodes.values()))]
        hashed_edges = [HashedItem(edges[at], item_hash(edges[at])) for at in places]
        digest = adjusted(EMPTY, [one.hash for one in hashed_nodes])
        digest = adjusted(digest, [one.hash for one in hashed_edges])
        return _SortedSubgraph(subgraph.owner, digest, tuple(hashed_nodes), tuple(hashed_edges), frozenset(nodes))

    def foreign_ends(self, places: Iterable[EdgePlace]) -> list[str]:
        """The ends of edges at these places that are not among the nodes, in order."""
        return sorted({end for source, _, target, _ in places for end in (source, target)} - self.own)


def _by_label(node: Node) -> tuple[tuple[str, ...], str, Node]:
    return labels_of(node), node.id, node


def place(edge: Edge) -> EdgePlace:
    return edge.source, edge.kind.value, edge.target, edge.key


class Neo4jWriter:
    """Writes into one knowledge base of a Neo4j."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    def write(self, subgraph: Subgraph, afresh: bool) -> None:
        """Make what Neo4j holds of the owner equal to `subgraph`.

        With `afresh`, an owner that is not known yet is written without looking for what is there. That must not be
        repeated after a broken connection, which leaves open what has landed.
        """
        content = _SortedSubgraph.of(subgraph)
        if afresh and not self._is_known(content.owner):
            try:
                self._run(content, self._creation(content))
            except Occupied:  # another owner's node, or a place that edges lead to already
                self._mend(content)
        else:
            self._mend(content)

    def remove(self, owner: str) -> None:
        """Remove all that `owner` has, and the edges of others at its nodes."""
        self._connection.write(lambda transaction: write_statements.delete_owner(transaction, self._kb, owner))
        self._drop_unused_places()

    def _mend(self, content: _SortedSubgraph) -> None:
        self._run(content, self._mending(content))
        self._drop_unused_places()

    def _drop_unused_places(self) -> None:
        """In a transaction of its own, which holds no other locks. A place that stays is seen by nobody."""
        self._connection.write(lambda transaction: write_statements.drop_unused_places(transaction, self._kb))

    def _is_known(self, owner: str) -> bool:
        return bool(list(self._connection.read(write_statements.DIGEST, kb=self._kb, owner=owner)))

    def _creation(self, content: _SortedSubgraph) -> list[WritePhase]:
        """Nodes first: the constraint refuses one that is there, and with that the whole way of writing."""
        kb, own = self._kb, content.own
        firm = [edge for edge in content.edges if edge.item.source in own]
        loose = [edge for edge in content.edges if edge.item.source not in own]  # another owner may have the same
        return [
            _steps(content.nodes, lambda t, rows: write_statements.create_nodes(t, kb, rows)),
            _steps(
                content.foreign_ends(place(edge.item) for edge in content.edges),
                lambda t, ids: write_statements.hold_places(t, kb, ids),
            ),
            *_in_turn(_steps(firm, lambda t, rows: write_statements.create_edges(t, kb, rows))),
            *_in_turn(_steps(loose, lambda t, rows: write_statements.put_edges(t, kb, rows))),
        ]

    def _mending(self, content: _SortedSubgraph) -> list[WritePhase]:
        kb, owner = self._kb, content.owner
        held_nodes, held_edges = self._held_nodes(owner), self._held_edges(owner)
        gone_edges = sorted(held_edges.keys() - {place(edge.item) for edge in content.edges})
        gone_nodes = sorted(held_nodes.keys() - content.own)
        nodes = [node for node in content.nodes if held_nodes.get(node.item.id) != node.text]
        edges = [edge for edge in content.edges if held_edges.get(place(edge.item)) != edge.text]
        touched = [*gone_edges, *(place(edge.item) for edge in edges)]
        return [
            _steps(content.foreign_ends(touched), lambda t, ids: write_statements.hold_places(t, kb, ids)),
            *_in_turn(_steps(gone_edges, lambda t, rows: write_statements.delete_edges(t, kb, owner, rows))),
            *_in_turn(_steps(gone_nodes, lambda t, ids: write_statements.delete_nodes(t, kb, owner, ids))),
            _steps(nodes, lambda t, rows: write_statements.put_nodes(t, kb, owner, rows)),
            *_in_turn(_steps(edges, lambda t, rows: write_statements.put_edges(t, kb, rows))),
        ]

    def _run(self, content: _SortedSubgraph, phases: Sequence[WritePhase]) -> None:
        """Take the steps in one transaction; where they are many in one each, the owner marked as unfinished.

        Then some steps of a phase run at a time: the server works on one while the next is put together.
        """

        def note(digest: str) -> WriteStep:
            return lambda t: write_statements.set_digest(t, self._kb, content.owner, digest)

        if len(content.nodes) + len(content.edges) <= AT_ONCE:
            steps = [step for phase in phases for step in phase]
            self._connection.write(lambda t: _take(t, [*steps, note(content.digest)]))
            return
        self._connection.write(note(UNFINISHED))
        with ThreadPoolExecutor(STEPS_AT_A_TIME) as pool:
            for phase in phases:
                list(pool.map(self._connection.write, phase))
        self._connection.write(note(content.digest))

    def _held_nodes(self, owner: str) -> dict[str, str]:
        statement = f"MATCH (n:{BASE} {{kb: $kb, owner: $owner}}) RETURN n.id AS id, n.hash AS hash"
        rows = self._connection.read(statement, kb=self._kb, owner=owner)
        return {str(row["id"]): str(row["hash"]) for row in rows}

    def _held_edges(self, owner: str) -> dict[EdgePlace, str]:
        told = "RETURN a.id AS source, type(r) AS kind, b.id AS target, r.key AS key, r.hash AS hash"
        statement = " UNION ALL ".join(f"{write_statements.owned_edges(kind)} {told}" for kind in EdgeKind)
        rows = self._connection.read(statement, kb=self._kb, owner=owner)
        return {
            (str(row["source"]), str(row["kind"]), str(row["target"]), str(row["key"])): str(row["hash"])
            for row in rows
        }


def _steps(rows: Sequence[T], work: Callable[[Transaction, Sequence[T]], None]) -> WritePhase:
    def on(batch: Sequence[T]) -> WriteStep:
        return lambda transaction: work(transaction, batch)

    return [on(rows[start : start + BATCH]) for start in range(0, len(rows), BATCH)]


def _in_turn(steps: WritePhase) -> Iterator[WritePhase]:
    """Steps that touch the same nodes' edges wait for one another's locks: one after the other."""
    return ([step] for step in steps)


def _take(transaction: Transaction, steps: Iterable[WriteStep]) -> None:
    for step in steps:
        step(transaction)
