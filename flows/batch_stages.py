"""Batches of documents, which reduce Prefect's overhead, and the work of the tasks of each stage."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from prefect.logging import get_run_logger

from flows.flow_report import RunWatch
from pipelines.core import errors
from pipelines.core.errors import StrataError
from pipelines.core.outcome import Failure
from pipelines.core.safe_output import shown
from pipelines.ingest.compile import DocumentProgress
from pipelines.ingest.report import Event, Phase, Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.task import COMPILING, SourceItem
from pipelines.store.catalog import Entry

BATCHES = 8
"""Minimum number of batches of a folder; with fewer documents, each one is a batch."""
MOST = 64
"""Maximum documents of a batch; `benchmarks/flow.py` measures the overhead of its tasks."""
MOST_BYTES = 2 << 20
"""Maximum total size of a batch; a larger document forms a batch alone."""
PICTURES = frozenset((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"))
"""Suffixes of files that probably need OCR; used for the concurrency limit only, types are detected by content."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that pass the stages together; `pictures` if they need OCR."""

    items: tuple[SourceItem, ...]
    pictures: bool = False

    @property
    def label(self) -> str:
        """The name of the batch: its document, or the first one and the number of others."""
        first, more = shown(self.items[0].source.uri), len(self.items) - 1
        return f"{first} and {more} more" if more else first


def batches(items: Sequence[SourceItem]) -> Iterator[Batch]:
    """Yield all items in batches, in order; images are in separate batches."""
    size = min(MOST, math.ceil(len(items) / BATCHES))
    for pictures in (False, True):
        kind = [item for item in items if is_picture(item) == pictures]
        yield from (Batch(tuple(some), pictures) for some in _divided(kind, size))


def is_picture(item: SourceItem) -> bool:
    """Whether a document is an image, by its suffix."""
    return PurePosixPath(item.source.uri).suffix.lower() in PICTURES


def _divided(items: Sequence[SourceItem], size: int) -> Iterator[list[SourceItem]]:
    batch: list[SourceItem] = []
    for item in items:
        if batch and (len(batch) == size or sum(one.source.size for one in batch) + item.source.size > MOST_BYTES):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def is_transient(failure: Failure) -> bool:
    """Whether the error of a failure is retryable: a model call, a store, a rate limit."""
    kind = getattr(errors, failure.error, None)
    return isinstance(kind, type) and issubclass(kind, StrataError) and kind.retryable


@dataclass(slots=True)
class BatchStage:
    """A stage of a batch; a retry skips documents that are done."""

    run: IngestRun
    stage: Stage
    before: Sequence[DocumentProgress]
    after: dict[str, DocumentProgress] = field(default_factory=dict)

    async def __call__(self) -> Sequence[Failure]:
        due = [work for work in self.before if self._is_due(work)]
        done = await asyncio.gather(*(self.run.advance_in_turn(work, self.stage) for work in due))
        self.after |= {work.item.source.uri: work for work in done}
        _log(done)
        return [failure for work in self.before for failure in self._failures(work)]

    def _is_due(self, work: DocumentProgress) -> bool:
        return work.item.source.uri not in self.after or any(map(is_transient, self._failures(work)))

    def _failures(self, before: DocumentProgress) -> list[Failure]:
        """Return the failures of a document in this stage."""
        after = self.after[before.item.source.uri]
        return [failure for failure in after.outcome.failures if failure not in before.outcome.failures]

    @property
    def works(self) -> list[DocumentProgress]:
        """The documents after the stage."""
        return list(self.after.values())


class BatchJobs:
    """Documents of a batch that pass all stages in one job each, as without Prefect.

    Events report the end of each stage. A job per stage would cost small documents a third of their time, because each
    one would read the output of the previous one.
    """

    def __init__(self, run: IngestRun, watch: RunWatch, items: Sequence[SourceItem]) -> None:
        self._run = run
        self._watch = watch
        self._items = {item.source.uri: item for item in items}
        self._jobs: dict[str, asyncio.Task[DocumentProgress]] = {}
        self._left: dict[Stage, set[str]] = {stage: set() for stage in COMPILING}
        self._passed = {stage: asyncio.Event() for stage in COMPILING}
        self._reported: dict[Failure, Stage] = {}
        self._stage: Stage | None = None

    def __enter__(self) -> BatchJobs:
        self._watch.listeners.add(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.listeners.discard(self._on_event)
        for job in self._jobs.values():
            job.cancel()

    async def passed(self, stage: Stage) -> Sequence[Failure]:
        """Wait until all documents have passed the stage, and return its failures.

        Raises the errors of jobs; a second call for the same stage retries the documents with transient failures.
        """
        again, self._stage = stage is self._stage, stage
        for uri in self._items:
            if uri not in self._jobs or (again and self._may_help(uri)):
                self._begin(uri)
        if stage is COMPILING[-1]:
            await asyncio.wait(self._jobs.values())  # the result follows the last event with a delay
        else:
            await self._passed[stage].wait()
        for work in self.works:
            for failure in work.outcome.failures:
                if failure.stage == stage.value or stage is COMPILING[-1]:
                    self._reported.setdefault(failure, stage)
        if stage is COMPILING[-1]:
            _log(self.works)
        return [failure for failure, reported in self._reported.items() if reported is stage]

    @property
    def works(self) -> list[DocumentProgress]:
        """The documents whose jobs have ended. Raises the errors of jobs."""
        return [job.result() for job in self._jobs.values() if job.done()]

    @property
    def go_on(self) -> bool:
        """Whether any document has not failed."""
        works = self.works
        return len(works) < len(self._items) or any(work.outcome.entry.document for work in works)

    def _may_help(self, uri: str) -> bool:
        job = self._jobs[uri]
        if not job.done():
            return False
        failures = () if job.exception() else job.result().outcome.failures
        for failure in filter(is_transient, failures):
            self._reported.pop(failure, None)
        return job.exception() is not None or any(map(is_transient, failures))

    def _begin(self, uri: str) -> None:
        for stage in COMPILING:
            self._left[stage].add(uri)
            self._passed[stage].clear()
        job = asyncio.create_task(self._run.advance_in_turn(DocumentProgress(self._items[uri]), COMPILING[-1]))
        job.add_done_callback(lambda _: self._end(uri, *COMPILING))
        self._jobs[uri] = job

    def _on_event(self, event: Event) -> None:
        if event.phase is not Phase.STARTED and event.subject in self._items and event.stage in self._left:
            self._end(event.subject, event.stage)

    def _end(self, uri: str, *stages: Stage) -> None:
        for stage in stages:
            self._left[stage].discard(uri)
            if not self._left[stage]:
                self._passed[stage].set()


def _log(works: Sequence[DocumentProgress]) -> None:
    """Log the status of documents that have ended, in one record, because the server stores each record separately."""
    if ended := [work.outcome.entry for work in works if work.ended]:
        get_run_logger().info("\n".join(map(_line, ended)))


def _line(entry: Entry) -> str:
    counts = ", ".join(f"{number} {name}" for name, number in entry.counts.items() if number)
    return f"{shown(entry.uri)}: {', '.join(filter(None, (entry.status.value, counts)))}"
