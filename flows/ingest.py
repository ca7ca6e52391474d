"""The ingest as a Prefect flow where a server is there to show it, else plainly."""

from __future__ import annotations

import asyncio
import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from flows.flow_report import RunWatch
from flows.prefect_address import named_address, refuse_settings_in, server_address
from pipelines.ingest.build import open_run
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, silent
from pipelines.ingest.sources.locations import local_folder, shown_place
from pipelines.ingest.steps import PLAIN, Steps, execute
from pipelines.llm.budget import Budget
from pipelines.settings import Settings

if TYPE_CHECKING:
    from flows.telemetry import Telemetry

NO_SERVER = "no Prefect server is running, so this run is seen here alone; `prefect server start` shows the next"
QUIET = {
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    "PREFECT_CLIENT_MAX_RETRIES": "2",  # a server that has gone is waited for 6 s, not a minute, by each request
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
    "PREFECT_CLI_PROMPT": "false",
}
"""What keeps Prefect from printing, waiting long, starting servers (see also `pipelines.core.libraries`); what the
user has set stays. What is logged goes to the server."""


def ingest(
    folder: Path | str,
    kb: Path | str,
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
    cluster: str = "",
    flow: bool = True,
    telemetry: Telemetry | None = None,
) -> Report:
    """Do what `pipelines.build` does as a flow, seen on the Prefect server that `server_address` finds.

    Where it finds none, and without `flow`, the steps are taken without Prefect. `telemetry` gets the spans and figures
    of the run. Raises what `build` raises, `ServerFailed`.
    """
    kb = Path(kb)
    strangers = [place for place in (local_folder(folder), kb) if place is not None]
    address = use_server(*strangers) if flow else ""
    traced = telemetry.of_run(shown_place(folder), str(kb), progress) if telemetry else nullcontext()
    with traced as trace:
        watch = RunWatch(trace.hear if trace else progress)
        if flow and not address:
            progress(Event(Stage.FLOW, Phase.DONE, detail=NO_SERVER))
        with open_run(folder, kb, settings, watch, budget, qa_samples, cluster=cluster) as run:
            items = run.prepare()
            if not address:
                report = asyncio.run(execute(run, items, trace.around(PLAIN) if trace else PLAIN))
            else:
                run.prefetch(items)  # Prefect takes its time to be imported
                from flows.ingest_flow import as_flow

                report = as_flow(run, items, watch, shown_place(folder), trace.around if trace else as_they_are)
        if trace:
            trace.tell(report)
    return report


def as_they_are(steps: Steps) -> Steps:
    """Return the steps of a run that nobody traces."""
    return steps


def use_server(*strangers: Path) -> str:
    """Return the address of the server, empty for none, once Prefect is set to talk to it and to nobody else.

    Raises `SettingsError` where Prefect would take settings from one of the `strangers`, `ServerFailed`.
    """
    if named_address():
        refuse_settings_in(*strangers)
    address = server_address()
    if address:
        refuse_settings_in(*strangers)
        for name, value in {**QUIET, "PREFECT_API_URL": address}.items():
            os.environ.setdefault(name, value)
    return address
