"""One worker process as its parent sees it: started when needed, watched while it works, replaced when it is lost."""

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
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
_LAST_WORDS = 400


@dataclass(frozen=True, slots=True)
class _Running:
    """A process with its pipes and the file that takes what it says on stderr."""

    process: subprocess.Popen[bytes]
    jobs: IO[bytes]
    results: IO[bytes]
    errors: IO[bytes]

    @staticmethod
    def start() -> _Running:
        """Start a worker in a session of its own, so that it goes with all that it starts; its modules are ours."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pipelines.parse.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
            start_new_session=True,
        )
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipes to the parsing process")
        return _Running(process, process.stdin, process.stdout, errors)

    def kill(self) -> None:
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

    def last_words(self) -> str:
        """Return the last line that the process wrote to stderr."""
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - _LAST_WORDS))
        lines = self.errors.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


class WorkerProcess:
    """Parses files one at a time. A process that was killed, crashed, is old or holds much memory is replaced.

    `stop` ends what is running. Used by one thread at a time.
    """

    def __init__(self, settings: ParseSettings, stop: threading.Event) -> None:
        self._settings = settings
        self._stop = stop
        self._running: _Running | None = None
        self._served = 0

    def parse(self, path: Path, source: Source) -> Parsed:
        """Return what the file holds, or the status in which it or its process ended. Raises nothing."""
        running = self._started()
        watch = _Watch(running, self._settings.limits, self._stop)
        try:
            send(running.jobs, pickle.dumps(Job(str(path.absolute()), source)))
            data = watch.read()
        except OSError:  # the pipe broke: the process has ended by itself
            data = None
        if data is None:
            return self._bury(running, watch)
        self._served += 1
        if self._worn_out(running):
            self.end()
        return msgspec.msgpack.decode(data, type=Parsed)

    def end(self) -> None:
        """Let the process go, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _started(self) -> _Running:
        if self._running is None:
            self._running, self._served = _Running.start(), 0
            with contextlib.suppress(OSError):
                send(self._running.jobs, pickle.dumps(self._settings))
        return self._running

    def _worn_out(self, running: _Running) -> bool:
        most = self._settings.limits.memory_mb * MEBIBYTE // 2
        return self._served >= _FILES_PER_PROCESS or memory_of(running.process.pid) > most

    def _bury(self, running: _Running, watch: _Watch) -> Parsed:
        """Return what the process died of."""
        if watch.status is not None:
            running.kill()
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(timeout=5)
        code, words = running.process.returncode, running.last_words()
        self.end()
        if watch.status is not None:
            return Parsed(watch.status, reason=watch.reason, error="Killed")
        if code == -signal.SIGKILL:
            return Parsed(Status.TOO_LARGE, reason="killed by the system, most likely for its memory", error="Killed")
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return Parsed(Status.FAILED, reason=f"the parser ended with {how}: {words or 'no message'}", error="Crashed")


class _Watch:
    """Waits for a result within the limits; `status` and `reason` say which one was exceeded."""

    def __init__(self, running: _Running, limits: Limits, stop: threading.Event) -> None:
        self._running = running
        self._limits = limits
        self._stop = stop
        self._deadline = time.monotonic() + limits.time_s
        self.status: Status | None = None
        self.reason = ""

    def read(self) -> bytes | None:
        """Return the result, None where a limit was exceeded or the process has ended."""
        head = self._exactly(LENGTH.size)
        return None if head is None else self._exactly(LENGTH.unpack(head)[0])

    def _exactly(self, count: int) -> bytes | None:
        pipe = self._running.results.fileno()
        received = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while len(received) < count:
                if not selector.select(_POLL_S):
                    if self._exceeded():
                        return None
                    continue
                # Not the buffered reader: it would take what belongs to the next read and block for more.
                chunk = os.read(pipe, min(_CHUNK, count - len(received)))
                if not chunk:
                    return None
                received += chunk
        return bytes(received)

    def _exceeded(self) -> bool:
        limits = self._limits
        if self._stop.is_set():
            self.status, self.reason = Status.FAILED, "stopped"
        elif time.monotonic() > self._deadline:
            self.status, self.reason = Status.TOO_LARGE, f"took longer than {limits.time_s:g} s"
        elif memory_of(self._running.process.pid) > limits.memory_mb * MEBIBYTE:
            self.status, self.reason = Status.TOO_LARGE, f"took more than {limits.memory_mb} MiB of memory"
        return self.status is not None
