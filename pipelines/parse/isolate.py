"""Files parsed in processes of their own, within limits: a file that breaks its parser costs that file alone."""

from __future__ import annotations

import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from pipelines.core.document import Source
from pipelines.parse.parsed import Parsed
from pipelines.parse.process import WorkerProcess
from pipelines.parse.settings import ParseSettings


class ParserPool:
    """Parses up to `workers` files at once; a context manager that leaves no process behind.

    A process is started when it is first needed, used for many files, and replaced when it was killed, has crashed,
    has served 200 files or holds on to half of the memory allowed.
    """

    def __init__(self, settings: ParseSettings, workers: int = 2) -> None:
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="parse")
        self._idle: SimpleQueue[WorkerProcess] = SimpleQueue()
        for _ in range(workers):
            self._idle.put(WorkerProcess(settings, self._stop))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(cancel=error is not None)

    def submit(self, path: Path, source: Source) -> Future[Parsed]:
        """Begin to parse a file. The future's result is always a `Parsed`; it raises only when cancelled."""
        return self._threads.submit(self._parse, path, source)

    def submit_bytes(self, data: bytes, source: Source) -> Future[Parsed]:
        """Begin to parse a child: bytes that are no file of their own."""
        return self._threads.submit(self._parse_bytes, data, source)

    def close(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted, or stop it with `cancel`; then end all processes. Twice is allowed."""
        if cancel:
            self._stop.set()
        self._threads.shutdown(wait=True, cancel_futures=cancel)
        while not self._idle.empty():
            self._idle.get().end()

    def _parse(self, path: Path, source: Source) -> Parsed:
        process = self._idle.get()
        try:
            return process.parse(path, source)
        finally:
            self._idle.put(process)

    def _parse_bytes(self, data: bytes, source: Source) -> Parsed:
        suffix = PurePosixPath(source.name).suffix[:16]
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            path = Path(folder) / f"child{suffix}"
            path.write_bytes(data)
            return self._parse(path, source)
