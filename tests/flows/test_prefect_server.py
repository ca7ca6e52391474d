"""Prefect takes no settings from a folder of documents or a knowledge base that one happens to be in."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.ingest import ingest
from pipelines import build
from pipelines.core.errors import SettingsError
from tests.ingest.knowledge import write_folder

WRITTEN = {
    ".env": "prefect_logging_settings_path=loggers.yml\n",
    "prefect.toml": '[server.database]\nconnection_url = "postgresql://stranger.example/x"\n',
    "pyproject.toml": '[tool.prefect]\nhome = "."\n',
}


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("place", ["folder", "folder/deeper", "kb"])
def test_settings_of_prefect_in_somebody_elses_folder_are_refused(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb, here = write_folder(tmp_path / "folder"), tmp_path / "kb", tmp_path / place
    here.mkdir(parents=True, exist_ok=True)
    (here / name).write_text(WRITTEN[name])
    monkeypatch.chdir(here)
    with pytest.raises(SettingsError, match="Prefect would take settings") as caught:
        ingest(folder, kb)
    assert "--no-flow" in caught.value.hint


def test_those_of_another_folder_and_files_that_are_not_prefects_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, kb = write_folder(tmp_path / "folder"), tmp_path / "kb"
    (tmp_path / "prefect.toml").write_text("")
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    report = build(folder, kb)
    monkeypatch.chdir(tmp_path)
    assert ingest(folder, kb).documents == report.documents  # there is nothing to do, so no server is started
    monkeypatch.chdir(folder)
    assert ingest(folder, kb).documents == report.documents
