"""Files designed to break a parser, each with the allowed statuses. They are generated, never stored."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from pipelines.core.outcome import Status
from tests.hostile.case import BROKEN, EMPTY, FAILED, LARGE, LOCKED, READ, UNKNOWN
from tests.hostile.made import pdf, zipped


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file: its name, a function that creates its bytes, the allowed statuses."""

    name: str
    make: Callable[[], bytes]
    ends: frozenset[Status]


FILES: list[Hostile] = []


def hostile(name: str, *ends: frozenset[Status]) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
    def register(make: Callable[[], bytes]) -> Callable[[], bytes]:
        FILES.append(Hostile(name, make, frozenset().union(*ends)))
        return make

    return register


# -- Office

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = {
    "word": ("word/document.xml", "wordprocessingml.document.main+xml"),
    "xl": ("xl/workbook.xml", "spreadsheetml.sheet.main+xml"),
    "ppt": ("ppt/presentation.xml", "presentationml.presentation.main+xml"),
}


def office(kind: str, parts: dict[str, bytes]) -> bytes:
    main, content = _MAIN[kind]
    types = (
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{content}"/></Types>'
    )
    relations = (
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{_R}/officeDocument" Target="{main}"/></Relationships>'
    )
    return zipped({"[Content_Types].xml": types.encode(), "_rels/.rels": relations.encode(), **parts})


def docx(body: str, prolog: str = "") -> bytes:
    document = f'<?xml version="1.0"?>{prolog}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    return office("word", {"word/document.xml": document.encode()})


