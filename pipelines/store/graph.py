"""The protocol of graph stores, digests of an owner's nodes and edges, and synchronization of two stores."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from pipelines.core.codec import encode
from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.outcome import Failure, as_failure

PROJECT = "project"
"""The stage in the failures of owners."""
WRITERS = 3
"""Owners written at the same time."""


@runtime_checkable
class GraphStore(Protocol):
    """Nodes and edges, written and removed by owner (a document's id, or `CORPUS_OWNER`).

    Writing is idempotent, and several threads may write at the same time. `[store] graph = "module:Class"` selects your
    own implementation, created as `Class(folder)` with a folder for its exclusive use, which does not exist yet: every
    ingest copies the embedded graph to it, and questions are answered from it.
    `pipelines.store.testing.GraphStoreContract` tests it.
    """

    def write(self, subgraph: Subgraph) -> None:
        """Replace all nodes and edges of `subgraph.owner` by those of `subgraph`.

        An edge may end at a node of another owner that is written later. Raises `StoreUnavailable`.
        """
        ...

    def remove(self, owner: str) -> None:
        """Remove all nodes and edges of `owner`, and other owners' edges at its nodes; it may be unknown."""
        ...

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        """Yield nodes in order of id: of these kinds (empty: all), with these ids (None: all; empty: no nodes).

        If `owner` is given, only its nodes are returned.
        """
        ...

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        """Yield edges in order of (source, kind, target, key), filtered like nodes; all given conditions must hold."""
        ...

    def owners(self) -> Mapping[str, str]:
        """Return a digest of all nodes and edges of each owner, the same in all stores for equal content."""
        ...

    def close(self) -> None:
        """Close connections and files; may be called twice."""
        ...


HASH_BYTES = 16
"""The size of the hash of a node or an edge."""
_MODULUS = 1 << (8 * HASH_BYTES)
EMPTY = f"{0:032x}"
"""The digest of an owner without nodes and edges."""


def item_hash(item: Node | Edge) -> bytes:
    """Return the first 16 bytes of the SHA-256 of an encoded node or edge."""
    return hashlib.sha256(encode(item)).digest()[:HASH_BYTES]


class NodeRow(NamedTuple):
    """A node in the form in which it is stored: its properties as JSON, and its `item_hash`."""

    id: str
    kind: str
    properties: bytes
    hash: bytes


class EdgeRow(NamedTuple):
    """An edge in the form in which it is stored, like a `NodeRow`."""

    source: str
    kind: str
    target: str
    key: str
    properties: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class SubgraphRows:
    """A subgraph in the form in which it is stored: encoding it takes as long as storing it, and can be done elsewhere.

    If nodes or edges are repeated, the last one counts.
    """

    owner: str
    nodes: tuple[NodeRow, ...]
    edges: tuple[EdgeRow, ...]


def rows_of(subgraph: Subgraph) -> SubgraphRows:
    """Return the rows of a subgraph."""
    nodes = (NodeRow(node.id, node.kind.value, encode(node.properties), item_hash(node)) for node in subgraph.nodes)
    edges = (
        EdgeRow(edge.source, edge.kind.value, edge.target, edge.key, encode(edge.properties), item_hash(edge))
        for edge in subgraph.edges
    )
    return SubgraphRows(subgraph.owner, tuple(nodes), tuple(edges))


def adjusted(digest: str, added: Iterable[bytes] = (), removed: Iterable[bytes] = ()) -> str:
    """Return `digest` after adding and removing items with these hashes; their order does not matter."""
    total = int(digest, 16) + _sum(added) - _sum(removed)
    return f"{total % _MODULUS:032x}"


def _sum(hashes: Iterable[bytes]) -> int:
    return sum(int.from_bytes(one) for one in hashes)


def subgraph_digest(subgraph: Subgraph) -> str:
    """Return the digest of the owner in a store's `owners()` after the subgraph is written."""
    nodes = {node.id: node for node in subgraph.nodes}
    edges = {edge.id: edge for edge in subgraph.edges}
    return adjusted(adjusted(EMPTY, map(item_hash, nodes.values())), map(item_hash, edges.values()))


def recount(store: GraphStore) -> dict[str, str]:
    """Return the expected result of `store.owners()`, computed from all nodes and edges."""
    totals: dict[str, int] = {}
    for node in store.nodes():
        totals[node.owner] = totals.get(node.owner, 0) + int.from_bytes(item_hash(node))
    for edge in store.edges():
        totals[edge.owner] = totals.get(edge.owner, 0) + int.from_bytes(item_hash(edge))
    return {owner: f"{total % _MODULUS:032x}" for owner, total in sorted(totals.items())}


@runtime_checkable
class Hashed(Protocol):
    """An optional protocol of graph stores that store the hashes of nodes."""

    def node_hashes(self, kind: NodeKind) -> Mapping[str, bytes]:
        """Return the `item_hash` of each node of a kind by id, in any order."""
        ...


def node_hashes(store: GraphStore, kind: NodeKind) -> Mapping[str, bytes]:
    """Return the `item_hash` of each node of a kind by id; if the store is not `Hashed`, all nodes are read."""
    if isinstance(store, Hashed):
        return store.node_hashes(kind)
    return {node.id: item_hash(node) for node in store.nodes((kind,))}


@dataclass(frozen=True, slots=True)
class Synced:
    """The number of owners written, removed and unchanged: documents, and the corpus."""

    written: int = 0
    removed: int = 0
    unchanged: int = 0
    failures: tuple[Failure, ...] = ()
    """The failures of owners that could not be written."""


def sync(source: GraphStore, target: GraphStore) -> Synced:
    """Copy `source` to `target`; owners with equal digests are skipped.

    Can be repeated after an interruption. An owner that fails is reported, and is tried again by the next call. Raises
    errors for which `ends_the_run` is true.
    """
    wanted = source.owners()
    gone = sorted(target.owners().keys() - wanted.keys())
    for owner in gone:
        target.remove(owner)
    held = target.owners()  # again, because removing an owner also removes edges of others
    differing = [owner for owner, digest in wanted.items() if held.get(owner) != digest]
    differing.sort(key=lambda owner: owner == CORPUS_OWNER)  # last, because its edges end at the documents
    parts = (subgraph_of(source, owner) for owner in differing)
    failures = tuple(done for done in write_all(target, parts) if isinstance(done, Failure))
    return Synced(len(differing) - len(failures), len(gone), len(wanted) - len(differing), failures)


def write_all(target: GraphStore, parts: Iterable[Subgraph]) -> Iterator[str | Failure]:
    """Write subgraphs, a few at a time to limit the memory; yield the owner of each, or its failure.

    A server can work on one while the next is prepared; a store that allows a single writer makes the others wait.
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
    except StoreError as error:  # the store accepts other owners
        return Failure(owner, PROJECT, f"{PROJECT}: {error.message}", type(error).__name__, retryable=True)
    except Exception as error:
        return as_failure(owner, PROJECT, error)
    return owner


def subgraph_of(store: GraphStore, owner: str) -> Subgraph:
    """Return all nodes and edges of an owner."""
    return Subgraph(owner, tuple(store.nodes(owner=owner)), tuple(store.edges(owner=owner)))
