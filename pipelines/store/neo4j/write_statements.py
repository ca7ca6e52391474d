"""Cypher statements that write: labels and types come only from the schema, and all values are parameters."""

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
)

EdgePlace = tuple[str, str, str, str]
"""Source, kind, target and key of an edge."""

_ENDS = f"MATCH (a:{BASE} {{kb: $kb, id: row.source}}) MATCH (b:{BASE} {{kb: $kb, id: row.target}})"
_ANY_EDGE = "|".join(kind.value for kind in EdgeKind)

# The digest of a document is a property of its node. The digests of other owners, and of those being written, are on
# the root node, in a list of "digest owner". If an owner has both, that of the root is valid.
_OWNER_OF = "substring(one, size(split(one, ' ')[0]) + 1)"
_ON_ROOT = (
    f"MATCH (k:{ROOT} {{kb: $kb}}) UNWIND k.digests AS one WITH {_OWNER_OF} AS owner, split(one, ' ')[0] AS digest"
)
_DOCUMENT = f"MATCH (n:{BASE} {{kb: $kb, id: $owner}}) WHERE n:Document AND n.owner = $owner"
DIGEST = (
    f"{_DOCUMENT} AND n.owner_digest IS NOT NULL RETURN 1 AS place, n.owner_digest AS digest UNION ALL"
    f" {_ON_ROOT} WHERE owner = $owner RETURN 2 AS place, digest"
)
"""The digest of an owner: at most one row for each of its two places; the higher `place` is valid."""
DIGESTS = (
    "MATCH (n:Document {kb: $kb}) WHERE n.owner_digest IS NOT NULL"
    " RETURN 1 AS place, n.id AS owner, n.owner_digest AS digest UNION ALL"
    f" {_ON_ROOT} RETURN 2 AS place, owner, digest"
)
"""The digests of all owners, in the same form."""


def owned_edges(kind: EdgeKind) -> str:
    """Return the clause that matches the edges (a)-[r]->(b) of one kind that belong to `$owner`."""
    return f"MATCH (a:{BASE})-[r:{kind.value}]->(b:{BASE}) WHERE r.owner = $owner AND a.kb = $kb"


def create_nodes(transaction: Transaction, kb: str, nodes: Iterable[HashedItem[Node]]) -> None:
    """Create nodes; fails if one exists."""
    for labels, group in _by_labels(nodes):
        rows = [node_row(node, kb) for node in group]
        transaction.send(f"UNWIND $rows AS row CREATE (n:{BASE}:{':'.join(labels)}) SET n = row", rows=rows)


def put_nodes(transaction: Transaction, kb: str, owner: str, nodes: Iterable[HashedItem[Node]]) -> None:
    """Create nodes, or replace existing ones of any owner."""
    for labels, group in _by_labels(nodes):
        others = ":".join(sorted(LABELS - set(labels)))
        statement = (
            f"UNWIND $rows AS row MERGE (n:{BASE} {{kb: $kb, id: row.id}})"
            " WITH n, row, n.owner AS owner, n.hash AS hash"
            f" SET n = row SET n:{':'.join(labels)} REMOVE n:{others}"
            " WITH owner, hash WHERE owner <> $owner RETURN owner, hash"
        )
        rows = [node_row(node, kb) for node in group]
        _subtract(transaction, kb, transaction.run(statement, rows=rows, kb=kb, owner=owner))


def delete_nodes(transaction: Transaction, kb: str, owner: str, ids: Sequence[str]) -> None:
    """Remove nodes by making them placeholders; `drop_unused_placeholders` deletes those without edges."""
    transaction.run(
        f"UNWIND $ids AS id MATCH (n:{BASE} {{kb: $kb, id: id}}) WHERE n.owner = $owner"
        f" SET n = {{kb: $kb, id: id}} SET n:{PENDING} REMOVE n:{':'.join(sorted(LABELS - {PENDING}))}",
        ids=ids,
        kb=kb,
        owner=owner,
    )


def lock_ends(transaction: Transaction, kb: str, ids: Sequence[str]) -> None:
    """Create placeholders for missing ends of edges, and lock all ends exclusively for this transaction.

    `ids` must be sorted. Creating an edge takes a shared lock on both ends and, if a node has many edges, an exclusive
    one as well: two writers with the shared lock would wait for each other forever. So each takes the exclusive lock
    first, by removing a property, which may be missing.
    """
    statement = f"UNWIND $ids AS id MERGE (n:{BASE} {{kb: $kb, id: id}}) ON CREATE SET n:{PENDING} REMOVE n.held"
    transaction.run(statement, ids=ids, kb=kb)


