"""Tests of the self-recall gate over a knowledge base, and of the work that workers share when many are new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.work.job import JobResult
from pipelines.ingest import document_rows, gate
from pipelines.ingest.dispatch import Dispatcher
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, FileArtifacts
from pipelines.store.graph import SubgraphRows
from tests.ingest.knowledge import FEW, entries_of, exported

DOCUMENTS = 12


def sheet(number: int) -> str:
    pumps = (f"Pump P-{number}{row} in hall {row} has a flow of {number + row} m3 in an hour." for row in range(8))
    return f"# Data sheet {number}\n\n" + "\n\n".join(pumps) + "\n"


def folder_of(place: Path, text: Callable[[int], str]) -> Path:
    place.mkdir()
    for number in range(DOCUMENTS):
        (place / f"{number}.md").write_text(text(number))
    return place


def test_an_edit_of_one_document_reads_the_vectors_of_each_document_about_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "folder", sheet)
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


def similar_sheet(number: int) -> str:
    """A sheet with a sentence that is the whole text of most other sheets, which match it better."""
    pump = "The pump of the hall has a flow of 40 m3 in an hour."
    if number < DOCUMENTS - 3:
        return f"{pump}\n"
    others = (
        "The roof leaked in May. Nobody was hurt. Wooden stairs lead to the cellar, where apples and wine are kept."
    )
    garden = f"The gardener {number} planted roses, lilies and an oak near the gate of the park, and left."
    return f"# Visit {number}\n\n{others} {pump}\n\n{garden}\n"


def lose_last_job(self: Dispatcher, function: object, calls: Sequence[object]) -> list[Future[JobResult]]:
    """Submit all jobs to the workers but the last, which ends as if its process was killed."""
    ended = Future[JobResult]()
    ended.set_result(JobResult(reason="the process ended with signal SIGKILL"))
    return [*SUBMIT_ALL(self, function, calls[:-1]), ended]  # type: ignore[arg-type]


SUBMIT_ALL = Dispatcher.submit_all


def ranks_of(kb: Path) -> list[bytes | None]:
    artifacts = FileArtifacts(kb / "artifacts")
    return [artifacts.get("recall", key) for key in artifacts.keys("recall")]


@pytest.mark.parametrize("is_lost", [False, True])
def test_several_workers_find_the_same_as_one_process(
    is_lost: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, here, shared = folder_of(tmp_path / "folder", similar_sheet), tmp_path / "here", tmp_path / "shared"
    settings = Settings(ingest=FEW.model_copy(update={"workers": 2}))
    for text in (similar_sheet(3), similar_sheet(DOCUMENTS - 1)):  # all documents are new, then one
        (folder / "3.md").write_text(text)
        build(folder, here, settings)
        with monkeypatch.context() as patched:
            patched.setattr(gate, "SHARED_FROM", 1)
            if is_lost:
                patched.setattr(Dispatcher, "submit_all", lose_last_job)
            build(folder, shared, settings)
        assert sum(entry.counts["quarantined"] for entry in entries_of(here).values()) > 0
        assert exported(shared) == exported(here)
        assert entries_of(shared) == entries_of(here)
        assert ranks_of(shared) == ranks_of(here)


@pytest.mark.parametrize("is_lost", [False, True])
def test_the_graph_is_the_same_if_workers_prepare_it(
    is_lost: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, here, shared = folder_of(tmp_path / "folder", sheet), tmp_path / "here", tmp_path / "shared"
    build(folder, here)
    monkeypatch.setattr(document_rows, "SHARED_FROM", 1)
    monkeypatch.setattr(document_rows, "DOCUMENTS_AT_ONCE", 5)
    computed_here: list[str] = []
    compute = document_rows.document_rows

    def noted(artifacts: ArtifactStore, document: document_rows.RowsInput) -> SubgraphRows:
        computed_here.append(document.entry.uri)
        return compute(artifacts, document)

    monkeypatch.setattr(document_rows, "document_rows", noted)
    if is_lost:
        monkeypatch.setattr(Dispatcher, "submit_all", lose_last_job)
    build(folder, shared)
    assert len(computed_here) == (DOCUMENTS % 5 if is_lost else 0)
    assert exported(shared) == exported(here)
    assert entries_of(shared) == entries_of(here)
