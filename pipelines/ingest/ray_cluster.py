"""The nodes of a Ray cluster. The one file that imports `ray`."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.core.work.job import JobResult
from pipelines.ingest.cluster import ANSWERS_S, CompletedJob, RemoteJob, gone, lost

PORT = 10001
"""Where the client server of `ray start --head` listens."""
RETRIES = 3
"""How often a job is tried again whose node was lost: as often as Dask does by its own settings."""
CONNECTIONS = 3
"""How often Ray is asked for a connection: it forks a process for each from one full of threads, and some die of it."""


class RayCluster:
    """The nodes of the Ray cluster whose client server is at `address`, as ray://HOST:10001. See `Cluster`.

    Raises:
        MissingExtra: `ray` is not installed.
        SettingsError: no Ray answers there.
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
        remote.future().add_done_callback(partial(_hand_over, ended, remote))

    def failure(self, error: Exception) -> JobResult:
        """See `Cluster`."""
        errors = self._ray.exceptions
        if isinstance(error, (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)):
            return lost()
        if isinstance(error, (errors.RaySystemError, CancelledError, OSError, TimeoutError)):
            return gone("Ray cluster", error)
        raise error

    def close(self) -> None:
        """See `Cluster`."""
        self._context.disconnect()


def run_on_worker(job: RemoteJob) -> CompletedJob:
    """Run a job in a worker process of a Ray node; Ray starts one for each processor."""
    return job.run("Ray node", 1)


def _hand_over(
    ended: Callable[[Callable[[], CompletedJob]], None], _kept: object, future: Future[CompletedJob]
) -> None:
    """Tell that a job has ended. Its reference is held until then: Ray cancels what nobody refers to."""
    ended(future.result)


def _connected(ray: Any, address: str) -> Any:
    """Connect, and keep to this connection what Ray would say and set for the whole process."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or PORT), timeout=ANSWERS_S):
        pass  # Ray's client asks a closed port for half a minute
    for _ in range(CONNECTIONS - 1):
        with suppress(ConnectionAbortedError):
            return _asked(ray, address)
    return _asked(ray, address)


def _asked(ray: Any, address: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a failed connection is a warning there, and an error after it
        return ray.init(address=address, allow_multiple=True, log_to_driver=False, configure_logging=False)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "to work on the nodes of a Ray cluster") from error
    return ray
