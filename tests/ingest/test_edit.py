"""Tests of the cost of editing one document: rows written for the others, and indexes built."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from lancedb.table import LanceTable

from pipelines import build
from pipelines.ingest.erase import forget
from pipelines.resources import open_stores
from pipelines.retrieve import stored_index
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import Settings
from pipelines.store.lancedb.table import VectorTable
from tests.ingest.knowledge import FEW, exported

DOCUMENTS = 8
WRITERS = ("Ada Byron", "Grace Hopper", "Emmy Noether", "Lise Meitner", "Sofia Brahe", "Maria Agnesi", "Mary Fairfax",
           "Sophie Germain")  # fmt: skip
SETTINGS = Settings(ingest=FEW)


def sheet(number: int) -> str:
    pumps = (f"Pump P-{number}{row} in hall {row} has a flow of {number + row} m3 in an hour." for row in range(4))
    author = f"It was written by {WRITERS[number]} in March."
    return f"# Data sheet {number}\n\n{author}\n\n" + "\n\n".join(pumps) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.md").write_text(sheet(number))
    build(folder, tmp_path / "kb", SETTINGS)
    return folder


@pytest.fixture
def written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The rows written to each table after the folder was ingested."""
    rows: Counter[str] = Counter()
    add = LanceTable.add

    def counted(self: LanceTable, data: Any, *args: Any, **named: Any) -> Any:
        rows[self.name] += len(data)
        return add(self, data, *args, **named)

    monkeypatch.setattr(LanceTable, "add", counted)
    return rows


def test_an_edit_writes_only_its_own_records_and_new_names(folder: Path, written: Counter[str], tmp_path: Path) -> None:
    (folder / "3.md").write_text(sheet(3).replace("Lise Meitner", "Chien-Shiung Wu"))
    build(folder, tmp_path / "kb", SETTINGS)
    assert written["document"] == 1
    assert 0 < written["entity"] <= 2
    assert 0 < written["tag"] <= 4
    build(folder, tmp_path / "new", SETTINGS)
    assert exported(tmp_path / "kb") == exported(tmp_path / "new")


def test_only_tables_that_lost_rows_are_wiped_and_these_are_not_optimized_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: defaultdict[str, set[str]] = defaultdict(set)

    def counted(name: str) -> None:
        done = getattr(VectorTable, name)

        def called(self: VectorTable) -> None:
            calls[name].add(self.name)
            done(self)

        monkeypatch.setattr(VectorTable, name, called)

    counted("optimize")
    counted("wipe")
    (folder / "3.md").write_text(sheet(3).replace("hall 3", "hall 9"))
    build(folder, tmp_path / "kb", SETTINGS)
    assert {"document", "chunk", "atom"} <= calls["wipe"]
    assert "entity" in calls["optimize"]  # no name has changed
    assert not calls["wipe"] & calls["optimize"]
    calls.clear()
    (folder / "new.md").write_text(sheet(3).replace("Data sheet 3", "Data sheet 31"))
    build(folder, tmp_path / "kb", SETTINGS)
    assert not calls["wipe"]
    assert calls["optimize"]


def test_the_first_question_after_an_edit_or_removal_finds_a_saved_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Erasing removed data leaves the saved index and no other file beside it."""
    (folder / "3.md").write_text(sheet(3).replace("hall 3", "hall 9"))
    build(folder, tmp_path / "kb", SETTINGS)
    forget("5.md", tmp_path / "kb", SETTINGS)
    assert [path.name for path in (tmp_path / "kb" / "retrieval").iterdir()] == ["index.npz"]
    monkeypatch.setattr(stored_index, "build_index", None)  # building an index would raise
    with open_stores(tmp_path / "kb", SETTINGS) as stores:
        hits = Retriever.of(stores, SETTINGS.retrieve).retrieve("Which pump is in hall 9?", 1)
    assert [hit.uri for hit in hits] == ["3.md"]
