"""Binary formats by their first bytes; for ZIP and OLE, which contain many formats, also by their members."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from pathlib import Path

from pipelines.parse.compound import OLE, ole_type

PDF = "application/pdf"
XPS = "application/vnd.ms-xpsdocument"
ZIP = "application/zip"
EPUB = "application/epub+zip"
POSTSCRIPT = "application/postscript"
_POSTSCRIPT_MARK = b"%!PS"
"""The beginning of PostScript (PostScript Language Reference, G.2), in a printer job behind the job's commands."""
_PRINTER_JOB = b"\x1b%-12345X"
"""The beginning of a printer job (HP, Printer Job Language Technical Reference Manual, "Universal Exit")."""
DJVU = "image/vnd.djvu"
OUTLOOK = "application/vnd.ms-outlook-pst"
ACCESS = "application/vnd.ms-access"
ONENOTE = "application/onenote"

_OOXML = "application/vnd.openxmlformats-officedocument."
VISIO_XML = "application/vnd.ms-visio.drawing.main+xml"
_ODF = "application/vnd.oasis.opendocument."
SUN_XML = "application/vnd.sun.xml."
"""The prefix of the types of StarOffice 6 and OpenOffice.org 1, before OpenDocument."""
_ODF_VARIANT = re.compile(r"[-.](?:template|web|master|global)$")
"""Variants with the content of the plain type (ODF 1.3 part 2, 3.3): templates, texts for the web, master documents."""
CONTAINER = "META-INF/container.xml"
"""The member that names the package file of an EPUB (EPUB 3.3, OCF 4.2.6.3.1)."""

_PREFIXES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"PK\x07\x08", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", "application/rtf"),
    (_POSTSCRIPT_MARK, POSTSCRIPT),
    (b"\x04" + _POSTSCRIPT_MARK, POSTSCRIPT),
    (b"\xc5\xd0\xd3\xc6", POSTSCRIPT),
    (b"AT&TFORM", DJVU),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"MSCF\x00\x00\x00\x00", "application/vnd.ms-cab-compressed"),
    (b"\x1f\x9d", "application/x-compress"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"ARROW1", "application/vnd.apache.arrow.file"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-dosexec"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/x-matroska"),
    (b"!BDN", OUTLOOK),
    (b"\x00\x01\x00\x00Standard Jet DB", ACCESS),
    (b"\x00\x01\x00\x00Standard ACE DB", ACCESS),
    (b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3", ONENOTE),
    (b"\x00asm", "application/wasm"),
    (b"ITSF", "application/vnd.ms-htmlhelp"),
    (b"\xffWPC", "application/vnd.wordperfect"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x00\x00\x00\x0cjP  ", "image/jp2"),
    (b"\xff\x4f\xff\x51", "image/jp2"),
    (b"\x78\x9f\x3e\x22", "application/vnd.ms-tnef"),
    (b"HWP Document File", "application/x-hwp3"),
    # The first record of Excel 2, 3 and 4: BOF with its length (Excel 97 Developer's Kit, "BOF").
    (b"\x09\x00\x04\x00", "application/vnd.ms-excel"),
    (b"\x09\x02\x06\x00", "application/vnd.ms-excel"),
    (b"\x09\x04\x06\x00", "application/vnd.ms-excel"),
)
_PICTURE_BRANDS = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heic", b"avif": "image/avif"}
"""Pictures in ISO base media files, by their main brand (ISO/IEC 23008-12, 10.2; AV1 Image File Format, 6)."""
_CHUNK_TYPE = slice(8, 12)
"""Position of the content type in RIFF files, and in ISO base media files after "ftyp"."""
_BITMAP_SIZE = slice(14, 18)
"""Position of the length of BMP's second header, which follows the first one of 14 bytes."""
TAR_MARK = slice(257, 262)
"""Position of "ustar" in a tar archive (POSIX.1-1988)."""
# Sizes of BMP headers, from BITMAPCOREHEADER to BITMAPV5HEADER (Windows GDI, "Bitmap header types").
_BITMAP_HEADERS = tuple(bytes([size, 0, 0, 0]) for size in (12, 40, 108, 124))

# Endings of the main part's content type: Strict or Transitional, template, show or macro-enabled.
_MAIN_PARTS = (
    ("wordprocessingml", _OOXML + "wordprocessingml.document"),
    ("ms-word", _OOXML + "wordprocessingml.document"),
    ("ms-excel.sheet.macroenabled", "application/vnd.ms-excel.sheet.macroenabled.12"),
    ("ms-excel.template.macroenabled", "application/vnd.ms-excel.sheet.macroenabled.12"),
    ("spreadsheetml", _OOXML + "spreadsheetml.sheet"),
    ("presentationml", _OOXML + "presentationml.presentation"),
    ("ms-powerpoint", _OOXML + "presentationml.presentation"),
    ("ms-visio", VISIO_XML),
)
OOXML_TYPES = frozenset(media_type for _, media_type in _MAIN_PARTS)
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
"""A workbook with binary parts (MS-XLSB)."""
_XPS_PART = "xps-fixeddocumentsequence+xml"
"""Ending of the content type of the first part of XPS, and of OpenXPS (ECMA-388, appendix E)."""
HWPX = "application/hwp+zip"
"""Hangul Word Processor's documents in XML (KS X 6101)."""
IWORK = "application/vnd.apple.iwork"
"""Documents of Pages, Numbers and Keynote; only the name of the file says of which."""
_IWORK_PARTS = ("Index/Document.iwa", "buildVersionHistory.plist")
"""Members of iWork 2013 and later, and of iWork '09."""
_LONGEST_TYPE = 255
"""Maximum characters of a media type: 127 on either side of its slash (RFC 6838, 4.2)."""
_FIRST_HEADERS = 1 << 16
"""Bytes that are searched for the first members of a broken ZIP file."""
_OOXML_PARTS = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"/worksheets/", b"/drawings/")
"""What is in the names of parts with which programs begin OOXML documents (ECMA-376 1, 11 to 14; 2, 6.2, 6.5)."""
_MAIN_FOLDERS = (
    ("word/", _OOXML + "wordprocessingml.document"),
    ("xl/", _OOXML + "spreadsheetml.sheet"),
    ("ppt/", _OOXML + "presentationml.presentation"),
)
_SUN_NAMES = b"http://openoffice.org/2000/office"
_SUN_CLASS = re.compile(rb"office:class=\"(text|spreadsheet|presentation|drawing)\"")
_SUN_KINDS = {b"text": "writer", b"spreadsheet": "calc", b"presentation": "impress", b"drawing": "draw"}
"""The kinds of documents of StarOffice 6 (OpenOffice.org XML File Format, 2.1), and the ends of their types."""


