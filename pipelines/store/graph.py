"""What a graph store is to Strata, and the digest of an owner's nodes and edges, which is equal across stores.

The digest is the sum of the items' hashes modulo 2^128: it is kept up with each change, whatever the order, without
reading what did not change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol, runtime_checkable

from pipelines.core.codec import encode
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph


@runtime_checkable
class GraphStore(Protocol):
    """Nodes and edges, written and removed by owner (a document's id, or `CORPUS_OWNER`).

    Writing the same twice is writing it once. Several threads may write at the same time. `[store] graph =
    "module:Class"` chooses one of your own, made as `Class(folder)` with a folder that it has to itself (not made yet):
    every ingest keeps it equal to the embedded graph, and questions are answered from it.
    `pipelines.store.testing.GraphStoreContract` tests one.
    """

    def write(self, subgraph: Subgraph) -> None:
        """Make what the store holds of `subgraph.owner` equal to `subgraph`; what is no longer in it goes.

        An edge may end at a node that is written later, by another owner. Raises `StoreUnavailable`.
        """
        ...

    def remove(self, owner: str) -> None:
        """Remove all nodes and edges of `owner`, and edges of others at its nodes; an unknown owner is no error."""
        ...

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        """Yield nodes in order of id: of these kinds (none: all), among these ids (None: all; empty: nothing).

        `owner` confines them to what one owner has.
        """
        ...

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        """Yield edges in order of (source, kind, target, key), filtered likewise; both ends when both are given."""
        ...

    def owners(self) -> Mapping[str, str]:
        """Return each owner with a digest of all its nodes and edges, equal across stores for equal content."""
        ...

    def close(self) -> None:
        """Let go of connections and open files; twice is allowed."""
        ...


_HASH_BYTES = 16
_MODULUS = 1 << (8 * _HASH_BYTES)
EMPTY = f"{0:032x}"
"""The digest of an owner that has nothing."""


def item_hash(item: Node | Edge) -> bytes:
    """Return the first 16 bytes of the SHA-256 of all that a node or an edge holds."""
    return hashlib.sha256(encode(item)).digest()[:_HASH_BYTES]


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
