"""Limits for reading a file, and the state of reading it: its clock, earlier OCR results, the checkpoint."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Self

from pipelines.core.errors import TooLarge
from pipelines.core.work.job import JobLimits
from pipelines.parse.parsed import Parsed, Readings, ReadOff
from pipelines.parse.settings import Limits

MEBIBYTE = 1 << 20
"""Bytes (IEC 80000-13)."""
# 24 MiB, a bitmap of 8 million pixels, is harmless: a small file may well grow a hundredfold.
_ALWAYS_ALLOWED = 24 * MEBIBYTE
PAGES_PER_PART = 100
"""Pages of a part, to which the limits of a file apply: with the layout model they take a minute. OCR has parts of its
own (`pdf.scans`)."""
READING = 0.8
"""Share of the limit after which reading stops; the rest is for building the document."""


# The exit status of a shell is 128 plus the number of the signal (POSIX 2.8.2).
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL)
"""Exit statuses of a command of `within_seconds` that exceeded its limit."""


def within_seconds(command: list[str], cpu_s: float) -> list[str]:
    """Return a command limited to `cpu_s` processor seconds; if it is idle, the parent of this process ends it."""
    if cpu_s == math.inf:
        return command
    return ["/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"', str(max(1, math.ceil(cpu_s))), *command]


def check_archive(members: Sequence[int], size: int, uri: str, limits: Limits, *, called: str = "members") -> None:
    """Raise `TooLarge` if an archive of `size` bytes has too many members or unpacks to too much.

    `members` are the sizes that its directory states; no more of a member is unpacked than that. `called` is the
    format's word for members.
    """
    if len(members) > limits.members:
        raise TooLarge(f"more than {limits.members} {called}", ids=(uri,))
    unpacked = sum(members)
    if unpacked > limits.total_mb * MEBIBYTE:
        raise TooLarge(f"unpacks to more than {limits.total_mb} MiB", ids=(uri,))
    if unpacked > most_unpacked(size, limits):
        raise TooLarge(f"unpacks to over {limits.expansion_ratio} times its size", ids=(uri,))


def most_unpacked(size: int, limits: Limits) -> int:
    """Return the maximum unpacked bytes of a file of `size` bytes."""
    return min(limits.total_mb * MEBIBYTE, max(_ALWAYS_ALLOWED, size * limits.expansion_ratio))


def check_text(length: int, uri: str, limits: Limits) -> None:
    """Raise `TooLarge` if `length` characters are more than the text of a file may have."""
    if length > limits.output_mb * MEBIBYTE:
        raise TooLarge(f"more than {limits.output_mb} MiB of text", ids=(uri,))


def job_limits(limits: Limits) -> JobLimits:
    """Return the limits of the process that reads a file."""
    return JobLimits(limits.cpu_s, limits.stall_s, limits.memory_mb)


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the children it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@dataclass(slots=True)
class Clock:
    """Counts processor seconds, not elapsed time: on a busy machine a file gets as much as on an idle one.

    `limit_s` applies to each part of the file, `whole_s` to all parts together; `began` is the start of the current
    part.
    """

    limit_s: float
    began: float = 0.0
    now: Callable[[], float] = processor_seconds
    whole_s: float = math.inf
    before_s: float = 0.0
    """Seconds of the previous parts."""

    @classmethod
    def started(cls, limits: Limits) -> Self:
        """Return a clock for a file that is about to be read."""
        return cls(limits.cpu_s, processor_seconds(), whole_s=limits.file_cpu_s)

    @property
    def spent(self) -> float:
        """Seconds of the current part."""
        return self.now() - self.began

    def restart(self) -> bool:
        """Start counting a new part and return True; return False if the parts together could exceed `whole_s`."""
        spent = self.spent
        if self.before_s + spent + self.limit_s > self.whole_s:
            return False
        self.before_s, self.began = self.before_s + spent, self.began + spent
        return True

    def past(self, share: float) -> bool:
        """Whether more than this share of the part's limit is spent."""
        return self.spent > share * self.limit_s

    @property
    def reason(self) -> str:
        """Why reading stopped, with the setting that limits it."""
        return f"over {self.limit_s:g} processor seconds (parse.limits.cpu_s)"


@dataclass(slots=True)
class ParseTask:
    """The state of one file being parsed; readers get it from `current_task`.

    `known` has the OCR results of earlier runs, `read` those of this run. `checkpoint` is called with the document
    before its figures are read by OCR, because that may terminate the process. `on_next_part` is called when a further
    part of a large file begins, so that the limits of this process count anew; `parts` is the number of parts so far.
    """

    clock: Clock = field(default_factory=lambda: Clock(math.inf))
    known: Readings = field(default_factory=dict)
    checkpoint: Callable[[Parsed], None] | None = None
    read: dict[str, ReadOff] = field(default_factory=dict)
    on_next_part: Callable[[], None] | None = None
    parts: int = 1

    def next_page(self, number: int) -> None:
        """Report that a page begins, counted from 1; every `PAGES_PER_PART` pages a new part begins."""
        if number > 1 and number % PAGES_PER_PART == 1 and self.next_part():
            self.parts += 1

    def next_part(self) -> bool:
        """Begin a further part of the file; return False if all parts together would take too long."""
        if not self.clock.restart():
            return False
        if self.on_next_part is not None:
            self.on_next_part()
        return True

    def found(self, name: str) -> ReadOff | None:
        """Return the OCR result of a picture or page from this run or an earlier one."""
        return self.read.get(name) or self.known.get(name)

    @property
    def readings(self) -> dict[str, ReadOff]:
        return {**self.known, **self.read}


class OutOfTime(TooLarge):
    """The time for reading a file is up; `so_far` returns what was read as a document."""

    def __init__(self, reason: str, so_far: Callable[[], Parsed]) -> None:
        super().__init__(reason)
        self.so_far = so_far


_CURRENT: ContextVar[ParseTask] = ContextVar("task")


def current_task() -> ParseTask:
    """Return the task of the file that is being read, or a new one without limits."""
    return _CURRENT.get(None) or ParseTask()


@contextmanager
def as_current(task: ParseTask) -> Iterator[ParseTask]:
    """Make `task` the current one in the block."""
    token = _CURRENT.set(task)
    try:
        yield task
    finally:
        _CURRENT.reset(token)
