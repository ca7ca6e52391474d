"""The self-recall gate over a knowledge base: what an increment reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pipelines import build
from pipelines.store.artifact import FileArtifacts

DOCUMENTS = 12


def sheet(number: int) -> str:
    pumps = (f"Pump P-{number}{row} in hall {row} has a flow of {number + row} m3 in an hour." for row in range(8))
    return f"# Data sheet {number}\n\n" + "\n\n".join(pumps) + "\n"


def test_an_edit_of_one_document_reads_the_vectors_of_each_about_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.md").write_text(sheet(number))
    build(folder, tmp_path / "kb")
    (folder / "3.md").write_text(sheet(3).replace("hall 3", "hall 9"))
    reads: Counter[str] = Counter()
    read = FileArtifacts.get

    def counted(self: FileArtifacts, stage: str, key: str) -> bytes | None:
        reads[stage] += 1
        return read(self, stage, key)

    monkeypatch.setattr(FileArtifacts, "get", counted)
    build(folder, tmp_path / "kb")
    assert DOCUMENTS <= reads["embed"] <= DOCUMENTS + 2
