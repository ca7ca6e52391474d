"""Tests of compiling documents with the workers of a Dask scheduler or a Ray cluster: the knowledge base equals
that of one machine, even if a worker is killed."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Happened
from time import monotonic, sleep

import psutil
import pytest

from pipelines import build
from pipelines.core.errors import SettingsError
from pipelines.ingest.report import Event, Phase, Stage
from tests.faults.process import command_line
from tests.ingest.knowledge import assert_same, write_folder

LONGEST_START_S = 300
"""Seconds after which a Ray that does not answer is given up; with two busy cores it takes twenty, but now and then
its server for clients serves the second attempt only, 60 seconds later."""


@dataclass(frozen=True)
class Machines:
    """A cluster with two workers, and a function that kills one of them."""

    address: str
    kill: Callable[[], None]


@pytest.fixture(scope="module")
def dask() -> Iterator[Machines]:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        workers = cluster.workers.values()
        yield Machines(cluster.scheduler_address, lambda: os.kill(next(iter(workers)).process.pid, signal.SIGKILL))


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    pytest.importorskip("ray", reason="the extra ray is not installed")
    ports = [_free_port() for _ in range(2)]
    command = [
        str(Path(sys.executable).parent / "ray"), "start", "--head", "--block", "--num-cpus=2",
        "--include-dashboard=false", "--disable-usage-stats", "--node-ip-address=127.0.0.1", f"--port={ports[0]}",
        f"--ray-client-server-port={ports[1]}",
    ]  # fmt: skip
    patient = {**os.environ, "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "60"}
    log = tmp_path_factory.mktemp("ray") / "log"
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, env=patient) as head:
        try:
            _wait_for(ports[1], head)
            address = f"ray://127.0.0.1:{ports[1]}"
            _wait_for_nodes(address)
            yield Machines(address, lambda: _kill_a_worker(head.pid))
        finally:
            parts = psutil.Process(head.pid).children(recursive=True)
            head.terminate()
            for part in psutil.wait_procs(parts, timeout=20)[1]:
                part.kill()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    end = monotonic() + LONGEST_START_S
    while server.poll() is None and monotonic() < end:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.2)
    how = "does not answer" if server.poll() is None else f"ended with {server.returncode}"
    raise AssertionError(f"Ray {how}")


def _wait_for_nodes(address: str) -> None:
    """Wait until a client of Ray is served: its port is open before that."""
    ask = f"import ray; ray.init({address!r}); assert ray.cluster_resources()['CPU'] == 2"
    end = monotonic() + LONGEST_START_S
    while (asked := subprocess.run([sys.executable, "-c", ask], capture_output=True, check=False)).returncode:
        assert monotonic() < end, asked.stderr.decode()


def _kill_a_worker(head: int) -> None:
    """Kill a Ray process that runs one of our jobs, as soon as there is one; Ray names it after the function."""
    end = monotonic() + LONGEST_START_S
    while not (workers := _running_a_job(head)):
        assert monotonic() < end, "no process of Ray runs a job"
        sleep(0.05)
    workers[0].kill()


def _running_a_job(head: int) -> list[psutil.Process]:
    parts = psutil.Process(head).children(recursive=True)
    return [part for part in parts if command_line(part).startswith("ray::run_on_worker")]


@pytest.fixture(scope="module", params=["dask", "ray"])
def machines(request: pytest.FixtureRequest) -> Machines:
    found: Machines = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("cluster") / "folder")
    for number in range(12):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nThe pump P-{number} was oiled. See DS-2041.\n")
    return folder


@pytest.fixture(scope="module")
def plain(folder: Path) -> Path:
    build(folder, folder.parent / "plain")
    return folder.parent / "plain"


def test_a_cluster_builds_the_same_knowledge_base_as_one_machine(
    machines: Machines, folder: Path, plain: Path, tmp_path: Path
) -> None:
    heard: list[Event] = []
    report = build(folder, tmp_path / "kb", progress=heard.append, cluster=machines.address)
    assert_same(tmp_path / "kb", plain)
    assert report.stages["embed"].done == report.documents["indexed"]
    assert {Stage.PARSE, Stage.EMBED} <= {event.stage for event in heard if event.phase is Phase.STARTED}


def test_a_killed_worker_loses_and_duplicates_nothing(
    machines: Machines, folder: Path, plain: Path, tmp_path: Path
) -> None:
    killed = Happened()

    def kill_once(event: Event) -> None:  # 15 documents with one done, so both workers are busy
        if event.stage is Stage.EMBED and event.phase is Phase.DONE and not killed.is_set():
            killed.set()
            machines.kill()

    report = build(folder, tmp_path / "kb", progress=kill_once, cluster=machines.address)
    assert killed.is_set()
    assert report.failures == ()
    assert_same(tmp_path / "kb", plain)


def test_a_worker_without_access_to_the_folders_ends_the_run(dask: Machines, tmp_path: Path) -> None:
    from pipelines.core.work.job import Job, JobLimits
    from pipelines.ingest.cluster import ClusterPool
    from pipelines.ingest.dask_cluster import DaskCluster

    with ClusterPool(DaskCluster(dask.address), JobLimits(), [tmp_path / "elsewhere"]) as pool:
        ended = pool.submit(Job(bytes), lambda result: result).result()
    assert (ended.error, ended.result) == ("SettingsError", None)
    assert "does not see" in ended.reason


@pytest.mark.parametrize(
    ("address", "words"),
    [("tcp://127.0.0.1:9", "no Dask scheduler answers"), ("ray://127.0.0.1:9", "no Ray answers")],
)
def test_an_unreachable_scheduler_is_reported(
    address: str, words: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.ingest.dask_cluster.TIMEOUT_S", 0.5)
    with pytest.raises(SettingsError, match=words):
        build(folder, tmp_path / "kb", cluster=address)
