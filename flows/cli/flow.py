"""`strata flow`: deployments of flows on a Prefect server, and the worker that executes their runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB, EmbedderName, Kb, Set, pairs_to_options, settings_from
from flows.cli.stdio import say
from pipelines.core.errors import SettingsError, SourceError

app = typer.Typer(help="Deploy flows to Prefect: manual, scheduled, or on change.", no_args_is_help=True)
_FOLDER = "For `ingest`: the folder of documents, or another source."
_NAME = "Name of the deployment; default: the name of its folder or knowledge base."
_OF_QUESTIONS = "Questions with answers (JSON Lines), for `evaluate`."


@app.command()
def deploy(
    folder: Annotated[str | None, typer.Argument(help=_FOLDER)] = None,
    kb: Kb = DEFAULT_KB,
    flow: Annotated[str, typer.Option(help="ingest, reindex, sync or evaluate.")] = "ingest",
    name: Annotated[str | None, typer.Option(help=_NAME)] = None,
    cron: Annotated[str, typer.Option(help='Schedule, such as "0 3 * * *" (every night at three).')] = "",
    timezone: Annotated[str, typer.Option(help="Time zone of --cron.")] = "UTC",
    on_change: Annotated[bool, typer.Option("--on-change", help="Run when the folder changes.")] = False,
    embedder: EmbedderName = None,
    questions: Annotated[Path | None, typer.Option(help=_OF_QUESTIONS)] = None,
    set: Set = None,
) -> None:
    """Deploy a flow to Prefect, started by hand, by a schedule or by a change; `strata flow work` runs it."""
    parameters = _parameters(flow, folder, kb, embedder, questions, set)
    if timezone != "UTC" and not cron:
        raise SettingsError("--timezone is the time zone of --cron, which is missing", hint='--cron "0 3 * * *"')
    if on_change and (flow != "ingest" or not Path(str(folder)).is_dir()):
        raise SourceError("only the ingest of a folder can run on a change", hint="--cron runs it by a schedule")
    _connect_to_server(kb)
    from flows.deployments import Deployment
    from flows.deployments import deploy as make

    called = name or Path(folder or kb).resolve().name
    id = make(Deployment(called, flow, parameters, cron, timezone, on_change))
    say(f"{os.environ['PREFECT_API_URL'].removesuffix('/api')}/deployments/deployment/{id}")
    say(_how_it_starts(f"strata-{flow}/{called}", cron, timezone, on_change))


def _how_it_starts(called: str, cron: str, timezone: str, on_change: bool) -> str:
    by_hand = f"by hand with: prefect deployment run '{called}'"
    starts = [f'by the schedule "{cron}" ({timezone})'] * bool(cron) + ["when its folder changes"] * on_change
    return f"it starts {', '.join([*starts, by_hand])}; `strata flow work` must run, it executes the runs"


@app.command()
def work(
    once: Annotated[bool, typer.Option("--once", help="Execute the runs that are due, and exit.")] = False,
) -> None:
    """Execute deployed flows on this machine, and watch the folders of those that run on change."""
    _connect_to_server()
    from flows.worker import work as take

    if not once:
        say("waiting for runs; Control+C to stop", err=True)
    take(once, lambda line: say(line, err=True))


def _parameters(
    flow: str, folder: str | None, kb: Path, embedder: str | None, questions: Path | None, pairs: list[str] | None
) -> dict[str, object]:
    """Return the parameters of the flow, with absolute paths."""
    from pipelines.ingest.sources.locations import local_folder
    from pipelines.ingest.sources.source import without_secrets

    settings = pairs_to_options(pairs)
    _refuse_secrets(kb, settings, pairs)
    common: dict[str, object] = {"knowledge_base": str(kb.resolve()), **({"settings": settings} if settings else {})}
    if flow == "ingest":
        if folder is None:
            raise SettingsError("an ingest needs a folder", hint="strata flow deploy FOLDER --kb kb")
        here = local_folder(folder)
        if here is None and without_secrets(folder) != folder:
            raise SettingsError(
                f"the address of {without_secrets(folder)} has a secret or a query, which is not sent to Prefect",
                hint="set it in the environment of the worker (docs/howto/sources.md)",
            )
        if embedder:
            common["settings"] = {**settings, "embed.name": embedder}
        return {"folder": str(here.resolve()) if here else folder, **common}
    if flow == "reindex":
        return {"embedder": embedder or "wordllama", **common}
    if flow == "evaluate":
        if questions is None:
            raise SettingsError("an evaluation needs questions", hint="--questions FILE")
        return {"questions": str(questions.resolve()), **common}
    if flow != "sync":
        raise SettingsError(f"no flow {flow}", hint="ingest, reindex, sync or evaluate")
    return common


def _refuse_secrets(kb: Path, settings: dict[str, object], pairs: list[str] | None) -> None:
    """Raise `SettingsError` for a secret among the settings: everyone who sees Prefect's page would see it."""
    chosen = settings_from(kb, pairs).model_dump(mode="json")
    for path in settings:
        section, _, rest = path.partition(".")
        if str(chosen.get(section, {}).get(rest)) == "**********":
            hint = "set it in the environment of the worker"
            raise SettingsError(f"{path} is a secret and is not sent to Prefect", hint=hint)


def _connect_to_server(*untrusted: Path) -> None:
    from flows.ingest import use_server
    from flows.prefect_address import ServerFailed

    if not use_server(*untrusted):
        raise ServerFailed("no Prefect server is running", hint="`make up` starts one")
