"""The documents of a run compiled on many machines, by the workers of a scheduler such as Dask's or Ray's.

A worker runs each job in a process of its own, with the limits that hold on one machine, and holds no state: what it
made is among the artifacts, which all machines see at the same path. One that is killed or cut off in the middle of a
document loses and doubles nothing, for another does that document again under the same keys.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeVar

from pipelines.core.errors import SettingsError, StoreUnavailable
from pipelines.core.outcome import Status
from pipelines.core.work.job import Job, JobLimits, JobListener, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.stages import preload

T = TypeVar("T")

ANSWERS_S = 20.0
"""Seconds by the clock in which a scheduler has to answer, and to have a worker: a cluster is started by others."""
_SILENT = JobListener()


class CompletedJob(NamedTuple):
    """How a job ended on its machine, with what it told while it ran: the stages that it began, and its notes."""

    result: JobResult
    begun: tuple[str, ...] = ()
    told: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteJob:
    """A job as it is sent: with its limits, the folders that the machine must see, and the versions of the stages."""

    job: Job
    allowance: JobLimits
    folders: tuple[Path, ...]
    versions: tuple[tuple[str, int], ...] = tuple(sorted(VERSIONS.items()))

    def run(self, worker: str, processes: int) -> CompletedJob:
        """Run it on the machine of a `worker` ("Dask worker"), in one of so many processes."""
        here = f"the {worker} on {socket.gethostname()}"
        if unseen := [str(folder) for folder in self.folders if not folder.is_dir()]:
            return CompletedJob(_refused(f"{here} does not see {', '.join(unseen)}"))
        if self.versions != tuple(sorted(VERSIONS.items())):
            return CompletedJob(_refused(f"{here} has another version of Strata"))
        record = _Record()
        result = _processes(self.allowance, processes).submit(self.job, _as_it_is, record).result()
        return CompletedJob(result, tuple(record.begins), tuple(record.notes))


class Cluster(Protocol):
    """The connection to the scheduler of many machines."""

    @property
    def places(self) -> int:
        """How many jobs the workers that there are now run at once."""
        ...

    def send(self, job: RemoteJob, ended: Callable[[Callable[[], CompletedJob]], None]) -> None:
        """Have a worker run `job`; `ended` is called from any thread with what returns its result, or raises."""
        ...

    def failure(self, error: Exception) -> JobResult:
        """What an error of the scheduler's means for the job."""
        ...

    def close(self) -> None:
        """Let go of the scheduler."""
        ...


class ClusterPool:
    """Runs jobs on the workers of a cluster; a context manager that lets go of it.

    `folders` are those that every machine must see at the same path. What a job tells is heard once it has ended.
    A job that asks its parent something cannot be run here.
    """

    def __init__(self, cluster: Cluster, allowance: JobLimits, folders: Sequence[Path] = ()) -> None:
        self._cluster = cluster
        self._allowance = allowance
        self._folders = tuple(folders)

    @property
    def places(self) -> int:
        """See `Cluster.places`."""
        return self._cluster.places

    def submit(self, job: Job, read: Callable[[JobResult], T], listener: JobListener = _SILENT) -> Future[T]:
        """See `Pool`."""
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()

        def end(outcome: Callable[[], CompletedJob]) -> None:
            try:
                done.set_result(read(self._heard(outcome, listener)))
            except Exception as error:
                done.set_exception(error)

        self._cluster.send(RemoteJob(job, self._allowance, self._folders), end)
        return done

    def _heard(self, outcome: Callable[[], CompletedJob], listener: JobListener) -> JobResult:
        """How a job ended, told to its listener."""
        try:
            completed = outcome()
        except Exception as error:
            return self._cluster.failure(error)
        for stage in completed.begun:
            listener.begun(stage)
        for note in completed.told:
            listener.told(note)
        return completed.result

    def rest(self) -> None:
        """See `Pool`: the pool of a machine of the cluster stays with it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.close()


def lost() -> JobResult:
    """The end of a job whose machine was lost, again and again."""
    reason = "the machines that worked on it were lost, one after the other"
    return JobResult(status=Status.FAILED, reason=reason, error="Killed")


def gone(scheduler: str, error: Exception) -> JobResult:
    """The end of a job whose scheduler went away."""
    reason = f"the {scheduler} went away: {error}"
    return JobResult(status=Status.FAILED, reason=reason, error=StoreUnavailable.__name__)


@dataclass(slots=True)
class _Record(JobListener):
    """What a job told while it ran, in order."""

    begins: list[str] = field(default_factory=list)
    notes: list[bytes] = field(default_factory=list)

    def begun(self, stage: str) -> None:
        self.begins.append(stage)

    def told(self, note: bytes) -> None:
        self.notes.append(note)


def _refused(reason: str) -> JobResult:
    """The end of a job that no document is to blame for."""
    return JobResult(status=Status.FAILED, reason=reason, error=SettingsError.__name__)


@cache
def _processes(allowance: JobLimits, count: int) -> WorkerPool:
    """The processes of this worker; they end with it."""
    return WorkerPool(allowance, count, "cluster", preload)


def _as_it_is(ended: JobResult) -> JobResult:
    return ended
