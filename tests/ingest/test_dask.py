"""Documents compiled by the workers of a Dask scheduler: the same knowledge base, also where a worker is killed."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Happened

import pytest

from pipelines import build
from pipelines.core.errors import SettingsError
from pipelines.ingest.report import Event, Phase, Stage
from tests.ingest.knowledge import assert_same, write_folder

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator["distributed.LocalCluster"]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("dask") / "folder")
    for number in range(12):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nThe pump P-{number} was oiled. See DS-2041.\n")
    return folder


@pytest.fixture(scope="module")
def plain(folder: Path) -> Path:
    build(folder, folder.parent / "plain")
    return folder.parent / "plain"


def test_the_knowledge_base_is_that_of_a_plain_run(
    cluster: "distributed.LocalCluster", folder: Path, plain: Path, tmp_path: Path
) -> None:
    heard: list[Event] = []
    report = build(folder, tmp_path / "kb", progress=heard.append, dask=cluster.scheduler_address)
    assert_same(tmp_path / "kb", plain)
    assert report.stages["embed"].done == report.documents["indexed"]
    assert {Stage.PARSE, Stage.EMBED} <= {event.stage for event in heard if event.phase is Phase.STARTED}


def test_a_worker_that_is_killed_loses_and_doubles_nothing(
    cluster: "distributed.LocalCluster", folder: Path, plain: Path, tmp_path: Path
) -> None:
    killed = Happened()

    def kill_once(event: Event) -> None:  # both are busy then: fifteen documents, and one is done
        if event.stage is Stage.EMBED and event.phase is Phase.DONE and not killed.is_set():
            killed.set()
            os.kill(next(iter(cluster.workers.values())).process.pid, signal.SIGKILL)

    report = build(folder, tmp_path / "kb", progress=kill_once, dask=cluster.scheduler_address)
    assert killed.is_set()
    assert report.failures == ()
    assert_same(tmp_path / "kb", plain)


def test_a_worker_that_does_not_see_the_folders_ends_the_run(
    cluster: "distributed.LocalCluster", tmp_path: Path
) -> None:
    from pipelines.core.work.job import Job, JobLimits
    from pipelines.ingest.dask_pool import DaskPool

    with DaskPool(cluster.scheduler_address, JobLimits(), [tmp_path / "elsewhere"]) as pool:
        ended = pool.submit(Job(len), lambda result: result).result()
    assert (ended.error, ended.result) == ("SettingsError", None)
    assert "does not see" in ended.reason


def test_no_scheduler_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.ingest.dask_pool.ANSWERS_S", 0.5)
    with pytest.raises(SettingsError, match="no Dask scheduler answers"):
        build(folder, tmp_path / "kb", dask="tcp://127.0.0.1:9")
