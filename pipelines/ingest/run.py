"""One run over a folder: prepare, compile, link, load, report. The only writer of the stores."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.core.errors import BudgetExceeded, DocumentsFailed, SourceError, TooLarge
from pipelines.core.failures import as_failure
from pipelines.core.outcome import Failure, Status
from pipelines.core.uris import INSIDE
from pipelines.ingest.compile import compile_item
from pipelines.ingest.corpus import (
    VERDICTS,
    Linking,
    corpus_key,
    judge_entities,
    link_corpus,
    read_profiles,
)
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.erase import Extent, end_erasure_note, erase, is_losing, note_erasure, noted_erasure
from pipelines.ingest.load import FAILURES, Loader, project
from pipelines.ingest.plan import RunEntries, plan
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, Tally, usage_by_role
from pipelines.ingest.scan import scan
from pipelines.ingest.task import Compiled, SourceItem
from pipelines.ingest.vocabulary import Lessons, find_classes, learn_pairs, with_classes
from pipelines.ingest.workers import CLASSES, KeptClasses, Workers, judge_maker, kept_classes, makers_of
from pipelines.llm.estimate import Estimate
from pipelines.llm.ledger import Ledger
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.facts import LINKED_FACT, WRITING_FACT, Fact, Ingest, record_ingest

ESTIMATE: Fact[Estimate | None] = Fact("estimate", Estimate, None)
"""The last estimate, to be set beside what the work then took."""
_ANY_TEXT = "-"
STAGES = tuple(stage.value for stage in (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED, Stage.LOAD))


class IngestRun:
    """A run in progress: its steps are called in order by `pipelines.ingest.build.execute`.

    `prepare`, `settle`, `compile` for each item and those it returns, `judge`, `link`, `load`, `learn`, `report`.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        stores: Stores,
        dispatcher: Dispatcher,
        workers: Workers,
        ledger: Ledger,
        listener: Progress,
        lessons: Lessons | None = None,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self.stores = stores
        self.dispatcher = dispatcher
        self.workers = workers
        self._ledger = ledger
        self._listener = listener
        self._lessons = lessons
        self._tally = Tally()
        self._started = time.monotonic()
        self._entries = RunEntries(stores.catalog, settings.ingest.keep_missing)
        self._documents = 0
        self._known: dict[str, Entry] = {}
        self._at_once = asyncio.Semaphore(settings.ingest.documents_at_once)
        self._linking: Linking | None = None
        self._failed: dict[str, Failure] = {}
        self._trouble: list[Failure] = []
        self._stopped = ""
        self._left_over: Extent | None = None
        self._parts: Counter[str] = Counter()

    def prepare(self) -> tuple[SourceItem, ...]:
        """Scan the folder and return what is to be compiled. Raises `SourceError` for a folder without documents."""
        self._tell(Event(Stage.SCAN, Phase.STARTED, detail=str(self._folder)))
        found = scan(self._folder, self._settings.ingest)
        self._documents = sum(file.status is not Status.SKIPPED for file in found)
        if not self._documents:
            raise SourceError(f"no documents in {self._folder}", hint="nothing was changed")
        record_ingest(self.stores.catalog, Ingest(self._documents))
        self._known = {entry.uri: entry for entry in self.stores.catalog.entries()}
        self._entries.plan = planned = plan(found, self._known.values(), self.dispatcher.setup.keys)
        self._tell(Event(Stage.SCAN, Phase.DONE, total=len(planned.items)))
        for entry in planned.unchanged:
            self._tell_reused(entry)
        self._left_over = noted_erasure(self.stores.catalog)
        if planned.items:
            note_erasure(self.stores.catalog, Extent.FILES)  # until they are in the catalog, nothing else knows of them
        return planned.items

    def prefetch(self, items: Sequence[SourceItem]) -> None:
        """Start on the first items, as many as are in work at once, while the run is still being set up."""
        for item in items[: self._settings.ingest.documents_at_once]:
            self.dispatcher.prefetch(item)

    async def fetch_model(self) -> None:
        """Download the embedder's model where it is one that is downloaded: workers do not."""
        if self.stores.embedder.info.name == "fastembed":
            await asyncio.to_thread(self.stores.embedder.embed, (_ANY_TEXT,))

    async def settle(self, items: Sequence[SourceItem]) -> None:
        """Settle the classes of tags, before any item is compiled; a budget that is reached ends the run."""
        try:
            found = await find_classes(items, self.dispatcher, self.workers, self.stores, self._tell)
        except BudgetExceeded as error:
            self._stop(error)
            return
        if found is not None:
            self._settle_on(found)
        elif items and self.workers.inducer() is not None:  # what is distilled without them is done again
            self.dispatcher.setup = replace(self.dispatcher.setup, settled=False)

    def _settle_on(self, found: KeptClasses) -> None:
        """Have the model tag by these classes, and keep them."""
        if kept_classes(self.stores.catalog, found.maker) is None:
            CLASSES.write(self.stores.catalog, found)
        setup = with_classes(self.dispatcher.setup, [one.name for one in found.classes])
        self.dispatcher.setup = replace(setup, makers=makers_of(self._settings, self.stores))

    async def compile(self, item: SourceItem) -> tuple[SourceItem, ...]:
        """Compile one item and return the documents inside it, to be compiled too; a failure is kept, not raised."""
        async with self._at_once:
            if self._stopped:
                return ()
            try:
                compiled = await compile_item(item, self.dispatcher, self._tell)
            except BudgetExceeded as error:
                self._stop(error)
                return ()
        compiled = self._within_limit(item, compiled)
        self._entries.compiled[item.source.uri] = compiled
        return tuple(item.part(member) for member in compiled.members)

    def _stop(self, error: BudgetExceeded) -> None:
        self._stopped, self._entries.stopped = error.message, True

    def _within_limit(self, item: SourceItem, compiled: Compiled) -> Compiled:
        """Leave out the parts of a file that go over the limit, all its containers within containers counted."""
        file, most = item.source.uri.partition(INSIDE)[0], self._settings.parse.limits.members
        room = max(0, most - self._parts[file])
        self._parts[file] += len(compiled.members)
        if len(compiled.members) <= room:
            return compiled
        reason = f"{len(compiled.members) - room} parts are left out: {file} has more than {most} in all"
        failure = Failure(item.source.uri, Stage.PARSE.value, reason, TooLarge.__name__, Status.TOO_LARGE)
        return replace(compiled, members=compiled.members[:room], failures=(*compiled.failures, failure))

    async def judge(self) -> None:
        """Ask the model, where there is one, about entities that no rule decides; a failed call leaves them apart."""
        kept = VERDICTS.read(self.stores.catalog)
        if self.workers.judge() is None:
            return
        asked = kept.maker == judge_maker(self._settings, self.stores) and not kept.unjudged
        if asked and self._is_linked():
            return
        try:
            profiles = read_profiles(self.searchable(), self.stores)
            VERDICTS.write(self.stores.catalog, await judge_entities(profiles, self.workers, self.stores))
        except BudgetExceeded as error:
            self._stop(error)
        except Exception as error:  # linking finds the document that is to blame, if any is
            self._trouble.append(as_failure("entities that no rule decides", "judge", error))

    def _is_linked(self) -> bool:
        """Whether the stores hold the links of just these documents, and no run was killed while it wrote them."""
        if self._has_unrecorded():
            return False
        index, verdicts = vectors_name(self.stores.embedder.info), VERDICTS.read(self.stores.catalog)
        key = corpus_key(self.searchable(), self._settings, index, verdicts)
        return self.stores.catalog.fact(LINKED_FACT) == key and not self.stores.catalog.fact(WRITING_FACT)

    def _has_unrecorded(self) -> bool:
        """Whether the catalog does not know of a document that was compiled, as where its entry was damaged."""
        compiled = {one.entry.document for one in self._entries.compiled.values() if one.entry.status.searchable}
        return not compiled <= {entry.document for entry in self._known.values()}

    def link(self) -> None:
        """Link all documents of the knowledge base, unless the stores already hold the links of just these.

        A document that makes it fail is left out, and those are linked without it.
        """
        if self._is_linked():
            self._failed = {failure.subject: failure for failure in FAILURES.read(self.stores.catalog)}
            return
        self._tell(Event(Stage.LINK, Phase.STARTED))
        self._linking = link_corpus(self.searchable(), self.stores, self._settings)
        self._tell(Event(Stage.LINK, Phase.DONE))

    def load(self) -> None:
        """Bring the stores up to what was compiled and linked, document by document."""
        self._tell(Event(Stage.LOAD, Phase.STARTED))
        self._expect_erasure()
        loader = Loader(self.stores, self._tell)
        loader.remove(self._entries.gone())
        loader.record(self._entries.unsearchable())
        self._record_stamps()
        if self._linking is None:
            for entry in self.searchable():
                phase = Phase.FAILED if entry.document in self._failed else Phase.REUSED
                self._tell(Event(Stage.LOAD, phase, entry.uri))
        else:
            self._load_linked(loader, self._linking)
        self._erase()
        self._tell(Event(Stage.LOAD, Phase.DONE))
        record_ingest(self.stores.catalog, Ingest(self._documents, finished=not self._stopped))
        failures = project(self.stores, self._settings, self._tell)
        self._trouble += [self._by_uri(failure) for failure in failures]

    def _load_linked(self, loader: Loader, linking: Linking) -> None:
        """Load all documents; where some cannot be, the others are linked anew without them, once."""
        entries = self.searchable()
        failures = loader.load(entries, linking)
        if failures:
            linking = link_corpus(entries, self.stores, self._settings, (*linking.failures, *failures))
            failures = loader.load(entries, linking)
        trouble = loader.finish(linking)
        self._failed = {failure.subject: failure for failure in (*linking.failures, *failures)}
        if trouble:
            self._trouble.append(Failure("links between the documents", "link", trouble, retryable=True))

    def _by_uri(self, failure: Failure) -> Failure:
        """The failure with the URI of its document in place of the id."""
        uris = {entry.document: entry.uri for entry in self.searchable()}
        return replace(failure, subject=uris.get(failure.subject, failure.subject))

    def _record_stamps(self) -> None:
        """Note the time stamps of files that are unchanged all the same, so that they need not be read again."""
        stamped = [entry for entry in self._entries.plan.unchanged if entry != self._known.get(entry.uri)]
        if stamped:
            with self.stores.catalog.transaction():
                for entry in stamped:
                    self.stores.catalog.record(entry)

    def _expect_erasure(self) -> None:
        """Note before anything is removed that it is to be erased."""
        catalog = self.stores.catalog
        gone = {entry.uri for entry in self._entries.gone()}
        after = {uri: entry for uri, entry in self._known.items() if uri not in gone}
        after |= {entry.uri: entry for entry in (*self._entries.unsearchable(), *self.searchable())}
        if is_losing(self._known.values(), after.values()) or catalog.fact(WRITING_FACT):
            note_erasure(catalog, Extent.STORES)

    def _erase(self) -> None:
        """Erase what is gone, and what an earlier run left to erase; items not yet compiled keep their artifacts."""
        catalog = self.stores.catalog
        due = noted_erasure(catalog)
        if due is Extent.STORES or (due is not None and self._left_over is not None):
            pending = [item.source for item in self._entries.plan.items]
            erase(self.stores, self.dispatcher.setup.keys, pending, self._settings.ingest.keep_cache)
        end_erasure_note(catalog, finished=not self._stopped)

    async def learn(self) -> None:
        """Learn from question-answer samples, where there are any; a budget that is reached keeps what is done."""
        if self._lessons is None:
            return
        self._tell(Event(Stage.LEARN, Phase.STARTED, detail=str(self._lessons.samples)))
        try:
            loaded = [entry for entry in self.searchable() if entry.document not in self._failed]
            pairs = await learn_pairs(self._lessons, loaded, self.stores)
        except BudgetExceeded as error:
            self._stop(error)
            return
        except DocumentsFailed as error:
            self._trouble += map(self._by_uri, error.failures)
            return
        self._tell(Event(Stage.LEARN, Phase.DONE, detail=f"{len(pairs)} pairs"))

    def report(self) -> Report:
        """Return how the run ended."""
        entries = self.stores.catalog.entries()
        compiled = self._entries.compiled.values()
        return Report(
            knowledge_base=str(self.stores.folder.root),
            documents=dict(sorted(Counter(entry.status.value for entry in entries).items())),
            changes=self._entries.changes(),
            stages=self._tally.stages(STAGES),
            contents=_sum(entry.counts for entry in entries),
            dropped=_sum(one.dropped for one in compiled),
            usage=usage_by_role(self._ledger, ESTIMATE.read(self.stores.catalog)),
            failures=self._failures(),
            unfinished=sum(entry.counts.get("unfinished", 0) for entry in entries),
            stopped=self._stopped,
            seconds=round(time.monotonic() - self._started, 3),
        )

    def _failures(self) -> tuple[Failure, ...]:
        failed = [failure for compiled in self._entries.compiled.values() for failure in compiled.failures]
        failed += [*map(self._by_uri, self._failed.values()), *self._trouble, *self._entries.plan.failures()]
        return tuple(sorted(failed, key=lambda failure: failure.subject))

    def searchable(self) -> tuple[Entry, ...]:
        """Return the entries of all documents that the knowledge base will hold, in order of URI."""
        return self._entries.searchable()

    def _tell(self, event: Event) -> None:
        self._tally(event)
        self._listener(event)

    def _tell_reused(self, entry: Entry) -> None:
        stages = (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED) if entry.status.searchable else (Stage.PARSE,)
        for stage in stages:
            self._tell(Event(stage, Phase.REUSED, entry.uri))


def _sum(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    total.pop("unfinished", None)
    return dict(total)
