"""The ingest as a Prefect flow if a server is available, else without Prefect."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from flows.flow_report import RunWatch
from flows.prefect_address import named_address, refuse_settings_in, server_address
from pipelines.core.concurrent import run_to_end
from pipelines.ingest.build import open_run
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, silent
from pipelines.ingest.sources.locations import local_folder, shown_place
from pipelines.ingest.steps import PLAIN, Steps, execute
from pipelines.llm.budget import Budget
from pipelines.settings import Settings

if TYPE_CHECKING:
    from flows.telemetry import Telemetry

NO_SERVER = "without Prefect: no server runs"
QUIET = {
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    "PREFECT_CLIENT_MAX_RETRIES": "2",  # each request waits 6 s for a lost server, not a minute
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
    "PREFECT_CLI_PROMPT": "false",
}
"""Variables that keep Prefect from printing, waiting long and starting servers (see also `pipelines.core.libraries`);
values that the user has set are kept. Logs go to the server."""


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
    """Do the same as `pipelines.build`, as a flow on the Prefect server that `server_address` finds.

    Without a server, or without `flow`, the steps run without Prefect. `telemetry` receives the spans and metrics of
    the run. Raises the errors of `build`, and `ServerFailed`.
    """
    kb = Path(kb)
    untrusted = [place for place in (local_folder(folder), kb) if place is not None]
    address = use_server(*untrusted) if flow else ""
    traced = telemetry.of_run(shown_place(folder), str(kb), progress) if telemetry else nullcontext()
    with traced as trace:
        watch = RunWatch(trace.hear if trace else progress)
        if flow and not address:
            progress(Event(Stage.FLOW, Phase.DONE, detail=NO_SERVER))
        with open_run(folder, kb, settings, watch, budget, qa_samples, cluster=cluster) as run:
            items = run.prepare()
            if not address:
                report = run_to_end(lambda: execute(run, items, trace.around(PLAIN) if trace else PLAIN))
            else:
                run.prefetch(items)  # while Prefect is imported, which takes long
                from flows.ingest_flow import as_flow

                report = as_flow(run, items, watch, shown_place(folder), trace.around if trace else untraced)
        if trace:
            trace.record(report)
    return report


def untraced(steps: Steps) -> Steps:
    """Return the steps of a run without tracing."""
    return steps


def use_server(*untrusted: Path) -> str:
    """Configure Prefect for the server that `server_address` finds; return its address, empty for none.

    Raises `SettingsError` if Prefect would read settings from one of the `untrusted` folders, and `ServerFailed`.
    """
    if named_address():
        refuse_settings_in(*untrusted)
    address = server_address()
    if address:
        refuse_settings_in(*untrusted)
        for name, value in {**QUIET, "PREFECT_API_URL": address}.items():
            os.environ.setdefault(name, value)
    return address
