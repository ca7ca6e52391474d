"""What a worker process does: it reads jobs from stdin, runs them, and writes messages and results to stdout.

It imports next to nothing itself; a job's function imports what it needs.
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

from pipelines.core.work.job import Frame, FrameKind, FrameWriter, Job, JobLimits, receive

_HEADROOM = 1024
"""MiB beyond the limit that the system refuses at once; what grows slowly the parent sees and stops at the limit."""
_SUBREAPER = 36
_LONGEST_MESSAGE = 2000


class WorkerJobContext:
    """See `JobContext`."""

    def __init__(self, writer: FrameWriter, scratch: Path) -> None:
        self._writer = writer
        self._scratch = scratch
        self._numbers = count(1)
        self._asked: dict[int, Future[bytes]] = {}

    @property
    def scratch(self) -> Path:
        return self._scratch

    def begin(self, stage: str) -> None:
        self._writer.send(Frame(FrameKind.STAGE, stage.encode()))

    def tell(self, note: bytes) -> None:
        self._writer.send(Frame(FrameKind.NOTE, note))

    def keep(self, data: bytes) -> None:
        self._writer.send(Frame(FrameKind.KEPT, data))

    def ask(self, question: bytes) -> Future[bytes]:
        number, answer = next(self._numbers), Future[bytes]()
        self._asked[number] = answer
        self._writer.send(Frame(FrameKind.QUESTION, question, number))
        return answer

    def answered(self, frame: Frame) -> None:
        answer = self._asked.pop(frame.number, None)
        if answer is not None and answer.set_running_or_notify_cancel():
            answer.set_result(frame.data)


class _Inbox:
    """Reads stdin in a thread of its own, to notice at once that the parent is gone: then this process is killed."""

    def __init__(self, stream: IO[bytes], context: WorkerJobContext) -> None:
        self._stream = stream
        self._context = context
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
            if frame.kind is FrameKind.ANSWER:
                self._context.answered(frame)
            else:
                self._jobs.put(frame.data)
        if self._busy.is_set():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        self._jobs.put(None)


def run_jobs(scratch: Path) -> None:
    """Run jobs until stdin ends. What the parent pickles is trusted; the parent unpickles nothing of ours.

    Args:
        scratch: a folder for temporary files.
    """
    incoming, outgoing = own_channels()
    first = receive(incoming)
    if first is None:
        return
    allowance: JobLimits = pickle.loads(first.data)  # noqa: S301
    _confine(allowance)
    _adopt_orphans()
    writer = FrameWriter(outgoing)
    context = WorkerJobContext(writer, scratch)
    inbox = _Inbox(incoming, context)
    while (data := inbox.next()) is not None:
        writer.send(_done(data, context))


def _done(data: bytes, context: WorkerJobContext) -> Frame:
    try:
        job: Job = pickle.loads(data)  # noqa: S301
        return Frame(FrameKind.RESULT, job.function(context, *job.arguments))
    except Exception as error:
        return Frame(FrameKind.RAISED, _told(error))


def _told(error: Exception) -> bytes:
    """Class, sentence and hint of an error, with a zero byte between them."""
    message = str(getattr(error, "message", "") or error)[:_LONGEST_MESSAGE]
    parts = (type(error).__name__, message, str(getattr(error, "hint", "")))
    return "\0".join(part.replace("\0", " ") for part in parts).encode("utf-8", "replace")


def _confine(allowance: JobLimits) -> None:
    """Limit the memory of this process by the system, well above what the parent allows, and write no core dump."""
    import resource

    wanted = (allowance.memory_mb + _HEADROOM) << 20
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or wanted < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that they are counted and ended with this process."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def own_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Return stdin and stdout, taken away from libraries: one that prints must not write into the results."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return incoming, outgoing
