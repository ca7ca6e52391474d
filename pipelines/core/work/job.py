"""What a job is, what it may cost, and how it can end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipelines.core.outcome import Status


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a job may cost.

    `cpu_s` are processor seconds, user and system, of the process and all that it starts, for each stage of the job:
    a busy machine takes nothing away. `stall_s` are seconds without any progress, after which a process counts as
    hung; `memory_mb` is the memory of the process and all that it starts, in MiB.
    """

    cpu_s: float = 300
    stall_s: float = 120
    memory_mb: int = 4096


class Desk(Protocol):
    """What a job has of its parent while it runs. Whatever passes is bytes: a parent unpickles nothing of a worker."""

    @property
    def scratch(self) -> Path:
        """A folder for temporary files, which goes with the process however it ends."""
        ...

    def begin(self, stage: str) -> None:
        """Begin a stage, or a further part of one: the processor seconds are counted anew."""
        ...

    def tell(self, note: bytes) -> None:
        """Pass on a note while the job goes on."""
        ...

    def keep(self, data: bytes) -> None:
        """Hand out a result that is good if not whole: what is left of the job where its process dies."""
        ...

    def ask(self, question: bytes) -> Future[bytes]:
        """Ask the parent for something that is to be had there alone. A process that waits for it does not hang."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """A function at the top level of a module, that is given a `Desk` and these arguments; all of it is pickled."""

    function: Callable[..., bytes]
    arguments: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: with its `result`, or without one and with the reason.

    `kept` is what the job handed out last, None where it did not; `stage` the one that it was in. `error` is the class
    of what the function raised, "Killed" where a limit was exceeded or the system ended the process, "Crashed" where
    it ended by itself. `hint` goes with an error that has one.
    """

    result: bytes | None = None
    kept: bytes | None = None
    stage: str = ""
    status: Status = Status.INDEXED
    reason: str = ""
    error: str = ""
    hint: str = ""


class Listener:
    """What a parent does about a job that goes on: nothing, unless told otherwise. Called from any thread."""

    def begun(self, stage: str) -> None:
        """The job has begun a stage."""

    def told(self, note: bytes) -> None:
        """The job has passed on a note."""

    def asked(self, question: bytes, answer: Callable[[bytes], None]) -> None:
        """The job has asked for something; `answer` may be called later, from any thread. Must not block."""
        raise NotImplementedError("nobody answers this job")
