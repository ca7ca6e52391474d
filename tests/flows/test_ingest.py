"""Tests of the ingest flow on a real Prefect server: tasks by stage, failures, retries, kills, and its result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deploy.prefect import server as prefect
from flows.flow_tasks import RETRIES
from flows.server_link import LOST
from pipelines import build
from pipelines.ingest.task import COMPILING
from tests.ingest.knowledge import assert_same, write_folder

RUN = """
import sys
from flows.ingest import ingest
report = ingest(sys.argv[1], sys.argv[2])
print(report.documents, report.stages["parse"].done)
"""
RUN_AND_DIE = """
import os, signal, sys
from flows.ingest import ingest
def die(event):
    if (event.stage.value, event.phase.value) == (sys.argv[3], "started"):
        os.kill(os.getpid(), signal.SIGKILL)
ingest(sys.argv[1], sys.argv[2], progress=die)
"""
Json = dict[str, Any]
pytestmark = pytest.mark.slow


def _reply(request: urllib.request.Request) -> bytes:
    """The reply of Prefect; a 503 (database busy) is retried, as by Prefect's own client."""
    for _ in range(20):
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return bytes(reply.read())
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(0.5)
    raise AssertionError(f"{request.full_url} is never ready")


@dataclass(frozen=True)
class Api:
    """A client of a Prefect server."""

    url: str
    pid: int

    def post(self, path: str, **body: object) -> Any:
        data, head = json.dumps(body).encode(), {"Content-Type": "application/json"}
        return json.loads(_reply(urllib.request.Request(self.url + path, data, head, method="POST")))

    def get(self, path: str) -> Json:
        return dict(json.loads(_reply(urllib.request.Request(self.url + path))))

    def delete(self, path: str) -> None:
        _reply(urllib.request.Request(self.url + path, method="DELETE"))

    def run_of(self, folder: Path) -> Json:
        """The latest run over a folder."""
        named = {"name": {"any_": [folder.name]}}
        return dict(self.post("/flow_runs/filter", sort="START_TIME_DESC", flow_runs=named)[0])

    def of(self, run: Json, path: str, kind: str, enough: Callable[[list[Json]], bool]) -> list[Json]:
        """The objects of a run once they are complete: the server stores events and logs with a delay."""
        mine = {kind: {"flow_run_id": {"any_": [run["id"]]}}} if kind else {"flow_runs": {"id": {"any_": [run["id"]]}}}
        for _ in range(300):
            found: list[Json] = self.post(path, **mine)
            if enough(found):
                return found
            time.sleep(0.1)
        raise AssertionError(found)

    def tasks(self, run: Json) -> list[Json]:
        ended = {"Completed", "Failed"}
        return self.of(run, "/task_runs/filter", "", lambda found: {one["state_name"] for one in found} <= ended)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with prefect.temporary() as running:
        yield Api(running.api, running.pid)


@pytest.fixture(autouse=True)
def named(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", api.url)


def run(program: str, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})


def test_each_stage_of_each_document_is_a_task_and_a_broken_file_fails_its_task(api: Api, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plant one")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing\n")
    done = run(RUN, folder, tmp_path / "flow", STRATA_CHUNK__MAX_TOKENS="500")
    assert (done.stdout, done.stderr, done.returncode) == ("{'indexed': 3, 'malformed': 1} 3\n", "", 0)

    seen = api.run_of(folder)
    assert (seen["name"], seen["state_name"]) == ("plant one", "Completed")
    assert seen["state"]["message"] == "3 indexed, 1 malformed"
    assert seen["parameters"]["folder"] == str(folder)
    assert seen["parameters"]["settings"]["chunk.max_tokens"] == 500

    tasks = {task["name"]: task for task in api.tasks(seen)}
    whole = ["gate", "link", "remove", "load vectors 3 documents", "load graph 3 documents"]
    whole += ["load links", "index", "erase"]
    sound = [f"{stage.value} {uri}" for stage in COMPILING for uri in ("DS-2041.md", "manual.md", "reports/IR-3.txt")]
    assert sorted(tasks) == sorted([*sound, *whole, "parse broken.pdf"])
    failed = tasks.pop("parse broken.pdf")
    assert (failed["state_name"], failed["run_count"]) == ("Failed", 1)
    assert "broken.pdf: not a readable PDF" in failed["state"]["message"]
    assert {task["state_name"] for task in tasks.values()} == {"Completed"}
    assert {task["empirical_policy"]["retries"] for task in tasks.values()} == {RETRIES}
    assert {
        tag for task in tasks.values() for tag in task["tags"]
    } == set()  # no tags, because Prefect queries the server for each tag

    artifacts = {
        one["key"]: one for one in api.of(seen, "/artifacts/filter", "artifacts", lambda found: len(found) > 2)
    }
    assert "| malformed | 1 |" in artifacts["ingest-report"]["data"]
    assert [row["document"] for row in json.loads(artifacts["ingest-failures"]["data"])] == ["broken.pdf"]
    assert artifacts["ingest-progress"]["data"] == 100

    said = api.of(seen, "/logs/filter", "logs", lambda found: any("Finished" in one["message"] for one in found))
    assert any(one["message"].startswith("broken.pdf: parse: not a readable PDF") for one in said)
    assert any("manual.md: indexed, " in one["message"] for one in said)

    build(folder, tmp_path / "plain")
    assert_same(tmp_path / "flow", tmp_path / "plain")


