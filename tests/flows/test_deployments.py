"""Tests of deployed flows on a real Prefect server: started manually, by a schedule, and on a change."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.prefect import server as prefect
from pipelines import build
from tests.conftest import ROOT, Strata
from tests.flows.test_ingest import Api, Json
from tests.ingest.knowledge import assert_same, entries_of, write_folder

STRATA = "import sys; from flows.cli.app import main; sys.argv[0] = 'strata'; main()"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with prefect.temporary() as running:
        yield Api(running.api, running.pid)


@pytest.fixture(autouse=True)
def named(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", api.url)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def strata_alone(*words: object, here: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a separate process in a folder."""
    command = [sys.executable, "-c", STRATA, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=here, timeout=300)


def deployment(api: Api, name: str) -> Json:
    """The only deployment with a name."""
    (found,) = api.post("/deployments/filter", deployments={"name": {"any_": [name]}})
    return dict(found)


def start(api: Api, name: str) -> str:
    return str(api.post(f"/deployments/{deployment(api, name)['id']}/create_flow_run")["id"])


def states(api: Api, name: str) -> list[str]:
    runs = api.post("/flow_runs/filter", deployments={"name": {"any_": [name]}}, sort="EXPECTED_START_TIME_ASC")
    return [run["state_name"] for run in runs]


