"""A run over a folder: prepare, compile, report. The steps over all documents are in `corpus_work`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pipelines.core.errors import BudgetExceeded, DocumentsFailed, SourceError, TooLarge
from pipelines.core.ids import INSIDE
from pipelines.core.outcome import Failure, Status, as_failure
from pipelines.ingest.compile import DocumentProgress, advance
from pipelines.ingest.corpus import JUDGED_ENTITIES, judge_entities, read_profiles
from pipelines.ingest.corpus_work import CorpusWork
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.erase import Extent, note_erasure, noted_erasure
from pipelines.ingest.plan import RunEntries, plan
from pipelines.ingest.report import (
    Event,
    Phase,
    Progress,
    Report,
    Stage,
    Tally,
    record_run,
    repeated_because,
    usage_by_role,
)
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
from pipelines.store.facts import INGEST, CatalogFact, Ingest

ESTIMATE: CatalogFact[Estimate | None] = CatalogFact("estimate", Estimate, None)
"""The last estimate, which the report of a run compares with the actual usage."""
_ANY_TEXT = "-"
STAGES = tuple(stage.value for stage in (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED, Stage.LOAD))


class IngestRun:
    """A run in progress, whose steps `pipelines.ingest.steps.execute` calls in this order:

    `prepare`, `choose_classes`, `compile` for each item and for those it returns, `judge`, the steps of `corpus`,
    `learn`, `report`. Instead of `compile`, `advance` compiles a document stage by stage, and `take` records the
    result.

    `settings` are all settings of the run; `stopped` is why it ended early, empty if it did not.
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
        self.settings = settings
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
        self.stopped = self._repeated = ""
        self._parts: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}

    def prepare(self, begins: bool = True) -> tuple[SourceItem, ...]:
        """Scan the folder and return the items to compile. Raises `SourceError` for a folder without documents.

        With `begins`, the knowledge base counts as incomplete until the run has ended; a preview does not begin one.
        """
        self._tell(Event(Stage.SCAN, Phase.STARTED, detail=self._origin.shown))
        found = (*scan(self._origin.folder, self.settings.ingest), *self._origin.left_out)
        self._entries.found = sum(file.status is not Status.SKIPPED for file in found)
        if not self._entries.found:
            raise SourceError(f"no documents in {self._origin.shown}", hint="nothing was changed")
        if begins:
            INGEST.write(self.stores.catalog, Ingest(self._entries.found))
        known = {entry.uri: entry for entry in self.stores.catalog.entries()}
        self._entries.plan = planned = plan(found, known.values(), self.dispatcher.setup.keys)
        self._repeated = repeated_because(planned.repeated(known), self.stores.catalog, self.settings.changed())
        self._tell(Event(Stage.SCAN, Phase.DONE, detail=self._repeated, total=len(planned.items)))
        for entry in planned.unchanged:
            self._tell_reused(entry)
        left_over = noted_erasure(self.stores.catalog)
        self.corpus = CorpusWork(
            self.stores, self.settings, self._entries, known, left_over, self.dispatcher, self._tell
        )
        if planned.items:
            note_erasure(self.stores.catalog, Extent.FILES)  # in case the run is killed before they are in the catalog
        return planned.items

    @property
    def asks_model(self) -> bool:
        """Whether a language model does a part of the work."""
        return self.workers.chat is not None

    @property
    def projects(self) -> bool:
        """Whether the settings name copies of the graph in other stores."""
        return bool(self.settings.store.graph_copies)

    @property
    def learns(self) -> bool:
        """Whether there are question-answer samples to learn from."""
        return self._lessons is not None

    def prefetch(self, items: Sequence[SourceItem]) -> None:
        """Start parsing the first `documents_at_once` items while the run is still being set up."""
        for item in items[: self.settings.ingest.documents_at_once]:
            self.dispatcher.prefetch(item, Stage.PARSE)

    async def fetch_model(self) -> None:
        """Download the model of the embedder if needed, because workers do not download."""
        if self.stores.embedder.info.name == "fastembed":
            await asyncio.to_thread(self.stores.embedder.embed, (_ANY_TEXT,))

    async def choose_classes(self, items: Sequence[SourceItem]) -> tuple[Failure, ...]:
        """Choose the tag classes for the model, before any item is compiled; an exceeded budget stops the run."""
        try:
            found = await find_classes(items, self.dispatcher, self.workers, self.stores, self._tell)
        except BudgetExceeded as error:
            self._stop(error)
            return ()
        if found is not None:
            self._use_classes(found)
        elif items and self.workers.inducer() is not None:  # documents distilled without them are distilled again
            self.dispatcher.setup = replace(self.dispatcher.setup, settled=False)
        return ()

    def _use_classes(self, found: KeptClasses) -> None:
        """Store these tag classes and use them in this run."""
        if kept_classes(self.stores.catalog, found.maker) is None:
            CLASSES.write(self.stores.catalog, found)
        setup = with_classes(self.dispatcher.setup, [one.name for one in found.classes])
        self.dispatcher.setup = replace(setup, makers=makers_of(self.settings, self.stores))

    async def compile(self, item: SourceItem) -> tuple[SourceItem, ...]:
        """Compile an item and return the documents inside it; a failure is recorded, not raised."""
        async with self._at_once:
            work = DocumentProgress(item)
            # With a model, parsing is a separate job, because it does not ask the model.
            for stage in (Stage.EMBED,) if self.dispatcher.setup.model is None else (Stage.PARSE, Stage.EMBED):
                work = await self.advance(work, stage)
        return self.take(work)

    async def advance(self, work: DocumentProgress, upto: Stage) -> DocumentProgress:
        """Compile a document up to a stage; after the budget of the run is exceeded, it is returned unchanged."""
        if self.stopped:
            return work
        try:
            return await advance(work, upto, self.dispatcher, self._tell)
        except BudgetExceeded as error:
            self._stop(error)
            return work

    async def advance_in_turn(self, work: DocumentProgress, upto: Stage) -> DocumentProgress:
        """Do the same as `advance`, with at most `ingest.documents_at_once` documents at the same time."""
        async with self._at_once:
            return await self.advance(work, upto)

    def take(self, work: DocumentProgress) -> tuple[SourceItem, ...]:
        """Record the result of a document, unless the budget stopped it, and return the documents inside it."""
        if not work.ended:
            return ()
        compiled = self._within_limit(work.item, work.outcome)
        self._entries.compiled[work.item.source.uri] = compiled
        return tuple(work.item.part(member) for member in compiled.members)

    def _stop(self, error: BudgetExceeded) -> None:
        self.stopped, self._entries.stopped = error.message, True

    def _within_limit(self, item: SourceItem, compiled: Compiled) -> Compiled:
        """Leave out the parts of a file that exceed the limit, which counts the parts of nested containers too.

        An archive that contains itself would be unpacked until it is nested too deep.
        """
        file, most = item.source.uri.partition(INSIDE)[0], self.settings.parse.limits.members
        members = tuple(member for member in compiled.members if member.digest != item.source.digest)
        reason = "a part is left out: it is the file itself" if len(members) < len(compiled.members) else ""
        room = max(0, most - self._parts[file])
        self._parts[file] += len(members)
        if len(members) > room:
            reason = f"{len(members) - room} parts are left out: {file} has more than {most} in all"
        if not reason:
            return compiled
        failure = Failure(item.source.uri, Stage.PARSE.value, reason, TooLarge.__name__, Status.TOO_LARGE)
        return replace(compiled, members=members[:room], failures=(*compiled.failures, failure))

    async def judge(self) -> tuple[Failure, ...]:
        """Ask the model, if any, about entities that no rule decides; after a failed call they are not merged."""
        kept = JUDGED_ENTITIES.read(self.stores.catalog)
        if self.workers.judge() is None:
            return ()
        asked = kept.maker == judge_maker(self.settings, self.stores) and not kept.unjudged
        if asked and self.corpus.is_linked():
            return ()
        try:
            profiles = read_profiles(self.searchable(), self.stores)
            JUDGED_ENTITIES.write(self.stores.catalog, await judge_entities(profiles, self.workers, self.stores))
        except BudgetExceeded as error:
            self._stop(error)
        except Exception as error:  # if a document has caused it, linking will find it
            self._trouble.append(as_failure("entities that no rule decides", "judge", error))
        return tuple(self._trouble)

    async def learn(self) -> tuple[Failure, ...]:
        """Learn tag pairs from the question-answer samples, if any; an exceeded budget stops the run."""
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

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time spent in this context to the seconds of a step."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[step] = self._seconds.get(step, 0) + time.monotonic() - began

    def report(self) -> Report:
        """Return the report of the run."""
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
            step_seconds={step: round(seconds, 3) for step, seconds in self._seconds.items()},
            failures=self._failures(),
            unfinished=sum(entry.counts.get("unfinished", 0) for entry in entries),
            repeated=self._repeated,
            stopped=self.stopped,
            seconds=round(time.monotonic() - self._started, 3),
        )

    def record(self, report: Report) -> None:
        """Store the report in the knowledge base, with masked secrets, and remove copies of an earlier source."""
        record_run(self.stores.catalog, self._origin.shown, self.settings.changed(), report)
        drop_copies(self.stores.folder, self._origin)

    def _failures(self) -> tuple[Failure, ...]:
        failed = [failure for compiled in self._entries.compiled.values() for failure in compiled.failures]
        failed += [*map(self.corpus.by_uri, self.corpus.failed.values()), *self.corpus.trouble, *self._trouble]
        failed += self._entries.plan.failures()
        return tuple(sorted(failed, key=lambda failure: failure.subject))

    def searchable(self) -> tuple[Entry, ...]:
        """Return the entries of all documents that the knowledge base will contain, in order of URI."""
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
