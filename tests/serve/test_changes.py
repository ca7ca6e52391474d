"""Tests of changes by an admin: uploads, ingest jobs, feedback and verdicts, and what readers see meanwhile."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from pipelines.core.errors import SettingsError
from serve.access import Access, Key, Role
from serve.jobs import Jobs, JobState
from serve.settings import RequestLimits, ServeSettings
from tests.serve.conftest import KEY, Served, running
from tests.serve.test_api import events

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ADMIN_KEY = "the-key-of-the-boss"
VALVE = b"# Valve\n\nThe quokka valve was invented by Ada Brook.\n"
ASKED = {"question": "Who invented the quokka valve?", "limit": 1}


@pytest.fixture
def changing(made: Path, tmp_path: Path) -> Iterator[Served]:
    """A server that allows changes to a copy of the knowledge base and its folder."""
    folder = Path(shutil.copytree(made / "folder", tmp_path / "folder"))
    kb = Path(shutil.copytree(made / "kb", tmp_path / "kb"))
    keys = (Key(ADMIN_KEY, Access("boss", Role.ADMIN)), Key(KEY, Access("reader")))
    settings = ServeSettings((kb,), (folder,), keys=keys, changes=True, limits=RequestLimits(upload_mb=1))
    with running(settings) as server:
        yield server


@pytest.fixture
def boss(changing: Served) -> Iterator[httpx2.Client]:
    with changing.client(headers={"x-api-key": ADMIN_KEY}) as client:
        client.base_url = f"{changing.url}/api/kb/kb"
        yield client


@pytest.fixture
def reader(changing: Served) -> Iterator[httpx2.Client]:
    with changing.client(headers={"x-api-key": KEY}) as client:
        client.base_url = f"{changing.url}/api/kb/kb"
        yield client


def test_a_file_can_be_uploaded_ingested_and_found(
    boss: httpx2.Client, reader: httpx2.Client, changing: Served
) -> None:
    sent = boss.put("/files/valves/quokka valve.md", content=VALVE)
    assert (sent.status_code, sent.json()["replaced"]) == (HTTPStatus.CREATED, False)
    assert boss.put("/files/broken.pdf", content=b"%PDF-1.7 still nothing").json()["replaced"]
    started = boss.post("/ingest")
    assert (started.status_code, started.json()["state"]) == (HTTPStatus.ACCEPTED, "running")
    told = [job for name, job in events(boss.get("/ingest/events")) if name == "job"]
    ended = told[-1]
    assert ended == boss.get("/ingest").json()
    assert (ended["state"], ended["by"], ended["problem"]) == ("done", "boss", "")
    assert (ended["total"], ended["ends"]["done"], ended["ends"]["failed"]) == (2, 1, 1)
    assert ended["report"]["changes"]["done"] == 2
    assert "Ada Brook" in reader.post("/search", json=ASKED).json()["hits"][0]["text"]
    (run, *_) = reader.get("/runs").json()["items"]
    assert (run["done"], run["failed"], run["stopped"]) == (1, 1, "")
    assert list(run["reasons"].values()) == [1]
    page = httpx2.get(f"{changing.url}/kb/kb/runs", headers={"x-api-key": ADMIN_KEY}, trust_env=False).text
    assert "Add files and ingest" in page
    assert "data-running" not in page
    page = httpx2.get(f"{changing.url}/kb/kb/runs", headers={"x-api-key": KEY}, trust_env=False).text
    assert "Add files and ingest" not in page


def test_a_reader_is_forbidden_to_change_anything(reader: httpx2.Client, changing: Served) -> None:
    for method, path in (("PUT", "/files/a.md"), ("POST", "/ingest"), ("GET", "/ingest"), ("DELETE", "/ingest"),
                         ("GET", "/ingest/events")):  # fmt: skip
        reply = reader.request(method, path, content=VALVE)
        assert reply.status_code == HTTPStatus.FORBIDDEN, path
        assert 'role = "admin"' in reply.json()["hint"]
    assert not (changing.settings.folders[0] / "a.md").exists()


def test_changes_are_forbidden_unless_the_server_allows_them(client: httpx2.Client) -> None:
    for method, path in (("PUT", "/files/a.md"), ("POST", "/ingest")):
        reply = client.request(method, f"/api/kb/kb{path}", content=VALVE)
        assert (reply.status_code, reply.json()["hint"]) == (403, "start it by `strata serve --allow-changes`")
    assert "Add files and ingest" not in client.get("/kb/kb/runs").text
    with pytest.raises(SettingsError, match="need the folder"):
        ServeSettings((Path("kb"),), changes=True).check()


@pytest.mark.parametrize(
    "name",
    ["..%2fout.md", "a/%2e%2e/%2e%2e/out.md", ".hidden", "a/.b/c.md", "a%00b", "%5cout.md", "out/in.md", "%2fout"],
)
def test_an_upload_outside_the_folder_or_to_a_hidden_name_is_refused(
    boss: httpx2.Client, changing: Served, name: str
) -> None:
    folder = changing.settings.folders[0]
    outside = folder.parent / "outside"
    outside.mkdir()
    (folder / "out").symlink_to(outside)
    before = sorted(folder.parent.rglob("*.md"))
    assert boss.put(f"/files/{name}", content=VALVE).status_code == HTTPStatus.BAD_REQUEST
    assert sorted(folder.parent.rglob("*.md")) == before
    assert list(outside.iterdir()) == []


def test_an_upload_over_the_limit_is_refused_and_leaves_no_file(boss: httpx2.Client, changing: Served) -> None:
    folder = changing.settings.folders[0]
    big = bytes(1_200_000)
    assert boss.put("/files/big.bin", content=big).status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    parts = (big[:100_000] for _ in range(12))
    assert boss.put("/files/big.bin", content=parts).status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert [path for path in folder.rglob("*") if path.name.startswith((".strata", "big"))] == []


def test_one_ingest_runs_at_a_time_and_can_be_stopped(boss: httpx2.Client) -> None:
    assert boss.get("/ingest").status_code == HTTPStatus.NOT_FOUND
    boss.put("/files/valve.md", content=VALVE)
    boss.post("/ingest")
    refused = boss.post("/ingest")
    assert (refused.status_code, refused.json()["detail"]) == (HTTPStatus.CONFLICT, "an ingest of kb is running")
    boss.delete("/ingest")
    assert events(boss.get("/ingest/events"))[-1][1]["state"] == "stopped"
    boss.post("/ingest")
    assert events(boss.get("/ingest/events"))[-1][1]["state"] == "done"
    assert "Ada Brook" in boss.post("/search", json=ASKED).json()["hits"][0]["text"]


def test_output_of_a_library_does_not_block_an_ingest_job(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('a library says hello')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with Jobs() as jobs:
        job = jobs.start("kb", made / "folder", Path(shutil.copytree(made / "kb", tmp_path / "kb")), "boss")
        job.wait()
        assert job.view.state is JobState.DONE
    assert "a library says hello" in capsys.readouterr().err


@pytest.mark.slow
def test_readers_see_consistent_documents_during_an_ingest(boss: httpx2.Client, reader: httpx2.Client) -> None:
    text = boss.get("/documents").json()["items"]
    for number in range(12):
        boss.put(f"/files/many/{number}.md", content=f"# Note {number}\n\nPump {number} leaks.\n".encode())
    ended = threading.Event()
    watcher = threading.Thread(target=lambda: (boss.get("/ingest/events"), ended.set()))
    boss.post("/ingest")
    watcher.start()
    seen = set()
    while not ended.is_set():
        listed = reader.get("/documents", params={"limit": 200}).json()
        seen.add(listed["total"])
        assert listed["total"] == len(listed["items"])
        for one in listed["items"]:
            if one["searchable"]:
                chunks = reader.get(f"/documents/{one['id']}/chunks", params={"limit": 1}).json()
                assert chunks["total"] == one["counts"]["chunks"], one["uri"]
        assert reader.post("/ask", json={"question": "Which pump leaks?"}).status_code == HTTPStatus.OK
    watcher.join()
    assert max(seen) <= len(text) + 12
    assert reader.get("/documents").json()["total"] == len(text) + 12


def test_feedback_can_be_given_and_withdrawn_by_an_admin(boss: httpx2.Client, reader: httpx2.Client) -> None:
    answer = reader.post("/ask", json={"question": "How long may EPDM rings be stored?"}).json()
    cited = [{name: one[name] for name in ("document", "start", "end")} for one in answer["citations"]]
    said = {"question": answer["question"], "answer": answer["text"], "right": True, "citations": cited}
    assert reader.post("/feedback", json=said).status_code == HTTPStatus.FORBIDDEN
    kept = boss.post("/feedback", json=said)
    assert (kept.status_code, kept.json()["by"], len(kept.json()["places"])) == (201, "boss", len(cited))
    assert boss.post("/feedback", json=said | {"right": False}).json()["id"] == kept.json()["id"]
    listed = boss.get("/feedback").json()
    assert [(one["right"], one["places"][0]["uri"]) for one in listed["items"]] == [(False, "manual.md")]
    assert boss.delete(f"/feedback/{kept.json()['id']}").status_code == HTTPStatus.OK
    assert boss.delete(f"/feedback/{kept.json()['id']}").status_code == HTTPStatus.NOT_FOUND
    assert boss.get("/feedback").json()["total"] == 0


def test_verdicts_can_be_given_and_withdrawn_by_an_admin(boss: httpx2.Client, reader: httpx2.Client) -> None:
    (tag, *_) = reader.get("/tags").json()["items"]
    told = {"kind": "tag", "one": tag["name"], "two": "quokka"}
    assert reader.post("/verdicts", json=told).status_code == HTTPStatus.FORBIDDEN
    kept = boss.post("/verdicts", json=told)
    assert (kept.status_code, kept.json()["by"]) == (201, "boss")
    assert boss.post("/verdicts", json=told | {"one": "no such tag"}).status_code == HTTPStatus.NOT_FOUND
    assert boss.post("/verdicts", json=told | {"kind": "burn"}).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert [one["two"] for one in boss.get("/verdicts").json()["items"]] == ["quokka"]
    boss.post("/ingest")
    boss.get("/ingest/events")
    assert reader.get("/tags", params={"q": "quokka"}).json()["total"] == 1
    assert boss.delete(f"/verdicts/{kept.json()['id']}").status_code == HTTPStatus.OK
    assert reader.get("/tags", params={"q": tag["name"]}).json()["total"] == 0  # the next ingest restores it


@pytest.mark.browser
def test_an_admin_uploads_ingests_and_gives_feedback_and_verdicts_in_the_explorer(
    browser: Browser, changing: Served, tmp_path: Path
) -> None:
    (tmp_path / "valve.md").write_bytes(VALVE)
    with browser.new_context(base_url=changing.url) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        told: list[str] = []
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto("/")
        page.get_by_label("Key").fill(ADMIN_KEY)
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("link", name="Runs").click()
        page.wait_for_url("**/runs")  # a click does not wait for the new page and its style sheet
        page.set_viewport_size({"width": 360, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.get_by_label("Files").set_input_files(tmp_path / "valve.md")
        page.get_by_role("button", name="Upload").click()
        page.get_by_text("1 of 1 files uploaded").wait_for()
        page.get_by_role("button", name="Ingest").click()
        page.get_by_role("rowheader", name="2", exact=True).wait_for()
        page.goto(f"/kb/kb/ask?q={ASKED['question']}")
        page.get_by_role("button", name="Right").click()
        page.get_by_text("Stored; the next ingest learns from it.").wait_for()
        page.goto("/kb/kb/entities")
        page.get_by_role("link", name="Ada Brook").first.click()
        page.get_by_text("Correct", exact=True).click()
        page.get_by_label("It is the same as").fill("nobody")
        page.get_by_role("button", name="Merge").click()
        page.get_by_text("no entity is called nobody").wait_for()
        page.get_by_label("In the document").select_option(label="valve.md")
        page.get_by_label("it is", exact=True).fill("Ada Brook (a ship)")
        page.get_by_role("button", name="Split off").click()
        page.get_by_text("Stored; the next ingest applies it.").wait_for()
        page.get_by_role("link", name="Corrections").click()
        row = page.get_by_role("row").filter(has_text="another entity there")
        assert "valve.md" in row.inner_text()
        assert page.get_by_role("row").filter(has_text="right answer").count() == 1
        row.get_by_role("button").click()
        page.get_by_text("Withdrawn; the next ingest undoes it.").wait_for()
        assert told == []
