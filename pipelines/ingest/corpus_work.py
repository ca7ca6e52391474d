"""The steps of a run over all documents together: gate, link, remove, load, index, erase, project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pipelines.core.libraries import return_memory
from pipelines.core.outcome import Failure, as_failure, ends_the_run
from pipelines.ingest.corpus import Gated, Linking, corpus_key, link_corpus
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.erase import Extent, end_erasure_note, erase, is_losing, note_erasure, noted_erasure
from pipelines.ingest.gate import begin_gate
from pipelines.ingest.load import FAILURES, Loader, LoadPart, project
from pipelines.ingest.plan import RunEntries
from pipelines.ingest.report import Event, Phase, Progress, Stage
from pipelines.resources import Stores
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.facts import INGEST, LINKED_FACT, WRITING_FACT, Ingest

Failures = tuple[Failure, ...]


class CorpusWork:
    """The steps over the whole corpus; each returns its failures.

    The order is: `gate` and `link`, unless `is_linked`; `remove`; `write_vectors` and `write_graph` for each of
    `parts`; if `to_relink`, `relink` and the parts again; `finish`; `index`; `erase`; `project`.
    """

    def __init__(
        self,
        stores: Stores,
        settings: Settings,
        entries: RunEntries,
        known: Mapping[str, Entry],
        left_over: Extent | None,
        dispatcher: Dispatcher,
        tell: Progress,
    ) -> None:
        self._stores = stores
        self._settings = settings
        self._entries = entries
        self._known = known
        self._left_over = left_over
        self._dispatcher = dispatcher
        self._tell = tell
        self._gated: Gated | None = None
        self._linking: Linking | None = None
        self._loader: Loader | None = None
        self.failed: dict[str, Failure] = {}
        """The failures of linking and loading, by document id."""
        self._unlinked: Failures = ()
        self._unindexed: Failures = ()
        self._unprojected: Failures = ()

    @property
    def trouble(self) -> Failures:
        """The failures of other steps."""
        return (*self._unlinked, *self._unindexed, *self._unprojected)

    def is_linked(self) -> bool:
        """Return whether the stores have the links of exactly these documents, completely written."""
        if self._has_unrecorded():
            return False
        key = corpus_key(self._entries.searchable(), self._settings, self._stores)
        return self._stores.catalog.fact(LINKED_FACT) == key and not self._stores.catalog.fact(WRITING_FACT)

    def _has_unrecorded(self) -> bool:
        """Return whether a compiled document is not in the catalog, for example because its entry was damaged."""
        compiled = {one.entry.document for one in self._entries.compiled.values() if one.entry.status.searchable}
        return not compiled <= {entry.document for entry in self._known.values()}

    async def gate(self) -> Failures:
        """Start the self-recall gate; `link` waits for its result, and reports failures."""
        entries, workers = self._entries.searchable(), self._settings.ingest.workers
        try:
            result = begin_gate(entries, self._stores, self._dispatcher.submit_all, workers)
            self._gated = Gated(frozenset(entry.document for entry in entries), result)
        except Exception as error:
            if ends_the_run(error):
                raise
        return ()

    async def link(self) -> Failures:
        """Link all documents, except those that make linking fail."""
        self._tell(Event(Stage.LINK, Phase.STARTED))
        self._linking = link_corpus(self._entries.searchable(), self._stores, self._settings, gated=self._gated)
        self._dispatcher.rest()
        self._tell(Event(Stage.LINK, Phase.DONE))
        return self._linking.failures

    async def relink(self) -> Failures:
        """Link the documents that could be loaded."""
        if self._linking is not None:
            failures = (*self._linking.failures, *self._load.failures)
            self._linking = link_corpus(self._entries.searchable(), self._stores, self._settings, failures)
        return self._linking.failures if self._linking else ()

    @property
    def to_relink(self) -> bool:
        """Whether some documents that were linked could not be loaded."""
        return self._linking is not None and bool(self._load.failures)

    @property
    def _load(self) -> Loader:
        self._loader = self._loader or Loader(self._stores, self._tell, self._dispatcher.submit_all)
        return self._loader

    async def remove(self) -> Failures:
        """Remove documents that no longer exist, and record the entries that are not searchable."""
        self._tell(Event(Stage.LOAD, Phase.STARTED))
        self._expect_erasure()
        self._load.remove(self._entries.gone())
        self._load.record(self._entries.unsearchable())
        self._record_stamps()
        return ()

    def parts(self) -> Iterator[LoadPart]:
        """Yield the documents to be loaded, in parts."""
        if self._linking is not None:
            yield from self._load.plan(self._entries.searchable(), self._linking)
            return
        self.failed = {failure.subject: failure for failure in FAILURES.read(self._stores.catalog)}
        for entry in self._entries.searchable():
            phase = Phase.FAILED if entry.document in self.failed else Phase.REUSED
            self._tell(Event(Stage.LOAD, phase, entry.uri))

    async def write_vectors(self, part: LoadPart) -> Failures:
        return self._load.write_vectors(part, self._linking) if self._linking else ()

    async def write_graph(self, part: LoadPart) -> Failures:
        return self._load.write_graph(part, self._linking) if self._linking else ()

    async def finish(self) -> Failures:
        """Write the links and the shared tags and entities."""
        if (linking := self._linking) is not None:
            self._dispatcher.rest()
            failures = self._load.failures
            trouble = self._load.finish(linking)
            self.failed = {failure.subject: failure for failure in (*linking.failures, *failures)}
            if trouble:
                self._unlinked = (Failure("links between the documents", "link", trouble, retryable=True),)
            self._linking = None  # to free its memory for the following steps
        self._tell(Event(Stage.LOAD, Phase.DONE))
        return self._unlinked

    async def index(self) -> Failures:
        """Update the indexes of the vectors and store the retrieval index; then let readers switch to the new state.

        Because the index exists by then, readers need not read the whole graph.
        """
        return_memory()
        try:
            if self._entries.searchable():
                Retriever.of(self._stores, self._settings.retrieve).keep_index(self._update_vector_indexes)
            else:
                self._update_vector_indexes()
        except Exception as error:
            self._unindexed = (as_failure("the index of the graph", "index", error),)
        self._load.end()
        return self._unindexed

    def _update_vector_indexes(self) -> None:
        if noted_erasure(self._stores.catalog) is not Extent.STORES:  # which writes them again
            self._load.update_vector_indexes()

    async def erase(self) -> Failures:
        """Carry out the pending erasure, including that of an earlier run, and record that the ingest is complete.

        Items that are not compiled yet keep their artifacts.
        """
        catalog = self._stores.catalog
        due = noted_erasure(catalog)
        if due is Extent.STORES or (due is not None and self._left_over is not None):
            pending = [item.source for item in self._entries.plan.items]
            erase(self._stores, self._dispatcher.setup.keys, pending, self._settings.ingest.keep_cache)
        end_erasure_note(catalog, finished=not self._entries.stopped)
        INGEST.write(catalog, Ingest(self._entries.found, finished=not self._entries.stopped))
        return ()

    async def project(self) -> Failures:
        """Update the copies of the graph in other stores."""
        self._unprojected = tuple(map(self.by_uri, project(self._stores, self._settings, self._tell)))
        return self._unprojected

    def by_uri(self, failure: Failure) -> Failure:
        """Return the failure with the URI of its document instead of the id."""
        uris = {entry.document: entry.uri for entry in self._entries.searchable()}
        return replace(failure, subject=uris.get(failure.subject, failure.subject))

    def _record_stamps(self) -> None:
        """Record the new time stamps of unchanged files, so that these files need not be read again."""
        stamped = [entry for entry in self._entries.plan.unchanged if entry != self._known.get(entry.uri)]
        if stamped:
            with self._stores.catalog.transaction():
                for entry in stamped:
                    self._stores.catalog.record(entry)

    def _expect_erasure(self) -> None:
        """Record the pending erasure before anything is removed."""
        catalog = self._stores.catalog
        gone = {entry.uri for entry in self._entries.gone()}
        after = {uri: entry for uri, entry in self._known.items() if uri not in gone}
        after |= {entry.uri: entry for entry in (*self._entries.unsearchable(), *self._entries.searchable())}
        if is_losing(self._known.values(), after.values()) or catalog.fact(WRITING_FACT):
            note_erasure(catalog, Extent.STORES)
