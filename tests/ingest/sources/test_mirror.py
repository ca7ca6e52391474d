"""Tests of the local copies of a source: fetching, keeping and removing files, unsafe names, interrupted runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.errors import SourceError, SourceUnreachable
from pipelines.core.ids import path_of
from pipelines.core.outcome import Status
from pipelines.ingest.report import silent
from pipelines.ingest.scan import scan
from pipelines.ingest.sources.mirror import Origin, forget_copies, update_copies
from pipelines.ingest.sources.source import LONGEST, Listed, paths_of
from pipelines.sections import IngestSettings


class MemorySource:
    """A source in memory that records what is read."""

    at_once = 2

    def __init__(self, **texts: str) -> None:
        self.texts = dict(texts)
        self.broken: dict[str, Exception] = {}
        self.cut: Exception | None = None
        self.read_names: list[str] = []

    def list(self) -> Iterable[Listed]:
        for name, text in self.texts.items():
            yield Listed(name, text[:20], len(text))
        if self.cut:
            raise self.cut

    def read(self, name: str, into: BinaryIO, known: str = "") -> str:
        self.read_names.append(name)
        if name in self.broken:
            into.write(b"half of it")
            raise self.broken[name]
        into.write(self.texts[name].encode())
        return self.texts[name][:20]

    def close(self) -> None:
        """There is nothing to close."""


def update(source: MemorySource, root: Path, **settings: object) -> Origin:
    return update_copies(source, "made://place", root, IngestSettings.model_validate(settings), silent)


def copies(root: Path) -> dict[str, str]:
    files = root / "files"
    return {path.relative_to(files).as_posix(): path.read_text() for path in files.rglob("*") if path.is_file()}


def test_only_new_documents_and_versions_are_fetched(tmp_path: Path) -> None:
    source = MemorySource(**{"a.md": "one", "b/c.md": "two"})
    update(source, tmp_path)
    source.texts |= {"a.md": "one more", "d.md": "three"}
    source.read_names.clear()
    update(source, tmp_path)
    assert sorted(source.read_names) == ["a.md", "d.md"]
    del source.texts["b/c.md"]
    update(source, tmp_path)
    assert copies(tmp_path) == {"a.md": "one more", "d.md": "three"}
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == ["a.md", "d.md"]


def test_a_listing_that_fails_or_is_empty_changes_nothing(tmp_path: Path) -> None:
    source = MemorySource(**{"a.md": "one", "b.md": "two"})
    update(source, tmp_path)
    source.texts, source.cut = {"a.md": "one"}, SourceUnreachable("it broke off")
    with pytest.raises(SourceUnreachable):
        update(source, tmp_path)
    source.texts, source.cut = {}, None
    with pytest.raises(SourceError, match="no documents in made://place"):
        update(source, tmp_path)
    assert copies(tmp_path) == {"a.md": "one", "b.md": "two"}


def test_an_unreadable_document_keeps_its_last_copy_and_affects_no_other(tmp_path: Path) -> None:
    source = MemorySource(**{"a.md": "one", "b.md": "two"})
    update(source, tmp_path)
    source.texts |= {"a.md": "one more", "b.md": "two more", "c.md": "three", "d.md": "four"}
    source.broken = {
        "a.md": TimeoutError("too slow"), "b.md": FileNotFoundError("b.md"), "c.md": SourceUnreachable("no"),
    }  # fmt: skip
    origin = update(source, tmp_path)
    assert copies(tmp_path) == {"a.md": "one", "d.md": "four"}
    assert {one.subject: one.reason for one in origin.failures} == {
        "a.md": "cannot be fetched: too slow; the former version stays"
    }
    assert {one.uri: (one.status, one.reason) for one in origin.left_out} == {
        "b.md": (Status.FAILED, "it is no longer there"),
        "c.md": (Status.FAILED, "cannot be fetched: no"),
    }
    source.broken = {}
    assert update(source, tmp_path).failures == ()
    assert copies(tmp_path)["a.md"] == "one more"


def test_excluded_documents_are_not_fetched(tmp_path: Path) -> None:
    source = MemorySource(
        **{"a.md": "one", ".git/config": "x", "b/~$c.docx": "x", "big.md": "x" * (1 << 20), "old/d.md": "x"}
    )
    origin = update(source, tmp_path, exclude=["old/*"], max_file_mb=1)
    assert {one.uri: one.reason for one in origin.left_out} == {
        ".git/config": "hidden folder",
        "b/~$c.docx": "lock file of an open document",
        "old/d.md": "excluded by 'old/*'",
    }
    source.texts["big.md"] += "y"
    assert {one.uri: one.reason for one in update(source, tmp_path, max_file_mb=1).left_out}["big.md"] == (
        "larger than 1 MiB (ingest.max_file_mb)"
    )
    assert "big.md" not in copies(tmp_path)


def test_a_document_that_exceeds_the_limit_while_being_fetched_is_not_kept(tmp_path: Path) -> None:
    class Grows(MemorySource):
        def list(self) -> Iterable[Listed]:
            return [Listed("a.md", "1")]

    origin = update(Grows(**{"a.md": "x" * (1 << 20) + "x"}), tmp_path, max_file_mb=1)
    assert [(one.uri, one.status) for one in origin.left_out] == [("a.md", Status.TOO_LARGE)]
    assert copies(tmp_path) == {}


def test_after_a_killed_run_nothing_is_fetched_twice_and_partial_copies_are_fetched_again(tmp_path: Path) -> None:
    source = MemorySource(**{f"{number}.md": f"text {number}" for number in range(20)})
    source.broken = {"7.md": KeyboardInterrupt()}  # type: ignore[dict-item]
    with pytest.raises(KeyboardInterrupt):
        update(source, tmp_path)
    had = set(copies(tmp_path))
    with (tmp_path / "copied.jsonl").open("a") as record:
        record.write('["19.md", "')
    (tmp_path / "files" / "19.md").write_text("written by nobody")
    source.broken, source.read_names = {}, []
    update(source, tmp_path)
    assert copies(tmp_path) == source.texts
    assert "0.md" in had
    assert set(source.read_names) & (had - {"19.md"}) == set()


def test_copies_of_another_source_are_not_reused(tmp_path: Path) -> None:
    update(MemorySource(**{"a.md": "same version here"}), tmp_path)
    other = MemorySource(**{"a.md": "same version here"})
    update_copies(other, "made://other", tmp_path, IngestSettings(), silent)
    assert other.read_names == ["a.md"]


def test_forgetting_a_copy_removes_its_record(tmp_path: Path) -> None:
    source = MemorySource(**{"secret.md": "one", "b.md": "two"})
    update(source, tmp_path)
    forget_copies(tmp_path, ["secret.md"])
    assert copies(tmp_path) == {"b.md": "two"}
    assert b"secret" not in (tmp_path / "copied.jsonl").read_bytes()


def test_links_in_the_folder_of_copies_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.md").write_text("mine")
    root = tmp_path / "kb"
    (root / "files").mkdir(parents=True)
    (root / "files" / "b").symlink_to(outside)
    update(MemorySource(**{"b/new.md": "one"}), root)
    assert [path.name for path in outside.iterdir()] == ["mine.md"]
    assert copies(root) == {"b/new.md": "one"}
    os.rename(root / "files", tmp_path / "elsewhere")
    (root / "files").symlink_to(outside)
    with pytest.raises(SourceError, match="is a link"):
        update(MemorySource(**{"b/new.md": "one"}), root)


NAMES = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=300),
        st.text("ab./\\%!\0\n:~é\u202e", min_size=1),
        st.sampled_from(["a", "a/b", "a/b/c", "/a", "../a", "a//b", "a/", "a\\b", "%2e%2e/x", "..", "/", "a\0"]),
    ),
    unique=True,
    max_size=8,
)


@given(NAMES)
def test_any_names_map_to_distinct_safe_paths(names: list[str]) -> None:
    paths = paths_of(names)
    assert list(paths) == names
    assert len(set(paths.values())) == len(names)
    folders = {str(parent) for path in paths.values() for parent in PurePosixPath(path).parents}
    for path in paths.values():
        assert path not in folders
        assert not path.startswith("/")
        assert not {"", ".", ".."} & set(path.split("/"))
        assert max(len(os.fsencode(part)) for part in path.split("/")) <= LONGEST + 20
        assert "\0" not in path


def test_a_scan_finds_exactly_the_copies(tmp_path: Path) -> None:
    names = ["a", "a/b", "caf\udce9.md", "c:d.md", "cd.md", "x!/y.md", "%0A.md", "tab\t.md", "过热.md", "../up.md"]
    update(MemorySource(**{name: f"{name!a}" for name in names}), tmp_path)
    found = scan(tmp_path / "files", IngestSettings())
    assert len(found) == len(names)
    assert {(tmp_path / "files" / path_of(one.uri)).read_text() for one in found} == set(map(ascii, names))
