import sys
from pathlib import Path

import pytest

from pipelines.core.errors import Encrypted, Malformed, MissingExtra, ParseError, StoreError, TooLarge, Unsupported
from pipelines.core.outcome import Status
from pipelines.parse.parse import failed, source_of
from pipelines.parse.settings import ParseSettings
from tests.parse.conftest import ParseBytes
from tests.parse.engines import OURS


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Encrypted("locked"), Status.ENCRYPTED),
        (Unsupported("unknown"), Status.UNSUPPORTED),
        (MissingExtra("ocr", "reading scans"), Status.UNSUPPORTED),
        (TooLarge("much"), Status.TOO_LARGE),
        (Malformed("broken"), Status.MALFORMED),
        (ParseError("odd"), Status.FAILED),
        (StoreError("elsewhere"), Status.FAILED),
    ],
)
def test_every_error_has_its_status(error: ParseError, status: Status) -> None:
    parsed = failed(error)
    assert parsed.status is status
    assert parsed.reason.startswith(error.message)
    assert parsed.error == type(error).__name__


def test_a_hint_is_part_of_the_reason() -> None:
    assert failed(Unsupported("no reader", hint="install LibreOffice")).reason == "no reader (install LibreOffice)"


def test_a_reason_has_no_address_in_memory() -> None:
    reason = failed(Malformed("cannot read <_io.BytesIO object at 0x7f2aed209ad0> at 0 bytes")).reason
    assert reason == "cannot read <_io.BytesIO object> at 0 bytes"


@pytest.mark.parametrize("name", ["run.log", "run.csv", "run.md", "run.txt"])
def test_text_with_zeros_where_a_part_is_lost_is_read_without_them(name: str, parse_bytes: ParseBytes) -> None:
    lines = "".join(f"10:{minute:02},pump {minute} starts\n" for minute in range(60)).encode()
    parsed = parse_bytes(name, lines + bytes(4096) + b"11:00,pump 99 stops\n" + bytes(512))
    assert parsed.document is not None
    assert "\0" not in parsed.document.text
    assert "pump 59 starts" in parsed.document.text
    assert "pump 99 stops" in parsed.document.text
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "damaged: 4608 bytes are zeros"


def test_a_file_without_text_is_never_indexed(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(engines={"text/plain": OURS + "Mute"})
    parsed = parse_bytes("a.txt", "say_nothing", settings)
    assert parsed.status is Status.EMPTY
    assert parsed.document is None
    assert parsed.reason == "no text in 11 bytes"


def test_an_unexpected_error_of_a_reader_is_a_failure_with_its_name(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(engines={"application/json": OURS + "Misbehaving"})
    parsed = parse_bytes("a.json", "[1]", settings)
    assert parsed.status is Status.FAILED
    assert parsed.error == "AttributeError"


@pytest.mark.slow
def test_if_our_reader_fails_unstructured_reads_the_file(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(engines={"text/plain": OURS + "Misbehaving"})
    parsed = parse_bytes("a.txt", "raise an error while the valve is stuck", settings)
    assert parsed.status is Status.INDEXED
    assert parsed.document is not None
    assert parsed.document.engine == "unstructured"
    assert "the valve is stuck" in parsed.document.text
    assert parsed.document.notes == ("read by unstructured, because of ZeroDivisionError: a fault of the reader",)


def test_without_unstructured_the_error_says_how_to_install_it(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "unstructured", None)
    settings = ParseSettings(engines={"text/plain": OURS + "Misbehaving"})
    parsed = parse_bytes("a.txt", "raise an error while the valve is stuck", settings)
    assert (parsed.status, parsed.error) == (Status.FAILED, "ZeroDivisionError")
    assert "pip install 'strata-kb[unstructured]'" in parsed.reason


def test_an_engine_that_cannot_be_loaded_is_named(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.txt", "text", ParseSettings(engines={"text/plain": "nowhere:Reader"}))
    assert parsed.status is Status.FAILED
    assert "nowhere:Reader" in parsed.reason


def test_a_misleading_name_is_noted_in_the_document(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", "<html><p>The valve is stuck.</p></html>")
    assert parsed.document is not None
    assert parsed.document.source.media_type == "text/html"
    assert parsed.document.notes == ("named .pdf, but its content is text/html",)


def test_a_format_without_a_reader_is_unsupported(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.exe", b"MZ\x90\x00" * 50).status is Status.UNSUPPORTED
    tables = parse_bytes("a.db", b"SQLite format 3\x00" + bytes(90))
    assert tables.reason == "no reader for application/vnd.sqlite3 (export its tables as CSV)"
    notes = parse_bytes("a.one", bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3") + bytes(90))
    assert notes.reason == "no reader for application/onenote (export it as PDF or DOCX)"


def test_a_missing_file_is_a_failure(tmp_path: Path) -> None:
    from pipelines.parse.parse import parse

    (tmp_path / "a.txt").write_text("x")
    source = source_of(tmp_path / "a.txt", "a.txt")
    (tmp_path / "a.txt").unlink()
    assert parse(tmp_path / "a.txt", source, ParseSettings()).status is Status.FAILED


def test_the_source_of_a_file_has_its_hash_and_size(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")
    source = source_of(tmp_path / "a.txt", "folder/a.txt")
    assert source.digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert (source.uri, source.size, source.media_type) == ("folder/a.txt", 3, "text/plain")
