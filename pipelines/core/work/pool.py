"""Worker processes as their parent sees them: started when needed, killed at a limit, replaced when lost; a pool."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, LifoQueue
from types import TracebackType
from typing import IO, Self, TypeVar

from pipelines.core.libraries import TELEMETRY_OFF
from pipelines.core.outcome import Status
from pipelines.core.work.fork_server import Forked, Preload, fork_worker, last_line
from pipelines.core.work.job import Frame, FrameKind, FrameWriter, Job, JobLimits, JobListener, JobResult
from pipelines.core.work.watch import Watch, tree, usage_of

_JOBS_PER_PROCESS = 200
_END_S = 5
_MEBIBYTE = 1 << 20
_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM})
ALLOWED = frozenset(
    "PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TERM LD_LIBRARY_PATH DYLD_LIBRARY_PATH SOURCE_DATE_EPOCH"
    " PYTHONHASHSEED PYTHONUTF8 PYTHONWARNINGS PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX PYTHONFAULTHANDLER"
    " XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR FONTCONFIG_PATH FONTCONFIG_FILE"
    " HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE FASTEMBED_CACHE_PATH PADDLE_PDX_CACHE_HOME TESSDATA_PREFIX"
    " CUDA_VISIBLE_DEVICES RAYON_NUM_THREADS TOKENIZERS_PARALLELISM SSL_CERT_FILE SSL_CERT_DIR".split()
)
FAMILIES = ("LC_", "OMP_", "OPENBLAS_", "MKL_", "NUMEXPR_", "VECLIB_")
"""Beginnings of further names that are allowed."""


@dataclass(frozen=True, slots=True)
class Running:
    """A started process: its pipes, a file with what it wrote to stderr, and its folder for temporary files."""

    process: Forked
    writer: FrameWriter
    jobs: IO[bytes]
    results: IO[bytes]
    errors: IO[bytes]
    scratch: Path

    @staticmethod
    def start(allowance: JobLimits, preload: Preload | None = None) -> Running:
        """Start a worker in a session of its own, so that it can be killed with all that it starts."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        scratch = tempfile.mkdtemp(prefix="strata-")
        (stdin, jobs), (results, stdout) = os.pipe(), os.pipe()
        try:
            process = fork_worker(scratch, (stdin, stdout, errors.fileno()), preload, worker_environment())
        except OSError:
            os.close(jobs)
            os.close(results)
            errors.close()
            os.rmdir(scratch)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        incoming = os.fdopen(jobs, "wb")
        writer = FrameWriter(incoming)
        with contextlib.suppress(OSError):  # one that has ended already is seen when it is read from
            writer.send(Frame(FrameKind.JOB, pickle.dumps(allowance)))
        return Running(process, writer, incoming, os.fdopen(results, "rb"), errors, Path(scratch))

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
        self.process.wait(_END_S)
        self.kill()
        self.results.close()
        self.errors.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def stderr_tail(self) -> str:
        """Return the last line that the process wrote to stderr."""
        return last_line(self.errors)


