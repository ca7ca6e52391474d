"""Questions while an ingest writes: what was there before serves until the whole of what comes is there."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import pytest

from pipelines import build
from pipelines.ingest.report import Event
from pipelines.retrieve.index import Index
from qa.knowledge_base import KnowledgeBase

TORQUE = "What torque do the casing bolts of the K80-250 need?"
WEIGHT = "What does the K80-250 weigh?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "bolts.md").write_text("# K80-250\n\nThe casing bolts of the K80-250 need a torque of 68 Nm.\n")
    (folder / "seal.md").write_text("# Seals\n\nThe shaft seal of the K80-250 is made of FKM.\n")
    build(folder, tmp_path / "kb")
    return folder


def conflict_lines(knowledge: KnowledgeBase, question: str) -> str:
    answer = knowledge.ask(question)
    return "" if answer.abstained else answer.text


def test_what_an_ingest_adds_is_there_at_once_and_whole(folder: Path) -> None:
    (folder / "weight.md").write_text("# Weight\n\nThe K80-250 weighs 142 kg.\n")
    seen: list[tuple[str, str]] = []
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        before = conflict_lines(knowledge, TORQUE), conflict_lines(knowledge, WEIGHT)
        build(folder, folder.parent / "kb", progress=lambda event: seen.append(_both(knowledge, event)))
        after = conflict_lines(knowledge, TORQUE), conflict_lines(knowledge, WEIGHT)
    assert "68 Nm" in before[0]
    assert "142 kg" not in before[1]
    assert set(seen) == {before}
    assert "68 Nm" in after[0]
    assert "142 kg" in after[1]


def test_what_an_ingest_replaces_is_never_missing(folder: Path) -> None:
    (folder / "bolts.md").write_text("# K80-250\n\nThe casing bolts of the K80-250 need a torque of 75 Nm.\n")
    seen: list[str] = []
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in conflict_lines(knowledge, TORQUE)
        build(folder, folder.parent / "kb", progress=lambda event: seen.append(conflict_lines(knowledge, TORQUE)))
        assert "75 Nm" in conflict_lines(knowledge, TORQUE)
    assert {("68 Nm" in text, "75 Nm" in text) for text in seen} == {(True, False), (False, True)}


def test_what_an_ingest_removes_is_cited_no_more(folder: Path) -> None:
    (folder / "bolts.md").unlink()
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in conflict_lines(knowledge, TORQUE)
        build(folder, folder.parent / "kb")
        assert "68 Nm" not in conflict_lines(knowledge, TORQUE)


def _both(knowledge: KnowledgeBase, event: Event) -> tuple[str, str]:
    return conflict_lines(knowledge, TORQUE), conflict_lines(knowledge, WEIGHT)


def test_what_was_read_before_an_ingest_leaves_memory(folder: Path) -> None:
    others = {id(index) for index in _indexes()}
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in conflict_lines(knowledge, TORQUE)
        read = [ref(index) for index in _indexes() if id(index) not in others]
        (folder / "weight.md").write_text("# Weight\n\nThe K80-250 weighs 142 kg.\n")
        build(folder, folder.parent / "kb")
        assert "142 kg" in conflict_lines(knowledge, WEIGHT)
        gc.collect()
        assert [index() for index in read] == [None]


def _indexes() -> list[Index]:
    return [one for one in gc.get_objects() if type(one) is Index]
