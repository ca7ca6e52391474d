"""Loading: writes the artifacts of documents to the stores, which are projections of them (design, section 4).

Vectors are written before the graph, and the catalog's entry in one transaction with the graph. If a run is killed in
between, the next one writes the same vectors again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from pipelines.core.codec import collector_paused
from pipelines.core.graph import CORPUS_OWNER, Subgraph
from pipelines.core.outcome import Failure, Status, as_failure
from pipelines.core.work.job import SubmitAll
from pipelines.ingest.corpus import Linking
from pipelines.ingest.document_rows import DOCUMENTS_AT_ONCE, RowsAhead, RowsInput
from pipelines.ingest.embedding import corpus_records, read_records, without
from pipelines.ingest.feedback import confirmed_questions, with_confirmed_records
from pipelines.ingest.report import Event, Phase, Progress, Stage
from pipelines.llm.embedder import Side
from pipelines.resources import Stores, open_graph, record_vectors
from pipelines.settings import Settings
from pipelines.store.artifact import drop_unreadable, read_artifact, read_distillate
from pipelines.store.catalog import Entry
from pipelines.store.facts import LINKED_FACT, WRITING_FACT, CatalogFact
from pipelines.store.graph import sync
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind, Revisable, join_records

FAILURES: CatalogFact[tuple[Failure, ...]] = CatalogFact("failed", tuple[Failure, ...], ())
"""The failures of the documents that the last linking and loading left out."""
LOAD = Stage.LOAD.value
PART = 8 * DOCUMENTS_AT_ONCE
"""Documents whose vectors are written before their graph; they are written again if a run is killed in between."""
LoadPart = Sequence[tuple[Entry | None, Entry]]
"""Documents to be written: the present entry of the catalog, or None, and the new one."""


class Loader:
    """Writes graph, vectors and catalog from the artifacts of documents.

    Methods are called in the order `remove`, `record`, `load`, `finish`, `update_vector_indexes`, `end`. `tell` is
    called with the events of documents. `submit_all` runs jobs that prepare the graph of many documents.
    """

    def __init__(self, stores: Stores, tell: Progress, submit_all: SubmitAll | None = None) -> None:
        self._stores = stores
        self._tell = tell
        self._wrote = False
        self._failed: dict[str, Failure] = {}
        self._confirmed = confirmed_questions(stores.catalog)
        self._rows = RowsAhead(stores.artifacts, submit_all)
        if stores.catalog.fact(WRITING_FACT):
            self._drop_orphans()

    def remove(self, entries: Iterable[Entry]) -> None:
        """Remove these entries from the catalog, and their documents from graph and vectors."""
        gone = list(entries)
        self._remove_documents([entry.document for entry in gone if entry.document])
        for entry in gone:
            self._stores.catalog.remove(entry.uri)

    def record(self, entries: Iterable[Entry]) -> None:
        """Record entries without a document; a document that their file had before is removed."""
        known = {entry.uri: entry for entry in self._stores.catalog.entries()}
        for entry in entries:
            before = known.get(entry.uri)
            if before is not None and before.document:
                self._remove_documents([before.document])
            if before != entry:
                self._stores.catalog.record(entry)

    def load(self, entries: Sequence[Entry], linking: Linking) -> tuple[Failure, ...]:
        """Write all new and changed documents, and return the failures of those that cannot be written."""
        for part in self.plan(entries, linking):
            self.write_vectors(part, linking)
            self.write_graph(part, linking)
        return self.failures

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures of documents that could not be written since the last `plan`."""
        return tuple(self._failed.values())

    def plan(self, entries: Sequence[Entry], linking: Linking) -> list[LoadPart]:
        """Return the new and changed documents, in parts to be written sequentially.

        For each part, the vectors must be written first, then the graph. Documents that linking left out, or that
        cannot be written, are recorded as failed, and their earlier data is removed.
        """
        known = {entry.uri: entry for entry in self._stores.catalog.entries()}
        self._failed = {}
        todo = []
        for entry in entries:
            before, wanted = known.get(entry.uri), loaded_entry(entry, linking)
            if not wanted.status.searchable:
                self._give_up(before, wanted, linking.failed[entry.document])
            elif before == wanted:
                self._tell(Event(Stage.LOAD, Phase.REUSED, entry.uri))
            elif before is not None and before.artifacts == wanted.artifacts and before.status.searchable:
                self._stores.catalog.record(wanted)
                self._tell(Event(Stage.LOAD, Phase.REUSED, entry.uri))
            else:
                todo.append((before, wanted))
        return [todo[start : start + PART] for start in range(0, len(todo), PART)]

    def write_vectors(self, part: LoadPart, linking: Linking) -> tuple[Failure, ...]:
        """Write the vectors of a part, and return the failures by document; its graph is prepared meanwhile."""
        self._rows.start([self._rows_input(entry, linking) for _, entry in part])
        return self._write_each(part, lambda some: self._write_vectors(some, linking))

    def write_graph(self, part: LoadPart, linking: Linking) -> tuple[Failure, ...]:
        """Write the graph and the catalog's entries of a part, and return the failures by document."""
        left = [(before, entry) for before, entry in part if entry.document not in self._failed]
        self._begin()
        failures = tuple(self._write_some(left, lambda some: self._write_graph(some, linking)))
        for _, entry in left:
            if entry.document not in self._failed:
                self._tell(Event(Stage.LOAD, Phase.DONE, entry.uri))
        return failures

    def finish(self, linking: Linking) -> str:
        """Write the links and the shared tags and entities.

        Links to documents that the last `load` could not write are left out. Returns the reason why links are missing,
        or an empty string if they are complete; with a reason, the links count as outdated.
        """
        trouble = linking.trouble or ("load: documents failed once more" if self._failed else "")
        catalog, key = self._stores.catalog, "" if trouble else linking.key
        if not key or catalog.fact(LINKED_FACT) != key:
            self._begin()
            try:
                self._write_corpus(linking, key)
            except Exception as error:
                trouble = trouble or as_failure(CORPUS_OWNER, LOAD, error).reason
        return trouble

    def update_vector_indexes(self) -> None:
        """Update the indexes of the vectors after writing; not needed if a wipe follows, which does this."""
        if self._wrote:
            self._stores.vectors.optimize()

    def end(self) -> None:
        """Record that writing is complete, upon which readers switch to the new state."""
        if self._wrote:
            record_vectors(self._stores)
            self._stores.catalog.set_fact(WRITING_FACT, "")

    @collector_paused()
    def _write_corpus(self, linking: Linking, key: str) -> None:
        self._write_corpus_records(corpus_records(linking.linked.tags, linking.linked.entities))
        catalog = self._stores.catalog
        with catalog.transaction():
            self._stores.graph.write(_between_others(linking.linked.subgraph, self._failed))
            catalog.set_fact(LINKED_FACT, key)
            FAILURES.write(catalog, linking.failures)

    def _give_up(self, before: Entry | None, entry: Entry, failure: Failure) -> None:
        """Record a failed document, and remove its earlier data."""
        if before != entry:
            documents = [one.document for one in (before, entry) if one is not None and one.document]
            self._remove_documents(list(dict.fromkeys(documents)))
            self._stores.catalog.record(entry)
        self._tell(Event(Stage.LOAD, Phase.FAILED, entry.uri, failure.reason))

    def _write_each(self, part: LoadPart, write: Callable[[LoadPart], None]) -> tuple[Failure, ...]:
        failures = []
        self._begin()
        for start in range(0, len(part), DOCUMENTS_AT_ONCE):
            failures += self._write_some(part[start : start + DOCUMENTS_AT_ONCE], write)
        return tuple(failures)

    def _write_some(self, some: LoadPart, write: Callable[[LoadPart], None]) -> list[Failure]:
        """Write documents together; if that fails, one by one, to find those that fail."""
        try:
            write(some)
        except Exception as error:
            if len(some) > 1:
                as_failure("", LOAD, error)  # raises errors that end the run
                return [failure for one in some for failure in self._write_some([one], write)]
            before, entry = some[0]
            failure = self._failed[entry.document] = as_failure(entry.document, LOAD, error)
            self._give_up(before, failed_entry(entry, failure), failure)
            return [failure]
        return []

    def _write_vectors(self, batch: LoadPart, linking: Linking) -> None:
        replaced = [before.document for before, _ in batch if before is not None and before.document]
        owners = {entry.document for _, entry in batch} | set(replaced)
        self._stores.vectors.write(sorted(owners), join_records([self._vectors(entry, linking) for _, entry in batch]))

    def _write_graph(self, batch: LoadPart, linking: Linking) -> None:
        # One transaction for all: they change mostly the same pages of the database. With one for each 32 documents,
        # linux-doc takes 70 s and writes half as much again, with one for a part 51 s.
        with self._stores.catalog.transaction():
            for before, entry in batch:
                if before is not None and before.document and before.document != entry.document:
                    self._stores.graph.remove(before.document)
                self._stores.embedded.graph.write_rows(self._rows.take(self._rows_input(entry, linking)))
                self._stores.catalog.record(entry)

    def _begin(self) -> None:
        """Before the first write, record that the stores are being written and the links are outdated."""
        if not self._wrote:
            with self._stores.catalog.transaction():
                self._stores.catalog.set_fact(WRITING_FACT, "1")
                self._stores.catalog.set_fact(LINKED_FACT, "")
            self._wrote = True

    def _remove_documents(self, documents: Sequence[str]) -> None:
        if documents:
            self._begin()
            self._stores.vectors.write(documents, EmbeddedRecords())
            for document in documents:
                self._stores.graph.remove(document)

    def _rows_input(self, entry: Entry, linking: Linking) -> RowsInput:
        id = entry.document
        quarantined, confirmed = linking.gate.quarantined.get(id, ()), self._confirmed.get(id, ())
        return RowsInput(entry, linking.replaced.get(id, {}), quarantined, confirmed)

    def _vectors(self, entry: Entry, linking: Linking) -> EmbeddedRecords:
        data = read_artifact(self._stores.artifacts, entry, "embed")
        with drop_unreadable(self._stores.artifacts, entry, "embed"):
            embedded = read_records(data)
        if confirmed := self._confirmed.get(entry.document, ()):
            distillate = read_distillate(self._stores.artifacts, entry)
            embedded = with_confirmed_records(embedded, distillate, confirmed, self._stores.embedder)
        return without(embedded, linking.gate.quarantined.get(entry.document, ()))

    def _write_corpus_records(self, records: tuple[Record, ...]) -> None:
        """Write the records of tags and entities; only those with new texts are embedded."""
        vectors = self._stores.vectors
        if not isinstance(vectors, Revisable):
            vectors.write([CORPUS_OWNER], self._all_embedded(records))
            return
        for kind in (RecordKind.TAG, RecordKind.ENTITY):
            held = vectors.texts(kind, CORPUS_OWNER)
            wanted = {record.id: record for record in records if record.kind is kind}
            gone = sorted(id for id, text in held.items() if id not in wanted or wanted[id].text != text)
            added = tuple(one for id, one in wanted.items() if held.get(id) != one.text)
            vectors.revise(kind, CORPUS_OWNER, gone, self._embedded(added))

    def _embedded(self, records: tuple[Record, ...]) -> EmbeddedRecords:
        if not records:  # the embedder may load a model also for no texts
            return EmbeddedRecords()
        return EmbeddedRecords(records, self._stores.embedder.embed([one.text for one in records], Side.PASSAGE))

    def _all_embedded(self, records: tuple[Record, ...]) -> EmbeddedRecords:
        """Return the records with their vectors; vectors of texts that are in the store are taken from there."""
        held = {
            record.text: vector
            for embedded in self._stores.vectors.records((RecordKind.TAG, RecordKind.ENTITY))
            for record, vector in zip(embedded.records, embedded.vectors, strict=True)
        }
        missing = self._embedded(tuple(record for record in records if record.text not in held))
        held |= {record.text: vector for record, vector in zip(missing.records, missing.vectors, strict=True)}
        return EmbeddedRecords(records, np.stack([held[one.text] for one in records])) if records else EmbeddedRecords()

    def _drop_orphans(self) -> None:
        """Remove vectors of documents that are not in the catalog, which a killed run has written."""
        known = {entry.document for entry in self._stores.searchable()} | {CORPUS_OWNER}
        owners = {record.owner for embedded in self._stores.vectors.records() for record in embedded.records}
        self._remove_documents(sorted(owners - known))
        self._begin()


