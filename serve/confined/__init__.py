"""A knowledge base restricted to the documents of some folders: views of its stores by a `Scope`.

Filtering what is found would not do: names, counts, spellings and scores come from all documents. So everything above
the stores (routes, search, answers, the index) works on views of them, in which the rest is not there:

    corpus.py    tags, entities, classes and references, made anew of what these documents say
    graph.py     the files of the folders, without facts about the whole; their graph
    vectors.py   search among these documents, with term statistics of their own

`confined` puts all of it in place of a knowledge base's stores.

What stays of the whole: which spellings are one entity or tag, and which atoms are good enough to be found.
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
