"""The tasks of the flow: their names, tags, retries and limits, and the steps of a run taken as these tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

from prefect import Task, get_client
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.client.schemas.objects import State
from prefect.exceptions import ObjectNotFound
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Failed

from flows.batch_stages import Batch, BatchJobs, BatchStage, batches, is_transient
from flows.flow_report import RunWatch
from flows.server_link import SERVER_TROUBLE, ServerLink
from pipelines.core.errors import StrataError
from pipelines.core.outcome import Failure
from pipelines.core.safe_output import shown
from pipelines.ingest.compile import InWork
from pipelines.ingest.report import Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import RunStep, Work
from pipelines.ingest.task import COMPILING, SourceItem
from pipelines.settings import Settings

RETRIES = 2
RETRY_SECONDS = [2.0, 10.0]
OCR, MODEL, STORE = "ocr", "model", "store"
"""What there is a limit for on the server, of all runs together: tasks with these tags, and runs that write the stores.

Prefect asks the server about every tag of a task before it runs, so there are no others.
"""
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


STEPS: Mapping[RunStep, _StageTask] = {
    step: _task(step.value, *((MODEL,) if step in (RunStep.CLASSES, RunStep.JUDGE, RunStep.LEARN) else ()))
    for step in RunStep
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


class FlowSteps:
    """Takes the steps of a run as tasks of the flow that is running (see `Steps`); `watch` hears the run's events."""

    def __init__(self, run: IngestRun, watch: RunWatch, link: ServerLink) -> None:
        self._watch = watch
        self._link = link
        asks, ingest = run.asks_model, run.settings.ingest
        self._room = asyncio.Semaphore(ingest.documents_at_once if asks else ingest.workers + 1)
        model = (MODEL,) if asks else ()
        self._stages: dict[tuple[Stage, bool], _StageTask] = {}
        for stage in COMPILING:
            tags = model if stage in (Stage.CHUNK, Stage.ATOMIZE) else ()
            self._stages[stage, False] = _task(stage.value, *tags)
            ocr = (OCR,) if stage is Stage.PARSE else ()
            self._stages[stage, True] = _task(stage.value, *tags, *ocr)

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        inside = await asyncio.gather(*(self._through(run, batch) for batch in batches(items)))
        return [member for members in inside for member in members]

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        await self._taken(STEPS[step], f"{step.value} {subject}".rstrip(), work)

    def writing(self) -> AbstractAsyncContextManager[None]:
        return self._link.holding(f"tag:{STORE}")

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
                of_stage = BatchStage(run, stage, works)
                await self._taken(self._stages[stage, batch.pictures], f"{stage.value} {batch.label}", of_stage)
                ended += [work for work in of_stage.works if work.ended]
                works = [work for work in of_stage.works if not work.ended]
        return [member for work in ended for member in run.take(work)]

    async def _through_in_jobs(self, run: IngestRun, batch: Batch) -> list[SourceItem]:
        async with self._room:
            with BatchJobs(run, self._watch, batch.items) as jobs:
                for stage in COMPILING:
                    task = self._stages[stage, batch.pictures]
                    await self._taken(task, f"{stage.value} {batch.label}", partial(jobs.passed, stage))
                    if not jobs.go_on:
                        break
                works = jobs.works
        return [member for work in works for member in run.take(work)]

    async def _taken(self, task: _StageTask, label: str, work: Work) -> None:
        """Take a step as a task, or without Prefect where that fails or is lost. Raises what the work raised."""
        attempt = _Attempt(work)
        if not self._link.is_lost:
            with contextlib.suppress(*SERVER_TROUBLE):
                await task(label, attempt, return_state=True)  # type: ignore[misc] # typed as if it were not async
        if attempt.error is not None:
            raise attempt.error
        if not attempt.tried:
            await self._link.check()
            await work()
