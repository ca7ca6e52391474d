"""Tests of tar and 7-Zip archives and of compressed single files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Callable

import py7zr
import pytest
from pydantic import SecretStr

from pipelines.core.document import ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.conftest import ParseBytes


def tar(mode: str, **members: bytes) -> bytes:
    """Return an archive in tarfile's `mode`; "__" in a name is replaced by a slash."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            entry = tarfile.TarInfo(name.replace("__", "/"))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return content.getvalue()


@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
def test_files_of_an_archive_are_children_and_links_are_not(parse_bytes: ParseBytes, mode: str) -> None:
    parsed = parse_bytes("a.tar", tar(mode, docs__pump=b"seal", valve=b"seat" * 500))
    assert parsed.status is Status.INDEXED, parsed.reason
    assert [(child.name, len(child.data)) for child in parsed.children] == [("docs/pump", 4), ("valve", 2000)]
    assert parsed.document is not None
    assert [reference.target for reference in parsed.document.references] == ["docs/pump", "valve"]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_compressed_file_keeps_its_name(parse_bytes: ParseBytes, suffix: str, pack: type[bytes]) -> None:
    parsed = parse_bytes(f"manual.txt.{suffix}", pack(b"Open the valve."))
    assert [(child.name, child.data) for child in parsed.children] == [("manual.txt", b"Open the valve.")]
    again = parse_bytes(f"caf%E9.txt.{suffix}", pack(b"Open the valve."))
    assert [child.name for child in again.children] == ["caf%E9.txt"]


def test_a_path_that_leaves_the_archive_is_kept_inside(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.tar", tar("w:", **{"..__..__etc__passwd": b"x"}))
    assert [child.name for child in parsed.children] == ["etc/passwd"]


def test_members_of_the_same_name_stay_two_documents_with_a_note(parse_bytes: ParseBytes) -> None:
    names = ["x!/y", "a.txt", "./a.txt", "/a.txt", "A.txt", "..", "caf\udce9.txt", "e\u0301", "é"]
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:") as archive:
        for number, name in enumerate(names):
            entry = tarfile.TarInfo(name)
            entry.size = 1
            archive.addfile(entry, io.BytesIO(b"%d" % number))
    parsed = parse_bytes("a.tar", content.getvalue())
    assert [(child.name, int(child.data)) for child in parsed.children] == [
        ("x%21/y", 0), ("a.txt", 1), ("2-a.txt", 2), ("3-a.txt", 3), ("A.txt", 4), ("member", 5), ("caf%E9.txt", 6),
        ("e\u0301", 7), ("é", 8),
    ]  # fmt: skip
    assert parsed.document is not None
    assert "the member './a.txt' is called '2-a.txt' here" in parsed.document.notes
    listed = [one.target for one in parsed.document.references if one.kind is ReferenceKind.MEMBER]
    assert listed == [child.name for child in parsed.children]


def test_an_archive_that_unpacks_over_the_limit_is_too_large(parse_bytes: ParseBytes) -> None:
    bomb = gzip.compress(bytes(30 << 20))
    assert parse_bytes("a.gz", bomb).status is Status.TOO_LARGE
    assert parse_bytes("a.tgz", gzip.compress(tar("w:", zeros=bytes(30 << 20)))).status is Status.TOO_LARGE
    few = ParseSettings(limits=Limits(members=1))
    assert parse_bytes("a.tar", tar("w:", a=b"1", b=b"2"), few).status is Status.TOO_LARGE


def test_a_truncated_archive_keeps_the_members_before_the_damage(parse_bytes: ParseBytes) -> None:
    whole = tar("w:", a=b"1" * 600, b=b"2" * 600, c=b"3" * 6000)
    parsed = parse_bytes("a.tar", whole[:4500])
    assert parsed.status is Status.PARTIAL
    assert [child.name for child in parsed.children] == ["a", "b"]
    packed = parse_bytes("a.tgz", gzip.compress(whole)[:-12])
    assert packed.status is Status.PARTIAL
    assert [child.name for child in packed.children][:2] == ["a", "b"]


def test_a_damaged_header_in_an_archive_is_reported(parse_bytes: ParseBytes) -> None:
    whole = tar("w:", a=b"1" * 600, b=b"2" * 600, c=b"3" * 90_000)
    header = whole.index(b"c\0")
    damaged = whole[:header] + b"\xff" * 512 + whole[header + 512 :]
    for name, data in (("a.tar", damaged), ("a.tgz", gzip.compress(damaged))):
        parsed = parse_bytes(name, data)
        assert [child.name for child in parsed.children] == ["a", "b"]
        assert (parsed.status, parsed.reason) == (Status.PARTIAL, "the archive breaks off: a header is damaged")
    packed = bytearray(gzip.compress(whole))
    packed[-8:-4] = b"\0\0\0\0"  # its checksum
    assert parse_bytes("a.tgz", bytes(packed)).status is Status.PARTIAL


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_truncated_compressed_file_is_read_as_far_as_it_goes(
    suffix: str, pack: Callable[[bytes], bytes], parse_bytes: ParseBytes
) -> None:
    text = "".join(f"{number * 7919 % 99991} bar\n" for number in range(200_000)).encode()
    parsed = parse_bytes(f"log.txt.{suffix}", pack(text)[:-1000])
    assert parsed.status is Status.PARTIAL
    [child] = parsed.children
    assert len(child.data) > len(text) // 3
    assert text.startswith(child.data)


def seven_zip(password: str | None = None, **members: bytes) -> bytes:
    content = io.BytesIO()
    with py7zr.SevenZipFile(content, "w", password=password) as archive:
        for name, data in members.items():
            archive.writestr(data, name.replace("__", "/").replace("Thumbs_db", "Thumbs.db"))
    return content.getvalue()


def test_files_of_a_7z_archive_are_children(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.7z", seven_zip(docs__pump=b"seal", valve=b"seat" * 500, Thumbs_db=b"y"))
    assert [(child.name, len(child.data)) for child in parsed.children] == [("docs/pump", 4), ("valve", 2000)]


def test_a_7z_archive_is_opened_only_with_its_password(parse_bytes: ParseBytes) -> None:
    locked = seven_zip("secret", pump=b"seal")
    assert parse_bytes("a.7z", locked).status is Status.ENCRYPTED
    assert parse_bytes("a.7z", locked, ParseSettings(passwords={"*.7z": SecretStr("wrong")})).status is Status.ENCRYPTED
    opened = parse_bytes(
        "a.7z", locked, ParseSettings(passwords={"*.7z": SecretStr("wrong"), "a*": SecretStr("secret")})
    )
    assert [child.data for child in opened.children] == [b"seal"]


def test_a_7z_archive_is_limited_and_a_damaged_one_malformed(parse_bytes: ParseBytes) -> None:
    large = seven_zip(zeros=bytes(50_000_000))
    assert parse_bytes("a.7z", large).status is Status.TOO_LARGE
    assert parse_bytes("a.7z", large[:40] + bytes(90)).status is Status.MALFORMED


def test_without_py7zr_the_status_says_what_to_install(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    parsed = parse_bytes("a.7z", seven_zip(pump=b"seal"))
    assert parsed.status is Status.UNSUPPORTED
    assert "pip install 'strata-kb[7z]'" in parsed.reason
