"""`strata ingest`: a folder into a knowledge base."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Quiet, Set, settings_from


def register(app: typer.Typer) -> None:
    app.command("ingest")(ingest)


def ingest(
    folder: Annotated[Path, typer.Argument(help="The folder of documents.")],
    kb: Kb = DEFAULT_KB,
    no_flow: Annotated[bool, typer.Option("--no-flow", help="Run plainly, without Prefect.")] = False,
    quote: Annotated[bool, typer.Option("--quote", help="Say what the language work will cost, and do nothing.")] = False,
    max_usd: Annotated[float | None, typer.Option(help="Stop before the calls cost more than this.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop before the calls take more tokens than this.")] = None,
    qa_samples: Annotated[
        Path | None, typer.Option(help="Question-answer samples (JSON Lines) to learn tag pairs from.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="wordllama, e5, fastembed or openai.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and ingest again when the folder changes.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    set: Set = None,
) -> None:
    """Bring a knowledge base up to a folder: new and changed documents in, vanished ones out."""
    from flows.cli.progress import live_progress
    from flows.cli.tables import print_report
    from pipelines.ingest.budget import Limits

    settings = settings_from(kb, set, embed__name=embedder)
    if quote:
        _print_quote(folder, kb, settings, json)
        return
    limits = Limits(max_usd, max_tokens, qa_samples)
    run = _plain if no_flow else _flow
    while True:
        with live_progress(quiet or json) as progress:
            report = run(folder, kb, settings, limits, progress)
        print_report(report, json)
        if not watch:
            sys.exit(report.exit_code)
        _wait_for_change(folder)
