"""One run over a folder: plan, compile, link, load. The only writer of the stores."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.core import codec
from pipelines.core.errors import BudgetExceeded, DocumentsFailed, SourceError, TooLarge
from pipelines.core.failures import as_failure
from pipelines.core.outcome import Failure, Status
from pipelines.ingest.classes import settle_classes
from pipelines.ingest.compile import Compiled, Item, Tools, compile_item
from pipelines.ingest.corpus import LINKED_FACT, Linking, corpus_key, link_corpus, read_cards
from pipelines.ingest.erase import Extent, erase, expect, expected, settled, vanishing
from pipelines.ingest.judged import judge_entities, judge_maker, kept_verdicts
from pipelines.ingest.language import Language
from pipelines.ingest.load import Loader, failed_before
from pipelines.ingest.plan import Plan, plan
from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.ingest.project import project
from pipelines.ingest.report import QUOTE_FACT, Report, Tally, usage_by_role
from pipelines.ingest.scan import scan
from pipelines.ingest.tagging import Lessons, learn_pairs
from pipelines.llm.quote import Quote
from pipelines.resources import Stores, vectors_name
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.facts import WRITING_FACT, Ingest, record_ingest

_ANY_TEXT = "-"
STAGES = tuple(stage.value for stage in (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED, Stage.LOAD))


class Run:
    """A run in progress. Call `prepare`, `compile` for each item and those it returns, `link`, `load`, `report`."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        stores: Stores,
        tools: Tools,
        language: Language,
        listener: Progress,
        lessons: Lessons | None = None,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self.stores = stores
        self._tools = tools
        self._language = language
        self._listener = listener
        self._lessons = lessons
        self._tally = Tally()
        self._started = time.monotonic()
        self._plan = Plan()
        self._documents = 0
        self._known: dict[str, Entry] = {}
        self._compiled: dict[str, Compiled] = {}
        self._at_once: asyncio.Semaphore | None = None
        self._linking: Linking | None = None
        self._failed: dict[str, Failure] = {}
        self._trouble: list[Failure] = []
        self._stopped = ""
        self._left_over: Extent | None = None
        self._parts: Counter[str] = Counter()

    def prepare(self) -> tuple[Item, ...]:
        """Scan the folder and return what is to be compiled. Raises `SourceError` for a folder without documents."""
        self._tell(Event(Stage.SCAN, Phase.STARTED, detail=str(self._folder)))
        found = scan(self._folder, self._settings.ingest)
        if not any(file.status is not Status.SKIPPED for file in found):
            raise SourceError(f"no documents in {self._folder}", hint="nothing was changed")
        self._documents = sum(file.status is not Status.SKIPPED for file in found)
        record_ingest(self.stores.catalog, Ingest(self._documents))
        self._known = {entry.uri: entry for entry in self.stores.catalog.entries()}
        self._plan = plan(found, self._known.values(), self._tools.keys)
        self._tell(Event(Stage.SCAN, Phase.DONE, total=len(self._plan.items)))
        for entry in self._plan.unchanged:
            self._tell_reused(entry)
        self._left_over = expected(self.stores.catalog)
        if self._plan.items:
            expect(self.stores.catalog, Extent.FILES)  # until they are in the catalog, nothing else knows of them
        return self._plan.items

    def parse_ahead(self, items: Sequence[Item]) -> None:
        """Put the first items to work before they are asked for; the rest follows as room is made."""
        for item in items[: self._settings.ingest.documents_at_once]:
            self._tools.begin(item)

    async def fetch_model(self) -> None:
        """Have the embedder's model on this machine, where it is one of those that are downloaded: workers do not."""
        if self.stores.embedder.info.name == "fastembed":
            await asyncio.to_thread(self.stores.embedder.embed, (_ANY_TEXT,))

    async def settle(self, items: Sequence[Item]) -> None:
        """Settle the classes of tags, before any item is compiled; a budget that is reached ends the run."""
        try:
            self._tools = await settle_classes(items, self._tools, self._language.induction, self.stores, self._tell)
        except BudgetExceeded as error:
            self._stopped = error.message

    async def compile(self, item: Item) -> tuple[Item, ...]:
        """Compile one item and return the documents inside it, to be compiled too; a failure is kept, not raised."""
        if self._at_once is None:
            self._at_once = asyncio.Semaphore(self._settings.ingest.documents_at_once)
        async with self._at_once:
            if self._stopped:
                return ()
            try:
                compiled = await compile_item(item, self._tools, self._tell)
            except BudgetExceeded as error:
                self._stopped = error.message
                return ()
        compiled = self._within_limit(item, compiled)
        self._compiled[item.source.uri] = compiled
        return compiled.members

    def _within_limit(self, item: Item, compiled: Compiled) -> Compiled:
        """Leave out the parts of a file that go over the limit, all its containers within containers counted."""
        file = item.source.uri.partition("!/")[0]
        room = max(0, self._settings.parse.limits.members - self._parts[file])
        self._parts[file] += len(compiled.members)
        if len(compiled.members) <= room:
            return compiled
        left_out = len(compiled.members) - room
        reason = f"{left_out} parts are left out: {file} has more than {self._settings.parse.limits.members} in all"
        failure = Failure(item.source.uri, Stage.PARSE.value, reason, TooLarge.__name__, Status.TOO_LARGE)
        return replace(compiled, members=compiled.members[:room], failures=(*compiled.failures, failure))

    async def judge(self) -> None:
        """Ask the model, where there is one, about entities that no rule decides; a failed call leaves them apart."""
        chat, kept = self._language.chat, kept_verdicts(self.stores.catalog)
        if chat is None or not self._settings.graph.judged_pairs:
            return
        asked = kept.maker == judge_maker(self._settings, self.stores) and not kept.unjudged
        if asked and self._is_linked():
            return
        try:
            await judge_entities(read_cards(self.searchable(), self.stores), self.stores, self._settings, chat)
        except BudgetExceeded as error:
            self._stopped = error.message
        except Exception as error:  # linking finds the document that is to blame, if any is
            self._trouble.append(as_failure("entities that no rule decides", "judge", error))

    def _is_linked(self) -> bool:
        """Whether the stores hold the links of just these documents, and no run was killed while it wrote them."""
        index, verdicts = vectors_name(self.stores.embedder.info), kept_verdicts(self.stores.catalog)
        key = corpus_key(self.searchable(), self._settings, index, verdicts)
        if self._has_unrecorded():
            return False
        return self.stores.catalog.fact(LINKED_FACT) == key and not self.stores.catalog.fact(WRITING_FACT)

    def _has_unrecorded(self) -> bool:
        """Whether the catalog does not know of a document that was compiled, as where its entry was damaged."""
        compiled = {one.entry.document for one in self._compiled.values() if one.entry.status.searchable}
        return not compiled <= {entry.document for entry in self._known.values()}

    def link(self) -> None:
        """Link all documents of the knowledge base, unless the stores already hold the links of just these.

        A document that makes it fail is left out, and those are linked without it.
        """
        if self._is_linked():
            self._failed = {failure.subject: failure for failure in failed_before(self.stores.catalog)}
            return
        self._tell(Event(Stage.LINK, Phase.STARTED))
        self._linking = link_corpus(self.searchable(), self.stores, self._settings)
        self._tell(Event(Stage.LINK, Phase.DONE))

    def load(self) -> None:
        """Bring the stores up to what was compiled and linked, document by document."""
        self._tell(Event(Stage.LOAD, Phase.STARTED))
        self._expect_erasure()
        loader = Loader(self.stores, self._tell)
        loader.remove(self._gone())
        loader.record(self._others())
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
        """The failure of a document by the name that readers know it by."""
        uris = {entry.document: entry.uri for entry in self.searchable()}
        return replace(failure, subject=uris.get(failure.subject, failure.subject))

    def _record_stamps(self) -> None:
        """Note the time stamps of files that are unchanged all the same, so that they need not be read again."""
        stamped = [entry for entry in self._plan.unchanged if entry != self._known.get(entry.uri)]
        if stamped:
            with self.stores.catalog.transaction():
                for entry in stamped:
                    self.stores.catalog.record(entry)

    def _expect_erasure(self) -> None:
        """Note before anything is removed that it is to be erased."""
        catalog = self.stores.catalog
        gone = {entry.uri for entry in self._gone()}
        after = {uri: entry for uri, entry in self._known.items() if uri not in gone}
        after |= {entry.uri: entry for entry in (*self._others(), *self.searchable())}
        if vanishing(self._known.values(), after.values()) or catalog.fact(WRITING_FACT):
            expect(catalog, Extent.STORES)

    def _erase(self) -> None:
        """Erase what has gone, and what an earlier run left; what was only begun to be read is still to come."""
        catalog = self.stores.catalog
        due = expected(catalog)
        if due is Extent.STORES or (due is not None and self._left_over is not None):
            pending = [item.source for item in self._plan.items]
            erase(self.stores, self._tools.keys, pending, self._settings.ingest.keep_cache)
        settled(catalog, finished=not self._stopped)

    async def learn(self) -> None:
        """Learn from question-answer samples, where there are any; a budget that is reached keeps what is done."""
        if self._lessons is None:
            return
        self._tell(Event(Stage.LEARN, Phase.STARTED, detail=str(self._lessons.samples)))
        try:
            loaded = [entry for entry in self.searchable() if entry.document not in self._failed]
            pairs = await learn_pairs(self._lessons, loaded, self.stores)
        except BudgetExceeded as error:
            self._stopped = error.message
            return
        except DocumentsFailed as error:
            self._trouble += map(self._by_uri, error.failures)
            return
        self._tell(Event(Stage.LEARN, Phase.DONE, detail=f"{len(pairs)} pairs"))

    def report(self) -> Report:
        """Return how the run ended."""
        entries = self.stores.catalog.entries()
        return Report(
            knowledge_base=str(self.stores.folder.root),
            documents=dict(sorted(Counter(entry.status.value for entry in entries).items())),
            changes=self._changes(),
            stages=self._tally.stages(STAGES),
            contents=_sum(entry.counts for entry in entries),
            dropped=_sum(compiled.dropped for compiled in self._compiled.values()),
            usage=usage_by_role(self._language.ledger, self._quote()),
            failures=self._failures(),
            unfinished=sum(entry.counts.get("unfinished", 0) for entry in entries),
            stopped=self._stopped,
            seconds=round(time.monotonic() - self._started, 3),
        )

    @property
    def tools(self) -> Tools:
        return self._tools

    def _tell(self, event: Event) -> None:
        self._tally(event)
        self._listener(event)

    def _tell_reused(self, entry: Entry) -> None:
        stages = (Stage.PARSE, Stage.CHUNK, Stage.ATOMIZE, Stage.EMBED) if entry.status.searchable else (Stage.PARSE,)
        for stage in stages:
            self._tell(Event(stage, Phase.REUSED, entry.uri))

    def searchable(self) -> tuple[Entry, ...]:
        """Return the entries of all documents that the knowledge base will hold, in order of URI."""
        entries = [compiled.entry for compiled in self._compiled.values()]
        entries += [*self._plan.unchanged, *self._kept()]
        return tuple(sorted((entry for entry in entries if entry.status.searchable), key=lambda entry: entry.uri))

    def _others(self) -> tuple[Entry, ...]:
        entries = [compiled.entry for compiled in self._compiled.values() if not compiled.entry.status.searchable]
        return (*entries, *self._plan.left_out)

    def _gone(self) -> tuple[Entry, ...]:
        """Entries without a file, and parts that their container no longer holds; none that a stopped run left out."""
        kept = {entry.uri for entry in self._kept()}
        gone = [entry for entry in self._plan.gone if entry.uri not in kept]
        for entry in self.stores.catalog.entries():
            container = self._compiled.get(entry.parent)
            if container is not None and entry.uri not in self._compiled and not self._stopped:
                gone.append(entry)
        return tuple({entry.uri: entry for entry in gone}.values())

    def _kept(self) -> tuple[Entry, ...]:
        """Entries that stay as they are: without a file, where the settings say so; not reached, in a stopped run."""
        kept = list(self._plan.gone) if self._settings.ingest.keep_missing else []
        if self._stopped:
            missed = {item.source.uri for item in self._plan.items} - set(self._compiled)
            kept += [entry for entry in self.stores.catalog.entries() if entry.uri in missed]
        return tuple(kept)

    def _quote(self) -> Quote | None:
        kept = self.stores.catalog.fact(QUOTE_FACT)
        return codec.decode(kept, Quote) if kept else None

    def _changes(self) -> dict[str, int]:
        before = {entry.uri for entry in self._plan.unchanged}
        added = [uri for uri in self._compiled if uri not in before]
        return {
            "done": len(added),
            "unchanged": len(self._plan.unchanged),
            "removed": len(self._gone()),
            "left out": len(self._plan.left_out),
        }

    def _failures(self) -> tuple[Failure, ...]:
        failed = [failure for compiled in self._compiled.values() for failure in compiled.failures]
        failed += [*map(self._by_uri, self._failed.values()), *self._trouble]
        failed += [
            Failure(entry.uri, "scan", entry.reason, status=entry.status, retryable=True)
            for entry in self._plan.left_out
            if entry.status is not Status.SKIPPED
        ]
        failed += [
            Failure(entry.uri, "parse", entry.reason, status=entry.status)
            for entry in self._plan.unchanged
            if not entry.status.searchable and entry.status is not Status.EMPTY
        ]
        return tuple(sorted(failed, key=lambda failure: failure.subject))


def _sum(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    total.pop("unfinished", None)
    return dict(total)
