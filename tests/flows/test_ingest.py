"""The flow does what the plain build does, and keeps quiet about it."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from time import sleep
from urllib.error import URLError

import pytest

from flows.ingest import ingest
from flows.prefect_server import PrefectServer, ServerFailed
from pipelines import build
from pipelines.core.errors import FolderNotFound
from tests.ingest.knowledge import assert_same, write_folder

RUN = """
import sys
from flows.ingest import ingest
report = ingest(sys.argv[1], sys.argv[2])
print(report.documents, report.stages["parse"].done)
"""

SERVE = """
from time import sleep
from flows.prefect_server import PrefectServer
with PrefectServer() as server:
    server.start()
    server.wait()
    print(server.url, flush=True)
    sleep(99)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "folder")


def flow_names(api: str) -> list[str]:
    """The names of the flows that a server knows."""
    request = urllib.request.Request(api + "/flows/filter", b"{}", {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=10) as reply:
        return [flow["name"] for flow in json.load(reply)]


def ends(api: str) -> bool:
    """Whether a server stops to answer; a hundred times it is asked."""
    for _ in range(100):
        try:
            flow_names(api)
        except (URLError, OSError):
            return True
        sleep(0.1)
    return False


@pytest.mark.slow
def test_a_flow_gives_the_same_knowledge_base_and_says_nothing(folder: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), str(tmp_path / "flow")], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("{'indexed': 3} 3\n", "", 0)
    build(folder, tmp_path / "plain")
    assert_same(tmp_path / "flow", tmp_path / "plain")


@pytest.mark.slow
def test_a_server_of_the_users_own_is_used_and_left_running(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    with PrefectServer() as server:
        server.start()
        server.wait()
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(folder), str(tmp_path / "kb")], capture_output=True, text=True, check=True
        )
        assert done.stdout == "{'indexed': 3} 3\n"
        assert flow_names(server.url) == ["strata-ingest"]


def test_a_server_that_does_not_come_up_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.prefect_server.PROGRAM", "no_such_module")
    with PrefectServer() as server:
        server.start()
        with pytest.raises(ServerFailed, match="No module named no_such_module") as caught:
            server.wait()
    assert "--no-flow" in caught.value.hint


@pytest.mark.slow
def test_the_server_ends_with_a_process_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    with subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        assert flow_names(url) == []
        parent.kill()
    assert ends(url)


def test_a_run_with_nothing_to_compile_starts_no_server(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(folder, tmp_path / "kb")
    next(folder.rglob("*.md")).unlink()
    monkeypatch.setattr("flows.prefect_server.PROGRAM", "no_such_module")
    report = ingest(folder, tmp_path / "kb")
    assert (report.changes["removed"], report.changes["done"]) == (1, 0)


def test_a_folder_that_is_not_there_starts_nothing_that_stays(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFound):
        ingest(tmp_path / "nowhere", tmp_path / "kb")
