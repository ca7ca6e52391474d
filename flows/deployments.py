"""Deployments of flows, started by hand, by a schedule or by a change of a folder; and the worker for their runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

import httpx
from prefect import Flow, get_client
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import WorkPoolCreate
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
from prefect.client.schemas.objects import (
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
    StateType,
)
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import InvalidNameError, ObjectAlreadyExists
from prefect.schedules import Cron, Schedule
from prefect.types.entrypoint import EntrypointType
from prefect.workers.process import ProcessWorker
from watchfiles import awatch

from flows.ingest_flow import strata_ingest
from flows.other_flows import strata_evaluate, strata_reindex, strata_sync
from pipelines.core.errors import SettingsError

POOL = "strata"
"""The work pool whose runs `work` executes, in processes of this machine."""
ON_CHANGE = "on-change"
"""The tag of deployments whose folder is watched."""
FLOWS: Mapping[str, Flow[..., Any]] = {
    "ingest": strata_ingest, "reindex": strata_reindex, "sync": strata_sync, "evaluate": strata_evaluate,
}  # fmt: skip
LOOK_SECONDS = 10.0
"""Interval at which the server is asked for deployments with a folder to watch."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A flow with its parameters and schedule: `cron` in a `timezone`, `on_change` of its folder, or by hand."""

    name: str
    flow: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cron: str = ""
    timezone: str = "UTC"
    on_change: bool = False


def deploy(wanted: Deployment) -> UUID:
    """Create a deployment on the server, or change the one with the same name; return its id.

    Its runs never overlap: they are queued. Raises `SettingsError` for a name, a schedule or a time zone that Prefect
    does not take.
    """
    return asyncio.run(_deploy(wanted))


async def _deploy(wanted: Deployment) -> UUID:
    schedule = _schedule(wanted)
    async with get_client() as client:
        with contextlib.suppress(ObjectAlreadyExists):
            template = ProcessWorker.get_default_base_job_template()
            await client.create_work_pool(
                WorkPoolCreate(name=POOL, type=ProcessWorker.type, base_job_template=template)
            )
    try:
        made = await FLOWS[wanted.flow].ato_deployment(
            wanted.name,
            schedule=schedule,
            parameters=dict(wanted.parameters),
            tags=[ON_CHANGE] if wanted.on_change else [],
            concurrency_limit=ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE),
            work_pool_name=POOL,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    except InvalidNameError as error:
        hint = "name it by --name, without any of / % & < >"
        raise SettingsError(f"Prefect takes no deployment of the name {wanted.name}", hint=hint) from error
    return UUID(str(await made.aapply()))


def _schedule(wanted: Deployment) -> Schedule | None:
    if not wanted.cron:
        return None
    if wanted.timezone not in available_timezones():
        hint = "a name of the IANA database, such as Europe/Berlin"
        raise SettingsError(f"--timezone {wanted.timezone}: no such time zone", hint=hint)
    try:
        return Cron(wanted.cron, timezone=wanted.timezone)
    except ValueError as error:
        hint = 'five fields: minute, hour, day, month, day of the week, such as "0 3 * * *"'
        raise SettingsError(f'--cron "{wanted.cron}": not a schedule', hint=hint) from error


def work(once: bool = False) -> None:
    """Execute the runs that are due, each in a separate process, and watch folders, until interrupted.

    Args:
        once: execute the runs that are due now, and return; no folder is watched.
    """
    asyncio.run(_work(once))


async def _work(once: bool) -> None:
    watching = None if once else asyncio.create_task(_watch_folders())
    try:
        await ProcessWorker(work_pool_name=POOL).start(run_once=once, printer=_say_nothing)
    finally:
        if watching is not None:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching


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
