"""What reading one file may cost, and what goes with it: its clock, what earlier runs read, who keeps the text."""

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
from pipelines.core.ids import INSIDE
from pipelines.core.work.job import JobLimits
from pipelines.parse.parsed import Parsed, Readings, ReadOff
from pipelines.parse.settings import Limits

MEBIBYTE = 1 << 20
"""Bytes (IEC 80000-13)."""
# Less than the 24 MiB of a bitmap of 8 million pixels cannot hurt: a small file may well grow a hundredfold.
_FREE_OF_RATIO = 24 * MEBIBYTE
PART = 100
"""Pages of a file that may take what a file may: read by OCR, two seconds each, they take two thirds of it."""
READING = 0.8
"""Share of the limit after which nothing more is read: what was read is still to be put together."""


# A shell tells a signal as 128 and its number (POSIX 2.8.2).
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL)
"""How a program of `within_seconds` ends that took longer."""


def within_seconds(command: list[str], cpu_s: float) -> list[str]:
    """Return a command that may take so many processor seconds; one that idles, our parent ends."""
    if cpu_s == math.inf:
        return command
    return ["/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"', str(max(1, math.ceil(cpu_s))), *command]


def check_archive(members: Sequence[int], size: int, uri: str, limits: Limits, *, called: str = "members") -> None:
    """Raise `TooLarge` where the members of an archive of `size` bytes are too many or unpack to too much.

    `members` are the sizes that its directory tells, and no more of a member is unpacked than that; `called` is what
    the format calls its members.
    """
    if len(members) > limits.members:
        raise TooLarge(f"more than {limits.members} {called}", ids=(uri,))
    unpacked = sum(members)
    if unpacked > limits.total_mb * MEBIBYTE:
        raise TooLarge(f"unpacks to more than {limits.total_mb} MiB", ids=(uri,))
    if unpacked > most_unpacked(size, limits):
        raise TooLarge(f"unpacks to over {limits.expansion_ratio} times its size", ids=(uri,))


def most_unpacked(size: int, limits: Limits) -> int:
    """Return to how many bytes a file of `size` bytes may unpack."""
    return min(limits.total_mb * MEBIBYTE, max(_FREE_OF_RATIO, size * limits.expansion_ratio))


def check_text(length: int, uri: str, limits: Limits) -> None:
    """Raise `TooLarge` where a text of `length` characters is more than a file may give."""
    if length > limits.output_mb * MEBIBYTE:
        raise TooLarge(f"more than {limits.output_mb} MiB of text", ids=(uri,))


def containers(uri: str) -> int:
    """Return how many containers a URI lies in ("a.zip!/b.eml!/c.pdf": 2)."""
    return uri.count(INSIDE)


def allowance(limits: Limits) -> JobLimits:
    """Return what the process may cost that works on a file."""
    return JobLimits(limits.cpu_s, limits.stall_s, limits.memory_mb)


def processor_seconds() -> float:
    """Return the processor seconds of this process, and of the children that it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@dataclass(slots=True)
class Clock:
    """Counts processor seconds, not time that passes: on a busy machine a file may take as much as on an idle one.

    `limit_s` holds for each part of the file, `whole_s` for all parts together; `began` is when the present part did.
    """

    limit_s: float
    began: float = 0.0
    now: Callable[[], float] = processor_seconds
    whole_s: float = math.inf
    before_s: float = 0.0
    """Seconds that the parts before took."""

    @classmethod
    def started(cls, limits: Limits) -> Self:
        """Return the clock of a file that begins to be read."""
        return cls(limits.cpu_s, processor_seconds(), whole_s=limits.file_cpu_s)

    @property
    def spent(self) -> float:
        """Seconds of the present part."""
        return self.now() - self.began

    def restart(self) -> bool:
        """Count a further part of the file from 0, and return True; not where it could exceed `whole_s`."""
        spent = self.spent
        if self.before_s + spent + self.limit_s > self.whole_s:
            return False
        self.before_s, self.began = self.before_s + spent, self.began + spent
        return True

    def past(self, share: float) -> bool:
        """Whether more than this share of the limit is spent."""
        return self.spent > share * self.limit_s

    @property
    def reason(self) -> str:
        """Why something was not read, and which setting says so."""
        return f"over {self.limit_s:g} processor seconds (parse.limits.cpu_s)"


def keep_nothing(parsed: Parsed) -> None:
    """Take what is read so far, and do nothing with it."""


def tell_nobody() -> None:
    """Begin a further part of a file that nobody else limits."""


@dataclass(slots=True)
class ParseTask:
    """One file being parsed, in a context variable, so that readers of any kind need not pass it on.

    `clock` counts the processor seconds spent. `known` is what an earlier run read off pictures, `read` what this run
    does. `checkpoint` is given the document before its figures are read off, as that may end the process. `further` is
    called at the begin of a further part of a large file, so that the limits of this process count it from 0 too;
    `parts` is how many there are so far.
    """

    clock: Clock = field(default_factory=lambda: Clock(math.inf))
    known: Readings = field(default_factory=dict)
    checkpoint: Callable[[Parsed], None] = keep_nothing
    read: dict[str, ReadOff] = field(default_factory=dict)
    further: Callable[[], None] = tell_nobody
    parts: int = 1

    def next_page(self, number: int) -> None:
        """Say that a page is begun, counted from 1: each `PART` pages are a part of the file."""
        if number > 1 and number % PART == 1 and self.next_part():
            self.parts += 1

    def next_part(self) -> bool:
        """Begin a further part of the file; False where all its parts would take too long."""
        if not self.clock.restart():
            return False
        self.further()
        return True

    def found(self, name: str) -> ReadOff | None:
        """Return what this run or an earlier one read off a picture or page."""
        return self.read.get(name) or self.known.get(name)

    @property
    def readings(self) -> dict[str, ReadOff]:
        return {**self.known, **self.read}


class OutOfTime(TooLarge):
    """The time for reading a file is up; `so_far` makes a document of what was read."""

    def __init__(self, reason: str, so_far: Callable[[], Parsed]) -> None:
        super().__init__(reason)
        self.so_far = so_far


_CURRENT: ContextVar[ParseTask] = ContextVar("task")


def current_task() -> ParseTask:
    """Return the task of the file that is being read; one without limits where none is."""
    return _CURRENT.get(None) or ParseTask()


@contextmanager
def doing(task: ParseTask) -> Iterator[ParseTask]:
    """Make `task` the current one."""
    token = _CURRENT.set(task)
    try:
        yield task
    finally:
        _CURRENT.reset(token)
