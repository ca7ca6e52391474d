"""Ingests that were started from the page or the API: one at a time, each in a process of its own."""

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
"""Steps of priority that an ingest stands back behind the answers of its server (nice(2)): a tenth of their share. With
5 steps 95 of 100 answers came within 0.43 s in `benchmarks/serve_load.py`, with 10 within 0.37."""
_PATIENCE_S = 30
"""Seconds that an interrupted ingest may take to end; what it has finished is kept either way."""


class JobRunning(StrataError):
    """An ingest goes on, or there is none where one is asked for."""

    retryable = True


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class JobView:
    """An ingest. `total` documents are to be compiled, 0 while that is not known; `ends` counts by how they ended, and
    as "reused" those that were there.

    `stage` and `subject` are what was last told. At the end there is a `report`, or a `problem` with its `hint`.
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
    """One line of the process: an event, or at its end the report, or a sentence that says why there is none."""

    event: Event | None = None
    report: Report | None = None
    problem: str = ""
    hint: str = ""


ViewListener = Callable[[JobView], None]


class IngestJob:
    """A job with its process; any thread may look at it."""

    def __init__(self, view: JobView, folder: Path, kb: Path) -> None:
        self._view, self._lock = view, threading.Lock()
        self._listeners: list[ViewListener] = []
        self._ended: dict[str, Phase] = {}
        self._stopped = False
        # -P: what lies in the folder where the server was started is not taken for a module of ours.
        command = [sys.executable, "-P", "-m", "serve.jobs", str(folder.absolute()), str(kb.absolute())]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, name=f"ingest {view.number}", daemon=True)
        self._reader.start()

    @property
    def view(self) -> JobView:
        """The job as it is now."""
        with self._lock:
            return self._view

    def listen(self, listener: ViewListener) -> None:
        """Have a listener told the job as it is, at once and with every change; it must be quick."""
        with self._lock:
            self._listeners.append(listener)
            listener(self._view)

    def leave(self, listener: ViewListener) -> None:
        """Tell a listener nothing more."""
        with self._lock:
            self._listeners.remove(listener)

    def stop(self) -> None:
        """Interrupt it, as Control+C does: what is finished is kept."""
        self._stopped = True
        if self._process.poll() is None:
            # Not SIGINT: what a shell starts in the background ignores it, and so does all that the server starts then.
            self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it has ended."""
        self._reader.join(seconds)

    def kill(self) -> None:
        """End it at once; the next ingest goes on where it was."""
        self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101
        for told in self._process.stdout:
            try:
                self._take(codec.decode(told, OutputLine))
            except codec.DecodeError:  # what a library printed first, or half a line of a process that was killed
                sys.stderr.write(told.decode("utf-8", "backslashreplace"))
        code = self._process.wait()
        self._process.stdout.close()
        view = self.view
        if view.state is not JobState.RUNNING:
            return
        if self._stopped:
            self._tell(replace(view, state=JobState.STOPPED, hint="the next ingest goes on where it was"))
        else:
            self._tell(replace(view, state=JobState.FAILED, problem=f"the ingest's process ended with {code}"))

    def _take(self, line: OutputLine) -> None:
        view = self.view
        if line.report is not None:
            self._tell(replace(view, state=JobState.DONE, report=line.report))
        elif line.problem:
            self._tell(replace(view, state=JobState.FAILED, problem=line.problem, hint=line.hint))
        elif line.event is not None:
            self._tell(self._after(view, line.event))

    def _after(self, view: JobView, event: Event) -> JobView:
        if event.subject and (event.phase is Phase.FAILED or (event.stage is Stage.EMBED and _is_end(event.phase))):
            self._ended[event.subject] = event.phase
        ends = Counter(phase.value for phase in self._ended.values())
        total = event.total or view.total
        return replace(view, total=total, ends=dict(ends), stage=event.stage.value, subject=event.subject)

    def _tell(self, view: JobView) -> None:
        with self._lock:
            self._view = view
            for listener in self._listeners:
                listener(view)


def _is_end(phase: Phase) -> bool:
    return phase in (Phase.DONE, Phase.REUSED)


class Jobs:
    """The ingests of a server, the last of each knowledge base; a context manager that leaves no process behind."""

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
        """Start an ingest. Raises `JobRunning` where any goes on: two would take twice as long each."""
        with self._lock:
            for job in self._last.values():
                if job.view.state is JobState.RUNNING:
                    raise JobRunning(f"an ingest of {job.view.kb} goes on", hint="wait for its end, or stop it")
            self._count += 1
            began = datetime.now(UTC).isoformat(timespec="seconds")
            self._last[name] = IngestJob(JobView(self._count, name, by, began), folder, kb)
            return self._last[name]

    def last(self, name: str) -> IngestJob | None:
        """Return the last ingest of a knowledge base that this server started, None where there was none."""
        return self._last.get(name)


def main(folder: Path, kb: Path) -> int:
    """Bring a knowledge base up to a folder, with an `OutputLine` on standard output for each event."""
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
    except KeyboardInterrupt:  # it was stopped: what is finished is kept
        return INTERRUPTED
    tell(OutputLine(report=report))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
