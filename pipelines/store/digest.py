"""What an owner's nodes and edges add up to: the same in every store, kept up with each change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, Node, Subgraph
from pipelines.store.graph import GraphStore

_BYTES = 16
_MODULUS = 1 << (8 * _BYTES)
EMPTY = f"{0:032x}"


def item_hash(item: Node | Edge) -> bytes:
    """Return the first 16 bytes of the SHA-256 of all that a node or an edge holds."""
    return hashlib.sha256(encode(item)).digest()[:_BYTES]


def adjusted(digest: str, added: Iterable[bytes] = (), removed: Iterable[bytes] = ()) -> str:
    """Return `digest` with the items of the first hashes put in and those of the second taken out, in any order."""
    total = int(digest, 16) + _sum(added) - _sum(removed)
    return f"{total % _MODULUS:032x}"


def _sum(hashes: Iterable[bytes]) -> int:
    return sum(int.from_bytes(one) for one in hashes)


def subgraph_digest(subgraph: Subgraph) -> str:
    """Return what a store's `owners()` says of this owner once the subgraph is written."""
    nodes = {node.id: node for node in subgraph.nodes}
    edges = {edge.id: edge for edge in subgraph.edges}
    return adjusted(adjusted(EMPTY, map(item_hash, nodes.values())), map(item_hash, edges.values()))


def recount(store: GraphStore) -> dict[str, str]:
    """Return what `store.owners()` should say, from what its nodes and edges are; reads the whole graph."""
    totals: dict[str, int] = {}
    for node in store.nodes():
        totals[node.owner] = totals.get(node.owner, 0) + int.from_bytes(item_hash(node))
    for edge in store.edges():
        totals[edge.owner] = totals.get(edge.owner, 0) + int.from_bytes(item_hash(edge))
    return {owner: f"{total % _MODULUS:032x}" for owner, total in sorted(totals.items())}
