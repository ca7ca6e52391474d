"""A run that is killed is taken up by the next, and nothing tells that it ever was."""

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
def undisturbed(folder: Path) -> tuple[Path, int]:
    """A knowledge base built in peace, and the number of events that took."""
    events: list[Event] = []
    build(folder, folder.parent / "undisturbed", progress=events.append)
    return folder.parent / "undisturbed", len(events)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.8, 0.9, 0.95])
def test_killed_at_any_moment_and_started_again_it_ends_the_same(
    share: float, folder: Path, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    whole, events = undisturbed
    kill_after(max(1, int(events * share)), folder, tmp_path / "kb")
    build(folder, tmp_path / "kb")
    assert fsck(tmp_path / "kb").clean
    assert_same(tmp_path / "kb", whole)


def test_killed_after_the_last_write_it_is_still_finished(folder: Path, tmp_path: Path) -> None:
    build(folder, tmp_path / "kb")
    with open_stores(tmp_path / "kb", Settings()) as stores:
        stores.catalog.set_fact(WRITING_FACT, "1")
    build(folder, tmp_path / "kb")
    assert fsck(tmp_path / "kb").clean
