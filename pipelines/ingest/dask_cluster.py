"""Runs jobs on the workers of a Dask scheduler. The only module that imports `distributed`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.core.work.job import JobResult
from pipelines.ingest.cluster import TIMEOUT_S, CompletedJob, RemoteJob, scheduler_lost, workers_lost

if TYPE_CHECKING:
    from distributed import Client


class DaskCluster:
    """A `Cluster` on a Dask scheduler; `address` is that of the scheduler, such as tcp://HOST:8786.

    Raises:
        MissingExtra: `distributed` is not installed.
        SettingsError: no scheduler answers at the address, or it has no worker.
    """

    def __init__(self, address: str) -> None:
        self._client = _client(address)

    @property
    def places(self) -> int:
        """See `Cluster`."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def send(self, job: RemoteJob, ended: Callable[[Callable[[], CompletedJob]], None]) -> None:
        """See `Cluster`."""
        # Not pure: two documents with the same bytes are two jobs, each with its own events.
        remote = self._client.submit(run_on_worker, job, pure=False)
        remote.add_done_callback(lambda _: ended(remote.result))

    def failure(self, error: Exception) -> JobResult:
        """See `Cluster`."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return workers_lost()
        if isinstance(error, (CancelledError, OSError, TimeoutError)):
            return scheduler_lost("Dask scheduler", error)
        raise error

    def close(self) -> None:
        """See `Cluster`."""
        self._client.close(timeout=TIMEOUT_S)


def run_on_worker(job: RemoteJob) -> CompletedJob:
    """Run a job on the machine of a Dask worker, with one process for each of its threads."""
    from distributed import get_worker

    return job.run("Dask worker", get_worker().state.nthreads)


def _client(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("dask", "to work on the machines of a Dask scheduler") from error
    try:
        client = Client(address, timeout=TIMEOUT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise SettingsError(f"no Dask scheduler answers at {address}", hint="`dask scheduler` starts one") from error
    try:
        client.wait_for_workers(1, timeout=TIMEOUT_S)
    except TimeoutError as error:
        client.close()
        raise SettingsError(
            f"the Dask scheduler at {address} has no worker", hint="`dask worker` starts one"
        ) from error
    return client
