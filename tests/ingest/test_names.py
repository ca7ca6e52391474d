"""Tests of ingesting files with unusual names, symbolic links, and knowledge bases in unusual places."""

import os
import zipfile
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import SettingsError, SourceError
from pipelines.core.ids import path_of
from pipelines.core.outcome import Status
from pipelines.ingest.report import Event, Phase, Stage
from pipelines.sections import IngestSettings
from pipelines.settings import Settings
from tests.ingest.knowledge import entries_of

NAMES = [b"caf\xe9.txt", b"caf%E9.md", b"a.zip!/b.txt", b"line\nbreak.txt", b"\x1b[2J.txt", b"\xff\xfe.pdf",
         "e\u0301.txt".encode(), "\u00e9.txt".encode(), b"[/x].html",
         b"x" * 251 + b".txt", b"a/" * 100 + b"deep.txt"]  # fmt: skip


def write(folder: Path, name: bytes, text: str) -> Path:
    path = folder / os.fsdecode(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_files_with_any_names_are_ingested(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES):
        write(tmp_path / "folder", name, f"The pump number {number} needs oil.")
    report = build(tmp_path / "folder", tmp_path / "kb")
    assert report.documents == {"indexed": len(NAMES)}
    assert {os.fsencode(path_of(uri)) for uri in entries_of(tmp_path / "kb")} == set(NAMES)
    again = build(tmp_path / "folder", tmp_path / "kb")
    assert (again.changes["unchanged"], again.changes["done"]) == (len(NAMES), 0)


def test_an_archive_member_and_a_file_with_the_same_path_are_two_documents(tmp_path: Path) -> None:
    write(tmp_path / "folder", b"c.zip!/b.txt", "The file needs oil.")
    with zipfile.ZipFile(tmp_path / "folder" / "c.zip", "w") as archive:
        archive.writestr("b.txt", "The part needs grease.")
    build(tmp_path / "folder", tmp_path / "kb")
    entries = entries_of(tmp_path / "kb")
    assert {uri: entry.parent for uri, entry in entries.items()} == {
        "c.zip": "", "c.zip!/b.txt": "c.zip", "c.zip%21/b.txt": ""
    }  # fmt: skip
    assert entries["c.zip!/b.txt"].digest != entries["c.zip%21/b.txt"].digest


def test_links_out_of_the_folder_are_skipped_unless_links_are_followed(tmp_path: Path) -> None:
    secret = write(tmp_path, b"secret.txt", "The password is swordfish.")
    write(tmp_path / "folder", b"a.txt", "The pump needs oil.")
    (tmp_path / "folder" / "out.txt").symlink_to(secret)
    (tmp_path / "folder" / "elsewhere").symlink_to(tmp_path)
    report = build(tmp_path / "folder", tmp_path / "kb")
    assert report.exit_code == 0
    entries = entries_of(tmp_path / "kb")
    assert entries["a.txt"].status is Status.INDEXED
    for uri in ("out.txt", "elsewhere"):
        told = (entries[uri].status, entries[uri].reason, entries[uri].digest)
        assert told == (Status.SKIPPED, "a link that leads out of the folder", "")
    taken = Settings(ingest=IngestSettings(follow_links=True))
    assert build(tmp_path / "folder", tmp_path / "kb", taken).documents["indexed"] == 2


def test_a_file_replaced_by_a_link_after_the_scan_is_not_parsed(tmp_path: Path) -> None:
    secret = write(tmp_path, b"secret.txt", "The password is swordfish.")
    for name in (b"a.txt", b"b.txt", b"c.txt"):
        write(tmp_path / "folder", name, f"The pump {name.decode()} needs oil.")

    def swap(event: Event) -> None:
        if event.stage is Stage.SCAN and event.phase is Phase.DONE:
            (tmp_path / "folder" / "a.txt").unlink()
            (tmp_path / "folder" / "a.txt").symlink_to(secret)
            (tmp_path / "folder" / "c.txt").unlink()

    build(tmp_path / "folder", tmp_path / "kb", progress=swap)
    assert {uri: (entry.status, entry.reason) for uri, entry in entries_of(tmp_path / "kb").items()} == {
        "a.txt": (Status.SKIPPED, "a link that leads out of the folder"),
        "b.txt": (Status.INDEXED, ""),
        "c.txt": (Status.FAILED, "cannot be read: No such file or directory"),
    }


def test_a_file_over_the_size_limit_is_reported_and_does_not_affect_others(tmp_path: Path) -> None:
    write(tmp_path / "folder", b"a.txt", "The pump needs oil.")
    with (tmp_path / "folder" / "sparse.bin").open("wb") as file:
        file.truncate(1 << 40)
    report = build(tmp_path / "folder", tmp_path / "kb")
    assert (report.documents, report.exit_code) == ({"indexed": 1, "too_large": 1}, 8)
    assert report.failures[0].reason == "larger than 1024 MiB (ingest.max_file_mb)"


def test_a_knowledge_base_inside_the_folder_is_not_ingested(tmp_path: Path) -> None:
    write(tmp_path, b"a.txt", "The pump needs oil.")
    for _ in range(2):
        assert build(tmp_path, tmp_path / "[k] é%20#?!").documents == {"indexed": 1, "skipped": 1}
    build(tmp_path, tmp_path / "other")
    assert entries_of(tmp_path / "other").keys() == {"a.txt", "[k] é%20#?!", "other"}


def test_a_knowledge_base_path_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "folder", b"a.txt", "The pump needs oil.")
    with pytest.raises(SettingsError, match="is not a UTF-8 path"):
        build(tmp_path / "folder", tmp_path / os.fsdecode(b"k\xe9"))
    assert not (tmp_path / os.fsdecode(b"k\xe9")).exists()


def test_a_folder_inside_its_knowledge_base_is_accepted_but_not_the_knowledge_base_itself(tmp_path: Path) -> None:
    write(tmp_path / "kb" / "documents", b"a.txt", "The pump needs oil.")
    assert build(tmp_path / "kb" / "documents", tmp_path / "kb").documents == {"indexed": 1}
    for folder in (tmp_path / "kb", tmp_path / "kb" / "artifacts"):
        with pytest.raises(SourceError, match="is the knowledge base itself"):
            build(folder, tmp_path / "kb")


def test_a_second_folder_replaces_the_first_unless_missing_documents_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "one", b"a.txt", "The pump needs oil.")
    write(tmp_path / "two", b"b.txt", "The valve needs grease.")
    build(tmp_path / "one", tmp_path / "kb")
    keeping = Settings(ingest=IngestSettings(keep_missing=True))
    assert build(tmp_path / "two", tmp_path / "kb", keeping).documents == {"indexed": 2}
    assert build(tmp_path / "two", tmp_path / "kb").changes["removed"] == 1
