"""`strata ingest`: a folder into a knowledge base; `strata demo`: the example documents, and four questions."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, EmbedderName, Json, Kb, Quiet, Set, one_place, settings_from
from flows.cli.stdio import say, say_error

if TYPE_CHECKING:
    from flows.telemetry import Telemetry
    from pipelines.ingest.report import Progress, Report
    from pipelines.llm.budget import Budget
    from pipelines.settings import Settings

_SHIPPED = Path(__file__).parent / "examples"
EXAMPLES = _SHIPPED if _SHIPPED.is_dir() else Path(__file__).parents[2] / "examples" / "documents"
"""Next to this file in a wheel, in their own folder in a checkout."""
QUESTIONS = (
    "What is the efficiency of the K80-250 pump at rated flow?",
    "Which way up must an eccentric reducer be mounted in a horizontal suction pipe?",
    "What does the 43 mm mechanical seal of the K65-200 in carbon and SiC cost?",
    "PT-300 压力变送器多久校准一次?",
)


class Runner(StrEnum):
    PROCESSES = "processes"
    DASK = "dask"
    RAY = "ray"


ADDRESSES = {Runner.DASK: "tcp://HOST:8786", Runner.RAY: "ray://HOST:10001"}


def register(app: typer.Typer) -> None:
    app.command("ingest")(ingest)
    app.command("demo")(demo)


def ingest(
    folder: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER",
            help="The folder of documents, or a source such as s3://bucket, git+https://..., mbox:FILE.",
        ),
    ],
    kb: Kb = DEFAULT_KB,
    no_flow: Annotated[bool, typer.Option("--no-flow", help="Run without Prefect.")] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate the cost of model calls, and make none.")
    ] = False,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Stop before model calls cost more than this.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="Stop before model calls use more tokens than this.")
    ] = None,
    qa_samples: Annotated[
        Path | None, typer.Option(help="Question-answer samples (JSON Lines) to learn tag pairs from.")
    ] = None,
    embedder: EmbedderName = None,
    keep_missing: Annotated[
        bool, typer.Option("--keep-missing", help="Keep documents whose files are missing.")
    ] = False,
    keep_cache: Annotated[
        bool, typer.Option("--keep-cache", help="Keep cached replies about removed documents.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and ingest again on every change.")] = False,
    runner: Annotated[
        Runner,
        typer.Option(help="Where documents are compiled: by local processes, or by the workers of Dask or Ray."),
    ] = Runner.PROCESSES,
    address: Annotated[
        str, typer.Option(help="The scheduler of --runner: tcp://HOST:8786 (dask) or ray://HOST:10001 (ray).")
    ] = "",
    otel: Annotated[
        bool, typer.Option("--otel", help="Send traces and metrics to OTEL_EXPORTER_OTLP_ENDPOINT.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
    set: Set = None,
) -> None:
    """Update a knowledge base from a folder: new and changed documents are added, missing ones removed."""
    from flows.cli.live_ingest import live_progress
    from flows.cli.printing import print_value
    from flows.cli.reports import print_estimate, print_report
    from pipelines.llm.budget import Budget
    from pipelines.store.folder import KnowledgeBaseFolder
    from pipelines.store.lancedb.library import leave_out_data_frames

    leave_out_data_frames()
    place = one_place(folder)
    watched = _folder_to_watch(place) if watch else None
    settings = settings_from(
        kb,
        set,
        embed__name=embedder,
        ingest__keep_missing=keep_missing or None,
        ingest__keep_cache=keep_cache or None,
    )
    if estimate:
        from pipelines.ingest.dry_run import estimate_ingest

        print_estimate(estimate_ingest(place, kb, settings, qa_samples=qa_samples), json)
        return
    if KnowledgeBaseFolder(kb).readable_by_others:
        say_error(f"other users can read {kb}; `chmod -R go= {kb}` makes it private")
    cluster = _scheduler(runner, address)
    while True:
        with live_progress(quiet or json) as progress, _telemetry(otel) as telemetry:
            report = _run(
                no_flow, place, kb, settings, progress, Budget(max_usd, max_tokens), qa_samples, cluster, telemetry
            )
        print_value(report, json, print_report)
        if watched is None:
            raise typer.Exit(report.exit_code)
        _wait_for_change(watched)


def _run(
    no_flow: bool,
    folder: str,
    kb: Path,
    settings: Settings,
    progress: Progress,
    budget: Budget,
    qa_samples: Path | None,
    cluster: str,
    telemetry: Telemetry | None,
) -> Report:
    if no_flow and telemetry is None:
        from pipelines.ingest.build import build

        return build(folder, kb, settings, progress=progress, budget=budget, qa_samples=qa_samples, cluster=cluster)
    from flows.ingest import ingest

    return ingest(
        folder, kb, settings, progress=progress, budget=budget, qa_samples=qa_samples, cluster=cluster,
        flow=not no_flow, telemetry=telemetry,
    )  # fmt: skip


def _scheduler(runner: Runner, address: str) -> str:
    """Return the scheduler's address, empty for this machine. Raises `SettingsError` if the options do not match."""
    from pipelines.core.errors import SettingsError

    example = ADDRESSES.get(runner, "")
    if bool(example) != bool(address):
        raise SettingsError(
            "`--runner` and `--address` must be given together",
            hint=" or ".join(f"--runner {name} --address {known}" for name, known in ADDRESSES.items()),
        )
    if address.startswith("ray://") != example.startswith("ray://"):
        raise SettingsError(f"{address} is not an address for --runner {runner}", hint=f"such as {example}")
    return address


