"""What a graph store is to Strata, the digest of an owner's nodes and edges, and making one store equal to another."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipelines.core.codec import encode
from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.outcome import Failure, as_failure

PROJECT = "project"
"""The stage under which the failure of an owner is told."""
WRITERS = 3
"""Owners that are written at a time."""


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


HASH_BYTES = 16
"""The bytes of the hash of a node or an edge."""
_MODULUS = 1 << (8 * HASH_BYTES)
EMPTY = f"{0:032x}"
"""The digest of an owner that has nothing."""


def item_hash(item: Node | Edge) -> bytes:
    """Return the first 16 bytes of the SHA-256 of all that a node or an edge holds."""
    return hashlib.sha256(encode(item)).digest()[:HASH_BYTES]


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


@runtime_checkable
class Hashed(Protocol):
    """What a graph store may know besides: the hashes of its nodes, without reading what they hold."""

    def node_hashes(self, kind: NodeKind) -> Mapping[str, bytes]:
        """Return the `item_hash` of each node of a kind, by id in any order."""
        ...


def node_hashes(store: GraphStore, kind: NodeKind) -> Mapping[str, bytes]:
    """Return the `item_hash` of each node of a kind, by id; where the store does not know them, all nodes are read."""
    if isinstance(store, Hashed):
        return store.node_hashes(kind)
    return {node.id: item_hash(node) for node in store.nodes((kind,))}


@dataclass(frozen=True, slots=True)
class Synced:
    """What was done, in owners: documents, and the corpus as one more."""

    written: int = 0
    removed: int = 0
    unchanged: int = 0
    failures: tuple[Failure, ...] = ()
    """Of owners that could not be written, by their ids."""


def sync(source: GraphStore, target: GraphStore) -> Synced:
    """Make `target` hold what `source` holds; owners whose digests agree are not looked at.

    Safe to repeat after it broke off; an owner that fails is reported, and tried again the next time. Raises what
    `ends_the_run`.
    """
    wanted = source.owners()
    gone = sorted(target.owners().keys() - wanted.keys())
    for owner in gone:
        target.remove(owner)
    held = target.owners()  # once more: removing an owner takes edges of others with it
    differing = [owner for owner, digest in wanted.items() if held.get(owner) != digest]
    differing.sort(key=lambda owner: owner == CORPUS_OWNER)  # last: its edges end at the documents
    parts = (subgraph_of(source, owner) for owner in differing)
    failures = tuple(done for done in write_all(target, parts) if isinstance(done, Failure))
    return Synced(len(differing) - len(failures), len(gone), len(wanted) - len(differing), failures)


def write_all(target: GraphStore, parts: Iterable[Subgraph]) -> Iterator[str | Failure]:
    """Write subgraphs, some at a time and without holding more than those; yield the owner of each, or its failure.

    A server works on one while the next is put together; a store that takes one writer makes the others wait.
    """
    with ThreadPoolExecutor(WRITERS) as pool:
        waiting: deque[tuple[str, Future[None]]] = deque()
        for part in parts:
            waiting.append((part.owner, pool.submit(target.write, part)))
            if len(waiting) > WRITERS:
                yield _done(waiting.popleft())
        while waiting:
            yield _done(waiting.popleft())


def _done(one: tuple[str, Future[None]]) -> str | Failure:
    owner, future = one
    try:
        future.result()
    except (StoreUnavailable, StoreMismatch):
        raise
    except StoreError as error:  # of a store that took the others
        return Failure(owner, PROJECT, f"{PROJECT}: {error.message}", type(error).__name__, retryable=True)
    except Exception as error:
        return as_failure(owner, PROJECT, error)
    return owner


def subgraph_of(store: GraphStore, owner: str) -> Subgraph:
    """Return all that an owner has, as it would be written."""
    return Subgraph(owner, tuple(store.nodes(owner=owner)), tuple(store.edges(owner=owner)))
