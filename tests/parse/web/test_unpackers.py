"""Tests of archives that other programs unpack; the programs are scripts with the output of the real ones."""

from __future__ import annotations

import csv
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
    assert parsed.reason == "it cannot be unpacked or converted: bsdtar: Truncated input"
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


def test_damaged_windows_help_is_read_as_far_as_it_goes(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'if [ "$1" = l ]; then echo "Size = 12"; exit; fi\nfolder="${3#-o}"\necho page > "$folder/page.htm"\n'
    program(tmp_path, "7z", f"{script}echo 'Data Error : b.htm' >&2; exit 2", monkeypatch)
    parsed = parse_bytes("a.chm", CHM)
    assert [child.name for child in parsed.children] == ["page.htm"]
    assert parsed.status is Status.PARTIAL
    assert "Data Error : b.htm" in parsed.reason
    program(tmp_path, "7z", 'if [ "$1" = l ]; then echo "Size = 12"; exit; fi\nexit 2', monkeypatch)
    assert parse_bytes("a.chm", CHM).status is Status.MALFORMED


def test_without_the_programs_such_files_are_unsupported_with_a_hint(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name, data, called in (("a.rar", RAR, "bsdtar"), ("a.chm", CHM, "7-Zip")):
        parsed = parse_bytes(name, data)
        assert parsed.status is Status.UNSUPPORTED
        assert f"install {called}" in parsed.reason


PST = b"!BDN" + bytes(100)
ACCESS = b"\x00\x01\x00\x00Standard ACE DB\x00" + bytes(100)
INTO = 'while [ "$1" != -o ]; do shift; done\nmkdir -p "$2/Inbox"\n'
"""What the script in place of readpst begins with: it makes a folder where it is told to write."""


def test_mails_of_outlook_are_documents_named_by_folder_and_subject(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "1.eml").write_bytes(b"From: a@example.com\nTo: b@example.com\nSubject: Re: pump/seal\n\nIt leaks.\n")
    (tmp_path / "2.vcf").write_bytes(b"BEGIN:VCARD\nEND:VCARD\n")
    program(tmp_path, "readpst", f'{INTO}cp {tmp_path}/1.eml {tmp_path}/2.vcf "$2/Inbox"', monkeypatch)
    parsed = parse_bytes("a.pst", PST)
    assert [child.name for child in parsed.children] == ["Inbox/0001 Re pump seal.eml", "Inbox/2.vcf"]
    assert parsed.document is not None
    assert parsed.document.notes == ()


def test_a_mail_attached_to_a_mail_of_outlook_has_its_headers(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = 'From: a@example.com\nSubject: FW\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n'
    inner = '>From "MAILER-DAEMON" Thu Nov 26 22:18:00 2020\nFrom: c@example.com\nSubject: First\n\nThe seal leaks.\n'
    mail = f"{outer}--x\nContent-Type: message/rfc822\n\n{inner}\n--x--\n"
    (tmp_path / "1.eml").write_text(mail)
    program(tmp_path, "readpst", f'{INTO}cp {tmp_path}/1.eml "$2/Inbox"', monkeypatch)
    [child] = parse_bytes("a.pst", PST).children
    [attached] = parse_bytes("b.eml", child.data).children
    assert attached.name == "First.eml"
    assert b"The seal leaks." in attached.data


def test_items_of_outlook_that_are_skipped_are_reported(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "1.eml").write_bytes(b"From: a@example.com\nSubject: Seal\n\nIt leaks.\n")
    said = r"""printf '\t"Inbox" - 1 items done, 2 items skipped.\n\t"Old" - 0 items done, 3 items skipped.\n'"""
    program(tmp_path, "readpst", f'{INTO}cp {tmp_path}/1.eml "$2/Inbox"; {said}', monkeypatch)
    parsed = parse_bytes("a.pst", PST)
    assert len(parsed.children) == 1
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("5 items were not read")


def test_a_data_file_of_outlook_that_unpacks_to_too_much_is_stopped(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "readpst", f'{INTO}head -c 30000000 /dev/zero > "$2/Inbox/1.eml"; exec sleep 60', monkeypatch)
    settings = ParseSettings(limits=Limits(total_mb=1))
    assert parse_bytes("a.pst", PST, settings).status is Status.TOO_LARGE


def test_tables_of_access_are_csv_without_markup_in_cells(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Parts").write_text('No,Note\n"P-1","<div>for <b>oil</b> only</div>"\n"P-2","a ""b"", c"\n')
    program(tmp_path, "mdb-tables", "echo Parts", monkeypatch)
    program(tmp_path, "mdb-export", f'for last; do :; done; cat {tmp_path}/"$last"', monkeypatch)
    [child] = parse_bytes("a.accdb", ACCESS).children
    assert child.name == "Parts.csv"
    table = parse_bytes(child.name, child.data).document
    assert table is not None
    assert table.tables[0].grid() == [["No", "Note"], ["P-1", "for oil only"], ["P-2", 'a "b", c']]


def test_a_damaged_table_of_access_does_not_cost_the_others(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Parts").write_text("No\nP-1\n")
    program(tmp_path, "mdb-tables", "echo Prices; echo Parts", monkeypatch)
    program(tmp_path, "mdb-export", f'for last; do :; done; cat {tmp_path}/"$last"', monkeypatch)
    parsed = parse_bytes("a.accdb", ACCESS)
    assert [child.name for child in parsed.children] == ["Parts.csv"]
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("the table 'Prices' was not read: ")


def test_a_cell_of_access_may_be_long(tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Parts").write_text(f'No,Note\nP-1,"<div>{"long " * 40_000}</div>"\n')
    program(tmp_path, "mdb-tables", "echo Parts", monkeypatch)
    program(tmp_path, "mdb-export", f'for last; do :; done; cat {tmp_path}/"$last"', monkeypatch)
    usual = csv.field_size_limit(1 << 17)  # the library's own
    try:
        [child] = parse_bytes("a.accdb", ACCESS).children
    finally:
        csv.field_size_limit(usual)
    assert child.data.count(b"long") == 40_000


def test_a_database_with_a_password_says_what_to_do(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "mdb-tables", "echo 'Unable to read table MSysObjects' >&2; exit 1", monkeypatch)
    parsed = parse_bytes("a.accdb", ACCESS)
    assert parsed.status is Status.MALFORMED
    assert "remove the password in Access" in parsed.reason
