"""The ingest as a flow of Prefect: a task for every stage of a batch of documents, and for every step over all of them.

A task's work stays in the run's worker processes; a document that fails makes its task fail, and the flow goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from prefect import flow
from prefect.artifacts import (
    acreate_link_artifact,
    acreate_markdown_artifact,
    acreate_progress_artifact,
    acreate_table_artifact,
    aupdate_progress_artifact,
)
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogWorker
from prefect.states import Completed
from prefect.utilities.urls import url_for

from flows.flow_report import RunWatch, failure_rows, report_markdown, summary
from flows.flow_tasks import FlowSteps, named_by, set_limits
from flows.prefect_address import ServerFailed
from pipelines.ingest.build import open_run
from pipelines.ingest.report import Event, Phase, Report, Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.sources.locations import shown_place
from pipelines.ingest.steps import Steps, execute
from pipelines.ingest.task import SourceItem
from pipelines.settings import Settings, load

SEND_SECONDS = 10
"""To send what Prefect has not yet told its server when the flow has ended."""
PROGRESS_SECONDS = 5.0


@dataclass(slots=True)
class FlowRun:
    """A run that is open, for the flow to take through its steps; `report` is how it ended, once it has.

    `around` is put around whoever takes the steps.
    """

    run: IngestRun
    items: Sequence[SourceItem]
    watch: RunWatch
    around: Callable[[Steps], Steps] = lambda steps: steps
    report: Report | None = None


_OPEN: ContextVar[FlowRun | None] = ContextVar("open run", default=None)


@flow(name="strata-ingest", flow_run_name=named_by("folder"), persist_result=False, validate_parameters=False)
async def strata_ingest(folder: str, knowledge_base: str, settings: dict[str, Any] | None = None) -> State:
    """Bring a knowledge base up to a folder of documents.

    Args:
        folder: the folder with the documents, on the machine where the flow runs.
        knowledge_base: the folder of the knowledge base.
        settings: what is set over the knowledge base's strata.toml and the environment, as "chunk.max_tokens".
    """
    if (opened := _OPEN.get()) is not None:
        return await _taken(opened, folder)
    watch = RunWatch()
    chosen: Settings = load(Path(knowledge_base), settings or {}).settings
    with open_run(folder, Path(knowledge_base), chosen, watch) as run:
        return await _taken(FlowRun(run, run.prepare(), watch), shown_place(folder))


def as_flow(
    run: IngestRun, items: Sequence[SourceItem], watch: RunWatch, folder: str, around: Callable[[Steps], Steps]
) -> Report:
    """Take an open run through its steps as a flow; `around` is put around whoever takes them.

    A server that goes away does not cost the run: it is taken to its end all the same.
    """
    opened = FlowRun(run, items, watch, around)
    token = _OPEN.set(opened)
    try:
        asyncio.run(_run(opened, folder))
    except httpx.HTTPError as error:
        if opened.report is None:
            raise ServerFailed(f"the Prefect server went away: {error}", hint="`--no-flow` ingests without") from error
        watch(Event(Stage.FLOW, Phase.FAILED, detail="the Prefect server went away; the run went on without"))
    finally:
        _OPEN.reset(token)
        _send()
    if opened.report is None:
        raise RuntimeError("the flow ended without a report")
    return opened.report


async def _run(opened: FlowRun, folder: str) -> None:
    """Run the flow with what is set as its parameters; secrets are masked."""
    await strata_ingest(folder, str(opened.run.stores.folder.root.resolve()), opened.run.changed_settings)


async def _taken(opened: FlowRun, folder: str) -> State:
    context = FlowRunContext.get()
    if context is not None and context.flow_run is not None:
        opened.watch(Event(Stage.FLOW, Phase.STARTED, detail=url_for(context.flow_run) or ""))
    steps = opened.around(FlowSteps(opened.run, opened.watch))
    await set_limits(opened.run.settings)
    async with _progress(opened.watch):
        report = opened.report = await execute(opened.run, opened.items, steps)
    await _tell(report, folder, opened.run.settings)
    return Completed(message=summary(report))


@asynccontextmanager
async def _progress(watch: RunWatch) -> AsyncIterator[None]:
    """Keep an artifact that says how far the run is."""
    artifact = await acreate_progress_artifact(progress=0.0, key="ingest-progress", description=watch.told)
    updates = asyncio.create_task(_update(artifact, watch))
    try:
        yield
    finally:
        updates.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await updates
    with contextlib.suppress(httpx.HTTPError):
        await aupdate_progress_artifact(artifact, progress=100.0, description=watch.told)


async def _update(artifact: UUID, watch: RunWatch) -> None:
    told = ""
    while True:
        await asyncio.sleep(PROGRESS_SECONDS)
        if watch.told != told:
            told = watch.told
            with contextlib.suppress(httpx.HTTPError):
                await aupdate_progress_artifact(artifact, progress=watch.percent, description=told)


async def _tell(report: Report, folder: str, settings: Settings) -> None:
    """Leave the report with the run, and where to look at what came of it."""
    with contextlib.suppress(httpx.HTTPError):
        await acreate_markdown_artifact(report_markdown(report, folder), "ingest-report", summary(report))
        if report.failures:
            rows = failure_rows(report)
            shown_here = f", the first {len(rows)} are here" if len(rows) < len(report.failures) else ""
            await acreate_table_artifact(rows, "ingest-failures", f"{len(report.failures)} failures{shown_here}")
        if browser := settings.store.browser:
            await acreate_link_artifact(browser, "Neo4j Browser", "neo4j-browser", "the graph of this knowledge base")


def _send() -> None:
    """Send what Prefect has not yet told its server."""
    for worker in (EventsWorker, APILogWorker):
        logging.getLogger(worker.__name__).setLevel(logging.ERROR)  # it counts aloud what is left to send
        worker.drain_all(timeout=SEND_SECONDS)
