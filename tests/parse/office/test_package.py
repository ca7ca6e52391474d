"""Tests of Office packages: limits, damaged parts, entities and passwords."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from msoffcrypto.format.ooxml import OOXMLFile

from pipelines.core.document import Source
from pipelines.core.outcome import Status
from pipelines.parse.office.legacy import EncryptedReader
from pipelines.parse.parse import parse
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.office.files import docx, odf, p, packed, pptx, rows, shape, tbl, tc, tr, w, xlsx

ParseBytes = Callable[..., Parsed]


def nested(text: str, wrap: str, times: int) -> str:
    start, end = wrap.split("|")
    return start * times + text + end * times


def test_excessive_text_is_too_large(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.docx", docx(p("lorem ipsum " * 3_000_000))).status is Status.TOO_LARGE


def test_unpacked_data_over_the_limit_is_too_large(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(limits=Limits(total_mb=1))
    assert parse_bytes("a.docx", docx(p("x") + p(" " * 1_200_000)), settings).status is Status.TOO_LARGE


def test_too_many_parts_are_too_large(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(limits=Limits(members=20))
    data = docx(p("x"), {f"word/media/{number}.png": b"" for number in range(30)})
    assert parse_bytes("a.docx", data, settings).status is Status.TOO_LARGE


def test_too_many_paragraphs_are_too_large(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.docx", docx("<w:p/>" * 400_001)).status is Status.TOO_LARGE


def test_a_table_of_too_many_cells_is_too_large(parse_bytes: ParseBytes) -> None:
    settings = ParseSettings(limits=Limits(cells=10))
    assert parse_bytes("a.docx", docx(tbl(*[tr(tc("a"), tc("b"))] * 9)), settings).status is Status.TOO_LARGE
    row = (
        '<table:table-row table:number-rows-repeated="99999999"><table:table-cell><text:p>x</text:p>'
        "</table:table-cell></table:table-row>"
    )
    assert parse_bytes("a.odt", odf("text", f"<table:table>{row}</table:table>"), settings).status is Status.TOO_LARGE


@pytest.mark.parametrize("times", [40, 5_000])
def test_nesting_is_read_or_too_large(parse_bytes: ParseBytes, times: int) -> None:
    expected = Status.INDEXED if times < 100 else Status.TOO_LARGE
    control = nested(p("deep"), "<w:sdt><w:sdtContent>|</w:sdtContent></w:sdt>", times)
    listed = nested("<text:p>deep</text:p>", "<text:list><text:list-item>|</text:list-item></text:list>", times)
    assert parse_bytes("a.docx", docx(control)).status is expected
    assert parse_bytes("a.odt", odf("text", listed)).status is expected


def test_fifty_nested_tables_are_read(parse_bytes: ParseBytes) -> None:
    inner = p("deep")
    for _ in range(50):
        inner = tbl(tr(tc(inner + p("")), tc("beside")))
    parsed = parse_bytes("a.docx", docx(inner))
    assert parsed.document is not None
    assert len(parsed.document.tables) == 50


def test_an_external_entity_is_not_loaded_and_other_text_is_kept(parse_bytes: ParseBytes) -> None:
    prologue = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY y "inner">]>'
    parsed = parse_bytes("a.docx", docx(p("before &x; &y; after"), prologue=prologue))
    assert parsed.document is not None
    assert parsed.document.text == "before  inner after"


def test_entities_that_multiply_are_too_large(parse_bytes: ParseBytes) -> None:
    names = "abcdefghij"
    entities = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))
    prologue = f'<!DOCTYPE d [<!ENTITY a "haha">{entities}]>'
    assert parse_bytes("a.docx", docx(p("&j;"), prologue=prologue)).status is Status.TOO_LARGE


@pytest.mark.parametrize("share", [0.6, 0.95])
def test_a_truncated_file_is_read_up_to_the_damage(parse_bytes: ParseBytes, share: float) -> None:
    words = [f"paragraph {number * 7919 % 9973}" for number in range(300)]
    data = docx("".join(map(p, words)))
    parsed = parse_bytes("a.docx", data[: int(len(data) * share)])
    assert parsed.status is Status.PARTIAL
    assert parsed.reason.startswith("damaged, and read as far as it goes: not an Office file, or cut short")
    assert parsed.document is not None
    assert parsed.document.text.startswith("paragraph 0\n\nparagraph 7919\n\nparagraph 5865")


def test_a_file_truncated_to_nothing_is_malformed(parse_bytes: ParseBytes) -> None:
    data = docx("".join(p(f"paragraph {number}") for number in range(300)))
    assert parse_bytes("a.docx", data[:60]).status is Status.MALFORMED


def test_a_damaged_file_is_unpacked_within_the_limits(parse_bytes: ParseBytes) -> None:
    data = docx(p("x"), {"word/zeros.bin": b"0" * 50_000_000})
    assert parse_bytes("a.docx", data[:-60]).status is Status.TOO_LARGE


def test_broken_xml_is_read_up_to_the_damage(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.docx", docx(p("The pump.") + "<w:p><w:r>"))
    assert (parsed.status, parsed.document and parsed.document.text) == (Status.PARTIAL, "The pump.")
    assert parse_bytes("a.docx", docx("<w:p><w:r>")).status is Status.MALFORMED


@pytest.mark.parametrize(
    ("name", "data", "part"),
    [
        ("a.docx", docx(p("x")), b"word/document.xml"),
        ("a.xlsx", xlsx(rows(["x"])), b"xl/workbook.xml"),
        ("a.pptx", pptx(shape("x")), b"ppt/presentation.xml"),
        ("a.ods", odf("spreadsheet", ""), b"content.xml"),
    ],
)
def test_a_file_without_its_main_part_is_malformed(
    parse_bytes: ParseBytes, name: str, data: bytes, part: bytes
) -> None:
    assert parse_bytes(name, data.replace(part, part[:-1] + b"_")).status is Status.MALFORMED


def test_circular_relationships_and_styles_are_read(parse_bytes: ParseBytes) -> None:
    styles = w(
        "styles",
        (
            '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B">'
            '<w:basedOn w:val="A"/></w:style>'
        ),
    )
    relations = [("s", "styles", "styles.xml"), ("h", "header", "document.xml"), ("f", "footnotes", "document.xml")]
    parsed = parse_bytes("a.docx", docx(p("x", "A"), {"word/styles.xml": styles}, relations))
    assert parsed.status is Status.INDEXED
    layout = [("l", "slideLayout", "slide1.xml"), ("n", "notesSlide", "slide1.xml")]
    assert parse_bytes("a.pptx", pptx(shape("x"), links=layout)).status is Status.INDEXED


def test_damaged_secondary_parts_do_not_affect_the_text(parse_bytes: ParseBytes) -> None:
    parts = {"word/styles.xml": "<w:styles", "word/numbering.xml": b"\xff\xfe", "word/footnotes.xml": ""}
    relations = [
        ("s", "styles", "styles.xml"),
        ("n", "numbering", "numbering.xml"),
        ("f", "footnotes", "footnotes.xml"),
    ]
    parsed = parse_bytes("a.docx", docx(p("still here"), parts, relations))
    assert parsed.document is not None
    assert parsed.document.text == "still here"
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "damaged parts: word/styles.xml, word/numbering.xml"


@pytest.mark.parametrize("first", ["xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml", "docProps/app.xml"])
def test_a_sheet_that_is_cut_short_is_no_archive_of_its_parts(first: str, parse_bytes: ParseBytes) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(first, "<x/>")
        archive.writestr("xl/styles.xml", "<x/>" * 9)
    assert parse_bytes("a.xlsx", data.getvalue()[:-99]).children == ()


def test_a_damaged_part_without_which_there_is_no_text_is_read_as_far_as_it_goes(parse_bytes: ParseBytes) -> None:
    out, name = io.BytesIO(), "xl/_rels/workbook.xml.rels"
    with zipfile.ZipFile(io.BytesIO(xlsx(rows(["Bearing torque"])))) as whole, zipfile.ZipFile(out, "w") as damaged:
        for member in whole.namelist():
            data = whole.read(member)
            damaged.writestr(member, data[: data.rindex(b"<")] if member == name else data)
    parsed = parse_bytes("a.xlsx", out.getvalue())
    assert parsed.document is not None
    assert "Bearing torque" in parsed.document.text
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == f"damaged, and read as far as it goes: damaged parts: {name}"


def test_names_of_parts_may_differ_in_case_and_slashes(parse_bytes: ParseBytes) -> None:
    data = docx(p("x")).replace(b"word/document.xml", b"Word\\Document.xml")
    assert parse_bytes("a.docx", data).status is Status.INDEXED


def test_a_damaged_member_is_read_up_to_the_damage(parse_bytes: ParseBytes) -> None:
    data = bytearray(docx("".join(p(f"{number * 7919 % 9973}") for number in range(2_000))))
    at = data.index(b"word/document.xml") + 2000
    data[at : at + 64] = bytes(64)
    parsed = parse_bytes("a.docx", bytes(data))
    assert (parsed.status, parsed.document and parsed.document.text[:10]) == (Status.PARTIAL, "0\n\n7919\n\n5")


def test_a_package_with_only_a_mimetype_is_malformed(parse_bytes: ParseBytes) -> None:
    data = packed({"mimetype": "application/vnd.oasis.opendocument.text"})
    assert parse_bytes("a.odt", data).status is Status.MALFORMED


def encrypted(password: str) -> bytes:
    """Return a DOCX encrypted with a password; the library writes smaller ones incorrectly."""
    content = io.BytesIO()
    padding = {"word/media/a.bin": random.Random(0).randbytes(20_000)}
    OOXMLFile(io.BytesIO(docx(p("inside"), padding))).encrypt(password, content)
    return content.getvalue()


@pytest.fixture
def locked() -> bytes:
    return encrypted("secret")


def test_the_password_with_which_office_encrypts_for_everybody_is_known(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.docx", encrypted("VelvetSweatshop"))
    assert parsed.document is not None, parsed.reason
    assert parsed.document.text == "inside"


@pytest.mark.parametrize(
    ("passwords", "status"),
    [({}, Status.ENCRYPTED), ({"*.docx": "wrong"}, Status.ENCRYPTED), ({"*.docx": "secret"}, Status.INDEXED)],
)
def test_a_password_from_the_settings_opens_a_file(
    tmp_path: Path, locked: bytes, passwords: dict[str, str], status: Status
) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(locked)
    settings = ParseSettings.model_validate(
        {"passwords": passwords, "engines": {"application/vnd.ms-office.encrypted": ENCRYPTED_READER}}
    )
    parsed = parse(path, Source("a.docx", "", len(locked), "0" * 64), settings)
    assert parsed.status is status
    assert parsed.document is None or parsed.document.text == "inside"


ENCRYPTED_READER = f"{EncryptedReader.__module__}:{EncryptedReader.__name__}"
