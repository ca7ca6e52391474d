"""Tests of scanning a folder: which files are taken, and the reasons for skipping the others."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import FolderNotFound, LeadsOut
from pipelines.core.outcome import Status
from pipelines.ingest.scan import digest_file, scan
from pipelines.sections import IngestSettings
from tests.ingest.knowledge import write_folder


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def left_out(folder: Path, **settings: object) -> dict[str, str]:
    return {found.uri: found.reason for found in scan(folder, IngestSettings.model_validate(settings))}


def test_files_are_sorted_and_have_their_size(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a/c d.txt", "a/过热.md")
    found = scan(tmp_path, IngestSettings())
    assert [file.uri for file in found] == ["a/c d.txt", "a/过热.md", "b.txt"]
    assert found[2].size == len("b.txt")
    assert found[2].modified_ns > 0


def test_hidden_files_are_skipped_with_a_reason(tmp_path: Path) -> None:
    write(tmp_path, ".secret", ".git/config", "a.txt")
    assert left_out(tmp_path) == {".git": "hidden folder", ".secret": "hidden file", "a.txt": ""}
    assert left_out(tmp_path, hidden=True) == {".git/config": "", ".secret": "", "a.txt": ""}


def test_patterns_include_and_exclude_files(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "old/b.txt", "c.pdf")
    reasons = left_out(tmp_path, include=["**/*.txt"], exclude=["old/*"])
    assert reasons == {"a.txt": "", "c.pdf": "not included", "old/b.txt": "excluded by 'old/*'"}


def test_metadata_files_of_desktops_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "Thumbs.db", "a/desktop.ini", "a/.DS_Store", "__MACOSX/a.txt", "a/thumbs.txt")
    skipped = "metadata file of macOS or Windows"
    assert left_out(tmp_path, hidden=True) == {
        "Thumbs.db": skipped,
        "__MACOSX/a.txt": skipped,
        "a/.DS_Store": skipped,
        "a/desktop.ini": skipped,
        "a/thumbs.txt": "",
    }


def test_an_office_lock_file_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, "~$report.docx")
    assert left_out(tmp_path) == {"~$report.docx": "lock file of an open document"}


def test_special_files_and_broken_links_are_skipped_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would block forever
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    found = {file.uri: (file.status, file.reason) for file in scan(tmp_path, IngestSettings(follow_links=True))}
    assert found == {
        "gone": (Status.FAILED, "a link that leads nowhere: No such file or directory"),
        "loop": (Status.FAILED, "a link that leads nowhere: Too many levels of symbolic links"),
        "pipe": (Status.SKIPPED, "not a regular file but a pipe"),
        "socket": (Status.SKIPPED, "not a regular file but a socket"),
        "zero": (Status.SKIPPED, "not a regular file but a device"),
    }


def test_a_file_over_the_limit_is_reported_and_not_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse.bin").open("wb") as file:
        file.truncate(1 << 40)
    (found,) = scan(tmp_path, IngestSettings(max_file_mb=5))
    assert (found.status, found.reason) == (Status.TOO_LARGE, "larger than 5 MiB (ingest.max_file_mb)")


def test_links_are_followed_only_within_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "secret.txt", "docs/a.txt", "documents-of-others/b.txt")
    for name, target in {"in": "a.txt", "out": "../secret.txt", "near": "../documents-of-others/b.txt"}.items():
        (tmp_path / "docs" / name).symlink_to(target)
    (tmp_path / "docs" / "folder").symlink_to(tmp_path)
    outside = "a link that leads out of the folder"
    assert left_out(tmp_path / "docs") == {"a.txt": "", "in": "", "out": outside, "near": outside, "folder": outside}
    followed = left_out(tmp_path / "docs", follow_links=True)
    assert followed == {"a.txt": "", "in": "", "out": "", "near": "", "folder": "a link to a folder"}


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path, "real/a.txt")
    (tmp_path / "real" / "b.txt").symlink_to(tmp_path / "real" / "a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert left_out(tmp_path / "link") == {"a.txt": "", "b.txt": ""}


def test_a_file_replaced_by_a_link_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "secret.txt", "docs/a.txt", "docs/b/c.txt")
    first, second = scan(tmp_path / "docs", IngestSettings())
    first.path.unlink()
    first.path.symlink_to(tmp_path / "secret.txt")
    (tmp_path / "docs" / "b").rename(tmp_path / "b")
    (tmp_path / "docs" / "b").symlink_to(tmp_path / "b")
    for found in (first, second):
        with pytest.raises(LeadsOut, match="leads out of the folder"):
            digest_file(found.path, found.within)


def test_a_file_replaced_by_a_pipe_does_not_block(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    (found,) = scan(tmp_path, IngestSettings())
    found.path.unlink()
    os.mkfifo(found.path)
    with pytest.raises(OSError, match="no longer a regular file"):
        digest_file(found.path, found.within)


def test_files_with_any_name_are_found(tmp_path: Path) -> None:
    names = [b"caf\xe9.txt", b"a\nb.txt", b"[red]x.txt", b"\x1b[2J.txt", "é.txt".encode(), "e\u0301.txt".encode()]
    names += [b"x" * 255, b"a.zip!/b.txt", b"%E9.txt"]
    for name in names:
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(name)
    found = scan(tmp_path, IngestSettings())
    assert sorted(file.path.read_bytes() for file in found) == sorted(names)
    assert len({file.uri for file in found}) == len(names)
    assert "a.zip%21/b.txt" in {file.uri for file in found}


def test_folders_nested_beyond_the_path_limit_are_reported(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2100):  # longer than a path may be, and deeper than recursion allows
        os.mkdir("d", dir_fd=here)
        os.close(os.open("a-rather-long-name.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    found = scan(tmp_path, IngestSettings())
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)
    assert {(file.status, file.reason) for file in found} == {
        (None, ""),
        (Status.FAILED, "cannot be read: File name too long"),
    }


def test_a_knowledge_base_in_the_folder_is_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "kb/strata.db", "kb/trace.jsonl", "kb/vectors/x.lance")
    assert left_out(tmp_path) == {"a.txt": "", "kb": "a knowledge base"}


def test_a_cycle_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a/b.txt")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    assert [file.uri for file in scan(tmp_path, IngestSettings()) if not file.reason] == ["a/b.txt"]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFound, match="nowhere"):
        scan(tmp_path / "nowhere", IngestSettings())


def test_the_digest_is_the_sha256_of_the_bytes(tmp_path: Path) -> None:
    write(tmp_path, "a")
    assert digest_file(tmp_path / "a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


def test_a_link_that_leads_nowhere_is_one_failure_like_that_of_any_file(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    (folder / "gone.md").symlink_to("nowhere.md")
    for _ in range(2):
        report = build(folder, tmp_path / "kb")
        assert [(one.subject, one.status) for one in report.failures] == [("gone.md", Status.FAILED)]
        assert (report.documents, report.exit_code) == ({"failed": 1, "indexed": 3}, 8)
    (folder / "gone.md").unlink()
    assert build(folder, tmp_path / "kb").exit_code == 0
