"""Output of values as tables and coloured lines on the terminal, used by all commands.

Names, titles, reasons, quotes and model output are untrusted. `console`, `TextTable` and `line` print them as plain
text, without markup, escape sequences and direction marks (`pipelines.core.safe_output`); `flows.cli.stdio.say` does so
for plain lines. If the output is not a terminal, nothing is truncated or folded: one record per line. Only `--json` and
files contain the original text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO, TypeVar, cast

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from flows.cli.options import store_at
from flows.cli.stdio import say_json
from pipelines.core.outcome import Status
from pipelines.core.safe_output import shown, shown_lines

if TYPE_CHECKING:
    from rich.style import Style

    from pipelines.ingest.dry_run import FolderDiff
    from pipelines.ingest.fsck import FsckReport
    from pipelines.ingest.reindex import Reindexed
    from pipelines.ingest.report import Report
    from pipelines.llm.budget import Estimate
    from pipelines.store.catalog import Catalog, Entry

WIDE = 1 << 16
"""Width of the console if the output is not a terminal: more than a record needs."""
PADDED = 60
"""Maximum columns that a cell is padded to if the output is not a terminal; a longer cell shifts its own row alone."""
_NOTED_SECONDS = 1.0
"""Minimum seconds of a step that the report of a run names: most steps of a small run take less."""
T = TypeVar("T")
_STYLES = {"failed": "red", "partial": "yellow", "unfinished": "yellow"}


def console(stderr: bool = False) -> Console:
    """Return a console that makes all printed text safe, in whatever way it is passed."""
    stream: TextIO = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else WIDE
    return _Clean(file=cast("IO[str]", _Trimmed(stream)), width=wide, markup=False, emoji=False, highlight=False)


def line(*parts: str | tuple[str, str]) -> Text:
    """Return one line of text parts, each plain or with a style."""
    return Text.assemble(*(shown(part) if isinstance(part, str) else (shown(part[0]), part[1]) for part in parts))


class TextTable(Table):
    """A table of plain texts; on a terminal cells are folded, otherwise each row is one line."""

    def __init__(self, *headers: str) -> None:
        super().__init__(*(Column(header, overflow="fold") for header in headers), box=None, pad_edge=False)

    def row(self, *cells: str, style: str | Style | None = None) -> None:
        """Add a row of untrusted texts."""
        self.add_row(*(Text(shown(cell)) for cell in cells), style=style)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < WIDE:
            yield from super().__rich_console__(console, options)
            return
        columns = [[str(column.header), *map(str, column.cells)] for column in self.columns]
        widths = [min(PADDED, max(map(cell_len, cells))) for cells in columns]
        for row in zip(*columns, strict=True):
            cells = zip(row, widths, strict=True)
            yield Text("  ".join(cell + " " * (width - cell_len(cell)) for cell, width in cells))


class _Clean(Console):
    """A console that cleans strings on input and `Text` objects on output."""

    def render_str(self, text: str, **options: object) -> Text:
        return super().render_str(shown_lines(text), **options)  # type: ignore[arg-type]

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown_lines(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave the error to the handler in `flows.cli.app`."""
        raise  # noqa: PLE0704 - called while the error is handled


class _Trimmed:
    """A stream that removes the spaces that pad a table's last column."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if not self._stream.isatty():
            text = "\n".join(part.rstrip(" ") for part in text.split("\n"))
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:
        return self._stream.encoding


def moment(at: str) -> str:
    """Return a time in UTC without its offset, so that a narrow column breaks it between date and time."""
    return at.removesuffix("+00:00").replace("T", " ")


def print_json(value: object) -> None:
    """Print a value as indented JSON, with its original text."""
    say_json(json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2))


def print_value(value: T, as_json: bool, text: Callable[[T], None]) -> None:
    """Print a value as JSON, or else by the function `text`."""
    (print_json if as_json else text)(value)


def print_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    value: object = None,
    as_json: bool = False,
    styles: Iterable[str | None] = repeat(None),
) -> None:
    """Print a value as JSON, or else its rows as a table with styles; below the header of none, "none" on stderr."""
    if as_json:
        print_json(value)
        return
    table = TextTable(*columns)
    for row, style in zip(rows, styles, strict=False):
        table.row(*row, style=style)
    console().print(table)
    if not table.row_count:
        console(stderr=True).print("none")


def print_kept(
    read: Callable[[Catalog], Sequence[T]],
    kb: Path,
    as_json: bool,
    columns: Sequence[str],
    cells: Callable[[T], Sequence[str]],
    style: Callable[[T], str | None] = lambda one: None,
) -> None:
    """List the records of one kind in the catalog of the knowledge base at `kb`, the latest last."""
    with store_at(kb) as store:
        found = read(store.catalog)
    print_rows(columns, map(cells, found), found, as_json, map(style, found))


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