@contextmanager
def worker(here: Path) -> Iterator[None]:
    """`strata flow work`, running until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", STRATA, "flow", "work"], cwd=here, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def until(api: Api, name: str, wanted: list[str]) -> None:
    for _ in range(600):
        if (now := states(api, name)) == wanted:
            return
        time.sleep(0.5)
    raise AssertionError(now)


def test_deployed_flows_with_and_without_a_schedule_are_run_by_a_worker(api: Api, tmp_path: Path) -> None:
    folder, kb = write_folder(tmp_path / "plant"), tmp_path / "kb"
    set_it = ("--set", "chunk.max_tokens=500")
    done = strata_alone("flow", "deploy", "plant", "--kb", "kb", "--cron", "0 3 1 1 *", *set_it, here=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    made = deployment(api, "plant")
    assert f"/deployments/deployment/{made['id']}" in done.stdout
    assert made["parameters"] == {
        "folder": str(folder), "knowledge_base": str(kb), "settings": {"chunk.max_tokens": 500},
    }  # fmt: skip
    assert [one["schedule"]["cron"] for one in made["schedules"]] == ["0 3 1 1 *"]
    assert 'it starts by the schedule "0 3 1 1 *" (UTC), by hand with' in done.stdout
    assert made["concurrency_options"]["collision_strategy"] == "ENQUEUE"

    smaller = ("--set", "embed.dimension=64")
    words = ("flow", "deploy", "--flow", "reindex", "--kb", "kb", "--name", "anew", *smaller)
    assert strata_alone(*words, here=tmp_path).stderr == ""
    questions = tmp_path / "questions.jsonl"
    asked = {"id": "1", "question": "How often is the oil of the bearing changed?", "answers": ["every 4000 hours"],
             "sources": [{"file": "manual.md", "page": None, "quote": "every 4000 hours"}], "kind": "fact"}  # fmt: skip
    questions.write_text(json.dumps(asked) + "\n")
    words = ("flow", "deploy", "--flow", "evaluate", "--kb", "kb", "--questions", "questions.jsonl", "--name", "asked")
    assert strata_alone(*words, here=tmp_path).stderr == ""

    run = start(api, "plant")
    worked = strata_alone("flow", "work", "--once", here=tmp_path)
    assert worked.returncode == 0
    (*_, last) = worked.stderr.splitlines()
    assert last.startswith("plant: completed: 3 indexed  http")
    assert last.endswith(run)
    seen = api.get(f"/flow_runs/{run}")
    assert (seen["name"], seen["state_name"], seen["state"]["message"]) == ("plant", "Completed", "3 indexed")
    build(folder, tmp_path / "plain")
    assert_same(kb, tmp_path / "plain")

    start(api, "anew")
    assert strata_alone("flow", "work", "--once", here=tmp_path).returncode == 0
    start(api, "asked")
    assert "plant" not in strata_alone("flow", "work", "--once", here=tmp_path).stderr
    assert (states(api, "anew"), states(api, "asked")) == (["Completed"], ["Completed"])
    reports = {one["key"] for one in api.post("/artifacts/filter")}
    assert {"reindex-report", "evaluation-report"} <= reports


def test_a_changed_folder_is_ingested(api: Api, tmp_path: Path) -> None:
    folder, kb = (
        write_folder(tmp_path / "watched"),
        tmp_path / "watched" / "kb",
    )  # what the run writes there starts no other run
    build(folder, kb)
    done = strata_alone("flow", "deploy", "watched", "--kb", "watched/kb", "--on-change", here=tmp_path)
    assert (done.returncode, deployment(api, "watched")["tags"]) == (0, ["on-change"])
    assert "it starts when its folder changes, by hand with" in done.stdout
    with worker(tmp_path):
        until(api, "watched", ["Completed"])
        (folder / "new.md").write_text("# MM-8\n\nThe pump P-102 needs grease every 200 hours.\n")
        until(api, "watched", ["Completed", "Completed"])
    assert "new.md" in entries_of(kb)


def test_the_command_of_prefect_deploys_the_flows_of_its_file(api: Api, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "of a file")
    places = {"DOCUMENTS": str(folder), "KNOWLEDGE_BASE": str(tmp_path / "kb"), "PREFECT_HOME": str(tmp_path)}
    environment = {**os.environ, **places}
    assert strata_alone("flow", "deploy", "of a file", "--kb", "kb", "--name", "first", here=tmp_path).returncode == 0
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    made = deployment(api, "on-change")
    assert (made["parameters"]["folder"], made["tags"]) == (str(folder), ["on-change"])
    assert [one["schedule"]["cron"] for one in deployment(api, "nightly")["schedules"]] == ["0 3 * * *"]
    assert deployment(api, "neo4j")["entrypoint"] == "flows/other_flows.py:strata_sync"
    for name in ("on-change", "nightly"):
        api.delete(f"/deployments/{deployment(api, name)['id']}")


def test_an_invalid_deployment_is_refused_with_a_reason(strata: Strata, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plant")
    secret = strata("flow", "deploy", folder, "--kb", tmp_path / "kb", "--set", "llm.api_key=sk-1")
    assert (secret[0], "llm.api_key is a secret" in secret[2]) == (2, True)
    assert "sk-1" not in secret[2]
    named = strata("flow", "deploy", "git+https://ada:sk-2@example.org/manuals.git", "--kb", tmp_path / "kb")
    assert (named[0], "a secret" in named[2]) == (2, True)
    assert "sk-2" not in named[2]
    assert "only the ingest of a folder" in strata("flow", "deploy", "s3://bucket", "--on-change")[2]
    assert "an ingest needs a folder" in strata("flow", "deploy")[2]
    cron = strata("flow", "deploy", folder, "--kb", tmp_path / "kb", "--cron", "0 3 * *")
    assert (cron[0], '--cron "0 3 * *": not a schedule (five fields' in cron[2]) == (2, True)
    zone = strata("flow", "deploy", folder, "--kb", tmp_path / "kb", "--cron", "0 3 * * *", "--timezone", "Europe/Bern")
    assert (zone[0], "--timezone Europe/Bern: no such time zone" in zone[2]) == (2, True)
    assert "--cron, which is missing" in strata("flow", "deploy", folder, "--timezone", "Europe/Berlin")[2]
    unnamed = strata("flow", "deploy", write_folder(tmp_path / "R&D"), "--kb", tmp_path / "kb")
    assert (unnamed[0], "no deployment of the name R&D (name it by --name" in unnamed[2]) == (2, True)
    assert "no flow index" in strata("flow", "deploy", folder, "--flow", "index")[2]
    assert "only a folder can be watched" in strata("ingest", "s3://bucket", "--watch")[2]
