"""Deployments of flows, started by hand, by a schedule or by a change of a folder."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from prefect import Flow, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.client.schemas.objects import (
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
)
from prefect.exceptions import InvalidNameError, ObjectAlreadyExists
from prefect.schedules import Cron, Schedule
from prefect.types.entrypoint import EntrypointType
from prefect.workers.process import ProcessWorker

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
