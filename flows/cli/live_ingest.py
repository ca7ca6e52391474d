"""Progress display of a run: finished and running documents, failures, remaining time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from flows.cli.printing import console
from flows.cli.stdio import say
from pipelines.core.safe_output import shown
from pipelines.ingest import report as told
from pipelines.ingest.report import Event, Phase, Stage, silent

SHOWN = 4
"""Maximum running documents that are listed."""
PLAIN_SECONDS = 2.0
"""Minimum seconds between two lines, if the output is not a terminal."""


@contextmanager
def live_progress(quiet: bool = False) -> Iterator[told.Progress]:
    """Yield a listener that shows events on standard error; with `quiet`, none."""
    out = console(stderr=True)
    if quiet:
        yield silent
    elif out.is_terminal:
        with _RunDisplay(out) as display:
            yield display
    else:
        yield _RunLines()


class _RunDisplay:
    """A progress bar, and below it the running documents."""

    def __init__(self, out: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}"), TimeElapsedColumn(), TimeRemainingColumn(), console=out,
        )  # fmt: skip
        self._task = self._bar.add_task("scan", total=None, failed="")
        self._running: dict[str, str] = {}
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._total = 0
        self._live = Live(self._bar, console=out, refresh_per_second=8, transient=True)

    def __enter__(self) -> _RunDisplay:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        if _is_notice(event):
            self._live.console.print(Text(shown(event.detail), style="dim"))
        if event.stage is Stage.FLOW:
            return
        if event.total:
            self._total = event.total
            self._bar.update(self._task, total=event.total, description="documents")
        if not event.subject:
            if event.phase is Phase.STARTED:
                self._bar.update(self._task, description=event.stage.value)
        elif event.phase is Phase.STARTED:
            self._running[shown(event.subject)] = event.stage.value
        else:
            self._finish(event)
        self._live.update(Group(self._bar, *self._lines()))

    def _finish(self, event: Event) -> None:
        if event.phase is Phase.FAILED:
            self._failed.add(event.subject)
        if event.phase is Phase.FAILED or event.stage is Stage.EMBED:
            self._done.add(event.subject)
            self._running.pop(shown(event.subject), None)
        failed = f"[red]{len(self._failed)} failed" if self._failed else ""
        self._total = max(self._total, len(self._done))  # attachments are additional documents
        self._bar.update(self._task, completed=len(self._done), total=self._total or None, failed=failed)

    def _lines(self) -> list[Text]:
        running = list(self._running.items())[:SHOWN]
        return [Text(f"  {stage:<8} {uri}", style="dim", overflow="ellipsis", no_wrap=True) for uri, stage in running]


def _is_notice(event: Event) -> bool:
    """Return whether an event has something to say about the whole run: no server, documents compiled again."""
    return event.stage is Stage.FLOW or (event.stage is Stage.SCAN and event.phase is Phase.DONE and bool(event.detail))


class _RunLines:
    """Occasional lines, for logs."""

    def __init__(self) -> None:
        self._last = 0.0
        self._total = 0
        self._done: set[str] = set()

    def __call__(self, event: Event) -> None:
        self._total = event.total or self._total
        ended = event.stage is Stage.EMBED and event.phase is not Phase.STARTED
        if event.subject and (ended or event.phase is Phase.FAILED):
            self._done.add(event.subject)
        whole = _is_notice(event) or (not event.subject and event.phase is Phase.STARTED)
        if not whole and time.monotonic() - self._last < PLAIN_SECONDS:
            return
        self._last = time.monotonic()
        self._total = max(self._total, len(self._done))  # attachments are additional documents
        of = f"{len(self._done)}/{self._total}" if self._total and not _is_notice(event) else ""
        detail = " ".join(filter(None, (of, shown(event.subject or event.detail))))
        say(f"{event.stage.value}: {detail}" if detail else event.stage.value, err=True)
