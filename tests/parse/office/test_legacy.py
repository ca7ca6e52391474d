"""Tests of the binary formats of Office 97 to 2003."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.compound import Storage, compound
from tests.parse.office.files import docx, odf, p, packed

ParseBytes = Callable[..., Parsed]
_GLOBALS, _SHEET = 0x0005, 0x0010


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def begin(kind: int) -> bytes:
    """Return a BOF record of BIFF8 (MS-XLS 2.4.21)."""
    return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 0x07CC, 0, 6))


def workbook() -> bytes:
    """Return a workbook of one sheet: "Part" and "Qty" above "Pump" and 2."""
    texts = b"".join(
        record(0x0204, struct.pack("<HHHHB", row, column, 0, len(text), 0) + text)
        for row, column, text in ((0, 0, b"Part"), (0, 1, b"Qty"), (1, 0, b"Pump"))
    )
    sheet = begin(_SHEET) + texts + record(0x0203, struct.pack("<HHHd", 1, 1, 0, 2.0)) + record(0x000A)
    name = b"Stock"
    start = len(begin(_GLOBALS)) + 4 + 8 + len(name) + 4
    bound = record(0x0085, struct.pack("<IBBBB", start, 0, 0, len(name), 0) + name)
    return compound(Storage({"Workbook": begin(_GLOBALS) + bound + record(0x000A) + sheet}))


def test_an_xls_workbook_is_read(document_of: Callable[..., Document]) -> None:
    document = document_of("a.xls", workbook())
    assert [block.text for block in document.blocks] == ["Stock", "Part | Qty\nPump | 2"]
    assert document.blocks[1].provenance.cells == "A1:B2"


def test_a_damaged_workbook_is_malformed(parse_bytes: ParseBytes) -> None:
    data = compound(Storage({"Workbook": b"\x09\x08\x10\x00" + b"\x07" * 200}))
    assert parse_bytes("a.xls", data).status is Status.MALFORMED


def test_without_libreoffice_doc_and_ppt_are_unsupported_with_a_hint(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name, stream in (("a.doc", "WordDocument"), ("a.ppt", "PowerPoint Document")):
        parsed = parse_bytes(name, compound(Storage({stream: b"x" * 5000})))
        assert parsed.status is Status.UNSUPPORTED
        assert "install LibreOffice" in parsed.reason


def program(folder: Path, script: str) -> None:
    """Write a program named soffice into a folder."""
    path = folder / "soffice"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


def test_a_doc_is_converted_with_libreoffice(
    tmp_path: Path, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "converted.docx").write_bytes(docx(p("from the old days")))
    # The arguments end with "--convert-to docx --outdir FOLDER FILE".
    program(
        tmp_path,
        f'for last; do :; done; while [ "$1" != --outdir ]; do shift; done; cp {tmp_path}/converted.docx "$2/a.docx"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    document = document_of("a.doc", compound(Storage({"WordDocument": b"x" * 5000})))
    assert document.text == "from the old days"


def test_a_text_of_openoffice_1_is_converted_and_read_as_opendocument(
    tmp_path: Path, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "converted.odt").write_bytes(odf("text", "<text:p>from the old days</text:p>"))
    program(
        tmp_path,
        f'while [ "$1" != --outdir ]; do shift; done; cp {tmp_path}/converted.odt "$2/a.odt"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    old = packed({"mimetype": "application/vnd.sun.xml.writer", "content.xml": "<x/>"})
    assert document_of("a.sxw", old).text == "from the old days"


def test_a_failed_conversion_is_malformed(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "echo source file could not be loaded >&2")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    parsed = parse_bytes("a.ppt", compound(Storage({"PowerPoint Document": b"x" * 5000})))
    assert parsed.status is Status.MALFORMED
    assert "could not be loaded" in parsed.reason


def test_partial_output_of_a_failed_conversion_is_not_read(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "converted.docx").write_bytes(docx(p("the first half")))
    program(
        tmp_path,
        f'while [ "$1" != --outdir ]; do shift; done; cp {tmp_path}/converted.docx "$2/a.docx"; exit 77',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    parsed = parse_bytes("a.doc", compound(Storage({"WordDocument": b"x" * 5000})))
    assert (parsed.status, parsed.document) == (Status.MALFORMED, None)
    assert parsed.reason == "LibreOffice cannot convert it: it ended with exit status 77"


def test_libreoffice_is_limited_to_the_processor_seconds_of_the_file(
    tmp_path: Path, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "while :; do :; done")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    settings = ParseSettings(limits=Limits(cpu_s=1))
    parsed = parse_bytes("a.doc", compound(Storage({"WordDocument": b"x" * 5000})), settings)
    assert parsed.status is Status.TOO_LARGE
    assert parsed.reason == "LibreOffice took over 1 processor seconds (parse.limits.cpu_s)"
