"""Loading: the stores are projections of the artifacts, written document by document (design, section 4).

Vectors are written before the graph, and the catalog's entry with the graph in one transaction: a run that is killed
between the two writes the vectors again, the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from pipelines.core.graph import CORPUS_OWNER, Subgraph
from pipelines.graph.build import build_graph, redirect
from pipelines.ingest.artifacts import read_artifact, read_distillate, read_document
from pipelines.ingest.corpus import LINKED_FACT, Linking
from pipelines.ingest.gate import joined
from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.ingest.records import corpus_records, read_records, without
from pipelines.llm.embedder import Embedder, Side
from pipelines.resources import Stores
from pipelines.store.catalog import Entry
from pipelines.store.vector import Embedded, Record, RecordKind

WRITING_FACT = "writing"
"""Set while a load goes on: a run that finds it set was preceded by one that was killed."""
DOCUMENTS_AT_ONCE = 32


class Loader:
    """Brings graph, vectors and catalog up to the artifacts."""

    def __init__(self, stores: Stores, tell: Progress) -> None:
        self._stores = stores
        self._tell = tell
        self._wrote = False
        if stores.catalog.fact(WRITING_FACT):
            self._drop_orphans()

    def remove(self, entries: Iterable[Entry]) -> None:
        """Remove these entries and every trace of their documents from graph and vectors."""
        gone = list(entries)
        self._remove_documents([entry.document for entry in gone if entry.document])
        for entry in gone:
            self._stores.catalog.remove(entry.uri)

    def record(self, entries: Iterable[Entry]) -> None:
        """Record entries that have no document; what their file had given before goes."""
        known = {entry.uri: entry for entry in self._stores.catalog.entries()}
        for entry in entries:
            before = known.get(entry.uri)
            if before is not None and before.document:
                self._remove_documents([before.document])
            if before != entry:
                self._stores.catalog.record(entry)

    def load(self, entries: Sequence[Entry], linking: Linking) -> None:
        """Write every document that the stores do not hold as it is now."""
        known = {entry.uri: entry for entry in self._stores.catalog.entries()}
        todo = []
        for entry in entries:
            before, wanted = known.get(entry.uri), loaded(entry, linking)
            if before == wanted:
                self._tell(Event(Stage.LOAD, Phase.REUSED, entry.uri))
            elif before is not None and before.artifacts == wanted.artifacts:
                self._stores.catalog.record(wanted)
                self._tell(Event(Stage.LOAD, Phase.REUSED, entry.uri))
            else:
                todo.append((before, wanted))
        for start in range(0, len(todo), DOCUMENTS_AT_ONCE):
            self._load_batch(todo[start : start + DOCUMENTS_AT_ONCE], linking)

    def finish(self, linking: Linking) -> None:
        """Write what no single document owns, and bring the indexes up to it all."""
        catalog = self._stores.catalog
        if catalog.fact(LINKED_FACT) != linking.key:
            self._begin()
            records = corpus_records(linking.linked.tags, linking.linked.entities)
            self._stores.vectors.write([CORPUS_OWNER], self._embed(records))
            with catalog.transaction():
                self._stores.graph.write(linking.linked.subgraph)
                catalog.set_fact(LINKED_FACT, linking.key)
        if self._wrote:
            self._stores.vectors.optimize()
            catalog.set_fact(WRITING_FACT, "")

    def _load_batch(self, batch: Sequence[tuple[Entry | None, Entry]], linking: Linking) -> None:
        self._begin()
        replaced = [before.document for before, _ in batch if before is not None and before.document]
        owners = {entry.document for _, entry in batch} | set(replaced)
        self._stores.vectors.write(sorted(owners), joined([self._vectors(entry, linking) for _, entry in batch]))
        with self._stores.catalog.transaction():  # one for them all: they share most of the pages that change
            for before, entry in batch:
                if before is not None and before.document and before.document != entry.document:
                    self._stores.graph.remove(before.document)
                self._stores.graph.write(self._subgraph(entry, linking))
                self._stores.catalog.record(entry)
        for _, entry in batch:
            self._tell(Event(Stage.LOAD, Phase.DONE, entry.uri))

    def _begin(self) -> None:
        """Note that the stores are being written and their links are behind, before the first write."""
        if not self._wrote:
            with self._stores.catalog.transaction():
                self._stores.catalog.set_fact(WRITING_FACT, "1")
                self._stores.catalog.set_fact(LINKED_FACT, "")
            self._wrote = True

    def _remove_documents(self, documents: Sequence[str]) -> None:
        if documents:
            self._begin()
            self._stores.vectors.write(documents, Embedded())
            for document in documents:
                self._stores.graph.remove(document)

    def _subgraph(self, entry: Entry, linking: Linking) -> Subgraph:
        document = read_document(self._stores, entry)
        whole = redirect(build_graph(document, read_distillate(self._stores, entry)), linking.linked.merged)
        return _marked(whole, frozenset(linking.gate.quarantined.get(entry.document, ())))

    def _vectors(self, entry: Entry, linking: Linking) -> Embedded:
        return without(
            read_records(read_artifact(self._stores, entry, "embed")), linking.gate.quarantined.get(entry.document, ())
        )

    def _embed(self, records: tuple[Record, ...]) -> Embedded:
        """The records with their vectors, those that the store has already taken from there."""
        held = {
            record.text: vector
            for embedded in self._stores.vectors.records((RecordKind.TAG, RecordKind.ENTITY))
            for record, vector in zip(embedded.records, embedded.vectors, strict=True)
        }
        missing = sorted({record.text for record in records} - held.keys())
        held |= dict(zip(missing, _embedded(self._stores.embedder, missing), strict=True))
        if not records:
            return Embedded()
        return Embedded(records, np.stack([held[record.text] for record in records]))

    def _drop_orphans(self) -> None:
        """Remove vectors of documents that the catalog does not know: what a killed run had begun to write."""
        known = {entry.document for entry in self._stores.catalog.entries()} | {CORPUS_OWNER}
        owners = {record.owner for embedded in self._stores.vectors.records() for record in embedded.records}
        self._remove_documents(sorted(owners - known))
        self._begin()


def _marked(subgraph: Subgraph, quarantined: frozenset[str]) -> Subgraph:
    """The subgraph with its quarantined atoms marked as such: they are listed, and not found."""
    if not quarantined:
        return subgraph
    nodes = tuple(
        replace(node, properties={**node.properties, "quarantined": True}) if node.id in quarantined else node
        for node in subgraph.nodes
    )
    return replace(subgraph, nodes=nodes)


def loaded(entry: Entry, linking: Linking) -> Entry:
    """Return the entry as it stands in the catalog once its document is loaded with these links."""
    quarantined = len(linking.gate.quarantined.get(entry.document, ()))
    artifacts = {**entry.artifacts, "load": linking.load_keys[entry.document]}
    return replace(entry, artifacts=artifacts, counts={**entry.counts, "quarantined": quarantined})


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Iterator[np.ndarray]:
    yield from embedder.embed(texts, Side.PASSAGE)
