"""Writes the nodes and edges of an owner to Neo4j: all of them if the owner is new, otherwise the differences."""

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
"""Steps that may run in any order, or concurrently."""

BATCH = 5000
"""Rows in a statement."""
AT_ONCE = 20_000
"""Maximum nodes and edges of an owner that are written in one transaction."""
STEPS_AT_A_TIME = 3


@dataclass(frozen=True, slots=True)
class _SortedSubgraph:
    """A subgraph without duplicates, in the order of writing."""

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
        # Edges by target, because documents share the targets of their edges, and locks are taken in this order.
        places = sorted(edges, key=lambda at: (at[1], at[2], at[0], at[3]))
        hashed_nodes = [HashedItem(node, item_hash(node)) for _, _, node in sorted(map(_by_label, nodes.values()))]
        hashed_edges = [HashedItem(edges[at], item_hash(edges[at])) for at in places]
        digest = adjusted(EMPTY, [one.hash for one in hashed_nodes])
        digest = adjusted(digest, [one.hash for one in hashed_edges])
        return _SortedSubgraph(subgraph.owner, digest, tuple(hashed_nodes), tuple(hashed_edges), frozenset(nodes))

    def foreign_ends(self, places: Iterable[EdgePlace]) -> list[str]:
        """Return the sorted ends of these edges that are not nodes of the subgraph."""
        return sorted({end for source, _, target, _ in places for end in (source, target)} - self.own)


def _by_label(node: Node) -> tuple[tuple[str, ...], str, Node]:
    return labels_of(node), node.id, node


def place(edge: Edge) -> EdgePlace:
    return edge.source, edge.kind.value, edge.target, edge.key


class Neo4jWriter:
    """Writes to a knowledge base in Neo4j."""

    def __init__(self, connection: Connection, kb: str) -> None:
        self._connection = connection
        self._kb = kb

    def write(self, subgraph: Subgraph, afresh: bool) -> None:
        """Replace the nodes and edges of the owner by `subgraph`.

        With `afresh`, a new owner is written without reading existing data. After a broken connection this must not be
        repeated, because it is unknown what was committed.
        """
        content = _SortedSubgraph.of(subgraph)
        if afresh and not self._is_known(content.owner):
            try:
                self._run(content, self._creation(content))
            except Occupied:  # by a node of another owner, or by a placeholder
                self._update(content)
        else:
            self._update(content)

    def remove(self, owner: str) -> None:
        """Remove all nodes and edges of `owner`, and the edges of others at its nodes."""
        self._connection.write(lambda transaction: write_statements.delete_owner(transaction, self._kb, owner))
        self._drop_unused_placeholders()

    def _update(self, content: _SortedSubgraph) -> None:
        self._run(content, self._differences(content))
        self._drop_unused_placeholders()

    def _drop_unused_placeholders(self) -> None:
        """Delete unused placeholders in a separate transaction, which holds no other locks."""
        self._connection.write(lambda transaction: write_statements.drop_unused_placeholders(transaction, self._kb))

    def _is_known(self, owner: str) -> bool:
        return bool(list(self._connection.read(write_statements.DIGEST, kb=self._kb, owner=owner)))

    def _creation(self, content: _SortedSubgraph) -> list[WritePhase]:
        """Return the phases for a new owner, nodes first: if one exists, the constraint raises `Occupied`."""
        kb, own = self._kb, content.own
        new = [edge for edge in content.edges if edge.item.source in own]
        others = [edge for edge in content.edges if edge.item.source not in own]  # may exist with another owner
        return [
            _steps(content.nodes, lambda t, rows: write_statements.create_nodes(t, kb, rows)),
            _steps(
                content.foreign_ends(place(edge.item) for edge in content.edges),
                lambda t, ids: write_statements.lock_ends(t, kb, ids),
            ),
            *_in_turn(_steps(new, lambda t, rows: write_statements.create_edges(t, kb, rows))),
            *_in_turn(_steps(others, lambda t, rows: write_statements.put_edges(t, kb, rows))),
        ]

    def _differences(self, content: _SortedSubgraph) -> list[WritePhase]:
        """Return the phases that write the differences to the existing nodes and edges."""
        kb, owner = self._kb, content.owner
        held_nodes, held_edges = self._held_nodes(owner), self._held_edges(owner)
        gone_edges = sorted(held_edges.keys() - {place(edge.item) for edge in content.edges})
        gone_nodes = sorted(held_nodes.keys() - content.own)
        nodes = [node for node in content.nodes if held_nodes.get(node.item.id) != node.text]
        edges = [edge for edge in content.edges if held_edges.get(place(edge.item)) != edge.text]
        touched = [*gone_edges, *(place(edge.item) for edge in edges)]
        return [
            _steps(content.foreign_ends(touched), lambda t, ids: write_statements.lock_ends(t, kb, ids)),
            *_in_turn(_steps(gone_edges, lambda t, rows: write_statements.delete_edges(t, kb, owner, rows))),
            *_in_turn(_steps(gone_nodes, lambda t, ids: write_statements.delete_nodes(t, kb, owner, ids))),
            _steps(nodes, lambda t, rows: write_statements.put_nodes(t, kb, owner, rows)),
            *_in_turn(_steps(edges, lambda t, rows: write_statements.put_edges(t, kb, rows))),
        ]

    def _run(self, content: _SortedSubgraph, phases: Sequence[WritePhase]) -> None:
        """Run the steps in one transaction; if there are many, one transaction each, with the owner marked unfinished.

        In this case several steps of a phase run concurrently, so that the server works while the next is prepared.
        """

        def note(digest: str) -> WriteStep:
            return lambda t: write_statements.set_digest(t, self._kb, content.owner, digest)

        if len(content.nodes) + len(content.edges) <= AT_ONCE:
            steps = [step for phase in phases for step in phase]
            self._connection.write(lambda t: _run_all(t, [*steps, note(content.digest)]))
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
        result = "RETURN a.id AS source, type(r) AS kind, b.id AS target, r.key AS key, r.hash AS hash"
        statement = " UNION ALL ".join(f"{write_statements.owned_edges(kind)} {result}" for kind in EdgeKind)
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
    """Return a phase for each step, because steps that lock the same nodes would wait for each other."""
    return ([step] for step in steps)


def _run_all(transaction: Transaction, steps: Iterable[WriteStep]) -> None:
    for step in steps:
        step(transaction)
