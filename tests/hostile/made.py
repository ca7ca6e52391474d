"""Constructors of files for hostile cases: office packages, archives, PDF pages, pictures, mails."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from html import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = {
    "word": ("word/document.xml", "wordprocessingml.document.main+xml"),
    "xl": ("xl/workbook.xml", "spreadsheetml.sheet.main+xml"),
    "ppt": ("ppt/presentation.xml", "presentationml.presentation.main+xml"),
}
Relations = Mapping[str, tuple[str, str, bool]]
"""Relationships by id: the last part of their type, their target, and whether it is external."""


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members: Mapping[str, bytes], *special: tarfile.TarInfo, mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in special:
            archive.addfile(info)
    return buffer.getvalue()


def office(kind: str, parts: Mapping[str, bytes]) -> bytes:
    """An office package with its content types and root relationship; `kind` is word, xl or ppt."""
    main, content = _MAIN[kind]
    types = (
        f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{content}"/></Types>'
    )
    root = relationships({"rId1": ("officeDocument", main, False)})
    return zipped({"[Content_Types].xml": types.encode(), "_rels/.rels": root, **parts})


def relationships(relations: Relations) -> bytes:
    lines = "".join(
        f'<Relationship Id="{id}" Type="{_R}/{kind}" Target="{escape(target)}"'
        + (' TargetMode="External"/>' if external else "/>")
        for id, (kind, target, external) in relations.items()
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'.encode()


def docx_with_parts(
    body: str, parts: Mapping[str, str] | None = None, relations: Relations | None = None, prolog: str = ""
) -> bytes:
    """A DOCX with this body; `parts` are given by their names below `word/`."""
    spaces = (
        f'xmlns:w="{_W}" xmlns:r="{_R}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    )
    document = f'<?xml version="1.0"?>{prolog}<w:document {spaces}><w:body>{body}</w:body></w:document>'
    inner = {f"word/{name}": text.replace("$W", spaces).encode() for name, text in (parts or {}).items()}
    return office(
        "word",
        {
            "word/document.xml": document.encode(),
            "word/_rels/document.xml.rels": relationships(relations or {}),
            **inner,
        },
    )


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def xlsx_with_parts(
    rows: str,
    *,
    before: str = "",
    after: str = "",
    name: str = "S",
    strings: str = "",
    relations: Relations | None = None,
    workbook: str = "",
) -> bytes:
    """An XLSX with one sheet; `before` and `after` surround its rows, `strings` are its shared strings."""
    book = (
        f'<workbook xmlns="{_X}" xmlns:r="{_R}"><sheets><sheet name="{escape(name)}" sheetId="1" r:id="rId1"/></sheets>'
        f"{workbook}</workbook>"
    )
    sheet = f'<worksheet xmlns="{_X}" xmlns:r="{_R}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'
    inside = {"rId1": ("worksheet", "worksheets/sheet1.xml", False)}
    if strings:
        inside["rId2"] = ("sharedStrings", "sharedStrings.xml", False)
    parts = {
        "xl/workbook.xml": book.encode(),
        "xl/_rels/workbook.xml.rels": relationships(inside),
        "xl/worksheets/sheet1.xml": sheet.encode(),
        "xl/worksheets/_rels/sheet1.xml.rels": relationships(relations or {}),
    }
    if strings:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_X}">{strings}</sst>'.encode()
    return office("xl", parts)


def cell(address: str, text: str) -> str:
    return f'<c r="{address}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def odf(kind: str, content: str, **parts: bytes) -> bytes:
    """An OpenDocument package; `kind` is text, spreadsheet or presentation."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "table", "draw", "style")
    )
    body = (
        f'<?xml version="1.0"?><office:document-content {spaces} xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:body><office:{kind}>{content}</office:{kind}></office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}".encode()
    return zipped({"mimetype": mime, "content.xml": body.encode(), **parts}, zipfile.ZIP_STORED)


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of the given objects, numbered from 1; the first is its catalog."""
    out = bytearray(b"%PDF-1.5\n")
    places = []
    for number, data in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + data + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    size = str(len(objects) + 1).encode()
    return (
        bytes(out)
        + b"trailer\n<</Size "
        + size
        + b"/Root 1 0 R"
        + trailer
        + b">>\nstartxref\n"
        + str(start).encode()
        + b"\n%%EOF"
    )


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length " + str(len(content)).encode() + entries + b">>\nstream\n" + content + b"\nendstream"


def one_page_pdf(
    content: bytes, *more: bytes, page: bytes = b"", catalog: bytes = b"", resources: bytes = b"", trailer: bytes = b""
) -> bytes:
    """A PDF with one page; `more` are objects from 6 on, the others are added to the dictionaries of their names."""
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>" + resources + b">>"
        + page + b">>",
        stream(content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
        trailer=trailer,
    )  # fmt: skip


TEXT = b"BT /F 12 Tf 50 700 Td (The valve is stuck) Tj ET"
"""The content of a page with one line of text."""


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *chunks: bytes, rows: bytes | None = None) -> bytes:
    """A grey PNG, white unless `rows` is given, with additional chunks before the image data."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    picture = zlib.compress(rows if rows is not None else (b"\0" + b"\xff" * width) * height, 9)
    return (
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + b"".join(chunks) + png_chunk(b"IDAT", picture)
        + png_chunk(b"IEND", b"")
    )  # fmt: skip


def mail(body: str, kind: str = "text/plain", **headers: str) -> bytes:
    told = {"From": "a@example.com", "To": "b@example.com", "Subject": "Valve", **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in told.items())
    return f"{lines}MIME-Version: 1.0\r\nContent-Type: {kind}\r\n\r\n{body}".encode("utf-8", "surrogateescape")


def epub(package: str, members: Mapping[str, bytes]) -> bytes:
    container = b'<container><rootfiles><rootfile full-path="o.opf"/></rootfiles></container>'
    fixed = {"mimetype": b"application/epub+zip", "META-INF/container.xml": container, "o.opf": package.encode()}
    return zipped({**fixed, **members})
