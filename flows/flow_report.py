"""What Prefect's page shows of a run: how far it is, and its report as Markdown and as the rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipelines.core.safe_output import shown
from pipelines.ingest.report import Event, Phase, Progress, Report, Stage, silent

_OBEYED = re.compile(r"([\\`*_{}\[\]<>()#+!|&~$])")
"""What Markdown and HTML obey."""
MOST_FAILURES = 500
"""Rows of a table that a page still shows at ease; `strata status` tells all."""


def report_markdown(report: Report, folder: str) -> str:
    """Return how a run ended: documents, stages, failures by reason, cost."""
    parts = [
        f"# {_plain(folder)}",
        f"Knowledge base {_plain(report.knowledge_base)}, {report.seconds:.1f} s. {_plain(report.stopped)}".rstrip(),
        table(("documents", "number"), report.documents.items()),
        table(("what became of them", "number"), report.changes.items()),
        table(
            ("stage", "done", "reused", "failed"),
            ((name, count.done, count.reused, count.failed) for name, count in report.stages.items()),
        ),
        table(("the knowledge base holds", "number"), report.contents.items()),
    ]
    if report.failures:
        parts.append(table(("failed", "documents"), report.failures_by_reason.items()))
    if report.usage:
        names = list(next(iter(report.usage.values())))
        rows = ((role, *(figures.get(name, 0) for name in names)) for role, figures in report.usage.items())
        parts.append(table(("language work", *names), rows))
    return "\n\n".join(parts)


def failure_rows(report: Report) -> list[dict[str, str]]:
    """Return the failures as rows, `MOST_FAILURES` at most: document, stage, status, reason."""
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
    """Return how a run ended in one line."""
    counts = ", ".join(f"{number} {name}" for name, number in report.documents.items())
    stopped = f"; stopped: {report.stopped}" if report.stopped else ""
    return f"{counts or 'no documents'}{stopped}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as Markdown; nothing in its cells is obeyed."""
    lines = ["| " + " | ".join(map(_plain, head)) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else _plain(str(value))


def _plain(text: str) -> str:
    """The text as Markdown that shows it: what it quotes of documents and names of files is not obeyed."""
    return _OBEYED.sub(r"\\\1", shown(text))


OF_DOCUMENTS = 0.9
"""The share of a run that compiling its documents is taken to be; what follows tells no number."""


class RunWatch:
    """A listener that passes every event on, and knows what has happened so far."""

    def __init__(self, listener: Progress = silent) -> None:
        self._listener = listener
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._total = 0
        self._stage = Stage.SCAN
        self.heard_by: set[Progress] = set()
        """Who else is called with every event."""

    def __call__(self, event: Event) -> None:
        self._total = event.total or self._total
        if not event.subject and event.phase is Phase.STARTED:
            self._stage = event.stage
        elif event.subject and event.phase is Phase.FAILED:
            self._failed.add(event.subject)
        elif event.subject and event.stage is Stage.EMBED and event.phase is Phase.DONE:
            self._done.add(event.subject)
        for one in (self._listener, *self.heard_by):
            one(event)

    @property
    def percent(self) -> float:
        """How much of the run is done, from 0 to 100."""
        if self._stage in (Stage.LINK, Stage.LOAD, Stage.PROJECT, Stage.LEARN) or not self._total:
            return 100 * OF_DOCUMENTS
        return 100 * OF_DOCUMENTS * min(1.0, len(self._done | self._failed) / self._total)

    @property
    def told(self) -> str:
        """The same in words."""
        failed = f", {len(self._failed)} failed" if self._failed else ""
        return (
            f"{len(self._done)} of {max(self._total, len(self._done))} documents compiled{failed}; {self._stage.value}"
        )
