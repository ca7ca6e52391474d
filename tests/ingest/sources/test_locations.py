"""Tests of source locations: recognizing, displaying and opening them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.core.errors import MissingExtra, SettingsError, SourceError, SourceUnreachable
from pipelines.ingest.sources.git import GitSource
from pipelines.ingest.sources.locations import local_folder, open_source
from pipelines.ingest.sources.source import is_location, without_secrets
from pipelines.sections import IngestSettings
from tests.ingest.sources.places import GitPlace, ImapPlace


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("s3://bucket/a", True), ("git+../x", True), ("mbox:mail", True), ("imaps://me@host/INBOX", True),
        ("documents", False), ("C:\\documents", False), ("a/b:c", False), ("./s3:x", False), ("12:30 minutes", False),
    ],
)  # fmt: skip
def test_a_location_is_recognized_by_its_scheme(text: str, is_one: bool) -> None:
    assert is_location(text) is is_one


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("s3://bucket/a", "s3://bucket/a"),
        ("git+https://token@host/x.git@v2", "git+https://host/x.git@v2"),
        ("git+https://me:token@host/x.git", "git+https://host/x.git"),
        ("git+ssh://git@host/x.git", "git+ssh://git@host/x.git"),
        ("imaps://me:secret@host/INBOX", "imaps://me@host/INBOX"),
        ("https://host/a?key=secret", "https://host/a"),
        ("mbox:/home/me/mail", "mbox:/home/me/mail"),
    ],
)
def test_a_location_is_displayed_without_secrets(location: str, shown: str) -> None:
    assert without_secrets(location) == shown


def test_an_existing_folder_named_like_a_location_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mbox:old").mkdir()
    monkeypatch.chdir(tmp_path)
    assert local_folder("mbox:old") == Path("mbox:old")
    assert local_folder(tmp_path.as_uri()) == tmp_path
    assert local_folder("mbox:new") is None


def test_a_git_location_may_name_a_revision_and_a_folder(tmp_path: Path) -> None:
    place = GitPlace(tmp_path / "x@y")
    place.put("docs/a.md", "one")
    place.git("tag", "v1")
    place.git("branch", "topic/b")
    place.put("docs/a.md", "two")
    place.put("other.md", "three")
    for behind, sizes in {
        "": {"docs/a.md": 3, "other.md": 5},
        "#docs": {"docs/a.md": 3},
        "@v1": {"docs/a.md": 3},
    }.items():
        with open_source(place.location + behind, IngestSettings()) as source:
            assert {one.name: one.size for one in source.list()} == sizes
    for revision in ("@v1", "@topic/b"):
        with open_source(f"git+{(tmp_path / 'x@y').as_uri()}{revision}", IngestSettings()) as source:
            assert [one.name for one in source.list()] == ["docs/a.md"]


def test_a_git_address_executes_nothing_and_its_secret_is_not_reported(tmp_path: Path) -> None:
    for address in ("git+ext::touch /tmp/x", "git+--upload-pack=x", f"git+{tmp_path}/none"):
        with open_source(address, IngestSettings()) as source, pytest.raises(SourceUnreachable):
            list(source.list())
    source = GitSource("git+http://me:secret@127.0.0.1:1/x.git@v2")
    with pytest.raises(SourceUnreachable) as failed:
        source.list()
    source.close()
    assert "secret" not in str(failed.value)


def test_symbolic_links_in_a_repository_are_skipped(tmp_path: Path) -> None:
    place = GitPlace(tmp_path / "x")
    (place.folder / "passwd").symlink_to("/etc/passwd")
    place.put("a.md", "one")
    with open_source(place.location, IngestSettings()) as source:
        assert [one.name for one in source.list()] == ["a.md"]


def test_a_mailbox_is_opened_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    place = ImapPlace(monkeypatch)
    place.put("one", "text")
    with open_source(place.location, IngestSettings()) as source:
        (listed,) = source.list()
    assert (listed.name, listed.version, listed.size) == ("Plant/one (1).eml", "7.1", len(place.messages[1]))
    assert [command.split()[0] for command in place.commands if "CAPABILITY" not in command] == [
        "LOGIN", "EXAMINE", "UID", "UID", "LOGOUT",
    ]  # fmt: skip
    monkeypatch.setenv("IMAP_PASSWORD", "wrong")
    with pytest.raises(SourceUnreachable, match="cannot be opened"), open_source(place.location, IngestSettings()):
        pass
    monkeypatch.delenv("IMAP_PASSWORD")
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(SettingsError, match="no password"), open_source(place.location, IngestSettings()):
        pass
    place.close()


WITHOUT = """
import sys
sys.modules["s3fs"] = None
from pipelines.ingest.sources.locations import open_source
from pipelines.sections import IngestSettings
from pipelines.core.errors import MissingExtra
try:
    with open_source("s3://bucket/a", IngestSettings()): pass
except MissingExtra as error:
    print(error.hint)
"""


def test_a_missing_extra_and_an_unknown_scheme_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install 'strata-kb[s3]'\n"
    with pytest.raises(SourceError, match="no such kind of place: gopher"), open_source("gopher://x", IngestSettings()):
        pass
    assert MissingExtra("s3", "reading").exit_code == 3
