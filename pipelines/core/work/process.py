"""One worker process as its parent sees it: started when needed, watched while it works, replaced when it is lost."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from pipelines.core.outcome import Status
from pipelines.core.work.environment import worker_environment
from pipelines.core.work.frames import Frame, Kind, Writer
from pipelines.core.work.job import Allowance, Ended, Job, Listener
from pipelines.core.work.usage import tree, usage_of
from pipelines.core.work.watch import Watch

_JOBS_PER_PROCESS = 200
_LAST_WORDS = 400
_MEBIBYTE = 1 << 20
_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM})


@dataclass(frozen=True, slots=True)
class Running:
    """A process with its pipes, the file that takes what it says on stderr, and its folder for temporary files."""

    process: subprocess.Popen[bytes]
    writer: Writer
    jobs: IO[bytes]
    results: IO[bytes]
    errors: IO[bytes]
    scratch: Path

    @staticmethod
    def start(allowance: Allowance) -> Running:
        """Start a worker in a session of its own, so that it goes with all that it starts; its modules are ours."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        scratch = tempfile.mkdtemp(prefix="strata-")
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pipelines.core.work.worker", scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=worker_environment(),
            start_new_session=True,
        )
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipes to the worker process")
        writer = Writer(process.stdin)
        with contextlib.suppress(OSError):  # one that has ended already is seen when it is read from
            writer.send(Frame(Kind.JOB, pickle.dumps(allowance)))
        return Running(process, writer, process.stdin, process.stdout, errors, Path(scratch))

    def kill(self) -> None:
        """End the process and all that it has started, what has left its session too."""
        for pid in [*tree(self.process.pid)][1:]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Ask an idle process to end by closing its stdin; kill one that does not, and what it left running."""
        with contextlib.suppress(OSError):
            self.jobs.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        self.kill()
        self.results.close()
        self.errors.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def last_words(self) -> str:
        """Return the last line that the process wrote to stderr."""
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - _LAST_WORDS))
        lines = self.errors.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


class WorkerProcess:
    """Does one job at a time. A process that was killed, crashed, is old or holds much memory is replaced.

    `stop` ends what is running. Used by one thread at a time.
    """

    def __init__(self, allowance: Allowance, stop: threading.Event) -> None:
        self._allowance = allowance
        self._stop = stop
        self._running: Running | None = None
        self._served = 0

    def run(self, job: Job, listener: Listener) -> Ended:
        """Return how the job ended. One whose process is killed from outside is begun once more in a new process."""
        ended, lost = self._run(job, listener)
        if lost and not self._stop.is_set():
            again, _ = self._run(job, listener)
            return again if again.kept is not None else replace(again, kept=ended.kept)
        return ended

    def end(self) -> None:
        """Let the process go, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _run(self, job: Job, listener: Listener) -> tuple[Ended, bool]:
        """Return how the job ended, and whether somebody else ended its process."""
        running = self._started()
        watch = Watch(running.process.pid, running.results, running.writer, self._allowance, listener, self._stop)
        ended: Ended | None = None
        with contextlib.suppress(OSError):  # the pipe broke: the process has ended by itself
            running.writer.send(Frame(Kind.JOB, pickle.dumps(job)))
            ended = watch.read()
        watch.close()
        if ended is None:
            return self._bury(running, watch)
        self._served += 1
        if self._worn_out(running):
            self.end()
        return ended, False

    def _started(self) -> Running:
        if self._running is None:
            self._running, self._served = Running.start(self._allowance), 0
        return self._running

    def _worn_out(self, running: Running) -> bool:
        most = self._allowance.memory_mb * _MEBIBYTE // 2
        return self._served >= _JOBS_PER_PROCESS or usage_of(running.process.pid).memory > most

    def _bury(self, running: Running, watch: Watch) -> tuple[Ended, bool]:
        """Return what the process died of."""
        if watch.exceeded:
            running.kill()
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(timeout=5)
        code, words = running.process.returncode, running.last_words()
        self.end()
        lost = not watch.exceeded and code is not None and -code in _FROM_OUTSIDE
        return replace(_cause(watch, code, words), kept=watch.kept, stage=watch.stage), lost


def _cause(watch: Watch, code: int | None, words: str) -> Ended:
    if watch.exceeded:
        status = Status.FAILED if watch.stopped else Status.TOO_LARGE
        return Ended(status=status, reason=watch.exceeded, error="Killed")
    if code == -signal.SIGKILL:
        reason = "killed by the system, most likely for its memory"
        return Ended(status=Status.TOO_LARGE, reason=reason, error="Killed")
    how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
    reason = f"the process ended with {how}: {words or 'no message'}"
    return Ended(status=Status.FAILED, reason=reason, error="Crashed")
