"""`strata flow`: runs that Prefect starts, and the worker that takes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB, EmbedderName, Kb, Set, pairs_to_options, settings_from
from flows.cli.stdio import say
from pipelines.core.errors import SettingsError, SourceError

app = typer.Typer(help="Flows that Prefect starts: by hand, on a schedule, on a change.", no_args_is_help=True)
_FOLDER = "For `ingest`: the folder of documents, or another place."
_NAME = "Name of the deployment; by default that of its folder or knowledge base."
_OF_QUESTIONS = "Questions with answers (JSON Lines), for `evaluate`."


@app.command()
def deploy(
    folder: Annotated[str | None, typer.Argument(help=_FOLDER)] = None,
    kb: Kb = DEFAULT_KB,
    flow: Annotated[str, typer.Option(help="ingest, reindex, sync or evaluate.")] = "ingest",
    name: Annotated[str | None, typer.Option(help=_NAME)] = None,
    cron: Annotated[str, typer.Option(help='When it runs, as "0 3 * * *" (every night at three).')] = "",
    timezone: Annotated[str, typer.Option(help="Time zone of --cron.")] = "UTC",
    on_change: Annotated[bool, typer.Option("--on-change", help="Run when the folder has changed.")] = False,
    embedder: EmbedderName = None,
    questions: Annotated[Path | None, typer.Option(help=_OF_QUESTIONS)] = None,
    set: Set = None,
) -> None:
    """Deploy a flow to Prefect, started by hand, on a schedule or on a change; `strata flow work` runs it."""
    parameters = _parameters(flow, folder, kb, embedder, questions, set)
    if on_change and (flow != "ingest" or not Path(str(folder)).is_dir()):
        raise SourceError("only the ingest of a folder runs on a change", hint="--cron looks again by a schedule")
    _talk_to_server(kb)
    from flows.deployments import Deployment
    from flows.deployments import deploy as make

    called = name or Path(folder or kb).resolve().name
    id = make(Deployment(called, flow, parameters, cron, timezone, on_change))
    say(f"{os.environ['PREFECT_API_URL'].removesuffix('/api')}/deployments/deployment/{id}")
    say(f"by hand: prefect deployment run 'strata-{flow}/{called}'; `strata flow work` takes its runs")


@app.command()
def work(
    once: Annotated[bool, typer.Option("--once", help="Run what is due now, and end.")] = False,
) -> None:
    """Run deployed flows on this machine, and watch the folders of those that run on a change."""
    _talk_to_server()
    from flows.deployments import work as take

    if not once:
        say("waiting for runs; Control+C ends it", err=True)
    take(once)


def _parameters(
    flow: str, folder: str | None, kb: Path, embedder: str | None, questions: Path | None, pairs: list[str] | None
) -> dict[str, object]:
    """The parameters of the flow, with paths that hold wherever its worker runs."""
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
                f"{without_secrets(folder)} is named with a secret or a query, which do not go to Prefect",
                hint="set it where the worker runs (docs/howto/sources.md)",
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
    """Raise `SettingsError` for a secret among the settings: all who see Prefect's page would see it."""
    chosen = settings_from(kb, pairs).model_dump(mode="json")
    for path in settings:
        section, _, rest = path.partition(".")
        if str(chosen.get(section, {}).get(rest)) == "**********":
            raise SettingsError(f"{path} is a secret and does not go to Prefect", hint="set it where the worker runs")


def _talk_to_server(*strangers: Path) -> None:
    from flows.ingest import use_server
    from flows.prefect_address import ServerFailed

    if not use_server(*strangers):
        raise ServerFailed("no Prefect server is running", hint="`make up` starts one")
