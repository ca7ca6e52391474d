"""Ingests started from the explorer or the API: one at a time, each in a separate process.

An ingest in the server's own process would block all answers while it links. The process runs this module (`main`), and
reports on standard output, one line per event.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Self

from pipelines.core import codec
from pipelines.core.errors import StrataError
from pipelines.core.work.worker import own_channels
from pipelines.ingest.report import Event, Phase, Report, Stage

INTERRUPTED = 130
_NICER = 10
"""Increment of nice(2) for an ingest, so that it gets a tenth of the share of its server. The 95th percentile of
answers in `benchmarks/serve_load.py` was 0.43 s with 5, and 0.37 s with 10."""
_PATIENCE_S = 30
"""Seconds that an interrupted ingest may take to exit; finished work is kept in any case."""


class JobRunning(StrataError):
    """Another ingest is running."""

    retryable = True


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class JobView:
    """The state of an ingest. `total` documents are to be compiled (0 if unknown); `ends` counts documents by outcome,
    including "reused" for unchanged ones.

    `stage` and `subject` are those of the last event. At the end, `report` is set, or `problem` with its `hint`.
    """

    number: int
    kb: str
    by: str
    began: str
    state: JobState = JobState.RUNNING
    total: int = 0
    ends: Mapping[str, int] = field(default_factory=dict)
    stage: str = ""
    subject: str = ""
    report: Report | None = None
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One line of output of the process: an event, or at the end the report, or the reason why there is none."""

    event: Event | None = None
    report: Report | None = None
    problem: str = ""
    hint: str = ""


ViewListener = Callable[[JobView], None]


class IngestJob:
    """A job with its process; any thread may use it."""

    def __init__(self, view: JobView, folder: Path, kb: Path) -> None:
        self._view, self._lock = view, threading.Lock()
        self._listeners: list[ViewListener] = []
        self._ended: dict[str, Phase] = {}
        self._stopped = False
        # -P: modules in the server's current folder must not shadow ours.
        command = [sys.executable, "-P", "-m", "serve.jobs", str(folder.absolute()), str(kb.absolute())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, name=f"ingest {view.number}", daemon=True)
        self._reader.start()

    @property
    def view(self) -> JobView:
        """The present state of the job."""
        with self._lock:
            return self._view

    def listen(self, listener: ViewListener) -> None:
        """Call a listener with the state of the job, now and after every change; it must be fast."""
        with self._lock:
            self._listeners.append(listener)
            listener(self._view)

    def leave(self, listener: ViewListener) -> None:
        """Remove a listener."""
        with self._lock:
            self._listeners.remove(listener)

    def stop(self) -> None:
        """Interrupt the ingest, as Control+C does: finished work is kept."""
        self._stopped = True
        if self._process.poll() is None:
            # Not SIGINT: background processes of a shell ignore it, and so do their child processes.
            self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the ingest has ended."""
        self._reader.join(seconds)

    def kill(self) -> None:
        """Kill the process; the next ingest continues."""
        self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101
        for line in self._process.stdout:
            try:
                self._take(codec.decode(line, OutputLine))
            except codec.DecodeError:  # output of a library, or half a line of a killed process
                sys.stderr.write(line.decode("utf-8", "backslashreplace"))
        code = self._process.wait()
        self._process.stdout.close()
        view = self.view
        if view.state is not JobState.RUNNING:
            return
        if self._stopped:
            self._update(replace(view, state=JobState.STOPPED, hint="the next ingest continues it"))
        else:
            self._update(replace(view, state=JobState.FAILED, problem=f"the ingest's process ended with {code}"))

    def _take(self, line: OutputLine) -> None:
        view = self.view
        if line.report is not None:
            self._update(replace(view, state=JobState.DONE, report=line.report))
        elif line.problem:
            self._update(replace(view, state=JobState.FAILED, problem=line.problem, hint=line.hint))
        elif line.event is not None:
            self._update(self._after(view, line.event))

    def _after(self, view: JobView, event: Event) -> JobView:
        if event.subject and (event.phase is Phase.FAILED or (event.stage is Stage.EMBED and _is_end(event.phase))):
            self._ended[event.subject] = event.phase
        ends = Counter(phase.value for phase in self._ended.values())
        total = event.total or view.total
        return replace(view, total=total, ends=dict(ends), stage=event.stage.value, subject=event.subject)

    def _update(self, view: JobView) -> None:
        with self._lock:
            self._view = view
            for listener in self._listeners:
                listener(view)


def _is_end(phase: Phase) -> bool:
    return phase in (Phase.DONE, Phase.REUSED)


class Jobs:
    """The last ingest of each knowledge base of a server; a context manager that leaves no process behind."""

    def __init__(self) -> None:
        self._last: dict[str, IngestJob] = {}
        self._count = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for job in self._last.values():
            job.stop()
            job.wait(_PATIENCE_S)
            job.kill()

    def start(self, name: str, folder: Path, kb: Path, by: str) -> IngestJob:
        """Start an ingest. Raises `JobRunning` if any ingest is running: two would take twice as long each."""
        with self._lock:
            for job in self._last.values():
                if job.view.state is JobState.RUNNING:
                    raise JobRunning(f"an ingest of {job.view.kb} is running", hint="wait for its end, or stop it")
            self._count += 1
            began = datetime.now(UTC).isoformat(timespec="seconds")
            self._last[name] = IngestJob(JobView(self._count, name, by, began), folder, kb)
            return self._last[name]

    def last(self, name: str) -> IngestJob | None:
        """Return the last ingest of a knowledge base that this server started, None if there was none."""
        return self._last.get(name)


def main(folder: Path, kb: Path) -> int:
    """Run an ingest as the child process, with an `OutputLine` on standard output for each event."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    from pipelines.ingest.build import build

    if hasattr(os, "nice"):
        os.nice(_NICER)
    lock = threading.Lock()
    _, outgoing = own_channels()

    def tell(line: OutputLine) -> None:
        with lock:
            outgoing.write(codec.encode(line) + b"\n")
            outgoing.flush()

    try:
        report = build(folder, kb, progress=lambda event: tell(OutputLine(event)))
    except StrataError as error:
        tell(OutputLine(problem=error.message, hint=error.hint))
        return error.exit_code
    except KeyboardInterrupt:  # stopped by the server
        return INTERRUPTED
    tell(OutputLine(report=report))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
