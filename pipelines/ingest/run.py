"""One run over a folder: prepare, compile, report; what it does about all documents is in `corpus_work`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipelines.core.errors import BudgetExceeded, DocumentsFailed, SourceError, TooLarge
from pipelines.core.ids import INSIDE
from pipelines.core.outcome import Failure, Status, as_failure
from pipelines.ingest.compile import InWork, advance
from pipelines.ingest.corpus import VERDICTS, judge_entities, read_profiles
from pipelines.ingest.corpus_work import CorpusWork
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.erase import Extent, note_erasure, noted_erasure
from pipelines.ingest.plan import RunEntries, plan
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, Tally, record_run, usage_by_role
from pipelines.ingest.scan import scan
from pipelines.ingest.sources.locations import drop_copies
from pipelines.ingest.sources.mirror import Origin
from pipelines.ingest.task import Compiled, SourceItem
from pipelines.ingest.vocabulary import Lessons, find_classes, learn_pairs, with_classes
from pipelines.ingest.workers import CLASSES, KeptClasses, Workers, judge_maker, kept_classes, makers_of
from pipelines.llm.budget import Estimate
from pipelines.llm.ledger import Ledger
from pipelines.resources import Stores
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.facts import CatalogFact, Ingest, record_ingest

ESTIMATE: CatalogFact[Estimate | None] = CatalogFact("estimate", Estimate, None)
"""The last estimate, to be set beside what the work then took."""
_ANY_TEXT = "-"
STAGES = tuple(stage.value for stage in (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED, Stage.LOAD))


class IngestRun:
    """A run in progress: its steps are called in order by `pipelines.ingest.build.execute`.

    `prepare`, `settle`, `compile` for each item and those it returns, `judge`, the steps of `corpus`, `learn`,
    `report`. In place of `compile`, `advance` takes a document from stage to stage, and `take` ends it.
    """

    def __init__(
        self,
        origin: Origin,
        settings: Settings,
        stores: Stores,
        dispatcher: Dispatcher,
        workers: Workers,
        ledger: Ledger,
        listener: Progress,
        lessons: Lessons | None = None,
    ) -> None:
        self._origin = origin
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
        self._at_once = asyncio.Semaphore(settings.ingest.documents_at_once)
        self.corpus = CorpusWork(stores, settings, self._entries, {}, None, dispatcher, self._tell)
        self._trouble: list[Failure] = [*origin.failures]
        self._stopped = ""
        self._parts: Counter[str] = Counter()

    def prepare(self) -> tuple[SourceItem, ...]:
        """Scan the folder and return what is to be compiled. Raises `SourceError` for a folder without documents."""
        self._tell(Event(Stage.SCAN, Phase.STARTED, detail=self._origin.shown))
        found = (*scan(self._origin.folder, self._settings.ingest), *self._origin.left_out)
        self._entries.found = sum(file.status is not Status.SKIPPED for file in found)
        if not self._entries.found:
            raise SourceError(f"no documents in {self._origin.shown}", hint="nothing was changed")
        record_ingest(self.stores.catalog, Ingest(self._entries.found))
        known = {entry.uri: entry for entry in self.stores.catalog.entries()}
        self._entries.plan = planned = plan(found, known.values(), self.dispatcher.setup.keys)
        self._tell(Event(Stage.SCAN, Phase.DONE, total=len(planned.items)))
        for entry in planned.unchanged:
            self._tell_reused(entry)
        left_over = noted_erasure(self.stores.catalog)
        self.corpus = CorpusWork(
            self.stores, self._settings, self._entries, known, left_over, self.dispatcher, self._tell
        )
        if planned.items:
            note_erasure(self.stores.catalog, Extent.FILES)  # until they are in the catalog, nothing else knows of them
        return planned.items

    @property
    def settings(self) -> Settings:
        """All settings of the run."""
        return self._settings

    @property
    def asks_model(self) -> bool:
        """Whether a language model does a part of the work."""
        return self.workers.chat is not None

    @property
    def projects(self) -> bool:
        """Whether there are graph stores beside the embedded one."""
        return bool(self._settings.store.graph_copies)

    @property
    def learns(self) -> bool:
        """Whether there are samples to learn from."""
        return self._lessons is not None

    def prefetch(self, items: Sequence[SourceItem]) -> None:
        """Start to parse the first items, as many as are in work at once, while the run is still being set up."""
        for item in items[: self._settings.ingest.documents_at_once]:
            self.dispatcher.prefetch(item, Stage.PARSE)

    async def fetch_model(self) -> None:
        """Download the embedder's model where it is one that is downloaded: workers do not."""
        if self.stores.embedder.info.name == "fastembed":
            await asyncio.to_thread(self.stores.embedder.embed, (_ANY_TEXT,))

    async def settle(self, items: Sequence[SourceItem]) -> tuple[Failure, ...]:
        """Settle the classes of tags, before any item is compiled; a budget that is reached ends the run."""
        try:
            found = await find_classes(items, self.dispatcher, self.workers, self.stores, self._tell)
        except BudgetExceeded as error:
            self._stop(error)
            return ()
        if found is not None:
            self._settle_on(found)
        elif items and self.workers.inducer() is not None:  # what is distilled without them is done again
            self.dispatcher.setup = replace(self.dispatcher.setup, settled=False)
        return ()

    def _settle_on(self, found: KeptClasses) -> None:
        """Have the model tag by these classes, and keep them."""
        if kept_classes(self.stores.catalog, found.maker) is None:
            CLASSES.write(self.stores.catalog, found)
        setup = with_classes(self.dispatcher.setup, [one.name for one in found.classes])
        self.dispatcher.setup = replace(setup, makers=makers_of(self._settings, self.stores))

    async def compile(self, item: SourceItem) -> tuple[SourceItem, ...]:
        """Compile one item and return the documents inside it, to be compiled too; a failure is kept, not raised."""
        async with self._at_once:
            work = InWork(item)
            for stage in (Stage.EMBED,) if self.dispatcher.setup.model is None else (Stage.PARSE, Stage.EMBED):
                work = await self.advance(work, stage)  # with a model, first what is done before it is asked
        return self.take(work)

    async def advance(self, work: InWork, upto: Stage) -> InWork:
        """Return a document taken on up to a stage; where the budget of the run is reached it stays where it is."""
        if self._stopped:
            return work
        try:
            return await advance(work, upto, self.dispatcher, self._tell)
        except BudgetExceeded as error:
            self._stop(error)
            return work

    async def advance_in_turn(self, work: InWork, upto: Stage) -> InWork:
        """Do what `advance` does once fewer than `ingest.documents_at_once` others are in work."""
        async with self._at_once:
            return await self.advance(work, upto)

    def take(self, work: InWork) -> tuple[SourceItem, ...]:
        """Take what became of a document, and return the documents inside it; one that the budget stopped is left."""
        if not work.ended:
            return ()
        compiled = self._within_limit(work.item, work.outcome)
        self._entries.compiled[work.item.source.uri] = compiled
        return tuple(work.item.part(member) for member in compiled.members)

    @property
    def stopped(self) -> str:
        """Why the run ended early, empty where it did not."""
        return self._stopped

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

    async def judge(self) -> tuple[Failure, ...]:
        """Ask the model, where there is one, about entities that no rule decides; a failed call leaves them apart."""
        kept = VERDICTS.read(self.stores.catalog)
        if self.workers.judge() is None:
            return ()
        asked = kept.maker == judge_maker(self._settings, self.stores) and not kept.unjudged
        if asked and self.corpus.is_linked():
            return ()
        try:
            profiles = read_profiles(self.searchable(), self.stores)
            VERDICTS.write(self.stores.catalog, await judge_entities(profiles, self.workers, self.stores))
        except BudgetExceeded as error:
            self._stop(error)
        except Exception as error:  # linking finds the document that is to blame, if any is
            self._trouble.append(as_failure("entities that no rule decides", "judge", error))
        return tuple(self._trouble)

    async def learn(self) -> tuple[Failure, ...]:
        """Learn from question-answer samples, where there are any; a budget that is reached keeps what is done."""
        if self._lessons is None:
            return ()
        self._tell(Event(Stage.LEARN, Phase.STARTED, detail=str(self._lessons.samples)))
        try:
            loaded = [entry for entry in self.searchable() if entry.document not in self.corpus.failed]
            pairs = await learn_pairs(self._lessons, loaded, self.stores)
        except BudgetExceeded as error:
            self._stop(error)
            return ()
        except DocumentsFailed as error:
            failures = tuple(map(self.corpus.by_uri, error.failures))
            self._trouble += failures
            return failures
        self._tell(Event(Stage.LEARN, Phase.DONE, detail=f"{len(pairs)} pairs"))
        return ()

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

    def record(self, report: Report) -> None:
        """Keep the report in the knowledge base, secrets masked; copies of a place that it was made from before go."""
        record_run(self.stores.catalog, self._origin.shown, self._settings.changed(), report)
        drop_copies(self.stores.folder, self._origin)

    def _failures(self) -> tuple[Failure, ...]:
        failed = [failure for compiled in self._entries.compiled.values() for failure in compiled.failures]
        failed += [*map(self.corpus.by_uri, self.corpus.failed.values()), *self.corpus.trouble, *self._trouble]
        failed += self._entries.plan.failures()
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
