"""Tests of files inside office documents, and of what LibreOffice reads of other formats."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from pipelines.core.document import BlockKind, Document
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from tests.parse.compound import Storage, compound
from tests.parse.office.files import docx, odf, p, packed, relationships, w, xlsx
from tests.parse.office.test_legacy import begin, program, record

ParseBytes = Callable[..., Parsed]
PDF = b"%PDF-1.7 a manual"


def packaged(label: str, data: bytes) -> bytes:
    """Return the stream in which the Packager keeps a file."""
    path = b"C:\\temp\\" + label.encode() + b"\0"
    inner = struct.pack("<H", 2) + label.encode() + b"\0" + path + struct.pack("<II", 3, len(path)) + path
    inner += struct.pack("<I", len(data)) + data
    return struct.pack("<I", len(inner)) + inner


def children(parsed: Parsed) -> dict[str, bytes]:
    return {child.name: child.data.rstrip(b"\0") for child in parsed.children}


@pytest.mark.parametrize(
    ("streams", "name", "content"),
    [
        ({"\x01Ole10Native": packaged("limits.csv", b"a,b")}, "limits.csv", b"a,b"),
        ({"CONTENTS": PDF}, "oleObject1.pdf", PDF),
        ({"Package": docx(p("inside"))}, "oleObject1.docx", docx(p("inside"))),
    ],
    ids=["a packaged file", "a PDF", "a document of today"],
)
def test_a_file_in_an_ole_object_of_a_word_document_is_a_document_of_its_own(
    parse_bytes: ParseBytes, streams: dict[str, bytes | Storage], name: str, content: bytes
) -> None:
    parts = {"word/embeddings/oleObject1.bin": compound(Storage(streams))}
    parsed = parse_bytes("a.docx", docx(p("see there"), parts, [("r1", "oleObject", "embeddings/oleObject1.bin")]))
    assert children(parsed) == {name: content.rstrip(b"\0")}


def test_an_ole_object_that_is_an_old_document_keeps_all_its_streams(parse_bytes: ParseBytes) -> None:
    object_ = compound(Storage({"WordDocument": b"x" * 5000, "1Table": b"y"}))
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relationships([("r1", "oleObject", "../embeddings/oleObject1.bin")])
    }
    parsed = parse_bytes("a.xlsx", xlsx("<sheetData/>", parts={**parts, "xl/embeddings/oleObject1.bin": object_}))
    assert children(parsed) == {"oleObject1.doc": object_.rstrip(b"\0")}


def test_an_object_of_an_unknown_kind_is_noted(document_of: Callable[..., Document]) -> None:
    parts = {"word/embeddings/oleObject1.bin": compound(Storage({"Equation Native": b"x" * 50}))}
    document = document_of("a.docx", docx(p("see"), parts, [("r1", "oleObject", "embeddings/oleObject1.bin")]))
    assert document.notes == ("the embedded object oleObject1.bin is of no known kind and was not read",)


def test_the_workbook_of_a_chart_is_no_document(parse_bytes: ParseBytes) -> None:
    parts = {
        "word/charts/chart1.xml": "<x/>",
        "word/charts/_rels/chart1.xml.rels": relationships([("r1", "package", "../embeddings/data.xlsx")]),
        "word/embeddings/data.xlsx": xlsx("<sheetData/>"),
    }
    assert not parse_bytes("a.docx", docx(p("see"), parts, [("r1", "chart", "charts/chart1.xml")])).children


def test_a_file_in_an_rtf_is_a_document_of_its_own(parse_bytes: ParseBytes) -> None:
    native = packaged("notes.txt", b"inside")[4:]
    object_ = struct.pack("<II", 0x0501, 2) + struct.pack("<I", 8) + b"Package\0" + bytes(8)
    object_ += struct.pack("<I", len(native)) + native
    rtf = b"{\\rtf1 see {\\object\\objemb{\\*\\objclass Package}{\\*\\objdata " + object_.hex().encode() + b"}}}"
    parsed = parse_bytes("a.rtf", rtf)
    assert children(parsed) == {"notes.txt": b"inside"}
    assert parsed.document is not None
    assert parsed.document.text == "see"


@pytest.mark.parametrize(
    ("name", "stream"), [("a.doc", "WORDDOCUMENT"), ("a.doc", "worddocument"), ("a.vsd", "VisioDocument")]
)
def test_the_streams_of_a_compound_file_are_known_in_any_case(
    name: str, stream: str, parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    parsed = parse_bytes(name, compound(Storage({stream: b"x" * 5000})))
    assert parsed.status is Status.UNSUPPORTED
    assert "install LibreOffice" in parsed.reason


def test_a_workbook_with_a_picture_is_read_through_libreoffice_and_noted_without(
    tmp_path: Path, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    label = struct.pack("<HHHHB", 0, 0, 0, 4, 0) + b"Part"
    picture = struct.pack("<HHHH", 0x15, 0x12, 8, 1) + bytes(18)
    sheet = begin(0x0010) + record(0x0204, label) + record(0x005D, picture) + record(0x000A)
    start = len(begin(0x0005)) + 4 + 8 + 1 + 4
    bound = record(0x0085, struct.pack("<IBBBB", start, 0, 0, 1, 0) + b"S")
    data = compound(Storage({"Workbook": begin(0x0005) + bound + record(0x000A) + sheet}))

    monkeypatch.setenv("PATH", "")
    plain = document_of("a.xls", data)
    assert plain.text == "S\n\nPart"
    assert "LibreOffice (soffice) is not installed" in plain.notes[0]

    table = '<table:table table:name="S"><table:table-row><table:table-cell><draw:custom-shape><text:p>a box</text:p>'
    table += "</draw:custom-shape></table:table-cell></table:table-row></table:table>"
    (tmp_path / "converted.ods").write_bytes(odf("spreadsheet", table))
    program(tmp_path, f'while [ "$1" != --outdir ]; do shift; done; /bin/cp {tmp_path}/converted.ods "$2/a.ods"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    assert document_of("a.xls", data).text == "S\n\na box"


def test_what_only_the_page_header_says_is_part_of_the_text(document_of: Callable[..., Document]) -> None:
    header = w("hdr", p("Pump manual") + p("Issue:") + p("Approved by:") + p("J. Berg"))
    footer = w("ftr", p("Page 3 of 20"))
    parts = {"word/header1.xml": header, "word/footer1.xml": footer}
    relations = [("r1", "header", "header1.xml"), ("r2", "footer", "footer1.xml")]
    document = document_of("a.docx", docx(p("Pump manual") + p("Open the valve."), parts, relations))
    assert document.text.split("\n\n")[-1] == "Pump manual\nIssue:\nApproved by: J. Berg"
    assert document.blocks[-1].kind is BlockKind.PAGE_HEADER
    assert "Page 3 of 20" not in document.text


def test_the_header_of_a_sheet_is_read_without_its_codes(document_of: Callable[..., Document]) -> None:
    row = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Bolt</t></is></c></row></sheetData>'
    margins = '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Form F-7&amp;RR&amp;&amp;D</oddHeader>'
    document = document_of("a.xlsx", xlsx(f"{row}{margins}<oddFooter>&amp;CPage &amp;P</oddFooter></headerFooter>"))
    assert document.text == "Bolt\n\nForm F-7\nR&D"


def test_star_office_6_without_a_declared_type_is_known_by_its_content(
    tmp_path: Path, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = '<office:document-content xmlns:office="http://openoffice.org/2000/office" office:class="text"/>'
    (tmp_path / "converted.odt").write_bytes(odf("text", "<text:p>from the old days</text:p>"))
    program(tmp_path, f'while [ "$1" != --outdir ]; do shift; done; cp {tmp_path}/converted.odt "$2/a.odt"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    old = packed({"META-INF/manifest.xml": "<x/>", "content.xml": content})
    assert document_of("a.sxw", old).text == "from the old days"


def text_record(text: str, left: int, right: int, top: int, options: int = 0) -> bytes:
    """Return an EMR_EXTTEXTOUTW of a line of 20 units."""
    box = struct.pack("<iiii", left, top, right, top + 20)
    body = box + struct.pack("<Iff", 1, 1.0, 1.0) + struct.pack("<iiIII", left, top, len(text), 76, options) + bytes(20)
    body += text.encode("utf-16-le")
    return struct.pack("<II", 84, 8 + len(body)) + body


def emf(*records: bytes) -> bytes:
    header = struct.pack("<II8i", 1, 108, 0, 0, 200, 100, 0, 0, 5000, 2500) + b" EMF" + bytes(64)
    return header + b"".join(records)


def test_the_labels_of_a_metafile_are_the_text_of_its_figure(document_of: Callable[..., Document]) -> None:
    drawing = emf(
        text_record("Suc", 10, 40, 0),
        text_record("tion", 41, 70, 0),
        text_record("4 bar", 150, 190, 0),
        text_record("\x03\x04", 10, 40, 40, options=0x10),
    )
    picture = '<w:r><w:pict><v:shape><v:imagedata r:id="r1"/></v:shape></w:pict></w:r>'
    document = document_of(
        "a.docx", docx(p("see") + p(picture), {"word/media/image1.emf": drawing}, [("r1", "image", "media/image1.emf")])
    )
    assert document.figures[0].ocr_text == "Suction\n4 bar"


def test_a_metafile_that_is_cut_short_keeps_what_is_there(document_of: Callable[..., Document]) -> None:
    drawing = emf(text_record("4 bar", 150, 190, 0), text_record("6 bar", 150, 190, 40)[:50])
    picture = '<w:r><w:pict><v:shape><v:imagedata r:id="r1"/></v:shape></w:pict></w:r>'
    document = document_of(
        "a.docx", docx(p("see") + p(picture), {"word/media/image1.emf": drawing}, [("r1", "image", "media/image1.emf")])
    )
    assert document.figures[0].ocr_text == "4 bar"


def test_pages_without_libreoffice_is_read_by_its_preview(
    parse_bytes: ParseBytes, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    parts = {"buildVersionHistory.plist": "x", "index.xml": "<x/>"}
    parsed = parse_bytes("a.pages", packed(parts))
    assert parsed.status is Status.UNSUPPORTED
    assert "install LibreOffice" in parsed.reason
    with pymupdf.open() as preview:
        preview.new_page().insert_text((72, 72), "Open the valve.")
        parts["QuickLook/Preview.pdf"] = preview.tobytes()
    assert document_of("a.pages", packed(parts)).text == "Open the valve."


def test_a_misleading_suffix_is_kept_from_libreoffice(
    tmp_path: Path, document_of: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "converted.docx").write_bytes(docx(p("from the old days")))
    script = (
        f'while [ "$1" != --outdir ]; do shift; done; case "$3" in *.txt) exit 1; esac; cp {tmp_path}/converted.docx'
    )
    program(tmp_path, f'{script} "$2/a.docx"')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    document = document_of("a.txt", compound(Storage({"WordDocument": b"x" * 5000})))
    assert document.text == "from the old days"


def test_a_text_with_the_suffix_of_a_drawing_is_read_as_text(document_of: Callable[..., Document]) -> None:
    assert document_of("calls.cdr", b"2026-11-28 10:00 ext 17 to ext 30").source.media_type == "text/plain"
