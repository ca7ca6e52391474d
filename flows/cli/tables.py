"""Values as tables on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.table import Table

from pipelines.core.outcome import Status

if TYPE_CHECKING:
    from pipelines.ingest.diff import Difference
    from pipelines.ingest.fsck import Checked
    from pipelines.ingest.reindex import Reindexed
    from pipelines.ingest.report import Report
    from pipelines.llm.quote import Quote
    from pipelines.store.catalog import Entry

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
        console.print(f"[yellow]{report.unfinished} chunks await their language work; the next ingest tries them again")
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


def print_quote(quote: Quote, as_json: bool) -> None:
    """Print what the language work will take, by the work and in all."""
    if as_json:
        print_json({"lines": quote.lines, "total": quote.total})
        return
    if not quote.lines:
        Console().print("no language work: none is configured, or nothing has changed")
        return
    table = Table("language work", "model", "calls", "from cache", "input tokens", "output tokens", "dollars", box=None)
    for line in (*quote.lines, quote.total):
        usage = line.usage
        cells = (usage.calls, line.cached, usage.input_tokens, usage.output_tokens)
        table.add_row(line.role, line.model, *(f"{cell:,}" for cell in cells), f"{line.dollars:.4f}")
    Console().print(table)


def print_status(entries: Sequence[Entry], all_of_them: bool) -> None:
    """Print entries of the catalog: each with its status and reason, or only those that are not indexed."""
    table = Table("document", "status", "", box=None, pad_edge=False)
    shown = [entry for entry in entries if all_of_them or entry.status is not Status.INDEXED or entry.notes]
    for entry in shown:
        style = "red" if entry.status is Status.FAILED else None
        table.add_row(entry.uri, entry.status.value, "; ".join(filter(None, (entry.reason, *entry.notes))), style=style)
    console = Console()
    if shown:
        console.print(table)
    indexed = sum(entry.status.searchable for entry in entries)
    console.print(f"{indexed} of {len(entries)} documents can be found", highlight=False)


def print_difference(difference: Difference) -> None:
    """Print what an ingest would do: documents by name, nodes and edges by kind."""
    console = Console(highlight=False)
    if difference.empty and not difference.coming and not difference.going:
        console.print("no difference: an ingest would change nothing")
        return
    for sign, style, uris in (("+", "green", difference.added), ("~", "yellow", difference.changed),
                              ("-", "red", difference.removed)):  # fmt: skip
        for uri in uris:
            console.print(f"[{style}]{sign}[/] {uri}")
    for before, after in difference.renamed:
        console.print(f"[yellow]→[/] {before} is now {after}")
    table = Table("", "coming", "going", box=None, pad_edge=False)
    for kind in sorted(difference.coming.keys() | difference.going.keys()):
        table.add_row(kind, f"+{difference.coming.get(kind, 0)}", f"-{difference.going.get(kind, 0)}")
    console.print(table)


def print_findings(checked: Checked) -> None:
    """Print where the stores disagree."""
    console = Console(highlight=False)
    for finding in checked.findings:
        console.print(f"[red]{finding.place} {finding.fault}[/] {finding.subject} {finding.detail}")
    if not checked.findings:
        console.print(f"clean: catalog, graph, vectors and artifacts agree on {checked.documents} documents")
    elif checked.repaired:
        console.print(
            "mended" if checked.clean else f"{len(checked.remaining)} findings remain; ingest the folder again"
        )
    else:
        console.print(f"{len(checked.findings)} findings; --repair mends them")


def print_reindexed(reindexed: Reindexed) -> None:
    """Print the two embedders side by side."""
    table = Table("embedder", f"self-recall@5 of {reindexed.probes} atoms", box=None, pad_edge=False)
    table.add_row(reindexed.before, f"{reindexed.recall_before:.1%}")
    table.add_row(reindexed.after, f"{reindexed.recall_after:.1%}")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"{reindexed.records:,} records are now searched by {reindexed.after}")
    for name in reindexed.dropped:
        console.print(f"dropped: {name}")
