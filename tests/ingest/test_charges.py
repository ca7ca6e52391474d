"""Whatever one document makes linking or loading raise costs that document, and nothing else."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import StoreError, StoreUnavailable
from pipelines.core.graph import EdgeKind
from pipelines.core.outcome import Status
from pipelines.graph import document_index, link
from pipelines.ingest import corpus, gate, load
from pipelines.ingest.erase import forget
from pipelines.ingest.fsck import fsck
from pipelines.ingest.report import Report
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.facts import state
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.sqlite_graph import SqliteGraph
from tests.ingest.knowledge import assert_same, entries_of, graph_of, write_folder

BAD = "bad.md"
BAD_TEXT = "# XQ-77 Poisoned Crane Handbook\n\nThe crane XQ-77 lifts 5 t. See DS-2041 and manual.md.\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bad document, and a knowledge base that was made of it in peace, not to be changed."""
    place = tmp_path_factory.mktemp("whole")
    (write_folder(place / "folder") / BAD).write_text(BAD_TEXT)
    build(place / "folder", place / "kb")
    return place


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole / "folder", tmp_path / "folder"))


@pytest.fixture
def kb(whole: Path, tmp_path: Path) -> Path:
    """Where a knowledge base is to be: with the artifacts of its documents, and nothing ranked, linked or loaded."""
    artifacts = shutil.copytree(whole / "kb" / "artifacts", tmp_path / "kb" / "artifacts")
    shutil.rmtree(artifacts / "recall")
    return tmp_path / "kb"


def is_bad(*values: object) -> bool:
    return any("XQ-77" in repr(value) or BAD in repr(value) for value in values)


def raising(function: Callable[..., object], error: Exception) -> Callable[..., object]:
    """The function, raising where it is called for the bad document."""

    def called(*arguments: object) -> object:
        if is_bad(*arguments):
            raise error
        return function(*arguments)

    return called


def poison(monkeypatch: pytest.MonkeyPatch, place: object, name: str, error: Exception | None = None) -> None:
    monkeypatch.setattr(place, name, raising(getattr(place, name), error or ValueError("poison \ud800 \0")))


PLACES = {
    "gate": (gate, "read_artifact"),
    "card": (corpus, "read_value"),
    "names": (document_index, "fold_name"),
    "mentions": (link, "find_mentions"),
    "references": (link, "document_links"),
    "build_graph": (load, "build_graph"),
    "distillate": (load, "read_distillate"),
    "vectors": (LanceVectorStore, "write"),
    "graph": (SqliteGraph, "write"),
}


def assert_only_bad_failed(report: Report, kb: Path) -> None:
    assert [(failure.subject, failure.status) for failure in report.failures] == [(BAD, Status.FAILED)]
    assert report.failures[0].stage
    assert "ValueError: poison" in report.failures[0].reason
    assert report.documents == {"failed": 1, "indexed": 3}
    assert report.exit_code == 8
    entry = entries_of(kb)[BAD]
    assert (entry.status, entry.reason, entry.stage) == (
        Status.FAILED,
        report.failures[0].reason,
        report.failures[0].stage,
    )


@pytest.mark.parametrize("place", PLACES)
def test_a_document_that_makes_a_stage_raise_is_lost_alone(
    place: str, folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES[place])
        report = build(folder, kb)
    assert_only_bad_failed(report, kb)
    assert_same(kb, made / "kb")
    assert fsck(kb).clean


def test_a_document_that_turns_bad_loses_what_it_had(
    folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(folder, kb)
    (folder / BAD).write_text(BAD_TEXT + "\nIt was repaired.\n")
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["references"])
        assert_only_bad_failed(build(folder, kb), kb)
    assert_same(kb, made / "kb")


def test_a_document_that_failed_is_told_of_by_the_next_run_which_links_nothing_anew(
    folder: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison(monkeypatch, *PLACES["references"])
    first = build(folder, kb)
    before = graph_of(kb)
    monkeypatch.setattr("pipelines.ingest.corpus_work.link_corpus", None)
    again = build(folder, kb)
    assert again.failures == first.failures
    assert again.stages["load"].failed == 1
    assert graph_of(kb) == before
    assert entries_of(kb)[BAD].status is Status.FAILED


def test_a_document_that_failed_is_tried_again_once_anything_changes(
    folder: Path, kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["build_graph"])
        build(folder, kb)
    (folder / BAD).write_text(BAD_TEXT.replace("5 t", "6 t"))
    assert build(folder, kb).exit_code == 0
    build(folder, tmp_path / "fresh")
    assert_same(kb, tmp_path / "fresh")


def test_a_fault_that_may_pass_is_tried_again_by_the_next_run(
    folder: Path, kb: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["distillate"], OSError(errno.EIO, "a bad sector"))
        assert [failure.subject for failure in build(folder, kb).failures] == [BAD]
    assert build(folder, kb).documents == {"indexed": 4}
    assert_same(kb, whole / "kb")


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "no space left"), MemoryError(), StoreUnavailable("away"), StoreError("disk full")]
)
def test_a_fault_of_the_machine_is_charged_to_no_document(
    error: Exception, folder: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("references", "graph"):
        with monkeypatch.context() as patched:
            poison(patched, *PLACES[place], error)
            with pytest.raises(type(error)):
                build(folder, kb)
    assert build(folder, kb).documents == {"indexed": 4}


def test_the_culprit_of_a_step_over_all_documents_is_found(
    folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison(monkeypatch, link, "resolve")
    report = build(folder, kb)
    assert_only_bad_failed(report, kb)
    assert_same(kb, made / "kb")


def test_where_nobody_is_to_blame_the_documents_are_loaded_without_links(
    folder: Path, kb: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def several(known: list[object], *_: object) -> tuple[()]:
        if len({document for one in known for document in one.documents}) > 2:  # type: ignore[attr-defined]
            raise ValueError("too many")
        return ()

    with monkeypatch.context() as patched:
        patched.setattr(link, "resolve", several)
        report = build(folder, kb)
    assert report.documents == {"indexed": 4}
    assert [(failure.stage, failure.reason) for failure in report.failures] == [("link", "link: ValueError: too many")]
    assert report.exit_code == 8
    assert not [edge for edge in graph_of(kb)[1] if edge.kind is EdgeKind.REFERENCES]
    with open_stores(kb, Settings()) as stores:
        assert state(stores.catalog).links_behind
    assert build(folder, kb).exit_code == 0
    assert_same(kb, whole / "kb")


def test_a_damaged_artifact_costs_its_document_until_the_next_run_makes_it_anew(
    folder: Path, kb: Path, tmp_path: Path
) -> None:
    build(folder, kb)
    with open_stores(kb, Settings()) as stores:
        key = entries_of(kb)[BAD].artifacts["card"]
        stores.artifacts.remove("card", key)
        stores.artifacts.put("card", key, b'{"document": 1')
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")
    report = build(folder, kb)
    assert [failure.subject for failure in report.failures] == [BAD]
    assert "the card artifact of bad.md is damaged" in report.failures[0].reason
    assert report.documents == {"failed": 1, "indexed": 4}
    assert build(folder, kb).documents == {"indexed": 5}
    build(folder, tmp_path / "fresh")
    assert_same(kb, tmp_path / "fresh")


def test_others_can_be_forgotten_beside_a_document_that_failed(
    folder: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["references"])
        build(folder, kb)
    forget("DS-2041.md", kb)
    forget(BAD, kb)
    assert sorted(entries_of(kb)) == ["manual.md", "reports/IR-3.txt"]
    assert fsck(kb).clean