def xlsx(rows: str) -> bytes:
    workbook = (
        f'<workbook xmlns="{_X}" xmlns:r="{_R}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{_R}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    )
    sheet = f'<worksheet xmlns="{_X}"><sheetData>{rows}</sheetData></worksheet>'
    parts = {"xl/workbook.xml": workbook, "xl/_rels/workbook.xml.rels": relations, "xl/worksheets/sheet1.xml": sheet}
    return office("xl", {name: f'<?xml version="1.0"?>{text}'.encode() for name, text in parts.items()})


def _cell(address: str, text: str) -> str:
    return f'<c r="{address}" t="inlineStr"><is><t>{text}</t></is></c>'


@hostile("150-megabytes-of-text.docx", LARGE)
def docx_of_150_megabytes() -> bytes:
    return docx("<w:p><w:r><w:t>" + "pressure valve " * 10_000_000 + "</w:t></w:r></w:p>")


@hostile("three-million-paragraphs.docx", LARGE)
def docx_of_three_million_paragraphs() -> bytes:
    return docx("<w:p><w:r><w:t>valve</w:t></w:r></w:p>" * 3_000_000)


@hostile("entity-bomb.docx", LARGE, BROKEN, READ)
def docx_with_entities() -> bytes:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return docx("<w:p><w:r><w:t>text &e11;</w:t></w:r></w:p>", f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>')


@hostile("no-document-part.docx", BROKEN, EMPTY)
def docx_without_document() -> bytes:
    return office("word", {"word/styles.xml": b"<x/>"})


@hostile("cut-short.docx", BROKEN)
def docx_cut_short() -> bytes:
    whole = docx("<w:p><w:r><w:t>valve</w:t></w:r></w:p>" * 50)
    return whole[: len(whole) * 2 // 3]


@hostile("deep-tables.docx", LARGE, BROKEN, READ)
def docx_with_deep_tables() -> bytes:
    depth = 3000
    return docx("<w:tbl><w:tr><w:tc>" * depth + "<w:p><w:r><w:t>x</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * depth)


@hostile("far-corner.xlsx", READ)
def xlsx_with_a_far_corner() -> bytes:
    return xlsx(f'<row r="1">{_cell("A1", "first")}</row><row r="1048576">{_cell("XFD1048576", "last")}</row>')


@hostile("million-cells.xlsx", LARGE, READ)
def xlsx_with_a_million_cells() -> bytes:
    rows = (
        f'<row r="{row}">' + "".join(_cell(f"{chr(65 + c)}{row}", "v") for c in range(20)) + "</row>"
        for row in range(1, 50_001)
    )
    return xlsx("".join(rows))


@hostile("no-slides.pptx", BROKEN, EMPTY)
def pptx_without_slides() -> bytes:
    return office("ppt", {"ppt/presentation.xml": b"<p/>"})


@hostile("junk-in-ole.doc", UNKNOWN, BROKEN)
def ole_of_junk() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x07" * 5000


@hostile("looping-sectors.msg", BROKEN, EMPTY)
def ole_with_a_loop() -> bytes:
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIIIIIII", header, 44, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    entry = (
        "__properties_version1.0".encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 48) + b"\x02" + b"\0" * 61
    )
    fat = struct.pack("<I", 1) * 128
    return bytes(header) + fat + entry.ljust(512, b"\0")


# -- PDF and pictures


def _page(content: bytes, entries: bytes = b"", box: bytes = b"[0 0 600 800]") -> bytes:
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox" + box + b"/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length " + str(len(content)).encode() + entries + b">>\nstream\n" + content + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


@hostile("double-flate.pdf", LARGE, EMPTY, READ, FAILED)
def pdf_with_double_flate() -> bytes:
    once = zlib.compress(b"BT /F 9 Tf (x) Tj ET " * 40_000_000, 9)
    return _page(zlib.compress(once, 9), b"/Filter[/FlateDecode/FlateDecode]")


@hostile("cut-short.pdf", BROKEN, READ, EMPTY)
def pdf_cut_short() -> bytes:
    return _page(b"BT /F 12 Tf 50 700 Td (valve) Tj ET")[:300]


@hostile("pages-in-a-loop.pdf", BROKEN, EMPTY, FAILED)
def pdf_with_pages_in_a_loop() -> bytes:
    return pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 5>>")


@hostile("huge-page.pdf", READ, EMPTY, LARGE, BROKEN)
def pdf_with_a_huge_page() -> bytes:
    return _page(b"BT /F 12 Tf 50 700 Td (valve) Tj ET", box=b"[0 0 2000000 2000000]")


@hostile("only-a-header.pdf", BROKEN)
def pdf_with_only_a_header() -> bytes:
    return b"%PDF-1.7\n" + b"junk " * 100


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@hostile("60000-by-60000.png", LARGE, EMPTY, BROKEN)
def png_of_many_pixels() -> bytes:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * 10_000_000, 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


@hostile("cut-short.jpg", BROKEN, EMPTY)
def jpeg_cut_short() -> bytes:
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb\x00\x43"


@hostile("looping-directories.tif", BROKEN, EMPTY, LARGE)
def tiff_with_a_loop() -> bytes:
    return b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 1) + struct.pack("<HHII", 256, 4, 1, 1) + struct.pack("<I", 8)


# -- archives


@hostile("ratio-bomb.zip", LARGE)
def zip_of_zeros() -> bytes:
    return zipped({f"{n}.txt": b"0" * 30_000_000 for n in range(4)})


@hostile("many-members.zip", LARGE)
def zip_of_many_members() -> bytes:
    return zipped({f"{n}.txt": b"" for n in range(12_000)}, zipfile.ZIP_STORED)


@hostile("slip.zip", READ)
def zip_with_names_that_lead_out() -> bytes:
    names = ("../../etc/passwd", "/abs.txt", "C:\\windows\\x.txt", "a/../../b.txt", "ok.txt", "bell\x07.txt")
    return zipped(dict.fromkeys(names, b"member text"))


@hostile("cut-short.zip", READ)
def zip_cut_short() -> bytes:
    return zipped({"a.txt": b"valve " * 500})[:100]


@hostile("empty.zip", EMPTY)
def zip_of_nothing() -> bytes:
    return zipped({})


@hostile("wrong-size.zip", BROKEN)
def zip_that_lies() -> bytes:
    data = bytearray(zipped({"a.txt": b"0" * 1_000_000}))
    directory = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, directory + 24, 10)
    return bytes(data)


@hostile("overlapping.zip", LARGE, BROKEN, EMPTY, READ)
def zip_with_overlapping_members() -> bytes:
    one = zipped({"a.txt": b"0" * 20_000_000})
    at = one.rindex(b"PK\x01\x02")
    entry = one[at : one.rindex(b"PK\x05\x06")]
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 200, 200, len(entry) * 200, at, 0)
    return one[:at] + entry * 200 + end


@hostile("link.zip", EMPTY)
def zip_with_a_link() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return buffer.getvalue()


