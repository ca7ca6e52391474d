"""The representation of a run on Prefect's page: progress, and the report as Markdown and as table rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipelines.core.safe_output import shown
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, silent

_OBEYED = re.compile(r"([\\`*_{}\[\]<>()#+!|&~$])")
"""Characters with a meaning in Markdown or HTML."""
MOST_FAILURES = 500
"""Maximum table rows that the page displays well; `strata status` lists all."""


def report_markdown(report: Report, folder: str) -> str:
    """Return the report of a run as Markdown: documents, stages, failures by reason, cost."""
    parts = [
        f"# {_plain(folder)}",
        f"Knowledge base {_plain(report.knowledge_base)}, {report.seconds:.1f} s. {_plain(report.stopped)}".rstrip(),
        _plain(report.repeated),
        table(("documents", "number"), report.documents.items()),
        table(("changes", "number"), report.changes.items()),
        table(
            ("stage", "done", "reused", "failed"),
            ((name, count.done, count.reused, count.failed) for name, count in report.stages.items()),
        ),
        table(("step", "seconds"), report.step_seconds.items()),
        table(("contents of the knowledge base", "number"), report.contents.items()),
    ]
    if report.failures:
        parts.append(table(("failed", "documents"), report.failures_by_reason.items()))
    if report.usage:
        names = list(next(iter(report.usage.values())))
        rows = ((role, *(figures.get(name, 0) for name in names)) for role, figures in report.usage.items())
        parts.append(table(("model calls", *names), rows))
    return "\n\n".join(filter(None, parts))


def failure_rows(report: Report) -> list[dict[str, str]]:
    """Return at most `MOST_FAILURES` failures as rows: document, stage, status, reason."""
    return [
        {
            "document": shown(failure.subject),
            "stage": failure.stage,
            "status": failure.status.value,
            "reason": shown(failure.reason),
        }
        for failure in report.failures[:MOST_FAILURES]
    ]


def summary(report: Report) -> str:
    """Return a summary of a run in one line."""
    counts = ", ".join(f"{number} {name}" for name, number in report.documents.items())
    stopped = f"; stopped: {report.stopped}" if report.stopped else ""
    return f"{counts or 'no documents'}{stopped}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; its cells are escaped."""
    lines = ["| " + " | ".join(map(_plain, head)) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else _plain(str(value))


def _plain(text: str) -> str:
    """Return the text escaped for Markdown, because it may quote documents and file names."""
    return _OBEYED.sub(r"\\\1", shown(text))


OF_DOCUMENTS = 0.9
"""The assumed share of compilation in a run; the later steps report no progress."""


class RunWatch:
    """A listener that forwards all events and tracks the progress of the run."""

    def __init__(self, listener: Progress = silent) -> None:
        self._listener = listener
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._total = 0
        self._stage = Stage.SCAN
        self.listeners: set[Progress] = set()
        """Additional listeners for all events."""

    def __call__(self, event: Event) -> None:
        self._total = event.total or self._total
        if not event.subject and event.phase is Phase.STARTED:
            self._stage = event.stage
        elif event.subject and event.phase is Phase.FAILED:
            self._failed.add(event.subject)
        elif event.subject and event.stage is Stage.EMBED and event.phase is Phase.DONE:
            self._done.add(event.subject)
        for listener in (self._listener, *self.listeners):
            listener(event)

    @property
    def percent(self) -> float:
        """The progress of the run, from 0 to 100."""
        if self._stage in (Stage.LINK, Stage.LOAD, Stage.PROJECT, Stage.LEARN) or not self._total:
            return 100 * OF_DOCUMENTS
        return 100 * OF_DOCUMENTS * min(1.0, len(self._done | self._failed) / self._total)

    @property
    def description(self) -> str:
        """The progress of the run as text."""
        failed = f", {len(self._failed)} failed" if self._failed else ""
        return (
            f"{len(self._done)} of {max(self._total, len(self._done))} documents compiled{failed}; {self._stage.value}"
        )
