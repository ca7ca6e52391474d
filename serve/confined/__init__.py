"""A knowledge base restricted to the documents of some folders: views of its stores by a `Scope`.

Filtering results is not enough: names, counts, spellings and scores are derived from all documents. So everything above
the stores (routes, search, answers, the index) uses views of them that do not contain other documents:

    corpus.py    tags, entities, classes and references, recomputed from these documents
    graph.py     the catalog and the graph of these documents, without facts about the whole
    vectors.py   search in these documents, with their own term statistics

`confined` returns such views of the stores of a knowledge base.

Two decisions are still made over all documents: which spellings are one entity or tag, and which atoms can be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.resources import Stores
from pipelines.store.catalog import Catalog
from pipelines.store.graph import GraphStore
from serve.access import Scope
from serve.confined.graph import ConfinedCatalog, ConfinedGraph
from serve.confined.vectors import ConfinedVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfinedStores(Stores):
    """Restricted views of stores. Artifacts are not restricted: they can be reached only by entries of the catalog."""

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
        """None: the index of a restricted view is kept in memory."""
        return None


def confined(stores: Stores, scope: Scope) -> ConfinedStores:
    """Return a view of open stores restricted to a scope; closing it closes nothing."""
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
