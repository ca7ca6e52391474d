"""Tests of user-defined stores: one file (`my_stores.py`) and one line of settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipelines import Settings, build
from pipelines.core.errors import SettingsError, StoreMismatch
from pipelines.ingest.fsck import fsck
from pipelines.resources import open_stores
from pipelines.settings import load, read
from pipelines.store.graph import GraphStore
from pipelines.store.testing import GraphStoreContract, VectorStoreContract
from pipelines.store.vector import VectorStore
from pipelines.trust import confirm
from qa import KnowledgeBase
from tests.ingest.knowledge import write_folder
from tests.store.my_stores import MyGraph, MyVectors

QUESTION = "How often is the bearing oil changed?"
VECTORS = '[store]\nvectors = "my_stores:MyVectors"\n'
GRAPH = '[store]\ngraph = "my_stores:MyGraph"\n'


class TestMyVectors(VectorStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> VectorStore:
        return MyVectors(tmp_path / "vectors", 4)


class TestMyGraph(GraphStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> GraphStore:
        return MyGraph(tmp_path / "graph")


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Makes a knowledge base folder with the given settings, which are trusted."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_folder(tmp_path / "folder")
    (tmp_path / "kb").mkdir()

    def make(toml: str) -> Path:
        (tmp_path / "kb" / "strata.toml").write_text(toml)
        confirm(tmp_path / "kb", read(tmp_path / "kb").permissions, ())
        return tmp_path / "kb"

    yield make
    sys.modules.pop("my_stores", None)


def answer(kb: Path) -> str:
    with KnowledgeBase.open(kb) as opened:
        return opened.ask(QUESTION).text


def test_vectors_can_be_in_a_user_defined_store(kb: Callable[[str], Path], tmp_path: Path) -> None:
    own = kb(VECTORS)
    build(tmp_path / "folder", own)
    assert "4000 hours" in answer(own)
    assert not list(own.rglob("*.lance"))
    assert fsck(own).findings == ()


def test_questions_can_be_answered_from_a_user_defined_graph(kb: Callable[[str], Path], tmp_path: Path) -> None:
    own = kb(GRAPH)
    build(tmp_path / "folder", own)
    with open_stores(own, Settings()) as stores:
        assert MyGraph(own / "graph").owners() == dict(stores.graph.owners())
    assert "4000 hours" in answer(own)
    (own / "graph.pickle").unlink()
    assert "has no data" in answer(own)
    assert [one.detail for one in fsck(own).findings] == ["not in the copy"] * 4


def test_an_ingest_moves_the_vectors_to_another_store(kb: Callable[[str], Path], tmp_path: Path) -> None:
    build(tmp_path / "folder", kb(""))
    (tmp_path / "folder" / "later.txt").write_text("The seal of the pump P-7 leaks.")
    own = kb(VECTORS)
    with pytest.raises(StoreMismatch, match="are in lancedb") as raised:
        answer(own)
    assert "ingest" in raised.value.hint
    build(tmp_path / "folder", own)
    assert "4000 hours" in answer(own)
    (tmp_path / "folder" / "later.txt").unlink()
    build(tmp_path / "folder", kb(""))
    assert fsck(own).findings == ()


@pytest.mark.parametrize("name", ["vectors", "graph", "artifacts"])
def test_a_store_named_in_an_untrusted_settings_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "strata.toml").write_text(f'[store]\n{name} = "my_stores:Mine"\n')
    with pytest.raises(SettingsError, match="run as code") as raised:
        load(tmp_path)
    assert "strata config trust" in raised.value.hint


def test_an_unknown_store_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(SettingsError, match="'lance' is neither lancedb nor module:Class"):
        load(None, {"store.vectors": "lance"})
