"""Flows that Prefect starts: by hand, on a schedule, when a folder changes; and the worker that takes such runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

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
from prefect.exceptions import ObjectAlreadyExists
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType
from prefect.workers.process import ProcessWorker
from watchfiles import awatch

from flows.ingest_flow import strata_ingest
from flows.other_flows import strata_evaluate, strata_reindex, strata_sync

POOL = "strata"
"""The work pool whose runs `work` takes; they run in processes of this machine."""
ON_CHANGE = "on-change"
"""The tag of a deployment whose folder is watched."""
FLOWS: Mapping[str, Flow[..., Any]] = {
    "ingest": strata_ingest, "reindex": strata_reindex, "sync": strata_sync, "evaluate": strata_evaluate,
}  # fmt: skip
LOOK_SECONDS = 10.0
"""How often the server is asked for deployments with a folder to watch."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A flow with its parameters, and when it runs: `cron` in a `timezone`, `on_change` of its folder, else by hand."""

    name: str
    flow: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cron: str = ""
    timezone: str = "UTC"
    on_change: bool = False


def deploy(wanted: Deployment) -> UUID:
    """Make a deployment on the server, or change the one of its name; return its id.

    Its runs never overlap: one waits for the other.
    """
    return asyncio.run(_deploy(wanted))


async def _deploy(wanted: Deployment) -> UUID:
    async with get_client() as client:
        with contextlib.suppress(ObjectAlreadyExists):
            template = ProcessWorker.get_default_base_job_template()
            await client.create_work_pool(
                WorkPoolCreate(name=POOL, type=ProcessWorker.type, base_job_template=template)
            )
    made = await FLOWS[wanted.flow].ato_deployment(
        wanted.name,
        schedule=Cron(wanted.cron, timezone=wanted.timezone) if wanted.cron else None,
        parameters=dict(wanted.parameters),
        tags=[ON_CHANGE] if wanted.on_change else [],
        concurrency_limit=ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE),
        work_pool_name=POOL,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    return UUID(str(await made.aapply()))


def work(once: bool = False) -> None:
    """Take the runs that are due, each in a process of its own, and watch folders, until interrupted.

    Args:
        once: take what is due now, wait for it, and return; no folder is watched.
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
    """The command says for itself that it began."""


async def _watch_folders() -> None:
    """Watch the folder of every deployment that wants it, new ones too; one that is gone no longer."""
    watched: dict[UUID, asyncio.Task[None]] = {}
    async with get_client() as client:
        try:
            while True:
                with contextlib.suppress(httpx.HTTPError):  # the server may be away for a while
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
    """Start a run now, since nobody knows what changed before, and whenever something below the folder has changed."""
    kb = Path(str(deployment.parameters["knowledge_base"]))
    await _start(client, deployment.id)
    async for changes in awatch(_folder(deployment)):
        if any(not Path(path).is_relative_to(kb) for _, path in changes):
            await _start(client, deployment.id)


async def _start(client: PrefectClient, deployment: UUID) -> None:
    """Start a run, unless one waits already: that one will see what has changed."""
    waiting = await client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
        flow_run_filter=FlowRunFilter(
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING]))
        ),
        limit=1,
    )
    if not waiting:
        await client.create_flow_run_from_deployment(deployment)
