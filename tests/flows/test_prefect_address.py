"""Tests of choosing the Prefect server, and of ignoring Prefect settings in folders of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.ingest import NO_SERVER, ingest
from flows.prefect_address import ServerFailed, server_address
from pipelines.core.errors import SettingsError
from pipelines.ingest.report import Event, Stage
from tests.ingest.knowledge import write_folder
from tests.qa.endpoints import Sent, endpoint

NOWHERE = "http://127.0.0.1:1/api"
WRITTEN = {
    ".env": "prefect_logging_settings_path=loggers.yml\n",
    "prefect.toml": '[server.database]\nconnection_url = "postgresql://stranger.example/x"\n',
    "pyproject.toml": '[tool.prefect]\nhome = "."\n',
}


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("place", ["folder", "folder/deeper", "kb"])
def test_prefect_settings_in_a_folder_of_documents_are_refused(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb, here = write_folder(tmp_path / "folder"), tmp_path / "kb", tmp_path / place
    here.mkdir(parents=True, exist_ok=True)
    (here / name).write_text(WRITTEN[name])
    monkeypatch.chdir(here)
    monkeypatch.setenv("PREFECT_API_URL", NOWHERE)
    with pytest.raises(SettingsError, match="Prefect would read settings") as caught:
        ingest(folder, kb)
    assert "--no-flow" in caught.value.hint


@pytest.mark.parametrize("name", ["prefect.toml", "pyproject.toml"])
def test_prefect_settings_elsewhere_and_unrelated_files_are_accepted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    (tmp_path / "prefect.toml").write_text("")
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    monkeypatch.chdir(tmp_path if name == "prefect.toml" else folder)
    monkeypatch.setenv("PREFECT_API_URL", NOWHERE)
    with pytest.raises(ServerFailed, match="does not answer"):
        ingest(folder, kb)


def test_without_a_server_the_run_is_plain_and_says_how_to_start_one(tmp_path: Path) -> None:
    events: list[Event] = []
    report = ingest(write_folder(tmp_path / "folder"), tmp_path / "kb", progress=events.append)
    assert report.documents == {"indexed": 3}
    assert [event.detail for event in events if event.stage is Stage.FLOW] == [NO_SERVER]


def test_the_server_address_comes_from_the_environment_a_profile_or_the_default_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server_address() == ""
    with endpoint(Sent(body="true"), Sent(body="true"), Sent(body="true")) as server:
        api = f"http://127.0.0.1:{server.server_address[1]}/api"
        profiles = tmp_path / "profiles.toml"
        profiles.write_text(f'active = "mine"\n[profiles.mine]\nPREFECT_API_URL = "{api}"\n[profiles.other]\n')
        monkeypatch.setenv("PREFECT_PROFILES_PATH", str(profiles))
        assert server_address() == api
        monkeypatch.setenv("PREFECT_PROFILE", "other")
        assert server_address() == ""
        monkeypatch.setenv("PREFECT_SERVER_API_PORT", str(server.server_address[1]))
        assert server_address() == api
        monkeypatch.setenv("PREFECT_API_URL", api + "/")
        assert server_address() == api


def test_another_program_at_the_default_address_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint(Sent(body="hello")) as server:
        monkeypatch.setenv("PREFECT_SERVER_API_PORT", str(server.server_address[1]))
        assert server_address() == ""


def test_a_configured_server_that_does_not_respond_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", NOWHERE)
    with pytest.raises(ServerFailed, match="does not answer") as caught:
        server_address()
    assert "--no-flow" in caught.value.hint
