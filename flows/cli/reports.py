"""Output of what commands return: the report of an ingest, estimates, the status of documents, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from flows.cli.printing import TextTable, console, line, print_json
from pipelines.core.outcome import Status

if TYPE_CHECKING:
    from pipelines.ingest.dry_run import FolderDiff
    from pipelines.ingest.fsck import FsckReport
    from pipelines.ingest.reindex import Reindexed
    from pipelines.ingest.report import Report
    from pipelines.llm.budget import Estimate
    from pipelines.store.catalog import Entry

_NOTED_SECONDS = 1.0
"""Minimum seconds of a step that the report of a run names: most steps of a small run take less."""
_UNREAD = (Status.PARTIAL.value, Status.EMPTY.value)
"""Statuses of documents that are no failures, but not wholly read."""
_STYLES = {"failed": "red", "partial": "yellow", "unfinished": "yellow"}


def print_report(report: Report) -> None:
    """Print the report of a run: documents by status, counts by stage, and every failure with its reason."""
    out = console()
    out.print(_documents(report))
    out.print(_stages(report))
    if steps := {name: seconds for name, seconds in report.step_seconds.items() if seconds >= _NOTED_SECONDS}:
        out.print(_steps(steps))
    if report.usage:
        out.print(_usage(report))
    for failure in report.failures:
        out.print(line((failure.status.value, "red"), f" {failure.subject}: {failure.reason}"))
    if unread := ", ".join(f"{report.documents[name]} {name}" for name in _UNREAD if report.documents.get(name)):
        command = f"strata status --kb {quote(report.knowledge_base)}"
        out.print(line((f"{unread}: `{command}` gives the reasons", "yellow")))
    if report.repeated:
        out.print(line((report.repeated, "yellow")))
    if report.unfinished:
        waiting = f"{report.unfinished} chunks lack the result of their model call; the next ingest tries again"
        out.print(line((waiting, "yellow")))
    if report.stopped:
        out.print(line((f"stopped: {report.stopped}; finished work is kept, the next ingest continues", "yellow")))
    out.print(line(_closing(report)))


def _documents(report: Report) -> TextTable:
    table = TextTable("documents", "")
    for name, number in report.documents.items():
        table.row(name, str(number), style=_STYLES.get(name))
    table.row("", "")
    for name, number in report.contents.items():
        if number:
            table.row(name, f"{number:,}", style="dim")
    return table


def _stages(report: Report) -> TextTable:
    from pipelines.ingest.report import Stage

    table = TextTable("stage", "done", "reused", "failed")
    for name in (stage.value for stage in Stage if stage in report.stages):
        count = report.stages[name]
        table.row(name, str(count.done), str(count.reused), str(count.failed), style="red" if count.failed else None)
    return table


def _steps(seconds: Mapping[str, float]) -> TextTable:
    table = TextTable("step", "seconds")
    for name, took in seconds.items():
        table.row(name, f"{took:.1f}", style="dim")
    return table


def _usage(report: Report) -> TextTable:
    names = list(next(iter(report.usage.values())))
    table = TextTable("model calls", *names)
    for role, figures in report.usage.items():
        table.row(role, *(f"{figures.get(name, 0):,.10g}" for name in names))
    return table


def done_now(report: Report) -> int:
    """Return how many documents the run processed without a failure."""
    return max(0, report.changes.get("done", 0) - failed_now(report))


def failed_now(report: Report) -> int:
    """Return how many documents failed in this run, without those that had failed before and were left alone."""
    return sum(count.failed for count in report.stages.values())


def _closing(report: Report) -> str:
    """Return the line that says what can be found now, as `strata status` does, and what the run did for it."""
    there = sum(report.documents.values())
    found = sum(number for name, number in report.documents.items() if Status(name).searchable)
    counts = {**report.changes, "done": done_now(report), "failed": failed_now(report)}
    changes = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    work = sum(count.done for name, count in report.stages.items())
    nothing = "; nothing to parse, chunk or embed" if not work and not report.failures else ""
    told = f"{found} of {there} documents can be found; {changes}" if there or changes else "no documents"
    return f"{report.knowledge_base}: {told}{nothing} ({report.seconds:.1f} s)"


def print_estimate(estimate: Estimate, as_json: bool) -> None:
    """Print the estimated model calls and their cost, by role and in total."""
    if as_json:
        print_json({"lines": estimate.lines, "total": estimate.total})
        return
    if not estimate.lines:
        console().print("no model calls: no language model is configured, or nothing has changed")
        return
    table = TextTable("role", "model", "calls", "from cache", "input tokens", "output tokens", "dollars")
    for work in (*estimate.lines, estimate.total):
        usage = work.usage
        cells = (usage.calls, work.cached, usage.input_tokens, usage.output_tokens)
        table.row(work.role, work.model, *(f"{cell:,}" for cell in cells), f"{work.dollars:.4f}")
    console().print(table)


def print_status(entries: Sequence[Entry], all_of_them: bool) -> None:
    """Print entries of the catalog with status and reason: all, or only those with a problem."""
    table = TextTable("document", "status", "reason")
    shown = [entry for entry in entries if all_of_them or entry.status is not Status.INDEXED or entry.notes]
    for entry in shown:
        style = "red" if entry.status is Status.FAILED else None
        table.row(entry.uri, entry.status.value, "; ".join(filter(None, (entry.reason, *entry.notes))), style=style)
    out = console()
    if shown:
        out.print(table)
    indexed = sum(entry.status.searchable for entry in entries)
    out.print(f"{indexed} of {len(entries)} documents can be found")


def print_difference(difference: FolderDiff) -> None:
    """Print the changes that an ingest would make: documents by name, nodes and edges by kind."""
    out = console()
    if difference.empty and not difference.coming and not difference.going:
        out.print("no difference: an ingest would change nothing")
        return
    for sign, style, uris in (("+", "green", difference.added), ("~", "yellow", difference.changed),
                              ("-", "red", difference.removed)):  # fmt: skip
        for uri in uris:
            out.print(line((sign, style), f" {uri}"))
    for before, after in difference.renamed:
        out.print(line(("→", "yellow"), f" {before} is now {after}"))
    table = TextTable("", "added", "removed")
    for kind in sorted(difference.coming.keys() | difference.going.keys()):
        table.row(kind, f"+{difference.coming.get(kind, 0)}", f"-{difference.going.get(kind, 0)}")
    out.print(table)


def print_findings(checked: FsckReport) -> None:
    """Print the inconsistencies between the stores."""
    out = console()
    for finding in checked.findings:
        out.print(line((f"{finding.place} {finding.fault}", "red"), f" {finding.subject} {finding.detail}"))
    if not checked.findings:
        out.print(f"consistent: catalog, graph, vectors and artifacts agree on {checked.documents} documents")
    elif checked.repaired:
        out.print("repaired" if checked.clean else f"{len(checked.remaining)} findings remain; ingest the folder again")
    else:
        out.print(f"{len(checked.findings)} findings; --repair repairs them")
    if checked.read < checked.artifacts:
        out.print(f"read {checked.read} of {checked.artifacts} artifacts, a sample; --read-data reads all")


def print_reindexed(reindexed: Reindexed) -> None:
    """Print the comparison of two embedders."""
    table = TextTable("embedder", f"self-recall@5 of {reindexed.probes} atoms")
    table.row(reindexed.before, f"{reindexed.recall_before:.1%}")
    table.row(reindexed.after, f"{reindexed.recall_after:.1%}")
    out = console()
    out.print(table)
    out.print(f"{reindexed.records:,} records now use {reindexed.after}")
    for name in reindexed.dropped:
        out.print(f"dropped: {name}")
