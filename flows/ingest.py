"""The ingest as a Prefect flow: decorators around the steps that `pipelines.ingest.build` takes plainly."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from flows.prefect_server import PrefectServer, refuse_settings_in
from pipelines.ingest.build import RunSteps, execute, open_run
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, silent
from pipelines.ingest.run import IngestRun
from pipelines.ingest.task import SourceItem
from pipelines.llm.budget import Budget
from pipelines.settings import Settings

SEND_SECONDS = 10


def ingest(
    folder: Path | str,
    kb: Path | str,
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
) -> Report:
    """Do what `pipelines.build` does as a flow, seen in the Prefect server that `PREFECT_API_URL` names.

    Where it names none, a server of our own runs for as long as the flow; it would take longer to start than a run
    takes that has nothing to compile, which so goes without. Raises what `build` raises, `ServerFailed`.
    """
    refuse_settings_in(Path(folder), Path(kb))
    with PrefectServer() as server, open_run(Path(folder), Path(kb), settings, progress, budget, qa_samples) as run:
        items = run.prepare()
        if not items and not server.is_there:
            return asyncio.run(execute(run, items))
        server.start()
        if server.url:
            progress(Event(Stage.SERVER, Phase.STARTED))
        run.prefetch(items)
        server.wait()
        progress(Event(Stage.SERVER, Phase.DONE, total=len(items)))
        try:
            return asyncio.run(_as_flow(run, items))
        finally:
            _send_events()


def _send_events() -> None:
    """Send what Prefect has not yet told its server, which is gone afterwards."""
    from prefect.events.worker import EventsWorker

    logging.getLogger(EventsWorker.__name__).setLevel(logging.ERROR)  # it counts aloud what is left to send
    EventsWorker.drain_all(timeout=SEND_SECONDS)


async def _as_flow(run: IngestRun, items: Sequence[SourceItem]) -> Report:
    from prefect import flow, task
    from prefect.cache_policies import NO_CACHE

    @task(name="compile", task_run_name="compile {uri}", cache_policy=NO_CACHE, persist_result=False)
    async def compile_document(uri: str, item: SourceItem) -> Sequence[SourceItem]:
        return await run.compile(item)

    @task(name="link", cache_policy=NO_CACHE, persist_result=False)
    async def link() -> None:
        run.link()

    @task(name="load", cache_policy=NO_CACHE, persist_result=False)
    async def load() -> None:
        run.load()

    steps = RunSteps(lambda _, item: compile_document(item.source.uri, item), lambda _: link(), lambda _: load())

    @flow(name="strata-ingest", persist_result=False, validate_parameters=False)
    async def strata_ingest() -> Report:
        return await execute(run, items, steps)

    return await strata_ingest()