def _telemetry(wanted: bool) -> AbstractContextManager[Telemetry | None]:
    if not wanted:
        return nullcontext()
    from flows.telemetry import exporting

    return exporting()


def _folder_to_watch(folder: str) -> Path:
    """Return the folder. Raises `SourceError` for any other source, which cannot be watched."""
    from pipelines.core.errors import SourceError
    from pipelines.ingest.sources.locations import local_folder

    if (here := local_folder(folder)) is None:
        raise SourceError("only a folder can be watched", hint="use `strata flow deploy --cron` for other sources")
    return here


def _wait_for_change(folder: Path) -> None:
    """Return after a change below the folder, when there have been no further changes for a moment."""
    from watchfiles import watch

    say(f"watching {folder}; Control+C to stop", err=True)
    next(iter(watch(folder)))


def demo(
    kb: Annotated[Path, typer.Option("--kb", help="The knowledge base to create.")] = Path("demo-kb"),
    set: Set = None,
) -> None:
    """Ingest the example documents, then ask four questions, one of them in Chinese."""
    from flows.cli.answer_text import print_answer, print_warnings
    from flows.cli.live_ingest import live_progress
    from flows.cli.printing import console, line
    from flows.cli.reports import print_report
    from flows.ingest import ingest
    from pipelines.core.errors import FolderNotFound
    from pipelines.store.lancedb.library import leave_out_data_frames
    from qa import KnowledgeBase

    leave_out_data_frames()
    if not EXAMPLES.is_dir():
        raise FolderNotFound(str(EXAMPLES))
    settings = settings_from(kb, set)
    if settings.store.neo4j_uri:  # answer the questions from it
        settings = settings_from(kb, ["store.graph=neo4j", *(set or [])])
    with live_progress() as progress:
        report = ingest(EXAMPLES, kb, settings, progress=progress)
    print_report(report)
    with KnowledgeBase.open(kb, settings) as knowledge:
        for question in QUESTIONS:
            console().print()
            console().print(line((question, "bold")))
            answer = knowledge.ask(question)
            print_answer(answer)
            print_warnings(answer)
    if browser := settings.store.browser:
        console().print()
        console().print(line(f"the graph in Neo4j Browser: {browser} (`make browse` opens it with style and queries)"))
    raise typer.Exit(report.exit_code)
