"""Reading the messages of a running job, and applying its limits meanwhile: its time, its memory, from /proc."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pipelines.core.outcome import Status
from pipelines.core.work.job import HEAD, Frame, FrameKind, FrameWriter, JobLimits, JobListener, JobResult

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_TIMES = slice(11, 15)
"""User and system time of a process and of its children that have ended, behind its name in /proc/PID/stat."""
_RESIDENT = 21
_POLL_S = 0.05
_CHUNK = 1 << 20
_MEBIBYTE = 1 << 20
_IDLE_SHARE = 0.005
"""Share of a processor below which a process makes no progress: one that looks now and then whether it may go on."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """Processor seconds since the process began, its ended children's among them, and bytes of memory held now."""

    cpu_s: float = 0.0
    memory: int = 0

    def __add__(self, other: ProcessUsage) -> ProcessUsage:
        return ProcessUsage(self.cpu_s + other.cpu_s, self.memory + other.memory)


def counted() -> bool:
    """Whether the system tells what a process takes."""
    return (_PROC / "self" / "stat").exists()


def usage_of(pid: int) -> ProcessUsage:
    """Return what a process and its descendants take; nothing where it is gone or the system does not tell."""
    return sum((_of_one(each) for each in tree(pid)), ProcessUsage())


def tree(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    left = [pid]
    while left:
        one = left.pop()
        yield one
        left.extend(_children(_PROC / str(one)))


def _children(process: Path) -> list[int]:
    found: list[int] = []
    try:
        for task in (process / "task").iterdir():
            found.extend(int(child) for child in (task / "children").read_text().split())
    except (OSError, ValueError):
        pass  # it has ended meanwhile
    return found


def _of_one(pid: int) -> ProcessUsage:
    try:
        # The name stands in parentheses and may hold anything.
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        return ProcessUsage(sum(map(int, fields[_TIMES])) / _TICKS, int(fields[_RESIDENT]) * _PAGE)
    except (OSError, ValueError, IndexError):
        return ProcessUsage()


class _Exceeded(Exception):
    """A limit was exceeded; the message says which."""


class Watch:
    """Follows one job in one process. `exceeded` names the limit that was exceeded, `stopped` says that the parent
    asked to stop; `stage` and `kept` are the last that the job reported.
    """

    def __init__(
        self,
        pid: int,
        results: IO[bytes],
        writer: FrameWriter,
        allowance: JobLimits,
        listener: JobListener,
        stop: threading.Event,
    ) -> None:
        self._pid = pid
        self._pipe = results.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._pipe, selectors.EVENT_READ)
        self._writer = writer
        self._allowance = allowance
        self._listener = listener
        self._stop = stop
        self._open: set[int] = set()
        self._looked = 0.0
        self._meter = _Meter(pid)
        self.exceeded = ""
        self.stopped = False
        self.stage = ""
        self.kept: bytes | None = None

    def close(self) -> None:
        self._selector.close()

    def read(self) -> JobResult | None:
        """Read until the job ends and return how; None where a limit was exceeded or the process is gone."""
        try:
            while (frame := self._frame()) is not None:
                if frame.kind is FrameKind.RESULT:
                    return JobResult(frame.data, self.kept, self.stage)
                if frame.kind is FrameKind.RAISED:
                    return self._raised(frame)
                self._take(frame)
        except _Exceeded as error:
            self.exceeded = str(error)
        return None

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case FrameKind.STAGE:
                self.stage = frame.data.decode()
                self._meter.restart()
                self._listener.begun(self.stage)
            case FrameKind.NOTE:
                self._listener.told(frame.data)
            case FrameKind.KEPT:
                self.kept = frame.data
            case FrameKind.QUESTION:
                number = frame.number
                self._open.add(number)
                self._listener.asked(frame.data, lambda data: self._answer(number, data))

    def _answer(self, number: int, data: bytes) -> None:
        self._meter.seen()
        self._open.discard(number)
        with contextlib.suppress(OSError, ValueError):  # it has ended meanwhile, and its end is told elsewhere
            self._writer.send(Frame(FrameKind.ANSWER, data, number))

    def _raised(self, frame: Frame) -> JobResult:
        error, message, hint = frame.data.decode("utf-8", "replace").split("\0")
        return JobResult(None, self.kept, self.stage, Status.FAILED, message, error, hint)

    def _frame(self) -> Frame | None:
        head = self._exactly(HEAD.size)
        if head is None:
            return None
        kind, number, length = HEAD.unpack(head)
        data = self._exactly(length)
        return None if data is None else Frame(FrameKind(kind), data, number)

    def _exactly(self, count: int) -> bytes | None:
        received = bytearray()
        while len(received) < count:
            ready = self._selector.select(_POLL_S)
            self._check()
            if not ready:
                continue
            # Not the buffered reader: it would take what belongs to the next read and block for more.
            chunk = os.read(self._pipe, min(_CHUNK, count - len(received)))
            if not chunk:
                return None
            received += chunk
        return bytes(received)

    def _check(self) -> None:
        """Raise `_Exceeded` where a limit is; looked at every 50 ms, also while messages keep coming."""
        if self._stop.is_set():
            self.stopped = True
            raise _Exceeded("stopped")
        now = time.monotonic()
        if now - self._looked < _POLL_S:
            return
        self._looked = now
        usage, limits = usage_of(self._pid), self._allowance
        if self._meter.spent(usage) > limits.cpu_s:
            raise _Exceeded(f"took longer than {limits.cpu_s:g} processor seconds")
        if usage.memory > limits.memory_mb * _MEBIBYTE:
            raise _Exceeded(f"took more than {limits.memory_mb} MiB of memory")
        if self._open:
            self._meter.seen()
        elif self._meter.idle(usage, limits.stall_s):
            raise _Exceeded(f"made no progress for {limits.stall_s:g} s")


class _Meter:
    """Processor seconds since a stage began, and the time since there was progress.

    Where the system does not tell processor seconds, seconds by the clock take their place.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._counted = counted()
        self._from = 0.0
        self._mark = (0.0, 0.0)
        self.restart()

    def restart(self) -> None:
        self.seen()
        self._from = self._mark[1]

    def seen(self) -> None:
        """Note that there is progress, or that the job waits for its parent."""
        self._mark = (time.monotonic(), self._cpu(usage_of(self._pid)))

    def spent(self, usage: ProcessUsage) -> float:
        return self._cpu(usage) - self._from

    def idle(self, usage: ProcessUsage, most_s: float) -> bool:
        since, before = self._mark
        if self._cpu(usage) - before > _IDLE_SHARE * most_s:
            self.seen()
            return False
        return self._counted and time.monotonic() - since > most_s

    def _cpu(self, usage: ProcessUsage) -> float:
        return usage.cpu_s if self._counted else time.monotonic()
