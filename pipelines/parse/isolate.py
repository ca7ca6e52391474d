"""Files parsed in processes of their own, within limits: a file that breaks its parser costs that file alone."""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self

import msgspec

from pipelines.core.document import Source
from pipelines.core.outcome import Status
from pipelines.parse.limits import MEBIBYTE, memory_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from pipelines.parse.worker import LENGTH, Job, send

_POLL_S = 0.05
_FILES_PER_PROCESS = 200
_CHUNK = 1 << 20


class ParserPool:
    """Parses up to `workers` files at once; a context manager that leaves no process behind.

    A process is started when it is first needed, used for many files, and replaced when it was killed, crashed,
    served 200 files or holds on to half of the memory allowed.
    """

    def __init__(self, settings: ParseSettings, workers: int = 2) -> None:
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="parse")
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        for _ in range(workers):
            self._idle.put(_Process(settings, self._stop))
        self._workers = workers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
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
        for _ in range(self._idle.qsize()):
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


class _Process:
    """One worker process, started and replaced as needed; used by one thread at a time."""

    def __init__(self, settings: ParseSettings, stop: threading.Event) -> None:
        self._settings = settings
        self._stop = stop
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._served = 0

    def parse(self, path: Path, source: Source) -> Parsed:
        try:
            process = self._running()
            assert process.stdin is not None
            send(process.stdin, pickle.dumps(Job(str(path.absolute()), source)))
            parsed = self._result(process)
        except OSError as error:  # the pipe broke: the process ended by itself
            parsed = self._crashed(str(error))
        self._served += 1
        if self._worn_out():
            self.end()
        return parsed

    def end(self) -> None:
        """Let the process go: ask an idle one to end, kill one that does not."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            _kill(process)
        process.stdout.close()
        if self._errors is not None:
            self._errors.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile()
            self._process = _start(self._errors)
            self._served = 0
            assert self._process.stdin is not None
            send(self._process.stdin, pickle.dumps(self._settings))
        return self._process

    def _worn_out(self) -> bool:
        if self._process is None:
            return False
        kept = memory_of(self._process.pid)
        return self._served >= _FILES_PER_PROCESS or kept > self._settings.limits.memory_mb * MEBIBYTE // 2

    def _result(self, process: subprocess.Popen[bytes]) -> Parsed:
        reply = _Reply(process, self._settings.limits, self._stop)
        data = reply.read()
        if data is None:
            return self._crashed(reply.problem, reply.status)
        return msgspec.msgpack.decode(data, type=Parsed)

    def _crashed(self, problem: str, status: Status | None = None) -> Parsed:
        """Bury the process and say what it died of."""
        process = self._process
        assert process is not None
        if status is not None:
            _kill(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
        last_words = self._last_words()
        code = process.returncode
        self.end()
        if status is not None:
            return Parsed(status, reason=problem, error="Killed")
        if code == -signal.SIGKILL:
            return Parsed(Status.TOO_LARGE, reason="the system killed the parser, most likely for memory", error="Killed")
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return Parsed(Status.FAILED, reason=f"the parser crashed with {how}{last_words}", error="Crashed")

    def _last_words(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 400))
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""


class _Reply:
    """Waits for a result within the limits; after `read` gave None, `status` and `problem` say why."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits, stop: threading.Event) -> None:
        self._process = process
        self._limits = limits
        self._stop = stop
        self._deadline = time.monotonic() + limits.time_s
        self.status: Status | None = None
        self.problem = ""

    def read(self) -> bytes | None:
        head = self._exactly(LENGTH.size)
        return None if head is None else self._exactly(LENGTH.unpack(head)[0])

    def _exactly(self, count: int) -> bytes | None:
        assert self._process.stdout is not None
        received = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while len(received) < count:
                if not selector.select(_POLL_S):
                    if self._exceeded():
                        return None
                    continue
                chunk = os.read(self._process.stdout.fileno(), min(_CHUNK, count - len(received)))
                if not chunk:
                    return None
                received += chunk
        return bytes(received)

    def _exceeded(self) -> bool:
        if self._stop.is_set():
            self.status, self.problem = Status.FAILED, "stopped"
        elif time.monotonic() > self._deadline:
            self.status, self.problem = Status.TOO_LARGE, f"took longer than {self._limits.time_s:g} s"
        elif memory_of(self._process.pid) > self._limits.memory_mb * MEBIBYTE:
            self.status, self.problem = Status.TOO_LARGE, f"took more than {self._limits.memory_mb} MiB of memory"
        return self.status is not None


def _start(errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a worker in a session of its own, so that it goes with all that it starts; modules come from our path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "pipelines.parse.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
