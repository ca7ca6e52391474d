"""Tests that a killed ingest is resumed by the next one with the same result."""

from pathlib import Path

import pytest

from pipelines import build
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Event
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.facts import WRITING_FACT
from tests.ingest.knowledge import assert_same, kill_after, write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("kill") / "folder")


@pytest.fixture(scope="module")
def uninterrupted(folder: Path) -> tuple[Path, int]:
    """A knowledge base built without interruption, and the number of its progress events."""
    events: list[Event] = []
    build(folder, folder.parent / "uninterrupted", progress=events.append)
    return folder.parent / "uninterrupted", len(events)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.8, 0.9, 0.95])
def test_an_ingest_resumed_after_a_kill_gives_the_same_knowledge_base(
    share: float, folder: Path, uninterrupted: tuple[Path, int], tmp_path: Path
) -> None:
    whole, events = uninterrupted
    kill_after(max(1, int(events * share)), folder, tmp_path / "kb")
    build(folder, tmp_path / "kb")
    assert fsck(tmp_path / "kb").clean
    assert_same(tmp_path / "kb", whole)


def test_an_ingest_killed_after_its_last_write_is_finished_by_the_next(folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "kb")
    with open_stores(tmp_path / "kb", Settings()) as stores:
        stores.catalog.set_fact(WRITING_FACT, "1")
    build(folder, tmp_path / "kb")
    assert fsck(tmp_path / "kb").clean
