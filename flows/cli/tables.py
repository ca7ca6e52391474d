"""Values as tables on the terminal."""

from __future__ import annotations

import json
import sys

import msgspec
from rich.console import Console
from rich.table import Table

from pipelines.ingest.report import Report

_STYLES = {"failed": "red", "partial": "yellow", "unfinished": "yellow"}


def print_json(value: object) -> None:
    """Print a value as JSON, indented, in UTF-8."""
    plain = msgspec.to_builtins(value)
    sys.stdout.write(json.dumps(plain, ensure_ascii=False, indent=2) + "\n")


def print_report(report: Report, as_json: bool) -> None:
    """Print how a run ended: documents by status, stages by what they did, and every failure with its reason."""
    if as_json:
        print_json(report)
        return
    console = Console()
    console.print(_documents(report))
    console.print(_stages(report))
    if report.usage:
        console.print(_usage(report))
    for failure in report.failures:
        console.print(f"[red]{failure.status.value}[/] {failure.subject}: {failure.reason}", highlight=False)
    if report.unfinished:
        console.print(
            f"[yellow]{report.unfinished} chunks await their language work; the next ingest tries them again"
        )
    if report.stopped:
        console.print(f"[yellow]stopped: {report.stopped}; what is done is kept, the next ingest goes on")
    console.print(_closing(report), highlight=False)


def _documents(report: Report) -> Table:
    table = Table("documents", "", box=None, pad_edge=False)
    for name, number in report.documents.items():
        table.add_row(name, str(number), style=_STYLES.get(name))
    table.add_row("", "")
    for name, number in report.contents.items():
        table.add_row(name, f"{number:,}", style="dim")
    return table


def _stages(report: Report) -> Table:
    table = Table("stage", "done", "reused", "failed", box=None, pad_edge=False)
    for name, count in report.stages.items():
        table.add_row(
            name, str(count.done), str(count.reused), str(count.failed), style="red" if count.failed else None
        )
    return table


def _usage(report: Report) -> Table:
    names = list(next(iter(report.usage.values())))
    table = Table("language work", *names, box=None, pad_edge=False)
    for role, figures in report.usage.items():
        table.add_row(role, *(f"{figures.get(name, 0):,.10g}" for name in names))
    return table


def _closing(report: Report) -> str:
    changes = ", ".join(f"{number} {name}" for name, number in report.changes.items() if number)
    work = sum(count.done for name, count in report.stages.items())
    nothing = "; nothing to parse, chunk or embed" if not work and not report.failures else ""
    return f"{report.knowledge_base}: {changes or 'no documents'}{nothing} ({report.seconds:.1f} s)"
