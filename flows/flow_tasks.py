"""The tasks of the flow: names, tags, retries and limits; and the execution of the steps of a run as tasks."""

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
from pipelines.ingest.compile import DocumentProgress
from pipelines.ingest.report import Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import RunStep, Work
from pipelines.ingest.task import COMPILING, SourceItem
from pipelines.settings import Settings

RETRIES = 2
RETRY_SECONDS = [2.0, 10.0]
OCR, MODEL, STORE = "ocr", "model", "store"
"""Tags with a concurrency limit on the server, shared by all runs: two for tasks, one for runs that write the stores.

Prefect asks the server about every tag of a task before it runs, so there are no other tags.
"""
STORE_AT_ONCE = 4


class _Transient:
    """Marks the state of a task as retryable."""


@dataclass(slots=True)
class _Attempt:
    """The work of a task and its outcome: Prefect itself may fail before the work has begun."""

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
    """The function of every task; it is failed, with the reasons, if documents failed."""
    failures = await work()
    logger = get_run_logger()
    for failure in failures:
        logger.error("%s: %s: %s", shown(failure.subject), failure.stage, shown(failure.reason))
    if not failures:
        return None
    first = failures[0]
    message = f"{shown(first.subject)}: {shown(first.reason)}"
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    return Failed(message=message + more, data=_Transient() if any(map(is_transient, failures)) else None)


def named_by(parameter: str) -> Callable[[], str]:
    """Return a function that names a flow run after the folder or knowledge base in this parameter."""
    return lambda: shown(PurePath(str(flow_run.parameters[parameter])).name)


def may_retry(task: object, run: object, state: State) -> bool:
    """Whether a task that ended in this state can be retried."""
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
    """Create missing concurrency limits on the server; existing ones are kept."""
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
    """Executes the steps of a run as tasks of the running flow (see `Steps`); `watch` receives the run's events."""

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
        inside = await asyncio.gather(*(self._compile_batch(run, batch) for batch in batches(items)))
        return [member for members in inside for member in members]

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        await self._run_task(STEPS[step], f"{step.value} {subject}".rstrip(), work)

    def writing(self) -> AbstractAsyncContextManager[None]:
        return self._link.holding(f"tag:{STORE}")

    async def _compile_batch(self, run: IngestRun, batch: Batch) -> list[SourceItem]:
        """Process a batch stage by stage; documents that have ended skip the remaining stages."""
        if len(batch.items) > 1 and not run.asks_model:
            return await self._compile_in_jobs(run, batch)
        ended: list[DocumentProgress] = []
        works = [DocumentProgress(item) for item in batch.items]
        async with self._room:
            for stage in COMPILING:
                if not works or run.stopped:
                    break
                of_stage = BatchStage(run, stage, works)
                await self._run_task(self._stages[stage, batch.pictures], f"{stage.value} {batch.label}", of_stage)
                ended += [work for work in of_stage.works if work.ended]
                works = [work for work in of_stage.works if not work.ended]
        return [member for work in ended for member in run.take(work)]

    async def _compile_in_jobs(self, run: IngestRun, batch: Batch) -> list[SourceItem]:
        async with self._room:
            with BatchJobs(run, self._watch, batch.items) as jobs:
                for stage in COMPILING:
                    task = self._stages[stage, batch.pictures]
                    await self._run_task(task, f"{stage.value} {batch.label}", partial(jobs.passed, stage))
                    if not jobs.go_on:
                        break
                works = jobs.works
        return [member for work in works for member in run.take(work)]

    async def _run_task(self, task: _StageTask, label: str, work: Work) -> None:
        """Execute work as a task, or without Prefect if the server fails or is lost. Raises the errors of the work."""
        attempt = _Attempt(work)
        if not self._link.is_lost:
            with contextlib.suppress(*SERVER_TROUBLE):
                await task(label, attempt, return_state=True)  # type: ignore[misc] # typed as if it were not async
        if attempt.error is not None:
            raise attempt.error
        if not attempt.tried:
            await self._link.check()
            await work()
