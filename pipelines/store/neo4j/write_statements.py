"""The statements that write: labels and types come from the schema's lists alone, every value is a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from pipelines.core.graph import Edge, EdgeKind, Node
from pipelines.store.graph import EMPTY, adjusted
from pipelines.store.neo4j.connection import ResultRow, Transaction
from pipelines.store.neo4j.schema import (
    BASE,
    LABELS,
    PENDING,
    ROOT,
    UNFINISHED,
    HashedItem,
    edge_row,
    labels_of,
    node_row,
    read_hash,
)

EdgePlace = tuple[str, str, str, str]
"""Source, kind, target and key of an edge."""

_ENDS = f"MATCH (a:{BASE} {{kb: $kb, id: row.source}}) MATCH (b:{BASE} {{kb: $kb, id: row.target}})"
_ANY_EDGE = "|".join(kind.value for kind in EdgeKind)

# An owner's digest stands on its document's node; that of others, and of one that is being written, on the root, in a
# list of "digest owner". Where there are both the root has it right.
_OWNER_OF = "substring(one, size(split(one, ' ')[0]) + 1)"
_NOTED = f"MATCH (k:{ROOT} {{kb: $kb}}) UNWIND k.digests AS one WITH {_OWNER_OF} AS owner, split(one, ' ')[0] AS digest"
_DOCUMENT = f"MATCH (n:{BASE} {{kb: $kb, id: $owner}}) WHERE n:Document AND n.owner = $owner"
DIGEST = (
    f"{_DOCUMENT} AND n.owner_digest IS NOT NULL RETURN 1 AS place, n.owner_digest AS digest UNION ALL"
    f" {_NOTED} WHERE owner = $owner RETURN 2 AS place, digest"
)
"""The digest of an owner: at most a row for each of its two places, the one with the higher number counts."""
DIGESTS = (
    "MATCH (n:Document {kb: $kb}) WHERE n.owner_digest IS NOT NULL"
    " RETURN 1 AS place, n.id AS owner, n.owner_digest AS digest UNION ALL"
    f" {_NOTED} RETURN 2 AS place, owner, digest"
)
"""The digests of all owners, likewise."""


def owned_edges(kind: EdgeKind) -> str:
    """Return the clause that matches the edges (a)-[r]->(b) of one kind that `$owner` has."""
    return f"MATCH (a:{BASE})-[r:{kind.value}]->(b:{BASE}) WHERE r.owner = $owner AND a.kb = $kb"


def create_nodes(transaction: Transaction, kb: str, nodes: Iterable[HashedItem[Node]]) -> None:
    """Make nodes that are not there; fails on one that is."""
    for labels, group in _by_labels(nodes):
        rows = [node_row(node, kb) for node in group]
        transaction.send(f"UNWIND $rows AS row CREATE (n:{BASE}:{':'.join(labels)}) SET n = row", rows=rows)


def put_nodes(transaction: Transaction, kb: str, owner: str, nodes: Iterable[HashedItem[Node]]) -> None:
    """Make nodes, or make those that are there equal to them, whoever had them."""
    for labels, group in _by_labels(nodes):
        others = ":".join(sorted(LABELS - set(labels)))
        statement = (
            f"UNWIND $rows AS row MERGE (n:{BASE} {{kb: $kb, id: row.id}})"
            " WITH n, row, n.owner AS owner, n.hash AS hash"
            f" SET n = row SET n:{':'.join(labels)} REMOVE n:{others}"
            " WITH owner, hash WHERE owner <> $owner RETURN owner, hash"
        )
        rows = [node_row(node, kb) for node in group]
        take(transaction, kb, transaction.run(statement, rows=rows, kb=kb, owner=owner))


def delete_nodes(transaction: Transaction, kb: str, owner: str, ids: Sequence[str]) -> None:
    """Remove nodes; where edges of others still lead, an empty place stays."""
    transaction.run(
        f"UNWIND $ids AS id MATCH (n:{BASE} {{kb: $kb, id: id}}) WHERE n.owner = $owner"
        f" SET n = {{kb: $kb, id: id}} SET n:{PENDING} REMOVE n:{':'.join(sorted(LABELS - {PENDING}))}",
        ids=ids,
        kb=kb,
        owner=owner,
    )


def hold_places(transaction: Transaction, kb: str, ids: Sequence[str]) -> None:
    """Make sure that something is there for edges to lead to, and keep it for this transaction alone.

    `ids` are in order. Making an edge takes a lock on both ends that many may share and, where a node has many edges,
    a second one that they may not: of two writers that had the first, neither would get the second. So each takes
    the whole lock beforehand: removing a property does that, even one that is not there.
    """
    statement = f"UNWIND $ids AS id MERGE (n:{BASE} {{kb: $kb, id: id}}) ON CREATE SET n:{PENDING} REMOVE n.held"
    transaction.run(statement, ids=ids, kb=kb)


def drop_unused_places(transaction: Transaction, kb: str) -> None:
    """Remove the places to which no edge leads any more: locked first, since another writer may be making one."""
    transaction.run(
        f"MATCH (n:{PENDING} {{kb: $kb}}) WHERE NOT (n)--() WITH n ORDER BY n.id REMOVE n.held"
        " WITH n WHERE NOT (n)--() DELETE n",
        kb=kb,
    )


def create_edges(transaction: Transaction, kb: str, edges: Iterable[HashedItem[Edge]]) -> None:
    """Make edges that are not there; both ends must be."""
    for kind, group in _by_kind(edges):
        statement = f"UNWIND $rows AS row {_ENDS} CREATE (a)-[r:{kind.value}]->(b) SET r = row.told"
        transaction.send(statement, rows=[edge_row(edge) for edge in group], kb=kb)


def put_edges(transaction: Transaction, kb: str, edges: Iterable[HashedItem[Edge]]) -> None:
    """Make edges, or make those that are there equal to them, whoever had them; both ends must be there."""
    for kind, group in _by_kind(edges):
        statement = (
            f"UNWIND $rows AS row {_ENDS} MERGE (a)-[r:{kind.value} {{key: row.key}}]->(b)"
            " WITH r, row, r.owner AS owner, r.hash AS hash SET r = row.told"
            " WITH owner, hash, row WHERE owner <> row.told.owner RETURN owner, hash"
        )
        take(transaction, kb, transaction.run(statement, rows=[edge_row(edge) for edge in group], kb=kb))


def delete_edges(transaction: Transaction, kb: str, owner: str, places: Iterable[EdgePlace]) -> None:
    """Remove edges that `owner` has."""
    for kind, group in groupby(sorted(places, key=lambda place: place[1]), key=lambda place: place[1]):
        rows = [{"source": source, "target": target, "key": key} for source, _, target, key in group]
        statement = (
            f"UNWIND $rows AS row MATCH (a:{BASE} {{kb: $kb, id: row.source}})-[r:{EdgeKind(kind).value}]->"
            f"(b:{BASE} {{kb: $kb, id: row.target}}) WHERE r.key = row.key AND r.owner = $owner DELETE r"
        )
        transaction.run(statement, rows=rows, kb=kb, owner=owner)


def delete_owner(transaction: Transaction, kb: str, owner: str) -> None:
    """Remove all that an owner has, and the edges of others at its nodes."""
    own = f"MATCH (n:{BASE} {{kb: $kb, owner: $owner}})"
    others = f"{own}-[r:{_ANY_EDGE}]-() WHERE r.owner <> $owner WITH DISTINCT r RETURN r.owner AS owner, r.hash AS hash"
    take(transaction, kb, transaction.run(others, kb=kb, owner=owner))
    for kind in EdgeKind:
        transaction.run(f"{owned_edges(kind)} DELETE r", kb=kb, owner=owner)
    transaction.run(f"{own} DETACH DELETE n", kb=kb, owner=owner)
    set_digest(transaction, kb, owner, EMPTY)


def take(transaction: Transaction, kb: str, rows: Iterable[ResultRow]) -> None:
    """Take these items (owner, hash) out of what their owners' digests stand for."""
    taken: dict[str, list[bytes]] = {}
    for row in rows:
        taken.setdefault(str(row["owner"]), []).append(read_hash(str(row["hash"])))
    for owner, hashes in sorted(taken.items()):
        noted = transaction.run(DIGEST, kb=kb, owner=owner)
        if noted:
            digest = str(max(noted, key=lambda row: str(row["place"]))["digest"])
            set_digest(transaction, kb, owner, digest if digest == UNFINISHED else adjusted(digest, removed=hashes))


