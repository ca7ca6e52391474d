"""Tests that an error of one document in linking or loading fails that document only."""

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
from pipelines.graph import corpus_links, document_index, link
from pipelines.ingest import corpus, document_rows, gate
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
    """A folder with the bad document, and a knowledge base built from it without errors; must not be changed."""
    place = tmp_path_factory.mktemp("whole")
    (write_folder(place / "folder") / BAD).write_text(BAD_TEXT)
    build(place / "folder", place / "kb")
    return place


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole / "folder", tmp_path / "folder"))


@pytest.fixture
def kb(whole: Path, tmp_path: Path) -> Path:
    """A folder with the artifacts of the documents, but without recall data, links, graph or vectors."""
    artifacts = shutil.copytree(whole / "kb" / "artifacts", tmp_path / "kb" / "artifacts")
    shutil.rmtree(artifacts / "recall")
    shutil.rmtree(artifacts / "links")
    return tmp_path / "kb"


def is_bad(*values: object) -> bool:
    return any("XQ-77" in repr(value) or BAD in repr(value) for value in values)


def raising(function: Callable[..., object], error: Exception) -> Callable[..., object]:
    """The function, raising `error` if it is called for the bad document."""

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
    "mentions": (corpus_links, "find_mentions"),
    "references": (corpus_links, "document_links"),
    "build_graph": (document_rows, "build_graph"),
    "distillate": (document_rows, "read_distillate"),
    "vectors": (LanceVectorStore, "write"),
    "graph": (SqliteGraph, "write_rows"),
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
def test_a_document_that_raises_in_a_stage_fails_alone(
    place: str, folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES[place])
        report = build(folder, kb)
    assert_only_bad_failed(report, kb)
    assert_same(kb, made / "kb")
    assert fsck(kb).clean


def test_a_document_that_starts_to_fail_loses_its_previous_content(
    folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(folder, kb)
    (folder / BAD).write_text(BAD_TEXT + "\nIt was repaired.\n")
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["references"])
        assert_only_bad_failed(build(folder, kb), kb)
    assert_same(kb, made / "kb")


def test_the_next_run_reports_the_failure_again_without_linking(
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


def test_a_failed_document_is_retried_after_it_changes(
    folder: Path, kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["build_graph"])
        build(folder, kb)
    (folder / BAD).write_text(BAD_TEXT.replace("5 t", "6 t"))
    assert build(folder, kb).exit_code == 0
    build(folder, tmp_path / "fresh")
    assert_same(kb, tmp_path / "fresh")


def test_a_transient_error_is_retried_by_the_next_run(
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
def test_an_error_of_the_machine_fails_the_run_and_not_a_document(
    error: Exception, folder: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("references", "graph"):
        with monkeypatch.context() as patched:
            poison(patched, *PLACES[place], error)
            with pytest.raises(type(error)):
                build(folder, kb)
    assert build(folder, kb).documents == {"indexed": 4}


def test_the_document_that_breaks_a_step_over_all_documents_is_identified(
    folder: Path, kb: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poison(monkeypatch, link, "resolve")
    report = build(folder, kb)
    assert_only_bad_failed(report, kb)
    assert_same(kb, made / "kb")


def test_documents_are_loaded_without_links_if_no_single_document_is_responsible(
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


def test_a_damaged_artifact_fails_its_document_until_the_next_run_rebuilds_it(
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


def test_documents_can_be_forgotten_while_another_has_failed(
    folder: Path, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        poison(patched, *PLACES["references"])
        build(folder, kb)
    forget("DS-2041.md", kb)
    forget(BAD, kb)
    assert sorted(entries_of(kb)) == ["manual.md", "reports/IR-3.txt"]
    assert fsck(kb).clean
