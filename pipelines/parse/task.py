"""What goes with reading one file: its clock, what earlier runs read off its pictures, who keeps the text meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from pipelines.core.errors import TooLarge
from pipelines.parse.limits import Clock
from pipelines.parse.parsed import Parsed, Readings, ReadOff


def keep_nothing(parsed: Parsed) -> None:
    """Take what is read so far, and do nothing with it."""


@dataclass(frozen=True, slots=True)
class ParseTask:
    """One file being parsed, in a context variable, so that readers of any kind need not pass it on.

    `clock` counts the processor seconds spent. `known` is what an earlier run read off pictures, `read` what this run
    does. `checkpoint` is given the document before its figures are read off, as that may end the process.
    """

    clock: Clock = field(default_factory=lambda: Clock(math.inf))
    known: Readings = field(default_factory=dict)
    checkpoint: Callable[[Parsed], None] = keep_nothing
    read: dict[str, ReadOff] = field(default_factory=dict)

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