class WorkerProcess:
    """Runs one job at a time, in a process that is replaced where it was killed, crashed, is old or holds much memory.

    Setting `stop` ends the job that is running. Used by one thread at a time.
    """

    def __init__(self, allowance: JobLimits, stop: threading.Event, preload: Preload | None = None) -> None:
        self._allowance = allowance
        self._preload = preload
        self._stop = stop
        self._running: Running | None = None
        self._served = 0

    def run(self, job: Job, listener: JobListener) -> JobResult:
        """Run a job and return how it ended; once more in a new process, where its process was killed from outside."""
        ended, lost = self._run(job, listener)
        if lost and not self._stop.is_set():
            again, _ = self._run(job, listener)
            return again if again.kept is not None else replace(again, kept=ended.kept)
        return ended

    def end(self) -> None:
        """End the process, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _run(self, job: Job, listener: JobListener) -> tuple[JobResult, bool]:
        """Return how the job ended, and whether its process was killed from outside."""
        try:
            running = self._started()
        except OSError as error:
            reason = f"no worker process can be started: {error}"
            return JobResult(status=Status.FAILED, reason=reason, error="Crashed"), False
        watch = Watch(running.process.pid, running.results, running.writer, self._allowance, listener, self._stop)
        ended: JobResult | None = None
        with contextlib.suppress(OSError):  # the pipe broke: the process has ended by itself
            running.writer.send(Frame(FrameKind.JOB, pickle.dumps(job)))
            ended = watch.read()
        watch.close()
        if ended is None:
            return self._bury(running, watch)
        self._served += job.ages
        if self._worn_out(running):
            self.end()
        return ended, False

    def _started(self) -> Running:
        if self._running is None:
            self._running, self._served = Running.start(self._allowance, self._preload), 0
        return self._running

    def _worn_out(self, running: Running) -> bool:
        most = self._allowance.memory_mb * _MEBIBYTE // 2
        return self._served >= _JOBS_PER_PROCESS or usage_of(running.process.pid).memory > most

    def _bury(self, running: Running, watch: Watch) -> tuple[JobResult, bool]:
        """Return why the process died, and whether it was killed from outside."""
        if watch.exceeded:
            running.kill()
        else:
            running.process.wait(_END_S)
        code, words = running.process.code, running.stderr_tail()
        self.end()
        lost = not watch.exceeded and code is not None and -code in _FROM_OUTSIDE
        return replace(_cause(watch, code, words), kept=watch.kept, stage=watch.stage), lost


def _cause(watch: Watch, code: int | None, words: str) -> JobResult:
    if watch.exceeded:
        status = Status.FAILED if watch.stopped else Status.TOO_LARGE
        return JobResult(status=status, reason=watch.exceeded, error="Killed")
    if code == -signal.SIGKILL:
        reason = "killed by the system, most likely for its memory"
        return JobResult(status=Status.TOO_LARGE, reason=reason, error="Killed")
    how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
    reason = f"the process ended with {how}: {words or 'no message'}"
    return JobResult(status=Status.FAILED, reason=reason, error="Crashed")


def worker_environment() -> dict[str, str]:
    """Return the environment of a worker: where things are and how they run, and no keys.

    Modules are found where this process finds them.
    """
    kept = {name: value for name, value in os.environ.items() if name in ALLOWED or name.startswith(FAMILIES)}
    return {**kept, **TELEMETRY_OFF, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}


T = TypeVar("T")

_SILENT = JobListener()


class WorkerPool:
    """Runs up to `workers` jobs at once, each in a process; a context manager that leaves no worker behind.

    A process is started when it is first needed and used for many jobs. It is replaced when it was killed or crashed,
    has done 200 jobs, or still holds half of the memory allowed when a job has ended. Running processes are used
    before new ones are started. They are forked from a process that ends with this one, or after ten seconds without a
    worker; the next pool within that time starts at once.
    """

    def __init__(
        self, allowance: JobLimits, workers: int = 2, name: str = "work", preload: Preload | None = None
    ) -> None:
        """Make a pool; no process is started yet.

        Args:
            allowance: what a job may take.
            workers: the number of processes.
            name: a name for the threads that wait for them.
            preload: a function at the top level of a module that loads what all jobs need, before processes are forked.
        """
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for _ in range(workers):
            self._idle.put(WorkerProcess(allowance, self._stop, preload))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(cancel=error is not None)

    def submit(self, job: Job, read: Callable[[JobResult], T], listener: JobListener = _SILENT) -> Future[T]:
        """Queue a job. The future's result is `read` of its `JobResult`; it can be cancelled until the job runs."""
        return self._threads.submit(lambda: read(self._run(job, listener)))

    def rest(self) -> None:
        """End the processes that wait for a job, with the memory that they hold; the next job starts one."""
        waiting: list[WorkerProcess] = []
        with contextlib.suppress(Empty):
            while True:
                waiting.append(self._idle.get_nowait())
        for process in waiting:
            process.end()
            self._idle.put(process)

    def close(self, *, cancel: bool = False) -> None:
        """Wait for the jobs that were submitted, or with `cancel` stop them; then end all processes.

        Twice is allowed.
        """
        if cancel:
            self._stop.set()
        self._threads.shutdown(wait=True, cancel_futures=cancel)
        while not self._idle.empty():
            self._idle.get().end()

    def _run(self, job: Job, listener: JobListener) -> JobResult:
        process = self._idle.get()
        try:
            return process.run(job, listener)
        finally:
            self._idle.put(process)
