"""A job: what it is, what it may cost, what it sees of its parent, how it ended; and the messages that carry this."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from threading import Lock
from typing import IO, Protocol, TypeVar

from pipelines.core.outcome import Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JobLimits:
    """What a job may cost; beyond it, its process is killed.

    `cpu_s` is in processor seconds (user and system) of the process and its descendants, for each stage of the job, so
    that a busy machine does not count against it. `stall_s` is in seconds by the clock in which the process neither
    works nor waits for an answer. `memory_mb` is the resident memory of the process and its descendants, in MiB.
    """

    cpu_s: float = 300
    stall_s: float = 120
    memory_mb: int = 4096


class JobContext(Protocol):
    """The first argument of a job's function: its connection to the parent process.

    Only bytes pass, since the parent must not unpickle what a worker sends: the worker handles hostile files.
    """

    @property
    def scratch(self) -> Path:
        """A folder for temporary files, deleted with the process however it ends."""
        ...

    def begin(self, stage: str) -> None:
        """Report the begin of a stage, or of a further part of one; the processor seconds are counted from 0 again."""
        ...

    def tell(self, note: bytes) -> None:
        """Send a message that needs no answer, such as an event of progress."""
        ...

    def keep(self, data: bytes) -> None:
        """Send a partial result, which is returned as `JobResult.kept` where the process dies; the last one counts."""
        ...

    def ask(self, question: bytes) -> Future[bytes]:
        """Send a question that the parent alone can answer, such as a call of a model; waiting is no stall."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """A function at the top level of a module, called with a `JobContext` and `arguments`; both are pickled.

    A process is replaced after so many jobs; one that goes on with what another began is not counted (`ages`).
    """

    function: Callable[..., bytes]
    arguments: tuple[object, ...] = ()
    ages: bool = True


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended: with a `result` (what its function returned), or with None and a `status` and `reason`.

    `kept` is the last partial result (`JobContext.keep`), None where there is none; `stage` the last one that began.
    `error` is the name of the exception that the function raised, "Killed" where a limit was exceeded or the system
    ended the process, "Crashed" where it ended by itself. `hint` is that of the exception, if it has one.
    """

    result: bytes | None = None
    kept: bytes | None = None
    stage: str = ""
    status: Status = Status.INDEXED
    reason: str = ""
    error: str = ""
    hint: str = ""


class JobListener:
    """Callbacks for the messages of a running job; this one ignores them. Called from any thread."""

    def begun(self, stage: str) -> None:
        """See `JobContext.begin`."""

    def told(self, note: bytes) -> None:
        """See `JobContext.tell`."""

    def asked(self, question: bytes, answer: Callable[[bytes], None]) -> None:
        """See `JobContext.ask`. Must not block: `answer` may be called later, from any thread."""
        raise NotImplementedError("nobody answers this job")


class Pool(Protocol):
    """Who runs jobs: processes of this machine (`WorkerPool`), or of many."""

    def submit(self, job: Job, read: Callable[[JobResult], T], listener: JobListener = ...) -> Future[T]:
        """Queue a job. The future's result is `read` of its `JobResult`; it can be cancelled until the job runs."""
        ...

    def rest(self) -> None:
        """Give back what waits for the next job; it may take longer to begin."""
        ...


SubmitAll = Callable[[Callable[..., bytes], Sequence[tuple[object, ...]]], Sequence[Future[JobResult]]]
"""Runs a function in worker processes, once with each tuple of arguments."""

HEAD = struct.Struct("<cQQ")


class FrameKind(Enum):
    JOB = b"J"
    ANSWER = b"A"
    """To a question of this number."""
    STAGE = b"S"
    NOTE = b"N"
    KEPT = b"K"
    QUESTION = b"Q"
    RESULT = b"R"
    RAISED = b"X"


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `number` connects an answer with its question."""

    kind: FrameKind
    data: bytes = b""
    number: int = 0


class FrameWriter:
    """Writes frames, each whole; may be used from several threads."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = Lock()

    def send(self, frame: Frame) -> None:
        """Write a frame. Raises `OSError` where the other side is gone."""
        with self._lock:
            self._stream.write(HEAD.pack(frame.kind.value, frame.number, len(frame.data)))
            self._stream.write(frame.data)
            self._stream.flush()


def receive(stream: IO[bytes]) -> Frame | None:
    """Return the next frame, None where the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, number, length = HEAD.unpack(head)
    data = stream.read(length)
    return Frame(FrameKind(kind), data, number) if len(data) == length else None
