"""The tasks of the flow: their names, tags, retries and limits, and the steps of a run taken as these tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Any

import httpx
from prefect import Task, get_client
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.client.schemas.objects import State
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.exceptions import ObjectNotFound
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Failed

from flows.batches import Batch, batches
from flows.flow_report import RunWatch
from pipelines.core import errors
from pipelines.core.errors import StrataError
from pipelines.core.outcome import Failure
from pipelines.core.safe_output import shown
from pipelines.ingest.compile import InWork
from pipelines.ingest.report import Event, Phase, Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import Step, Work
from pipelines.ingest.task import COMPILING, SourceItem
from pipelines.settings import Settings
from pipelines.store.catalog import Entry

RETRIES = 2
RETRY_SECONDS = [2.0, 10.0]
OCR, MODEL, STORE = "ocr", "model", "store"
"""Tags with a limit on the server: at most so many of their tasks run at once, of all runs together."""
STORE_AT_ONCE = 4


class _Transient:
    """Marks the state of a task that another try can help."""


@dataclass(slots=True)
class _Attempt:
    """The work of a task, and what came of it: Prefect itself may fail before the work was begun."""

    work: Work
    tried: bool = False
    error: BaseException | None = None

    async def __call__(self) -> Sequence[Failure]:
        self.tried, self.error = True, None
        try:
            return await self.work()
        except BaseException as error:
            self.error = error
            raise


async def _do(label: str, work: _Attempt) -> State | None:
    """What every task does; the failures of single documents end it as failed, with their reasons."""
    failures = await work()
    logger = get_run_logger()
    for failure in failures:
        logger.error("%s: %s: %s", shown(failure.subject), failure.stage, shown(failure.reason))
    if not failures:
        return None
    first = failures[0]
    told = f"{shown(first.subject)}: {shown(first.reason)}"
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    return Failed(message=told + more, data=_Transient() if any(map(is_transient, failures)) else None)


def is_transient(failure: Failure) -> bool:
    """Whether a failure is by an error that another try can help: a call, a store, a rate limit."""
    kind = getattr(errors, failure.error, None)
    return isinstance(kind, type) and issubclass(kind, StrataError) and kind.retryable


def named_by(parameter: str) -> Callable[[], str]:
    """Return what gives a flow's run the name of the folder or knowledge base that is this parameter of it."""
    return lambda: shown(PurePath(str(flow_run.parameters[parameter])).name)


def may_retry(task: object, run: object, state: State) -> bool:
    """Whether another try can help a task that ended so."""
    data = state.data
    return isinstance(data, _Transient) or (isinstance(data, StrataError) and data.retryable)


_StageTask = Task[[str, _Attempt], Coroutine[Any, Any, State | None]]


def _task(name: str, *tags: str) -> _StageTask:
    return Task(
        fn=_do,
        name=name,
        tags=tags,
        task_run_name="{label}",
        retries=RETRIES,
        retry_delay_seconds=RETRY_SECONDS,
        retry_condition_fn=may_retry,
        cache_policy=NO_CACHE,
        persist_result=False,
    )


STEPS: Mapping[Step, _StageTask] = {
    step: _task(step.value, "corpus", *tags)
    for step, tags in {
        Step.CLASSES: (MODEL,),
        Step.JUDGE: (MODEL,),
        Step.GATE: (),
        Step.LINK: (),
        Step.REMOVE: (STORE,),
        Step.VECTORS: (STORE,),
        Step.GRAPH: (STORE,),
        Step.LINKS: (STORE,),
        Step.INDEX: (),
        Step.PROJECT: (STORE,),
        Step.LEARN: (MODEL,),
    }.items()
}


async def set_limits(settings: Settings) -> None:
    """Have the server limit the tags where it does not yet; what is set there stays."""
    at_once = settings.ingest.documents_at_once
    async with get_client() as client:
        for tag, limit in ((OCR, at_once), (MODEL, at_once), (STORE, STORE_AT_ONCE)):
            try:
                await client.read_global_concurrency_limit_by_name(f"tag:{tag}")
            except ObjectNotFound:
                await client.create_global_concurrency_limit(
                    GlobalConcurrencyLimitCreate(name=f"tag:{tag}", limit=limit)
                )


