"""`strata runs`: the ingests of a knowledge base, and how each of them ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, store_at

if TYPE_CHECKING:
    from pipelines.ingest.report import RunRecord

app = typer.Typer(help="The ingests so far: settings, counts, seconds, cost, failures.", invoke_without_command=True)


@app.callback()
def runs(context: typer.Context, kb: Kb = DEFAULT_KB, json: Json = False) -> None:
    """List the last ingests, the latest at the end."""
    from flows.cli.console import TextTable, console
    from flows.cli.printing import print_json
    from pipelines.ingest.report import RUNS

    if context.invoked_subcommand is not None:
        return
    with store_at(kb) as store:
        found = RUNS.read(store.catalog)
    if json:
        print_json(found)
        return
    table = TextTable("run", "began (UTC)", "folder", "done", "removed", "failed", "seconds", "dollars", "ended")
    for one in found:
        table.row(*_cells(one), style="red" if one.reasons else None)
    console().print(table)


@app.command()
def show(
    number: Annotated[int, typer.Argument(help="The number of the run, as `strata runs` lists it.")],
    kb: Kb = DEFAULT_KB,
    json: Json = False,
) -> None:
    """Show one ingest: its settings, counts, seconds, cost, and failures by reason."""
    from flows.cli.console import TextTable, console, line
    from flows.cli.printing import print_json, print_report
    from pipelines.ingest.report import run_of

    with store_at(kb) as store:
        found = run_of(store.catalog, number)
    if json:
        print_json(found)
        return
    console().print(line(f"run {found.number} of {found.folder}, begun {found.began}"))
    if found.settings:
        settings = TextTable("setting", "value")
        for name, value in found.settings.items():
            settings.row(name, str(value))
        console().print(settings)
    if found.reasons:
        reasons = TextTable("failed", "times")
        for reason, times in found.reasons.items():
            reasons.row(reason, str(times))
        console().print(reasons)
    print_report(found.report, as_json=False)


def _cells(one: RunRecord) -> tuple[str, ...]:
    report = one.report
    return (
        str(one.number),
        one.began.removesuffix("+00:00"),
        one.folder,
        str(report.changes.get("done", 0)),
        str(report.changes.get("removed", 0)),
        str(sum(one.reasons.values())),
        f"{report.seconds:.1f}",
        f"{report.dollars:.4f}",
        "early" if report.stopped else "",
    )
