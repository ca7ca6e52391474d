"""Tests of archives that other programs unpack; the programs are scripts with the output of the real ones."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings

ParseBytes = Callable[..., Parsed]
RAR = b"Rar!\x1a\x07\x01\x00" + bytes(100)
CHM = b"ITSF\x03\x00" + bytes(100)


def program(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")


def tar(**members: bytes) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, data in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return content.getvalue()


def test_a_rar_is_unpacked_by_bsdtar(tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out.tar").write_bytes(tar(a=b"1", b=b"2"))
    program(tmp_path, "bsdtar", f"cat {tmp_path}/out.tar", monkeypatch)
    parsed = parse_bytes("a.rar", RAR)
    assert [(child.name, child.data) for child in parsed.children] == [("a", b"1"), ("b", b"2")]
    assert parsed.document is not None
    assert parsed.document.text == "a\nb"


def test_what_is_unpacked_before_a_fault_is_kept(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out.tar").write_bytes(tar(a=b"1", b=b"2"))
    program(tmp_path, "bsdtar", f"cat {tmp_path}/out.tar; echo 'bsdtar: Truncated input' >&2; exit 1", monkeypatch)
    parsed = parse_bytes("a.rar", RAR)
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "it does not unpack: bsdtar: Truncated input"
    assert [child.name for child in parsed.children] == ["a", "b"]


@pytest.mark.parametrize(
    ("said", "status"),
    [("Encrypted file is unsupported", Status.ENCRYPTED), ("Unrecognized archive format", Status.MALFORMED)],
)
def test_an_archive_that_does_not_unpack_says_why(
    said: str, status: Status, tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "bsdtar", f"echo 'bsdtar: {said}' >&2; exit 1", monkeypatch)
    assert parse_bytes("a.rar", RAR).status is status


def test_an_archive_that_unpacks_to_too_much_is_stopped(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out.tar").write_bytes(tar(a=bytes(30 << 20)))
    program(tmp_path, "bsdtar", f"cat {tmp_path}/out.tar", monkeypatch)
    settings = ParseSettings(limits=Limits(total_mb=1))
    assert parse_bytes("a.rar", RAR, settings).status is Status.TOO_LARGE


def test_the_pages_of_windows_help_are_documents(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'if [ "$1" = l ]; then echo "Size = 12"; exit; fi\nfolder="${3#-o}"\necho page > "$folder/page.htm"\n'
    program(tmp_path, "7z", script + 'echo x > "$folder/#SYSTEM"', monkeypatch)
    parsed = parse_bytes("a.chm", CHM)
    assert [(child.name, child.data) for child in parsed.children] == [("page.htm", b"page\n")]


def test_without_the_programs_such_files_are_unsupported_with_a_hint(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name, data, called in (("a.rar", RAR, "bsdtar"), ("a.chm", CHM, "7-Zip")):
        parsed = parse_bytes(name, data)
        assert parsed.status is Status.UNSUPPORTED
        assert f"install {called}" in parsed.reason
