"""Compiles the documents of a run on several machines, with the workers of a Dask or Ray scheduler.

A worker runs each job in a separate process, with the same limits as on a single machine. Workers are stateless: they
store results as artifacts, in a folder that all machines mount at the same path. If a worker is lost, another one
compiles its document again under the same keys, so nothing is lost or duplicated.
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
from pipelines.ingest.dispatch import preload
from pipelines.ingest.keys import VERSIONS

T = TypeVar("T")

TIMEOUT_S = 20.0
"""Seconds that a scheduler may take to answer and to have a worker: it is expected to be running already."""
_SILENT = JobListener()


class CompletedJob(NamedTuple):
    """The result of a job that ran on another machine, the stages that it started, and its notes."""

    result: JobResult
    stages: tuple[str, ...] = ()
    notes: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoteJob:
    """A job with its limits, the folders that the machine must have access to, and the versions of the stages."""

    job: Job
    limits: JobLimits
    folders: tuple[Path, ...]
    versions: tuple[tuple[str, int], ...] = tuple(sorted(VERSIONS.items()))

    def run(self, worker: str, processes: int) -> CompletedJob:
        """Run the job on this machine, in a pool of `processes`; `worker` is used in messages ("Dask worker")."""
        here = f"the {worker} on {socket.gethostname()}"
        if unseen := [str(folder) for folder in self.folders if not folder.is_dir()]:
            return CompletedJob(_refused(f"{here} does not see {', '.join(unseen)}"))
        if self.versions != tuple(sorted(VERSIONS.items())):
            return CompletedJob(_refused(f"{here} has another version of Strata"))
        recorder = _Recorder()
        result = _processes(self.limits, processes).submit(self.job, lambda ended: ended, recorder).result()
        return CompletedJob(result, tuple(recorder.stages), tuple(recorder.notes))


class Cluster(Protocol):
    """A connection to the scheduler of several machines."""

    @property
    def places(self) -> int:
        """The number of jobs that the present workers can run at once."""
        ...

    def send(self, job: RemoteJob, ended: Callable[[Callable[[], CompletedJob]], None]) -> None:
        """Submit `job` to a worker.

        When the job has ended, `ended` is called from any thread, with a function that returns or raises its result.
        """
        ...

    def failure(self, error: Exception) -> JobResult:
        """Return the job result for an error of the scheduler; re-raise other errors."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class ClusterPool:
    """A `Pool` on the workers of a cluster; a context manager that closes the connection.

    Every machine must have access to `folders` at the same path. The listener of a job is called after the job has
    ended. Jobs that ask their parent questions cannot run here.
    """

    def __init__(self, cluster: Cluster, limits: JobLimits, folders: Sequence[Path] = ()) -> None:
        self._cluster = cluster
        self._limits = limits
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
                done.set_result(read(self._result(outcome, listener)))
            except Exception as error:
                done.set_exception(error)

        self._cluster.send(RemoteJob(job, self._limits, self._folders), end)
        return done

    def _result(self, outcome: Callable[[], CompletedJob], listener: JobListener) -> JobResult:
        """Return the result of a job, after its stages and notes were passed to the listener."""
        try:
            completed = outcome()
        except Exception as error:
            return self._cluster.failure(error)
        for stage in completed.stages:
            listener.begun(stage)
        for note in completed.notes:
            listener.told(note)
        return completed.result

    def rest(self) -> None:
        """See `Pool`; does nothing, because the workers keep their processes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.close()


def workers_lost() -> JobResult:
    """Return the result of a job whose workers were lost in all attempts."""
    reason = "the machines that worked on it were lost, one after the other"
    return JobResult(status=Status.FAILED, reason=reason, error="Killed")


def scheduler_lost(scheduler: str, error: Exception) -> JobResult:
    """Return the result of a job whose scheduler is no longer reachable."""
    reason = f"the {scheduler} went away: {error}"
    return JobResult(status=Status.FAILED, reason=reason, error=StoreUnavailable.__name__)


@dataclass(slots=True)
class _Recorder(JobListener):
    """Records the stages and notes of a job, in order."""

    stages: list[str] = field(default_factory=list)
    notes: list[bytes] = field(default_factory=list)

    def begun(self, stage: str) -> None:
        self.stages.append(stage)

    def told(self, note: bytes) -> None:
        self.notes.append(note)


def _refused(reason: str) -> JobResult:
    """Return the result of a job that this machine cannot run; the error ends the run."""
    return JobResult(status=Status.FAILED, reason=reason, error=SettingsError.__name__)


@cache
def _processes(limits: JobLimits, count: int) -> WorkerPool:
    """Return the processes of this worker; they live as long as it does."""
    return WorkerPool(limits, count, "cluster", preload)
