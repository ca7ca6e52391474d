"""The stores of a knowledge base and its catalog, as though it held the documents of some folders alone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pipelines.core.codec import encode
from pipelines.core.errors import StoreError
from pipelines.resources import Stores
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.facts import INGEST, INGEST_FACT, LINKED_FACT, WRITING_FACT, Ingest
from pipelines.store.graph import GraphStore
from serve.access import Scope
from serve.confined.graph import ConfinedGraph
from serve.confined.vectors import ConfinedVectors


def refuse() -> NoReturn:
    """Raise `StoreError`: a view is read."""
    raise StoreError("a part of a knowledge base cannot be written")


class ConfinedCatalog:
    """See `Catalog`. Of the facts about the whole it tells whether an ingest goes on, and no counts."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfinedStores(Stores):
    """Artifacts are those of the whole: they are found by the entries of the catalog alone."""

    seen_graph: GraphStore
    seen_catalog: Catalog

    @property
    def graph(self) -> GraphStore:
        return self.seen_graph

    @property
    def catalog(self) -> Catalog:
        return self.seen_catalog

    @property
    def index_folder(self) -> Path | None:
        """None: the index of a part is kept in memory alone."""
        return None


def confined(stores: Stores, scope: Scope) -> ConfinedStores:
    """Return what is in a scope of open stores; closing it closes nothing."""
    catalog = ConfinedCatalog(stores.catalog, scope)
    graph = ConfinedGraph(stores.graph, catalog, stores.artifacts)
    vectors = ConfinedVectors(stores.vectors, scope, lambda: graph.seen)
    return ConfinedStores(
        stores.folder,
        stores.embedded,
        stores.artifacts,
        vectors,
        stores.embedder,
        seen_graph=graph,
        seen_catalog=catalog,
    )