@dataclass(slots=True)
class _BatchStage:
    """A stage of a batch: what is done already is not done again by another try."""

    run: IngestRun
    stage: Stage
    before: Sequence[InWork]
    after: dict[str, InWork] = field(default_factory=dict)

    async def __call__(self) -> Sequence[Failure]:
        due = [work for work in self.before if self._is_due(work)]
        done = await asyncio.gather(*(self.run.advance_in_turn(work, self.stage) for work in due))
        self.after |= {work.item.source.uri: work for work in done}
        _log(done)
        return [failure for work in self.before for failure in self._failures(work)]

    def _is_due(self, work: InWork) -> bool:
        return work.item.source.uri not in self.after or any(map(is_transient, self._failures(work)))

    def _failures(self, before: InWork) -> list[Failure]:
        """What this stage of a document failed at."""
        after = self.after[before.item.source.uri]
        return [failure for failure in after.outcome.failures if failure not in before.outcome.failures]

    @property
    def works(self) -> list[InWork]:
        """The documents after the stage."""
        return list(self.after.values())


class _BatchJobs:
    """Documents of a batch that go through all stages in one job each, as they do plainly.

    A stage is waited for by its events. A job for each stage would cost small documents a third of their time: each
    reads what the one before has written.
    """

    def __init__(self, run: IngestRun, watch: RunWatch, items: Sequence[SourceItem]) -> None:
        self._run = run
        self._watch = watch
        self._items = {item.source.uri: item for item in items}
        self._jobs: dict[str, asyncio.Task[InWork]] = {}
        self._left: dict[Stage, set[str]] = {stage: set() for stage in COMPILING}
        self._passed = {stage: asyncio.Event() for stage in COMPILING}
        self._told: dict[Failure, Stage] = {}
        self._stage: Stage | None = None

    def __enter__(self) -> _BatchJobs:
        self._watch.heard_by.add(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.heard_by.discard(self._hear)
        for job in self._jobs.values():
            job.cancel()

    async def passed(self, stage: Stage) -> Sequence[Failure]:
        """Wait until no document has the stage before it, and return what failed there.

        Raises what a job raised; called again, it begins anew with what another try can help.
        """
        again, self._stage = stage is self._stage, stage
        for uri in self._items:
            if uri not in self._jobs or (again and self._may_help(uri)):
                self._begin(uri)
        if stage is COMPILING[-1]:
            await asyncio.wait(self._jobs.values())  # what it came to is there a moment after its last event
        else:
            await self._passed[stage].wait()
        for work in self.works:
            for failure in work.outcome.failures:
                if failure.stage == stage.value or stage is COMPILING[-1]:
                    self._told.setdefault(failure, stage)
        if stage is COMPILING[-1]:
            _log(self.works)
        return [failure for failure, told in self._told.items() if told is stage]

    @property
    def works(self) -> list[InWork]:
        """The documents whose jobs have ended. Raises what a job raised."""
        return [job.result() for job in self._jobs.values() if job.done()]

    @property
    def go_on(self) -> bool:
        """Whether there is a document that has not failed."""
        works = self.works
        return len(works) < len(self._items) or any(work.outcome.entry.document for work in works)

    def _may_help(self, uri: str) -> bool:
        job = self._jobs[uri]
        if not job.done():
            return False
        failures = () if job.exception() else job.result().outcome.failures
        for failure in filter(is_transient, failures):
            self._told.pop(failure, None)
        return job.exception() is not None or any(map(is_transient, failures))

    def _begin(self, uri: str) -> None:
        for stage in COMPILING:
            self._left[stage].add(uri)
            self._passed[stage].clear()
        job = asyncio.create_task(self._run.advance_in_turn(InWork(self._items[uri]), COMPILING[-1]))
        job.add_done_callback(lambda _: self._end(uri, *COMPILING))
        self._jobs[uri] = job

    def _hear(self, event: Event) -> None:
        if event.phase is not Phase.STARTED and event.subject in self._items and event.stage in self._left:
            self._end(event.subject, event.stage)

    def _end(self, uri: str, *stages: Stage) -> None:
        for stage in stages:
            self._left[stage].discard(uri)
            if not self._left[stage]:
                self._passed[stage].set()


def _log(works: Sequence[InWork]) -> None:
    """Say what became of documents that have ended: one record, because the server keeps each by itself."""
    if ended := [work.outcome.entry for work in works if work.ended]:
        get_run_logger().info("\n".join(map(_line, ended)))


def _line(entry: Entry) -> str:
    counts = ", ".join(f"{number} {name}" for name, number in entry.counts.items() if number)
    return f"{shown(entry.uri)}: {', '.join(filter(None, (entry.status.value, counts)))}"


class FlowSteps:
    """Takes the steps of a run as tasks of the flow that is running (see `Steps`); `watch` hears the run's events."""

    def __init__(self, run: IngestRun, watch: RunWatch) -> None:
        self._watch = watch
        asks, ingest = run.asks_model, run.settings.ingest
        self._room = asyncio.Semaphore(ingest.documents_at_once if asks else ingest.workers + 1)
        model = (MODEL,) if asks else ()
        self._without_prefect = False
        self._stages: dict[tuple[Stage, bool], _StageTask] = {}
        for stage in COMPILING:
            tags = model if stage in (Stage.CHUNK, Stage.ATOMIZE) else ()
            self._stages[stage, False] = _task(stage.value, "documents", *tags)
            ocr = (OCR,) if stage is Stage.PARSE else ()
            self._stages[stage, True] = _task(stage.value, "documents", *tags, *ocr)

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        inside = await asyncio.gather(*(self._through(run, batch) for batch in batches(items)))
        return [member for members in inside for member in members]

    async def take(self, step: Step, work: Work, subject: str = "") -> None:
        await self._taken(STEPS[step], f"{step.value} {subject}".rstrip(), work)

    async def _through(self, run: IngestRun, batch: Batch) -> list[SourceItem]:
        """Take a batch through the stages; those of its documents that have ended go no further."""
        if len(batch.items) > 1 and not run.asks_model:
            return await self._through_in_jobs(run, batch)
        ended: list[InWork] = []
        works = [InWork(item) for item in batch.items]
        async with self._room:
            for stage in COMPILING:
                if not works or run.stopped:
                    break
                of_stage = _BatchStage(run, stage, works)
                await self._taken(self._stages[stage, batch.pictures], f"{stage.value} {batch.label}", of_stage)
                ended += [work for work in of_stage.works if work.ended]
                works = [work for work in of_stage.works if not work.ended]
        return [member for work in ended for member in run.take(work)]

    async def _through_in_jobs(self, run: IngestRun, batch: Batch) -> list[SourceItem]:
        async with self._room:
            with _BatchJobs(run, self._watch, batch.items) as jobs:
                for stage in COMPILING:
                    task = self._stages[stage, batch.pictures]
                    await self._taken(task, f"{stage.value} {batch.label}", partial(jobs.passed, stage))
                    if not jobs.go_on:
                        break
                works = jobs.works
        return [member for work in works for member in run.take(work)]

    async def _taken(self, task: _StageTask, label: str, work: Work) -> None:
        """Take a step as a task. Raises what the work raised; where Prefect fails, all is done without it from then."""
        attempt = _Attempt(work)
        if not self._without_prefect:
            with contextlib.suppress(httpx.HTTPError, ConcurrencySlotAcquisitionError):
                await task(label, attempt, return_state=True)  # type: ignore[misc] # typed as if it were not async
        if attempt.error is not None:
            raise attempt.error
        if not attempt.tried:
            self._without_prefect = True
            await work()
