import io
import zipfile
from pathlib import Path

import pytest

from pipelines.parse.magic import XLSB
from pipelines.parse.registry import UNKNOWN, detect
from tests.hostile.made import zipped
from tests.parse.hostile_files import docx, office, xlsx

OOXML = "application/vnd.openxmlformats-officedocument."


def type_of(folder: Path, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return detect(folder / name).media_type


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"%PDF-1.7\n...", "application/pdf"),
        (b"junk before\n%PDF-1.4\n...", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0....", "image/jpeg"),
        (b"II*\x00....", "image/tiff"),
        (b"RIFF....WEBPVP8 ", "image/webp"),
        (b"{\\rtf1\\ansi text}", "application/rtf"),
        (b"<!DOCTYPE html><html><p>x</p></html>", "text/html"),
        (b"<!-- a --><html><p>x</p></html>", "text/html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "application/xhtml+xml"),
        (b'<?xml version="1.0"?><parts><part/></parts>', "application/xml"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>', "image/svg+xml"),
        (b'<page xmlns="http://projectmallard.org/1.0/"><p>One</p><p>Two</p></page>', "application/xml"),
        (b'<div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div>', "text/html"),
        (b'{"a": [1, 2]}', "application/json"),
        (b'{"a": 1}\n{"a": 2}\n', "application/x-ndjson"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: Hi\n\nText", "message/rfc822"),
        (b"From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: x\n\nText", "application/mbox"),
        (b"# Title\n\nSome **bold** text and a [link](x.md).\n", "text/markdown"),
        (b"a\tb\tc\n1\t2\t3\n4\t5\t6\n7\t8\t9\n", "text/tab-separated-values"),
        (b"part;price;note\nA1;3,50;x\nB2;12;y\nC3;1;z\n", "text/csv"),
        (b"Title\n=====\n\n.. note:: hot\n", "text/x-rst"),
        (b"The valve is stuck. It was opened on Monday, as usual.\n", "text/plain"),
        ("Größe und Maße der Ventile".encode("utf-16"), "text/plain"),
        (b"\x7fELF\x02\x01\x01\x00", "application/x-executable"),
        (b"ITSF\x03\x00\x00\x00....", "application/vnd.ms-htmlhelp"),
        (zipped({"Index/Document.iwa": b"x"}), "application/vnd.apple.iwork"),
        (zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b"x"}), XLSB),
        (
            zipped({"mimetype": b"application/vnd.sun.xml.writer.template", "content.xml": b"<x/>"}),
            "application/vnd.sun.xml.writer",
        ),
    ],
)
def test_the_type_of_a_file_without_a_suffix_is_detected_by_content(
    tmp_path: Path, data: bytes, media_type: str
) -> None:
    assert type_of(tmp_path, "file", data) == media_type


def test_archives_are_distinguished_by_their_members(tmp_path: Path) -> None:
    assert type_of(tmp_path, "a", docx("")) == OOXML + "wordprocessingml.document"
    assert type_of(tmp_path, "b", xlsx("")) == OOXML + "spreadsheetml.sheet"
    assert (
        type_of(tmp_path, "c", office("ppt", {"ppt/presentation.xml": b"<p/>"}))
        == OOXML + "presentationml.presentation"
    )
    assert type_of(tmp_path, "d", zipped({"mimetype": b"application/epub+zip"})) == "application/epub+zip"
    odt = b"application/vnd.oasis.opendocument.text"
    assert type_of(tmp_path, "e", zipped({"mimetype": odt})) == odt.decode()
    assert type_of(tmp_path, "f", zipped({"notes.txt": b"x"})) == "application/zip"


def test_a_truncated_archive_is_detected_by_its_first_members(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w/>" * 100)
    assert type_of(tmp_path, "a.bin", buffer.getvalue()[:300]) == OOXML + "wordprocessingml.document"


def test_a_wrong_suffix_is_reported(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"<!DOCTYPE html><html><p>x</p></html>")
    found = detect(tmp_path / "report.pdf")
    assert found.media_type == "text/html"
    assert found.note == "named .pdf, but its content is text/html"


def test_a_right_suffix_is_not_reported(tmp_path: Path) -> None:
    for name, data in (
        ("a.html", b"<p>x</p><p>y</p>"),
        ("b.txt", b"# A\n\n[b](c)"),
        ("c.xml", b"<a>1</a>"),
        ("d.csv", b"x"),
    ):
        (tmp_path / name).write_bytes(data)
        assert detect(tmp_path / name).note == "", name


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.md", "text/markdown"),
        ("a.csv", "text/csv"),
        ("a.org", "text/x-org"),
        ("a.adoc", "text/asciidoc"),
        ("a.rst", "text/x-rst"),
        ("a.log", "text/plain"),
    ],
)
def test_the_name_decides_between_formats_that_look_alike(tmp_path: Path, name: str, media_type: str) -> None:
    assert type_of(tmp_path, name, b"a line of text, with a comma\n") == media_type


def test_a_text_that_begins_with_a_placeholder_is_not_xml(tmp_path: Path) -> None:
    (tmp_path / "a.rst").write_text("<NAME>_VERSION\n--------------\n\nSet by :command:`<NAME>_SET`.\n")
    assert detect(tmp_path / "a.rst").media_type == "text/x-rst"


def test_a_child_is_detected_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "child").write_bytes(b"a;b\n1;2\n")
    assert detect(tmp_path / "child", "prices.csv").media_type == "text/csv"


def test_random_bytes_have_no_type(tmp_path: Path) -> None:
    assert type_of(tmp_path, "noise.txt", b"\x00\x01\x02\x03" * 500) == UNKNOWN


@pytest.mark.parametrize(
    ("start", "unit", "media_type"),
    [
        ('<?xml version="1.0"?>\n<!-- made -->\n', '<svg xmlns="http://www.w3.org/2000/svg"><text>Größe</text>', "svg"),
        ("<!-- made -->\n", "<html><body><p>Größe</p>", "html"),
        ("{\n", '"Größe": [1, 2], "x": {}, ', "json"),
    ],
)
def test_the_type_is_detected_from_a_line_longer_than_the_sample(
    tmp_path: Path, start: str, unit: str, media_type: str
) -> None:
    assert media_type in type_of(tmp_path, "file", (start + unit * 5000).encode())


def test_many_comments_before_the_first_element_are_read_in_linear_time(tmp_path: Path) -> None:
    assert type_of(tmp_path, "a.html", b"<!-- a -->" * 6000 + b"<p>x</p>") == "text/html"