def loaded_entry(entry: Entry, linking: Linking) -> Entry:
    """Return the entry for the catalog after loading its document with these links, or after its failure."""
    if entry.document in linking.failed:
        return failed_entry(entry, linking.failed[entry.document])
    quarantined = len(linking.gate.quarantined.get(entry.document, ()))
    artifacts = {**entry.artifacts, "load": linking.load_keys[entry.document]}
    return replace(entry, artifacts=artifacts, counts={**entry.counts, "quarantined": quarantined})


def failed_entry(entry: Entry, failure: Failure) -> Entry:
    """Return the entry of a document that failed after it was parsed; its artifacts are kept."""
    return replace(entry.unloaded(), status=Status.FAILED, reason=failure.reason, stage=failure.stage, counts={})


def _between_others(subgraph: Subgraph, documents: Collection[str]) -> Subgraph:
    """Return the subgraph without the edges from or to these documents."""
    if not documents:
        return subgraph
    kept = (edge for edge in subgraph.edges if edge.source not in documents and edge.target not in documents)
    return replace(subgraph, edges=tuple(kept))


def project(stores: Stores, settings: Settings, tell: Progress) -> tuple[Failure, ...]:
    """Update the copies of the graph in other stores; return the failures of documents that cannot be written.

    Raises `StoreUnavailable` if no server answers, or if one does not come back in time.
    """
    failures: list[Failure] = []
    for name in settings.store.graph_copies:
        tell(Event(Stage.PROJECT, Phase.STARTED, detail=settings.store.neo4j_uri if name == "neo4j" else name))
        with open_graph(name, settings, stores.folder.root) as copy:
            synced = sync(stores.graph, copy)
        tell(Event(Stage.PROJECT, Phase.DONE, detail=f"{synced.written} written, {synced.removed} removed"))
        failures += synced.failures
    return tuple(failures)