def drop_unused_placeholders(transaction: Transaction, kb: str) -> None:
    """Delete placeholders without edges. They are locked first, since another writer may be creating an edge."""
    transaction.run(
        f"MATCH (n:{PENDING} {{kb: $kb}}) WHERE NOT (n)--() WITH n ORDER BY n.id REMOVE n.held"
        " WITH n WHERE NOT (n)--() DELETE n",
        kb=kb,
    )


def create_edges(transaction: Transaction, kb: str, edges: Iterable[HashedItem[Edge]]) -> None:
    """Create edges that do not exist; both ends must exist."""
    for kind, group in _by_kind(edges):
        statement = f"UNWIND $rows AS row {_ENDS} CREATE (a)-[r:{kind.value}]->(b) SET r = row.properties"
        transaction.send(statement, rows=[edge_row(edge) for edge in group], kb=kb)


def put_edges(transaction: Transaction, kb: str, edges: Iterable[HashedItem[Edge]]) -> None:
    """Create edges, or replace existing ones of any owner; both ends must exist."""
    for kind, group in _by_kind(edges):
        statement = (
            f"UNWIND $rows AS row {_ENDS} MERGE (a)-[r:{kind.value} {{key: row.key}}]->(b)"
            " WITH r, row, r.owner AS owner, r.hash AS hash SET r = row.properties"
            " WITH owner, hash, row WHERE owner <> row.properties.owner RETURN owner, hash"
        )
        _subtract(transaction, kb, transaction.run(statement, rows=[edge_row(edge) for edge in group], kb=kb))


def delete_edges(transaction: Transaction, kb: str, owner: str, places: Iterable[EdgePlace]) -> None:
    """Remove edges of `owner`."""
    for kind, group in groupby(sorted(places, key=lambda place: place[1]), key=lambda place: place[1]):
        rows = [{"source": source, "target": target, "key": key} for source, _, target, key in group]
        statement = (
            f"UNWIND $rows AS row MATCH (a:{BASE} {{kb: $kb, id: row.source}})-[r:{EdgeKind(kind).value}]->"
            f"(b:{BASE} {{kb: $kb, id: row.target}}) WHERE r.key = row.key AND r.owner = $owner DELETE r"
        )
        transaction.run(statement, rows=rows, kb=kb, owner=owner)


def delete_owner(transaction: Transaction, kb: str, owner: str) -> None:
    """Remove all nodes and edges of an owner, and the edges of others at its nodes."""
    own = f"MATCH (n:{BASE} {{kb: $kb, owner: $owner}})"
    others = f"{own}-[r:{_ANY_EDGE}]-() WHERE r.owner <> $owner WITH DISTINCT r RETURN r.owner AS owner, r.hash AS hash"
    _subtract(transaction, kb, transaction.run(others, kb=kb, owner=owner))
    for kind in EdgeKind:
        transaction.run(f"{owned_edges(kind)} DELETE r", kb=kb, owner=owner)
    transaction.run(f"{own} DETACH DELETE n", kb=kb, owner=owner)
    set_digest(transaction, kb, owner, EMPTY)


def _subtract(transaction: Transaction, kb: str, rows: Iterable[ResultRow]) -> None:
    """Subtract removed items (owner, hash) from the digests of their owners."""
    removed: dict[str, list[bytes]] = {}
    for row in rows:
        removed.setdefault(str(row["owner"]), []).append(bytes.fromhex(str(row["hash"])))
    for owner, hashes in sorted(removed.items()):
        found = transaction.run(DIGEST, kb=kb, owner=owner)
        if found:
            digest = str(max(found, key=lambda row: str(row["place"]))["digest"])
            set_digest(transaction, kb, owner, digest if digest == UNFINISHED else adjusted(digest, removed=hashes))


def set_digest(transaction: Transaction, kb: str, owner: str, digest: str) -> None:
    """Record the digest of an owner; the record is deleted if the owner has no nodes and edges."""
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
    """Group nodes, which must be sorted by labels, by their labels."""
    for labels, group in groupby(nodes, key=lambda hashed: labels_of(hashed.item)):
        yield labels, list(group)


def _by_kind(edges: Iterable[HashedItem[Edge]]) -> Iterator[tuple[EdgeKind, list[HashedItem[Edge]]]]:
    """Group edges, which must be sorted by kind, by their kind."""
    for kind, group in groupby(edges, key=lambda hashed: hashed.item.kind):
        yield kind, list(group)