def test_concurrency_limits_for_ocr_models_and_stores_are_created_on_the_server(api: Api, tmp_path: Path) -> None:
    run(RUN, write_folder(tmp_path / "limited"), tmp_path / "kb")
    limits = {one["name"]: one for one in api.post("/v2/concurrency_limits/filter")}
    assert {"tag:ocr", "tag:model", "tag:store"} <= limits.keys()


def test_many_small_documents_need_few_tasks(api: Api, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.md").write_text(f"# Pump P-{number}\n\nThe pump P-{number} delivers {number} m3/h.\n")
    (folder / "05.pdf").write_bytes(b"%PDF-1.7\nnothing\n")
    assert run(RUN, folder, tmp_path / "kb").stdout == "{'indexed': 40, 'malformed': 1} 40\n"
    states = {task["name"]: task["state_name"] for task in api.tasks(api.run_of(folder))}
    assert len(states) == 4 * 7 + 8
    assert states["parse 00.md and 5 more"] == "Completed"
    assert {stage.value: states[f"{stage.value} 05.pdf and 5 more"] for stage in COMPILING} == {
        "parse": "Failed", "chunk": "Completed", "atomize": "Completed", "embed": "Completed",
    }  # fmt: skip
    build(folder, tmp_path / "plain")
    assert_same(tmp_path / "kb", tmp_path / "plain")


FAILING_EMBEDDER = """
from pathlib import Path
from pipelines.core.errors import CallTimedOut
from pipelines.llm.embedder import Side
from pipelines.llm.embedder import HashingEmbedder
class Shaky(HashingEmbedder):
    def __init__(self, settings):
        super().__init__(64)
    def embed(self, texts, side=Side.PASSAGE):
        told = Path(__file__).with_name("told")
        if any("P-05" in text for text in texts) and not told.exists():
            told.write_text("")
            raise CallTimedOut("the endpoint is away")
        return super().embed(texts, side)
"""


def test_a_document_of_a_batch_whose_endpoint_failed_is_retried_alone(api: Api, tmp_path: Path) -> None:
    folder = tmp_path / "shaky"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.md").write_text(
            f"# Pump P-{number:02}\n\nThe pump P-{number:02} delivers {number} m3/h.\n"
        )
    (tmp_path / "shaky_embedder.py").write_text(FAILING_EMBEDDER)
    own = {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path)), "STRATA_EMBED__NAME": "shaky_embedder:Shaky"}
    done = run(RUN, folder, tmp_path / "kb", **own)
    assert (done.stdout, done.stderr) == ("{'indexed': 20} 20\n", "")
    tasks = {task["name"]: (task["state_name"], task["run_count"]) for task in api.tasks(api.run_of(folder))}
    assert tasks.pop("embed 03.md and 2 more") == ("Completed", 2)
    assert set(tasks.values()) == {("Completed", 1)}
    plain = run(RUN, folder, tmp_path / "plain", **own, PREFECT_API_URL="")
    assert plain.stdout == "{'indexed': 20} 20\n", plain.stderr
    assert_same(tmp_path / "kb", tmp_path / "plain")


def test_an_unavailable_store_is_retried_and_then_fails_the_run(api: Api, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "projected")
    done = run(RUN, folder, tmp_path / "kb", STRATA_STORE__NEO4J_URI="bolt://127.0.0.1:1")
    assert "StoreUnavailable" in done.stderr
    seen = api.run_of(folder)
    assert seen["state_name"] == "Failed"
    task = next(one for one in api.tasks(seen) if one["name"] == "project")
    assert (task["state_name"], task["run_count"]) == ("Failed", RETRIES + 1)


@pytest.mark.parametrize("stage", ["chunk", "link", "load"])
def test_a_killed_flow_can_be_resumed_without_a_flow(stage: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "killed")
    assert run(RUN_AND_DIE, folder, tmp_path / "kb", stage).returncode == -signal.SIGKILL
    build(folder, tmp_path / "kb")
    build(folder, tmp_path / "plain")
    assert_same(tmp_path / "kb", tmp_path / "plain")


RUN_AND_END_THE_SERVER = """
import os, signal, sys
from flows.ingest import ingest
from pipelines.ingest.report import Stage
alive = [int(sys.argv[3])]
def hear(event):
    if event.stage.value == sys.argv[4] and alive:
        os.killpg(alive.pop(), signal.SIGKILL)
    if event.stage is Stage.FLOW:
        print(event.phase.value, event.detail if event.phase.value == "failed" else "")
print(ingest(sys.argv[1], sys.argv[2], progress=hear).documents)
"""


@pytest.mark.parametrize("stage", ["chunk", "load"])
def test_a_server_that_disappears_does_not_stop_the_run_and_is_reported_once(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "left alone")
    with prefect.temporary() as running:
        monkeypatch.setenv("PREFECT_API_URL", running.api)
        done = run(RUN_AND_END_THE_SERVER, folder, tmp_path / "kb", running.pid, stage)
    assert done.stdout == f"started \nfailed {LOST}\n{{'indexed': 3}}\n", done.stderr
    assert done.stderr == ""
    build(folder, tmp_path / "plain")
    assert_same(tmp_path / "kb", tmp_path / "plain")
