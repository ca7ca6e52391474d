"""Runs jobs on the nodes of a Ray cluster. The only module that imports `ray`."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.core.work.job import JobResult
from pipelines.ingest.cluster import TIMEOUT_S, CompletedJob, RemoteJob, scheduler_lost, workers_lost

PORT = 10001
"""The default port of the client server of `ray start --head`."""
RETRIES = 3
"""Retries of a job whose node was lost, as with the default settings of Dask."""
CONNECTION_TRIES = 3
"""Attempts to connect: for each, Ray forks a process from one with many threads, and such a process sometimes dies or
never answers."""


class RayCluster:
    """A `Cluster` on a Ray cluster; `address` is that of its client server, such as ray://HOST:10001.

    Raises:
        MissingExtra: `ray` is not installed.
        SettingsError: no Ray server answers at the address.
    """

    def __init__(self, address: str) -> None:
        self._ray = _ray()
        try:
            self._context = _connected(self._ray, address)
        except (OSError, RuntimeError, TimeoutError, ValueError) as error:
            hint = "`ray start --head` starts one, with its client server at port 10001"
            raise SettingsError(f"no Ray answers at {address}", hint=hint) from error
        with self._context:
            self._run = self._ray.remote(num_cpus=1, max_retries=RETRIES)(run_on_worker)

    @property
    def places(self) -> int:
        """See `Cluster`."""
        with self._context:
            return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def send(self, job: RemoteJob, ended: Callable[[Callable[[], CompletedJob]], None]) -> None:
        """See `Cluster`."""
        with self._context:
            remote = self._run.remote(job)
        # The callback keeps a reference to the job, because Ray cancels jobs without references.
        remote.future().add_done_callback(lambda future, _remote=remote: ended(future.result))

    def failure(self, error: Exception) -> JobResult:
        """See `Cluster`."""
        errors = self._ray.exceptions
        if isinstance(error, (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)):
            return workers_lost()
        if isinstance(error, (errors.RaySystemError, CancelledError, OSError, TimeoutError)):
            return scheduler_lost("Ray cluster", error)
        raise error

    def close(self) -> None:
        """See `Cluster`."""
        self._context.disconnect()


def run_on_worker(job: RemoteJob) -> CompletedJob:
    """Run a job in a worker process of a Ray node. Ray starts one process per CPU."""
    return job.run("Ray node", 1)


def _connected(ray: Any, address: str) -> Any:
    """Return a connection to the cluster, without logging or settings that affect the whole process."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=TIMEOUT_S):
        pass  # Ray's client retries a closed port for half a minute
    for _ in range(CONNECTION_TRIES - 1):
        with suppress(ConnectionError):
            return _connection(ray, address)
    return _connection(ray, address)


def _connection(ray: Any, address: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray warns of a failed connection, and then raises an error
        return ray.init(address=address, allow_multiple=True, log_to_driver=False, configure_logging=False)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "to work on the nodes of a Ray cluster") from error
    return ray