@hostile("locked.zip", LOCKED)
def zip_with_a_password() -> bytes:
    data = bytearray(zipped({"a.txt": b"secret " * 10}, zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)


# -- XML and formats based on it


@hostile("billion-laughs.xml", LARGE)
def xml_with_a_billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE z [<!ENTITY l0 "lol">{entities}]><z>&l9;</z>'.encode()


@hostile("quadratic.xml", LARGE, READ)
def xml_with_one_long_entity() -> bytes:
    return f'<!DOCTYPE z [<!ENTITY a "{"a" * 100_000}">]><z>{"&a;" * 20_000}</z>'.encode()


@hostile("external-entity.xml", READ)
def xml_with_an_external_entity() -> bytes:
    return b'<!DOCTYPE z [<!ENTITY x SYSTEM "file:///etc/passwd">]><z><p>before &x; after</p></z>'


@hostile("deep.xml", LARGE)
def xml_that_is_deep() -> bytes:
    return b"<a>" * 50_000 + b"x" + b"</a>" * 50_000


@hostile("unclosed.xml", READ)
def xml_that_does_not_end() -> bytes:
    return b"<parts><part><name>Filter</name></part><part><name>Pump"


@hostile("wrong-encoding.xml", READ)
def xml_with_a_wrong_encoding() -> bytes:
    return '<?xml version="1.0" encoding="utf-16"?><p>Überdruckventil geprüft</p>'.encode()


@hostile("sparse-records.xml", READ, LARGE)
def xml_with_records_that_share_nothing() -> bytes:
    return b"<all>" + b"".join(b"<one><f%d>x</f%d></one>" % (n, n) for n in range(20_000)) + b"</all>"


@hostile("no-elements.xml", BROKEN, READ)
def xml_without_elements() -> bytes:
    return b"<?xml version='1.0'?>\n<!-- nothing -->"


# -- HTML


@hostile("20000-divs.html", LARGE)
def html_that_is_deep() -> bytes:
    return b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000


@hostile("unclosed-bold.html", READ, LARGE)
def html_with_unclosed_tags() -> bytes:
    return b"<b>valve<i>" * 1500


@hostile("wide-spans.html", READ, LARGE)
def html_with_wide_spans() -> bytes:
    return b'<table><tr><td colspan="999999999" rowspan="999999999">a</td><td>b</td></tr><tr><td>c</td></tr></table>'


@hostile("million-cells.html", LARGE)
def html_with_a_million_cells() -> bytes:
    return b"<table>" + (b"<tr>" + b"<td>1" * 100 + b"</tr>") * 5_000 + b"</table>"


@hostile("nested-tables.html", LARGE, READ)
def html_with_nested_tables() -> bytes:
    return b"<table><tr><td>a</td><td>b" * 400 + b"</td></tr></table>" * 400


@hostile("only-scripts.html", EMPTY)
def html_of_scripts() -> bytes:
    return b"<html><head><script>var a = 1;</script><style>p{}</style></head><body><script>x()</script></body></html>"


@hostile("zeros-inside.html", READ)
def html_with_zeros() -> bytes:
    return b"<html><body><p>val\x00ve</p></body></html>"


@hostile("long-attribute.html", READ, EMPTY)
def html_with_a_long_attribute() -> bytes:
    return b'<p title="' + b"x" * 12_000_000 + b'">valve</p>'


@hostile("comments.html", READ)
def html_with_many_comments() -> bytes:
    return b"<!-- a -->" * 6_000 + b"<p>valve</p>"


# -- Markdown and text


@hostile("quotes.md", LARGE)
def markdown_with_deep_quotes() -> bytes:
    return b">" * 50_000 + b" deep"


@hostile("brackets.md", READ)
def markdown_with_brackets() -> bytes:
    return b"[" * 20_000 + b"a" + b"](b" * 5_000


@hostile("stars.md", READ)
def markdown_with_stars() -> bytes:
    return b"*a **b " * 10_000


@hostile("backticks.md", READ)
def markdown_with_backticks() -> bytes:
    return " ".join("`" * n + "a" for n in range(1, 400)).encode()


@hostile("open-brackets.txt", READ)
def text_against_patterns() -> bytes:
    return b"(" * 300_000 + b"1." * 150_000


@hostile("zeros.txt", UNKNOWN, EMPTY)
def text_of_zeros() -> bytes:
    return b"\0" * 1_000_000


@hostile("utf-16.csv", READ)
def csv_in_utf_16() -> bytes:
    return "part;price\nFilter;3,50\nPumpe groß;12\n".encode("utf-16")


@hostile("shift-jis.txt", READ)
def text_in_shift_jis() -> bytes:
    return "酸素濃縮器の保守手順。フィルターは三か月ごとに交換してください。".encode("cp932")


@hostile("blank.txt", EMPTY)
def text_of_blanks() -> bytes:
    return b" \n\t\n" * 1000


@hostile("only-a-mark.txt", EMPTY)
def text_of_a_byte_order_mark() -> bytes:
    return b"\xef\xbb\xbf"


@hostile("nothing.txt", EMPTY)
def nothing() -> bytes:
    return b""


@hostile("one-long-line.txt", READ)
def text_in_one_line() -> bytes:
    return b"valve pressure 4.2 see section 3.1 of STD-014, " * 60_000


@hostile("broken-utf-8.txt", READ)
def text_with_broken_bytes() -> bytes:
    return ("Überdruckventil geprüft. " * 400).encode() + b"\xff\xfe\xc3 end"


@hostile("escapes.log", READ)
def text_with_escapes() -> bytes:
    return b"\x1b[31mERROR\x1b[0m valve 3 stuck\n" * 3000


@hostile("wide.csv", READ, LARGE)
def csv_that_is_wide() -> bytes:
    return b",".join(b"%d" % n for n in range(300_000)) + b"\n"


@hostile("open-quote.csv", READ, BROKEN)
def csv_with_an_open_quote() -> bytes:
    return b'part,note\nA1,"' + b"never closed, " * 200_000


# -- JSON


@hostile("deep.json", LARGE, READ)
def json_that_is_deep() -> bytes:
    return b"[" * 100_000 + b"]" * 100_000


@hostile("long-number.json", READ)
def json_with_a_long_number() -> bytes:
    return b'{"n": ' + b"9" * 1_000_000 + b"}"


@hostile("cut-short.json", READ)
def json_cut_short() -> bytes:
    return b'{"part": "Filter", "price": 3.5, "next": {"na'


@hostile("lone-surrogates.json", READ)
def json_with_lone_surrogates() -> bytes:
    return b'{"name": "valve \\ud800 end", "\\udfff": 1}'


@hostile("same-keys.json", READ)
def json_with_one_key() -> bytes:
    return b"{" + b", ".join(b'"k": %d' % n for n in range(20_000)) + b"}"


# -- mail


def _mail(body: str, kind: str = "text/plain") -> bytes:
    head = (
        "From: a@example.com\r\nTo: b@example.com\r\nSubject: Valve\r\nMessage-ID: "
        "<1@example.com>\r\nMIME-Version: 1.0\r\n"
    )
    return f"{head}Content-Type: {kind}\r\n\r\n{body}".encode()


@hostile("deep-parts.eml", LARGE, READ)
def mail_with_deep_parts() -> bytes:
    body = "".join(f'--b{n}\r\nContent-Type: multipart/mixed; boundary="b{n + 1}"\r\n\r\n' for n in range(600))
    return _mail(body + "--b600\r\n\r\ndeep\r\n", 'multipart/mixed; boundary="b0"')


@hostile("no-boundary.eml", READ)
def mail_without_a_boundary() -> bytes:
    return _mail("the valve is stuck", "multipart/mixed")


@hostile("bad-base64.eml", READ)
def mail_with_bad_base64() -> bytes:
    part = "--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b\r\nContent-Type: application/pdf; name=../../x.pdf\r\n"
    return _mail(
        part + "Content-Transfer-Encoding: base64\r\n\r\n!!!!not base64!!!\r\n--b--", 'multipart/mixed; boundary="b"'
    )


@hostile("long-header.eml", READ)
def mail_with_a_long_header() -> bytes:
    return (
        b"Subject: " + b"valve " * 200_000 + b"\r\nFrom: a@example.com\r\nMessage-ID: <2@example.com>\r\n\r\nbody text"
    )


@hostile("for-one-reader.eml", LOCKED)
def mail_that_is_encrypted() -> bytes:
    return _mail("--b\r\n\r\nx\r\n--b--", 'multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"')


@hostile("unknown-charset.eml", READ)
def mail_in_no_charset() -> bytes:
    return _mail("gr\u00fc\u00dfe", "text/plain; charset=klingon-8")


# -- EPUB and RTF

_CONTAINER = b'<container><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>'


def epub(package: str, members: dict[str, bytes]) -> bytes:
    fixed = {"mimetype": b"application/epub+zip", "META-INF/container.xml": _CONTAINER, "o.opf": package.encode()}
    return zipped({**fixed, **members})


@hostile("missing-chapters.epub", BROKEN)
def epub_without_chapters() -> bytes:
    spine = '<package><manifest><item id="a" href="a.html"/></manifest><spine><itemref idref="a"/></spine></package>'
    return epub(spine, {})


@hostile("no-container.epub", BROKEN)
def epub_without_a_container() -> bytes:
    return zipped({"mimetype": b"application/epub+zip", "a.html": b"<p>x</p>"})


@hostile("protected.epub", LOCKED)
def epub_that_is_protected() -> bytes:
    method = '<EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
    return epub("<package/>", {"META-INF/encryption.xml": f"<encryption>{method}</encryption>".encode()})


@hostile("deep-groups.rtf", LARGE, READ)
def rtf_that_is_deep() -> bytes:
    return b"{\\rtf1 " + b"{" * 100_000 + b"valve" + b"}" * 100_001


@hostile("long-binary.rtf", READ)
def rtf_with_a_long_binary() -> bytes:
    return b"{\\rtf1 valve {\\pict\\bin999999999 xx}"


@hostile("bad-hex.rtf", READ)
def rtf_with_bad_hex() -> bytes:
    return b"{\\rtf1 valve \\'zz {\\pict\\pngblip zzzz}\\u99999999? end}"


# -- names that lie


@hostile("really-a-page.pdf", READ)
def page_called_pdf() -> bytes:
    return b"<!DOCTYPE html><html><body><h1>Valve</h1><p>It is stuck.</p></body></html>"


@hostile("really-an-archive.docx", READ)
def archive_called_docx() -> bytes:
    return zipped({"notes.txt": b"the valve is stuck"})


@hostile("really-json.txt", READ)
def json_called_txt() -> bytes:
    return json.dumps({"valve": {"state": "stuck"}}).encode()


@hostile("really-a-program.txt", UNKNOWN)
def program_called_txt() -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40


@hostile("noise.bin", UNKNOWN, EMPTY)
def noise() -> bytes:
    return base64.b64decode("3q2+7wAB") + zlib.compress(bytes(range(256)) * 50)[2:] + b"\x00\x01\x02" * 200


HEAVY = {
    "three-million-paragraphs.docx",
    "150-megabytes-of-text.docx",
    "million-cells.xlsx",
    "double-flate.pdf",
    "wide.csv",
}
"""Files that take long to create or to read."""


# -- files that wrap others

_SIGNED = bytes.fromhex("06092a864886f70d010702")
"""The type of signed data in DER."""


@hostile("deep.p7m", BROKEN)
def deep_signature() -> bytes:
    """Sequences nested three thousand deep."""
    content = b"\x04\x00"
    for _ in range(3000):
        content = b"\x30\x84" + struct.pack(">I", len(content)) + content
    body = _SIGNED + b"\xa0\x84" + struct.pack(">I", len(content)) + content
    return b"\x30\x84" + struct.pack(">I", len(body)) + body


@hostile("long.p7m", BROKEN)
def long_signature() -> bytes:
    """Lengths of four gigabytes."""
    return b"\x30\x84\xff\xff\xff\xff" + _SIGNED + b"\xa0\x84\xff\xff\xff\xff"


@hostile("winmail.dat", BROKEN)
def long_attribute() -> bytes:
    """An attribute of four gigabytes."""
    return struct.pack("<IHBII", 0x223E9F78, 1, 2, 0x0006800F, 0xFFFFFFFF) + b"x" * 100


@hostile("object.rtf", READ)
def long_object() -> bytes:
    """An embedded object whose class has a name of four gigabytes."""
    digits = (struct.pack("<III", 0x501, 2, 0xFFFFFFFF) + b"Package").hex().encode()
    return b"{\\rtf1 text {\\object{\\*\\objdata " + digits + b"}}}"
