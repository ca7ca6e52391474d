"""The ingest as a Prefect flow: a task for each stage of a batch of documents, and for each step over all documents.

The work is done in the run's worker processes. If a document fails, its task fails and the flow continues.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
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
from prefect.states import Completed
from prefect.utilities.urls import url_for

from flows.flow_report import RunWatch, failure_rows, report_markdown, summary
from flows.flow_tasks import FlowSteps, named_by, set_limits
from flows.prefect_address import ServerFailed
from flows.server_link import ServerLink
from pipelines.core.concurrent import run_to_end
from pipelines.ingest.build import open_run
from pipelines.ingest.report import Event, Phase, Report, Stage
from pipelines.ingest.run import IngestRun
from pipelines.ingest.sources.locations import shown_place
from pipelines.ingest.steps import PLAIN, Steps, execute
from pipelines.ingest.task import SourceItem
from pipelines.settings import Settings, load

PROGRESS_SECONDS = 5.0


@dataclass(slots=True)
class FlowRun:
    """An open run that the flow executes; `report` is set at its end. `around` wraps the executor of the steps."""

    run: IngestRun
    items: Sequence[SourceItem]
    watch: RunWatch
    link: ServerLink
    around: Callable[[Steps], Steps] = lambda steps: steps
    report: Report | None = None


_OPEN: ContextVar[FlowRun | None] = ContextVar("open run", default=None)


@flow(name="strata-ingest", flow_run_name=named_by("folder"), persist_result=False, validate_parameters=False)
async def strata_ingest(folder: str, knowledge_base: str, settings: dict[str, Any] | None = None) -> State:
    """Update a knowledge base from a folder of documents.

    Args:
        folder: the folder with the documents, on the machine where the flow runs.
        knowledge_base: the folder of the knowledge base.
        settings: overrides of the knowledge base's strata.toml and the environment, such as "chunk.max_tokens".
    """
    if (opened := _OPEN.get()) is not None:
        return await _execute(opened, folder)
    watch = RunWatch()
    chosen: Settings = load(Path(knowledge_base), settings or {}).settings
    with open_run(folder, Path(knowledge_base), chosen, watch) as run:
        return await _execute(FlowRun(run, run.prepare(), watch, ServerLink(watch)), shown_place(folder))


def as_flow(
    run: IngestRun, items: Sequence[SourceItem], watch: RunWatch, folder: str, around: Callable[[Steps], Steps]
) -> Report:
    """Execute an open run as a flow; `around` wraps the executor of the steps.

    If the server is lost, the run continues without it. Raises `ServerFailed` if the server answers but rejects the
    run.
    """
    opened = FlowRun(run, items, watch, ServerLink(watch), around)
    token = _OPEN.set(opened)
    try:
        with opened.link.in_use():
            run_to_end(lambda: _run(opened, folder))
    except httpx.TransportError:
        opened.link.lose()
    except httpx.HTTPError as error:
        if opened.report is None:
            raise ServerFailed(f"the Prefect server failed: {error}", hint="`--no-flow` ingests without") from error
    finally:
        _OPEN.reset(token)
    if opened.report is None:
        if not opened.link.is_lost:
            raise RuntimeError("the flow ended without a report")
        opened.report = run_to_end(lambda: execute(run, items, around(PLAIN)))
    return opened.report


async def _run(opened: FlowRun, folder: str) -> None:
    """Run the flow, with the changed settings as its parameters; secrets are masked."""
    await strata_ingest(folder, str(opened.run.stores.folder.root.resolve()), opened.run.settings.changed())


async def _execute(opened: FlowRun, folder: str) -> State:
    context = FlowRunContext.get()
    if context is not None and context.flow_run is not None:
        opened.watch(Event(Stage.FLOW, Phase.STARTED, detail=url_for(context.flow_run) or ""))
    link, settings = opened.link, opened.run.settings
    steps = opened.around(FlowSteps(opened.run, opened.watch, link))
    await link.ask(lambda: set_limits(settings))
    async with _progress(opened.watch, link):
        report = opened.report = await execute(opened.run, opened.items, steps)
    await link.ask(lambda: _publish(report, folder, settings))
    await link.check()
    return Completed(message=summary(report))


@asynccontextmanager
async def _progress(watch: RunWatch, link: ServerLink) -> AsyncIterator[None]:
    """Maintain an artifact with the progress of the run."""
    begin = partial(acreate_progress_artifact, progress=0.0, key="ingest-progress", description=watch.description)
    artifact = await link.ask(begin)
    if artifact is None:
        yield
        return
    updates = asyncio.create_task(_update(artifact, watch, link))
    try:
        yield
    finally:
        updates.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await updates
    await link.ask(lambda: aupdate_progress_artifact(artifact, progress=100.0, description=watch.description))


async def _update(artifact: UUID, watch: RunWatch, link: ServerLink) -> None:
    last = ""
    while not link.is_lost:
        await asyncio.sleep(PROGRESS_SECONDS)
        if watch.description != last:
            last = watch.description
            await link.ask(partial(aupdate_progress_artifact, artifact, progress=watch.percent, description=last))
        else:
            await link.check()


async def _publish(report: Report, folder: str, settings: Settings) -> None:
    """Create artifacts with the report, the failures and a link to Neo4j Browser."""
    await acreate_markdown_artifact(report_markdown(report, folder), "ingest-report", summary(report))
    if report.failures:
        rows = failure_rows(report)
        shown_here = f", the first {len(rows)} are here" if len(rows) < len(report.failures) else ""
        await acreate_table_artifact(rows, "ingest-failures", f"{len(report.failures)} failures{shown_here}")
    if browser := settings.store.browser:
        await acreate_link_artifact(browser, "Neo4j Browser", "neo4j-browser", "the graph of this knowledge base")
