"""The processor seconds that reading one file has taken, held against what it may take."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from pipelines.parse.settings import Limits

READING = 0.8
"""Share of the limit after which nothing more is read: what was read is still to be put together."""


def processor_seconds() -> float:
    """Return the processor seconds of this process, and of the children that it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@dataclass(frozen=True, slots=True)
class Clock:
    """Counts processor seconds, not time that passes: on a busy machine a file may take as much as on an idle one."""

    limit_s: float
    began: float = 0.0
    now: Callable[[], float] = processor_seconds

    @classmethod
    def started(cls, limits: Limits) -> Self:
        """Return the clock of a file that begins to be read."""
        return cls(limits.cpu_s, processor_seconds())

    @property
    def spent(self) -> float:
        return self.now() - self.began

    def past(self, share: float) -> bool:
        """Whether more than this share of the limit is spent."""
        return self.spent > share * self.limit_s

    @property
    def reason(self) -> str:
        """Why something was not read, and which setting says so."""
        return f"over {self.limit_s:g} processor seconds (parse.limits.cpu_s)"
