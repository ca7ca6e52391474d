"""Which files of a folder are taken, and what is said of the others."""

import os
from pathlib import Path

import pytest

from pipelines.core.errors import FolderNotFound
from pipelines.ingest.scan import digest_file, scan
from pipelines.ingest.settings import IngestSettings


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def left_out(folder: Path, **settings: object) -> dict[str, str]:
    return {found.uri: found.left_out for found in scan(folder, IngestSettings.model_validate(settings))}


def test_files_come_in_order_with_their_size(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a/c d.txt", "a/过热.md")
    found = scan(tmp_path, IngestSettings())
    assert [file.uri for file in found] == ["a/c d.txt", "a/过热.md", "b.txt"]
    assert found[2].size == len("b.txt")
    assert found[2].modified_ns > 0


def test_hidden_files_are_named_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, ".secret", ".git/config", "a.txt")
    assert left_out(tmp_path) == {".git": "hidden folder", ".secret": "hidden file", "a.txt": ""}
    assert left_out(tmp_path, hidden=True) == {".git/config": "", ".secret": "", "a.txt": ""}


def test_patterns_include_and_exclude(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "old/b.txt", "c.pdf")
    reasons = left_out(tmp_path, include=["**/*.txt"], exclude=["old/*"])
    assert reasons == {"a.txt": "", "c.pdf": "not included", "old/b.txt": "excluded by 'old/*'"}


def test_an_office_lock_file_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "~$report.docx")
    assert left_out(tmp_path) == {"~$report.docx": "lock file of an open document"}


def test_a_pipe_and_a_dangling_link_end_with_a_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    found = {file.uri: file for file in scan(tmp_path, IngestSettings())}
    assert found["pipe"].left_out == "not a regular file"
    assert "No such file" in found["link"].error


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a/b.txt")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    assert [file.uri for file in scan(tmp_path, IngestSettings()) if not file.left_out] == ["a/b.txt"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFound, match="nowhere"):
        scan(tmp_path / "nowhere", IngestSettings())


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    write(tmp_path, "a")
    assert digest_file(tmp_path / "a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
