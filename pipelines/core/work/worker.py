"""The process that does job after job for a `WorkerPool`: jobs come in on stdin, what comes of them goes out on stdout.

It imports next to nothing itself; a job's function brings what it needs.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from pipelines.core.work.frames import Frame, Kind, Writer, receive
from pipelines.core.work.job import Allowance, Job

_HEADROOM = 1024
"""MiB beyond the limit that the system refuses at once; what grows slowly the parent sees and stops at the limit."""
_SUBREAPER = 36
_LONGEST_MESSAGE = 2000


class WorkerDesk:
    """See `Desk`."""

    def __init__(self, writer: Writer, scratch: Path) -> None:
        self._writer = writer
        self._scratch = scratch
        self._numbers = count(1)
        self._asked: dict[int, Future[bytes]] = {}

    @property
    def scratch(self) -> Path:
        return self._scratch

    def begin(self, stage: str) -> None:
        self._writer.send(Frame(Kind.STAGE, stage.encode()))

    def tell(self, note: bytes) -> None:
        self._writer.send(Frame(Kind.NOTE, note))

    def keep(self, data: bytes) -> None:
        self._writer.send(Frame(Kind.KEPT, data))

    def ask(self, question: bytes) -> Future[bytes]:
        number, answer = next(self._numbers), Future[bytes]()
        self._asked[number] = answer
        self._writer.send(Frame(Kind.QUESTION, question, number))
        return answer

    def answered(self, frame: Frame) -> None:
        answer = self._asked.pop(frame.number, None)
        if answer is not None and answer.set_running_or_notify_cancel():
            answer.set_result(frame.data)


class _Inbox:
    """Reads beside the work, to see at once when the parent is gone: then this process must not go on."""

    def __init__(self, stream: IO[bytes], desk: WorkerDesk) -> None:
        self._stream = stream
        self._desk = desk
        self._jobs: SimpleQueue[bytes | None] = SimpleQueue()
        self._busy = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> bytes | None:
        self._busy.clear()
        job = self._jobs.get()
        self._busy.set()
        return job

    def _listen(self) -> None:
        while (frame := receive(self._stream)) is not None:
            if frame.kind is Kind.ANSWER:
                self._desk.answered(frame)
            else:
                self._jobs.put(frame.data)
        if self._busy.is_set():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        self._jobs.put(None)


def main() -> None:
    """Serve until stdin ends. What the parent pickles is trusted; it unpickles nothing of ours."""
    incoming, outgoing = _own_channels()
    first = receive(incoming)
    if first is None:
        return
    allowance: Allowance = pickle.loads(first.data)  # noqa: S301
    _confine(allowance)
    _adopt_orphans()
    writer = Writer(outgoing)
    desk = WorkerDesk(writer, Path(sys.argv[1]))
    inbox = _Inbox(incoming, desk)
    while (data := inbox.next()) is not None:
        writer.send(_done(data, desk))


def _done(data: bytes, desk: WorkerDesk) -> Frame:
    try:
        job: Job = pickle.loads(data)  # noqa: S301
        return Frame(Kind.RESULT, job.function(desk, *job.arguments))
    except Exception as error:
        return Frame(Kind.RAISED, _told(error))


def _told(error: Exception) -> bytes:
    """Class, sentence and hint of an error, with a zero byte between them."""
    message = str(getattr(error, "message", "") or error)[:_LONGEST_MESSAGE]
    parts = (type(error).__name__, message, str(getattr(error, "hint", "")))
    return "\0".join(part.replace("\0", " ") for part in parts).encode("utf-8", "replace")


def _confine(allowance: Allowance) -> None:
    """Let this process fail rather than take much more memory than allowed, and leave no core dump."""
    import resource

    wanted = (allowance.memory_mb + _HEADROOM) << 20
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _adopt_orphans() -> None:
    """Let what our children have started stay ours when they end, so that it is counted and ended with us."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _own_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes for ourselves: a library that prints must not write into the results."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return incoming, outgoing


if __name__ == "__main__":
    main()
