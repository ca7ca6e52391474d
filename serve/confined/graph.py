"""Views of the catalog and the graph, restricted to the documents that a caller can see."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from heapq import merge
from threading import Lock
from typing import NoReturn

from pipelines.core.codec import encode
from pipelines.core.errors import StoreError
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.artifact import ArtifactStore
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import INGEST, INGEST_FACT, LINKED_FACT, WRITING_FACT, Ingest
from pipelines.store.graph import GraphStore, subgraph_digest
from serve.access import Scope
from serve.confined.corpus import corpus_of, in_order


def refuse() -> NoReturn:
    """Raise `StoreError`: views are read-only."""
    raise StoreError("a restricted view of a knowledge base is read-only")


class ConfinedCatalog:
    """Implements `Catalog`. The only facts about the whole are whether an ingest is running, without counts."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog, self._scope = catalog, scope

    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._catalog.entries() if self._scope.holds(entry.uri))

    def fact(self, name: str) -> str | None:
        if name == INGEST_FACT:
            last = INGEST.read(self._catalog)
            return encode(Ingest(0, last.finished)).decode() if last else None
        return self._catalog.fact(name) if name in (LINKED_FACT, WRITING_FACT) else None

    def record(self, entry: Entry) -> None:
        refuse()

    def remove(self, uri: str) -> None:
        refuse()

    def set_fact(self, name: str, value: str) -> None:
        refuse()

    def transaction(self) -> AbstractContextManager[None]:
        refuse()


@dataclass(frozen=True, slots=True)
class Seen:
    """The ids of the visible documents, and their corpus-level subgraph."""

    documents: frozenset[str]
    corpus: Subgraph


class ConfinedGraph:
    """Implements `GraphStore`. `catalog` contains the visible documents; it is read again after each load."""

    def __init__(self, graph: GraphStore, catalog: Catalog, artifacts: ArtifactStore) -> None:
        self._graph, self._catalog, self._artifacts = graph, catalog, artifacts
        self._lock = Lock()
        self._read: tuple[tuple[str | None, str | None], Seen] | None = None

    @property
    def seen(self) -> Seen:
        """The visible documents in the present catalog."""
        marks = (self._catalog.fact(LINKED_FACT), self._catalog.fact(WRITING_FACT))
        with self._lock:
            if self._read is None or self._read[0] != marks:
                entries = [entry for entry in self._catalog.entries() if entry.status.searchable]
                documents = frozenset(entry.document for entry in entries)
                self._read = marks, Seen(documents, corpus_of(self._graph, self._artifacts, entries))
            return self._read[1]

    def nodes(
        self, kinds: Collection[NodeKind] = (), ids: Collection[str] | None = None, owner: str | None = None
    ) -> Iterator[Node]:
        seen, wanted = self.seen, None if ids is None else frozenset(ids)
        held = (node for node in self._graph.nodes(kinds, wanted, owner) if node.owner in seen.documents)
        made = (
            node
            for node in seen.corpus.nodes
            if _fits(owner, kinds, node.kind) and (wanted is None or node.id in wanted)
        )
        yield from merge(held, made, key=lambda node: node.id)

    def edges(
        self,
        kinds: Collection[EdgeKind] = (),
        sources: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        owner: str | None = None,
    ) -> Iterator[Edge]:
        seen = self.seen
        begin, end = (None if ids is None else frozenset(ids) for ids in (sources, targets))
        held = (edge for edge in self._graph.edges(kinds, begin, end, owner) if edge.owner in seen.documents)
        made = (
            edge
            for edge in seen.corpus.edges
            if _fits(owner, kinds, edge.kind)
            and (begin is None or edge.source in begin)
            and (end is None or edge.target in end)
        )
        yield from merge(held, made, key=in_order)

    def owners(self) -> Mapping[str, str]:
        seen = self.seen
        held = {owner: digest for owner, digest in self._graph.owners().items() if owner in seen.documents}
        return held | {CORPUS_OWNER: subgraph_digest(seen.corpus)}

    def write(self, subgraph: Subgraph) -> None:
        refuse()

    def remove(self, owner: str) -> None:
        refuse()

    def close(self) -> None:
        """Leave the underlying graph open, because others use it."""


def _fits(owner: str | None, kinds: Collection[str], kind: str) -> bool:
    return owner in (None, CORPUS_OWNER) and (not kinds or kind in kinds)
