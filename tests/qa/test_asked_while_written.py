"""Tests of asking during an ingest: the previous state is answered from until the new one is complete."""

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


def answer_text(knowledge: KnowledgeBase, question: str) -> str:
    answer = knowledge.ask(question)
    return "" if answer.abstained else answer.text


def test_added_documents_appear_all_at_once_at_the_end_of_an_ingest(folder: Path) -> None:
    (folder / "weight.md").write_text("# Weight\n\nThe K80-250 weighs 142 kg.\n")
    seen: list[tuple[str, str]] = []
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        before = answer_text(knowledge, TORQUE), answer_text(knowledge, WEIGHT)
        build(folder, folder.parent / "kb", progress=lambda event: seen.append(_both_answers(knowledge, event)))
        after = answer_text(knowledge, TORQUE), answer_text(knowledge, WEIGHT)
    assert "68 Nm" in before[0]
    assert "142 kg" not in before[1]
    assert set(seen) == {before}
    assert "68 Nm" in after[0]
    assert "142 kg" in after[1]


def test_a_replaced_document_is_never_missing_during_an_ingest(folder: Path) -> None:
    (folder / "bolts.md").write_text("# K80-250\n\nThe casing bolts of the K80-250 need a torque of 75 Nm.\n")
    seen: list[str] = []
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in answer_text(knowledge, TORQUE)
        build(folder, folder.parent / "kb", progress=lambda event: seen.append(answer_text(knowledge, TORQUE)))
        assert "75 Nm" in answer_text(knowledge, TORQUE)
    assert {("68 Nm" in text, "75 Nm" in text) for text in seen} == {(True, False), (False, True)}


def test_a_removed_document_is_not_cited_after_an_ingest(folder: Path) -> None:
    (folder / "bolts.md").unlink()
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in answer_text(knowledge, TORQUE)
        build(folder, folder.parent / "kb")
        assert "68 Nm" not in answer_text(knowledge, TORQUE)


def _both_answers(knowledge: KnowledgeBase, event: Event) -> tuple[str, str]:
    return answer_text(knowledge, TORQUE), answer_text(knowledge, WEIGHT)


def test_the_index_read_before_an_ingest_is_garbage_collected_after_it(folder: Path) -> None:
    others = {id(index) for index in _indexes()}
    with KnowledgeBase.open(folder.parent / "kb") as knowledge:
        assert "68 Nm" in answer_text(knowledge, TORQUE)
        read = [ref(index) for index in _indexes() if id(index) not in others]
        (folder / "weight.md").write_text("# Weight\n\nThe K80-250 weighs 142 kg.\n")
        build(folder, folder.parent / "kb")
        assert "142 kg" in answer_text(knowledge, WEIGHT)
        gc.collect()
        assert [index() for index in read] == [None]


def _indexes() -> list[Index]:
    return [one for one in gc.get_objects() if type(one) is Index]
