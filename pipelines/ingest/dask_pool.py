"""The documents of a run compiled on many machines: jobs go to the workers of a Dask scheduler.

The one file that imports `distributed`. A worker runs each job in a process of its own, with the limits that hold on
one machine, and holds no state: what it made is among the artifacts, which all machines see at the same path. One that
is killed or cut off in the middle of a document loses and doubles nothing, for another does that document again under
the same keys.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pipelines.core.errors import MissingExtra, SettingsError, StoreUnavailable
from pipelines.core.outcome import Status
from pipelines.core.work.job import Job, JobLimits, JobListener, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.keys import VERSIONS
from pipelines.ingest.stages import preload

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

ANSWERS_S = 20.0
"""Seconds by the clock in which a scheduler has to answer, and to have a worker: a cluster is started by others."""
LOST = "the machines that worked on it were lost, one after the other"
_SILENT = JobListener()


@dataclass(slots=True)
class _Heard(JobListener):
    """What a job told while it ran, in order: the stages that it began, and its notes."""

    begins: list[str] = field(default_factory=list)
    notes: list[bytes] = field(default_factory=list)

    def begun(self, stage: str) -> None:
        self.begins.append(stage)

    def told(self, note: bytes) -> None:
        self.notes.append(note)


@dataclass(frozen=True, slots=True)
class _Errand:
    """A job as it is sent: with its limits, the folders that the machine must see, and the versions of the stages."""

    job: Job
    allowance: JobLimits
    folders: tuple[Path, ...]
    versions: tuple[tuple[str, int], ...] = tuple(sorted(VERSIONS.items()))


class DaskPool:
    """Runs jobs on the workers of the Dask scheduler at `address`; a context manager that lets go of it.

    `folders` are those that every machine must see at the same path. What a job tells is heard once it has ended.
    A job that asks its parent something cannot be run here.

    Raises:
        MissingExtra: `distributed` is not installed.
        SettingsError: no scheduler answers there, or it has no worker.
    """

    def __init__(self, address: str, allowance: JobLimits, folders: Sequence[Path] = ()) -> None:
        self._allowance = allowance
        self._folders = tuple(folders)
        self._client = _client(address)
        self._open: set[Future[Any]] = set()

    @property
    def places(self) -> int:
        """How many jobs the workers that there are now run at once."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, job: Job, read: Callable[[JobResult], T], listener: JobListener = _SILENT) -> Future[T]:
        """See `Pool`."""
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()
        self._open.add(done)
        errand = _Errand(job, self._allowance, self._folders)
        # Two documents with the same bytes are two jobs: each tells of its own.
        remote = self._client.submit(do_errand, errand, pure=False)

        def end(_: object) -> None:
            try:
                done.set_result(read(_ended(remote, listener)))
            except Exception as error:
                done.set_exception(error)
            finally:
                self._open.discard(done)

        remote.add_done_callback(end)
        return done

    def rest(self) -> None:
        """See `Pool`: a machine's own pool stays with the machine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close(timeout=ANSWERS_S)


def do_errand(errand: _Errand) -> tuple[JobResult, list[str], list[bytes]]:
    """Run a job on the machine of a Dask worker; return how it ended, the stages that it began, and its notes."""
    here = socket.gethostname()
    if unseen := [str(folder) for folder in errand.folders if not folder.is_dir()]:
        return _refused(f"the Dask worker on {here} does not see {', '.join(unseen)}"), [], []
    if errand.versions != tuple(sorted(VERSIONS.items())):
        return _refused(f"the Dask worker on {here} has another version of Strata"), [], []
    heard = _Heard()
    ended = _processes(errand.allowance).submit(errand.job, _as_it_is, heard).result()
    return ended, heard.begins, heard.notes


@cache
def _processes(allowance: JobLimits) -> WorkerPool:
    """The processes of a Dask worker, one for each of its threads; they end with it."""
    from distributed import get_worker

    return WorkerPool(allowance, get_worker().state.nthreads, "dask", preload)


def _ended(remote: Any, listener: JobListener) -> JobResult:
    """How a job ended, told to its listener; that of a machine that was lost again and again has failed."""
    from distributed import KilledWorker

    try:
        ended, begins, notes = remote.result()
    except KilledWorker:
        return JobResult(status=Status.FAILED, reason=LOST, error="Killed")
    except (CancelledError, OSError, TimeoutError) as error:
        reason = f"the Dask scheduler went away: {error}"
        return JobResult(status=Status.FAILED, reason=reason, error=StoreUnavailable.__name__)
    for stage in begins:
        listener.begun(stage)
    for note in notes:
        listener.told(note)
    result: JobResult = ended
    return result


def _refused(reason: str) -> JobResult:
    """The end of a job that no document is to blame for."""
    return JobResult(status=Status.FAILED, reason=reason, error=SettingsError.__name__)


def _client(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("dask", "to work on many machines") from error
    try:
        client = Client(address, timeout=ANSWERS_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SettingsError(f"no Dask scheduler answers at {address}", hint="`dask scheduler` starts one") from error
    try:
        client.wait_for_workers(1, timeout=ANSWERS_S)
    except TimeoutError as error:
        client.close()
        raise SettingsError(
            f"the Dask scheduler at {address} has no worker", hint="`dask worker` starts one"
        ) from error
    return client


def _as_it_is(ended: JobResult) -> JobResult:
    return ended
