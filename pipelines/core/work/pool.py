"""Jobs done in processes of their own, some at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue
from types import TracebackType
from typing import Self, TypeVar

from pipelines.core.work.job import Allowance, Ended, Job, Listener
from pipelines.core.work.process import WorkerProcess

T = TypeVar("T")

_SILENT = Listener()


class WorkerPool:
    """Does up to `workers` jobs at once; a context manager that leaves no process behind.

    A process is started when it is first needed, used for many jobs, and replaced when it was killed, has crashed, has
    done 200 jobs or holds on to half of the memory allowed. Processes that have worked before come first.
    """

    def __init__(self, allowance: Allowance, workers: int = 2, name: str = "work") -> None:
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for _ in range(workers):
            self._idle.put(WorkerProcess(allowance, self._stop))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(cancel=error is not None)

    def submit(self, job: Job, read: Callable[[Ended], T], listener: Listener = _SILENT) -> Future[T]:
        """Begin a job. The future's result is what `read` makes of how it ended; it can be cancelled until it runs."""
        return self._threads.submit(lambda: read(self._run(job, listener)))

    def close(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted, or stop it with `cancel`; then end all processes. Twice is allowed."""
        if cancel:
            self._stop.set()
        self._threads.shutdown(wait=True, cancel_futures=cancel)
        while not self._idle.empty():
            self._idle.get().end()

    def _run(self, job: Job, listener: Listener) -> Ended:
        process = self._idle.get()
        try:
            return process.run(job, listener)
        finally:
            self._idle.put(process)