def signature(head: bytes, path: Path) -> str:
    """Return the media type of the file at `path`, which begins with `head`, or '' if it is not a known format."""
    media_type = binary_type(head)
    if media_type == ZIP:
        return zip_type(path)
    return ole_type(path) if media_type == OLE else media_type


def binary_type(head: bytes) -> str:
    """Return the media type that the first kilobytes of a file identify, or ''."""
    for prefix, media_type in _PREFIXES:
        if head.startswith(prefix):
            return media_type
    if head.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(head[_CHUNK_TYPE], "")
    # After the four bytes of the box's size (ISO/IEC 14496-12, 4.2).
    if head.startswith(b"ftyp", 4):
        return _PICTURE_BRANDS.get(head[_CHUNK_TYPE], "video/mp4")
    if head[:2] == b"BM" and head[_BITMAP_SIZE] in _BITMAP_HEADERS:
        return "image/bmp"
    if head[TAR_MARK] == b"ustar":
        return "application/x-tar"
    # A PDF may have other bytes before its first line (PDF 1.7, appendix H, note 13).
    return PDF if b"%PDF-" in head[:1024] else _job_type(head)


def _job_type(head: bytes) -> str:
    return POSTSCRIPT if head.startswith(_PRINTER_JOB) and _POSTSCRIPT_MARK in head else ""


def is_zipped_office(media_type: str) -> bool:
    """Whether files of a type are ZIP archives of XML: OOXML or OpenDocument."""
    return media_type in OOXML_TYPES or media_type.startswith(_ODF)


def zip_type(path: Path) -> str:
    """Return the media type of a ZIP file: an office document, an EPUB, or a plain archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            # Twice what `limits.members` allows; the main parts of an office document come first.
            names = archive.namelist()[:20_000]
            return _declared(archive, names) or _ooxml(archive, names) or ZIP
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError, struct.error):
        return _broken_zip(path)


def _declared(archive: zipfile.ZipFile, names: list[str]) -> str:
    """Return the type that ODF, its predecessor and EPUB state in a member named "mimetype"."""
    folder = folder_of_book(names)
    if f"{folder}mimetype" not in names:
        return _undeclared(archive) if "META-INF/manifest.xml" in names and "content.xml" in names else ""
    with archive.open(f"{folder}mimetype") as member:
        declared = member.read(_LONGEST_TYPE).decode("ascii", "replace").strip()
    return _ODF_VARIANT.sub("", declared) if declared.startswith((_ODF, SUN_XML, "application/epub", HWPX)) else ""


def _undeclared(archive: zipfile.ZipFile) -> str:
    """Return the type of a document of StarOffice 6, which states its class in the content, or else of an ODF text."""
    with archive.open("content.xml") as member:
        head = member.read(_FIRST_HEADERS)
    found = _SUN_CLASS.search(head) if _SUN_NAMES in head else None
    return SUN_XML + _SUN_KINDS[found[1]] if found else _ODF + "text"


def folder_of_book(names: list[str]) -> str:
    """Return the folder, with its slash, that contains all of an EPUB if the folder itself was zipped; else ''."""
    folder = names[0].partition("/")[0] + "/" if names else ""
    packed = f"{folder}{CONTAINER}" in names and all(name.startswith(folder) for name in names)
    return folder if packed else ""


def _ooxml(archive: zipfile.ZipFile, names: list[str]) -> str:
    if any(part in names for part in _IWORK_PARTS):
        return IWORK
    if "xl/workbook.bin" in names:
        return XLSB
    if "[Content_Types].xml" in names:
        with archive.open("[Content_Types].xml") as member:
            # About 10,000 parts: more than a document has.
            types = member.read(2_000_000).decode("utf-8", "replace").lower()
        for key, media_type in _MAIN_PARTS:
            if any(key in part and ".main" in part for part in types.split('contenttype="')[1:]):
                return media_type
        if _XPS_PART in types:
            return XPS
    elif "_rels/.rels" not in names:
        return ""
    return next((kind for folder, kind in _MAIN_FOLDERS if any(name.startswith(folder) for name in names)), "")


def _broken_zip(path: Path) -> str:
    """Return the type of a ZIP file without a readable directory, from the names in its first local headers."""
    with path.open("rb") as file:
        head = file.read(_FIRST_HEADERS)
    if b"mimetypeapplication/" in head:
        declared = head.split(b"mimetype", 1)[1][:_LONGEST_TYPE].split(b"PK")[0].decode("ascii", "replace").strip()
        return declared if declared.startswith((_ODF, "application/epub")) else ZIP
    if CONTAINER.encode() in head:
        return EPUB
    if not any(part in head for part in _OOXML_PARTS):
        return ZIP
    return next((kind for folder, kind in _MAIN_FOLDERS if folder.encode() in head), ZIP)