def set_digest(transaction: Transaction, kb: str, owner: str, digest: str) -> None:
    """Note what an owner's nodes and edges add up to; of one that has none, nothing."""
    where = {"kb": kb, "owner": owner}
    is_final = digest not in (EMPTY, UNFINISHED)
    if is_final and transaction.run(
        f"{_DOCUMENT} SET n.owner_digest = $digest RETURN 1 AS one", digest=digest, **where
    ):
        digest = EMPTY
    others = f"[one IN coalesce(k.digests, []) WHERE {_OWNER_OF} <> $owner]"
    if digest == EMPTY:
        found = f"MATCH (k:{ROOT} {{kb: $kb}}) WHERE any(one IN k.digests WHERE {_OWNER_OF} = $owner)"
        transaction.run(f"{found} SET k.kb = $kb WITH k SET k.digests = {others}", **where)  # the first SET locks it
    else:
        found = f"MERGE (k:{ROOT} {{kb: $kb}}) SET k.name = $kb WITH k"
        transaction.run(f"{found} SET k.digests = {others} + [$digest + ' ' + $owner]", digest=digest, **where)


def _by_labels(nodes: Iterable[HashedItem[Node]]) -> Iterator[tuple[tuple[str, ...], list[HashedItem[Node]]]]:
    """Nodes come in order of their labels."""
    for labels, group in groupby(nodes, key=lambda hashed: labels_of(hashed.item)):
        yield labels, list(group)


def _by_kind(edges: Iterable[HashedItem[Edge]]) -> Iterator[tuple[EdgeKind, list[HashedItem[Edge]]]]:
    """Edges come in order of their kind."""
    for kind, group in groupby(edges, key=lambda hashed: hashed.item.kind):
        yield kind, list(group)
