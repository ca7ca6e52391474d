"""A pool of worker processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue
from types import TracebackType
from typing import Self, TypeVar

from pipelines.core.work.fork_server import Preload
from pipelines.core.work.job import Job, JobLimits, JobListener, JobResult
from pipelines.core.work.process import WorkerProcess

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
