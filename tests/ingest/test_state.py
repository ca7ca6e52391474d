"""Tests of the recorded state of a knowledge base after runs that finish, fail, are killed or never begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import SourceError
from pipelines.ingest.report import Event, Stage
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.facts import INGEST, Ingest, KnowledgeState, state
from tests.ingest.knowledge import kill_after, write_folder


def state_of(kb: Path) -> KnowledgeState:
    with open_stores(kb, Settings()) as stores:
        return state(stores.catalog)


def test_the_state_of_a_finished_ingest_is_whole(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    build(folder, tmp_path / "kb")
    whole = KnowledgeState(documents=3, searchable=3, found=3, begun=True, finished=True)
    assert state_of(tmp_path / "kb") == whole
    assert whole.whole
    build(folder, tmp_path / "kb")
    assert state_of(tmp_path / "kb") == whole


def test_the_state_after_a_kill_before_loading_is_empty(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    kill_after(6, folder, tmp_path / "kb")
    killed = state_of(tmp_path / "kb")
    assert (killed.begun, killed.finished, killed.found, killed.searchable) == (True, False, 3, 0)
    assert killed.empty
    assert not killed.whole
    build(folder, tmp_path / "kb")
    assert state_of(tmp_path / "kb").whole


def test_the_state_after_a_failed_ingest_counts_the_previous_documents(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    build(folder, tmp_path / "kb")
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")

    def die(event: Event) -> None:
        if event.stage is Stage.LINK:
            raise MemoryError

    with pytest.raises(MemoryError):
        build(folder, tmp_path / "kb", progress=die)
    half = state_of(tmp_path / "kb")
    assert (half.found, half.searchable, half.finished, half.links_behind) == (4, 3, False, False)
    assert not half.empty


def test_the_state_before_the_first_document_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError):
        build(tmp_path / "empty", tmp_path / "kb")
    assert state_of(tmp_path / "kb") == KnowledgeState()


def test_the_state_can_be_read_during_a_write_transaction(tmp_path: Path) -> None:
    build(write_folder(tmp_path / "folder"), tmp_path / "kb")
    with open_stores(tmp_path / "kb", Settings()) as stores, stores.embedded.exclusive():
        INGEST.write(stores.catalog, Ingest(5))
        assert (state_of(tmp_path / "kb").found, state_of(tmp_path / "kb").finished) == (5, False)
