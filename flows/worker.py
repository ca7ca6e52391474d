"""The worker that executes the runs of deployed flows on this machine, and watches folders."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import httpx
from prefect import get_client
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    DeploymentFilterTags,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.sorting import FlowRunSort
from prefect.utilities.urls import url_for
from prefect.workers.process import ProcessWorker
from watchfiles import awatch

from flows.deployments import ON_CHANGE, POOL

LOOK_SECONDS = 10.0
"""Interval at which the server is asked for deployments with a folder to watch."""
TELL_SECONDS = 2.0
"""Interval at which the server is asked for the states of runs."""
TOLD = [StateType.RUNNING, StateType.COMPLETED, StateType.FAILED, StateType.CRASHED, StateType.CANCELLED]
MOST_TOLD = 50
"""Number of runs, the latest, whose states are followed."""


def work(once: bool = False, say: Callable[[str], None] = print) -> None:
    """Execute the runs that are due, each in a separate process, and watch folders, until interrupted.

    Args:
        once: execute the runs that are due now, and return; no folder is watched.
        say: called with a line when a run starts and when it has ended.
    """
    asyncio.run(_work(once, say))


async def _work(once: bool, say: Callable[[str], None]) -> None:
    async with get_client() as client:
        seen = RunStates(client, say)
        await seen.tell(aloud=False)
        watching = [asyncio.create_task(seen.keep_telling())]
        if not once:
            watching.append(asyncio.create_task(_watch_folders()))
        try:
            await ProcessWorker(work_pool_name=POOL).start(run_once=once, printer=_say_nothing)
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            await seen.tell()


class RunStates:
    """Says when a run of the pool starts and how it ends."""

    def __init__(self, client: PrefectClient, say: Callable[[str], None]) -> None:
        self._client = client
        self._say = say
        self._told: dict[UUID, str] = {}

    async def keep_telling(self) -> None:
        """Tell new states until cancelled."""
        while True:
            await self.tell()
            await asyncio.sleep(TELL_SECONDS)

    async def tell(self, aloud: bool = True) -> None:
        """Tell the states that are new since the last call; without `aloud`, only note them."""
        with contextlib.suppress(httpx.HTTPError):  # the server may be temporarily unavailable
            for run in reversed(await self._latest()):
                state = run.state_name or ""
                if self._told.get(run.id) != state and aloud:
                    message = f": {run.state.message}" if run.state and run.state.message else ""
                    self._say(f"{run.name}: {state.lower()}{message}  {url_for(run)}")
                self._told[run.id] = state

    async def _latest(self) -> list[FlowRun]:
        return await self._client.read_flow_runs(
            flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=TOLD))),
            work_pool_filter=WorkPoolFilter(name=WorkPoolFilterName(any_=[POOL])),
            sort=FlowRunSort.START_TIME_DESC,
            limit=MOST_TOLD,
        )


def _say_nothing(*_: object) -> None:
    """Suppress the worker's message: the command prints its own."""


async def _watch_folders() -> None:
    """Watch the folders of all on-change deployments, following added and deleted deployments."""
    watched: dict[UUID, asyncio.Task[None]] = {}
    async with get_client() as client:
        try:
            while True:
                with contextlib.suppress(httpx.HTTPError):  # the server may be temporarily unavailable
                    found = {one.id: one for one in await _on_change(client) if _folder(one).is_dir()}
                    for gone in watched.keys() - found.keys():
                        watched.pop(gone).cancel()
                    for new in found.keys() - {id for id, task in watched.items() if not task.done()}:
                        watched[new] = asyncio.create_task(_watch(client, found[new]))
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            for task in watched.values():
                task.cancel()


async def _on_change(client: PrefectClient) -> list[DeploymentResponse]:
    return await client.read_deployments(
        deployment_filter=DeploymentFilter(tags=DeploymentFilterTags(all_=[ON_CHANGE])),
        work_pool_filter=WorkPoolFilter(name=WorkPoolFilterName(any_=[POOL])),
    )


def _folder(deployment: DeploymentResponse) -> Path:
    return Path(str(deployment.parameters.get("folder") or os.devnull))


async def _watch(client: PrefectClient, deployment: DeploymentResponse) -> None:
    """Start a run now, because earlier changes are unknown, and after every change below the folder."""
    kb = Path(str(deployment.parameters["knowledge_base"]))
    await _start(client, deployment.id)
    async for changes in awatch(_folder(deployment)):
        if any(not Path(path).is_relative_to(kb) for _, path in changes):
            await _start(client, deployment.id)


async def _start(client: PrefectClient, deployment: UUID) -> None:
    """Start a run, unless one is already waiting, which will see the change."""
    waiting = await client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
        flow_run_filter=FlowRunFilter(
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING]))
        ),
        limit=1,
    )
    if not waiting:
        await client.create_flow_run_from_deployment(deployment)
