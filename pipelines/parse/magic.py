"""Binary formats by their first bytes, and by what is inside for the two that are containers of many formats."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

PDF = "application/pdf"
ZIP = "application/zip"
OLE = "application/x-ole-storage"
ENCRYPTED_OFFICE = "application/vnd.ms-office.encrypted"

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."

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
    (b"%!PS", "application/postscript"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-dosexec"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/x-matroska"),
    (b"!BDN", "application/vnd.ms-outlook-pst"),
    (b"\x00asm", "application/wasm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
_BITMAP_HEADERS = tuple(bytes([size, 0, 0, 0]) for size in (12, 40, 108, 124))

# The main part's content type ends in one of these, Strict or Transitional, template, show or macro-enabled.
_MAIN_PARTS = (
    ("wordprocessingml", _OOXML + "wordprocessingml.document"),
    ("ms-word", _OOXML + "wordprocessingml.document"),
    ("ms-excel.sheet.macroenabled", "application/vnd.ms-excel.sheet.macroenabled.12"),
    ("ms-excel.template.macroenabled", "application/vnd.ms-excel.sheet.macroenabled.12"),
    ("spreadsheetml", _OOXML + "spreadsheetml.sheet"),
    ("presentationml", _OOXML + "presentationml.presentation"),
    ("ms-powerpoint", _OOXML + "presentationml.presentation"),
)
OOXML_TYPES = frozenset(media_type for _, media_type in _MAIN_PARTS)
_MAIN_FOLDERS = (
    ("word/", _OOXML + "wordprocessingml.document"),
    ("xl/", _OOXML + "spreadsheetml.sheet"),
    ("ppt/", _OOXML + "presentationml.presentation"),
)
_OLE_STREAMS = {
    "EncryptedPackage": ENCRYPTED_OFFICE,
    "__properties_version1.0": "application/vnd.ms-outlook",
    "WordDocument": "application/msword",
    "PowerPoint Document": "application/vnd.ms-powerpoint",
    "Workbook": "application/vnd.ms-excel",
    "Book": "application/vnd.ms-excel",
}


def signature(head: bytes, path: Path) -> str:
    """Return the media type of the file at `path`, which begins with `head`; empty where it is none of these."""
    media_type = binary_type(head)
    if media_type == ZIP:
        return zip_type(path)
    return ole_type(path) if media_type == OLE else media_type


def binary_type(head: bytes) -> str:
    """Return the media type that the first kilobytes of a file tell, empty where they tell none."""
    for prefix, media_type in _PREFIXES:
        if head.startswith(prefix):
            return media_type
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(head[8:12], "")
    if head[4:8] == b"ftyp":
        return "image/heic" if head[8:12] in (b"heic", b"heix", b"mif1") else "video/mp4"
    if head[:2] == b"BM" and head[14:18] in _BITMAP_HEADERS:
        return "image/bmp"
    if head[257:262] == b"ustar":
        return "application/x-tar"
    # A PDF may have anything before its first line (PDF 1.7, appendix H, note 13).
    return PDF if b"%PDF-" in head[:1024] else ""


def zip_type(path: Path) -> str:
    """Return what a ZIP file is: an office document, an EPUB, or just an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:20_000]
            return _declared(archive, names) or _ooxml(archive, names) or ZIP
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError, struct.error):
        return _broken_zip(path)


def _declared(archive: zipfile.ZipFile, names: list[str]) -> str:
    """ODF and EPUB name their type in a member of its own."""
    if "mimetype" not in names:
        return _ODF + "text" if "META-INF/manifest.xml" in names and "content.xml" in names else ""
    with archive.open("mimetype") as member:
        declared = member.read(200).decode("ascii", "replace").strip()
    return declared.removesuffix("-template") if declared.startswith((_ODF, "application/epub")) else ""


def _ooxml(archive: zipfile.ZipFile, names: list[str]) -> str:
    if "[Content_Types].xml" in names:
        with archive.open("[Content_Types].xml") as member:
            types = member.read(2_000_000).decode("utf-8", "replace").lower()
        for key, media_type in _MAIN_PARTS:
            if any(key in part and ".main" in part for part in types.split('contenttype="')[1:]):
                return media_type
    return _by_folder(names) if "[Content_Types].xml" in names or "_rels/.rels" in names else ""


def _by_folder(names: list[str]) -> str:
    return next((kind for folder, kind in _MAIN_FOLDERS if any(name.startswith(folder) for name in names)), "")


def _broken_zip(path: Path) -> str:
    """Without a readable directory the names in the first local headers still tell what it was."""
    with path.open("rb") as file:
        head = file.read(65536)
    if b"mimetypeapplication/" in head:
        declared = head.split(b"mimetype", 1)[1][:80].split(b"PK")[0].decode("ascii", "replace").strip()
        return declared if declared.startswith((_ODF, "application/epub")) else ZIP
    if b"[Content_Types].xml" not in head and b"_rels/.rels" not in head:
        return ZIP
    return next((kind for folder, kind in _MAIN_FOLDERS if folder.encode() in head), ZIP)


def ole_type(path: Path) -> str:
    """Return what an OLE compound file is, `OLE` where none of its streams tells."""
    with path.open("rb") as file:
        header = file.read(512)
        if len(header) < 512:
            return OLE
        (shift,) = struct.unpack_from("<H", header, 30)
        sector = 1 << min(shift, 16)
        (first,) = struct.unpack_from("<I", header, 48)
        # The chain of directory sectors is contiguous in nearly every file; the first ones name the main stream.
        if (place := (first + 1) * sector) >= path.stat().st_size:
            return OLE
        file.seek(place)
        entries = file.read(64 * sector)
    for at in range(0, len(entries) - 127, 128):
        (length,) = struct.unpack_from("<H", entries, at + 64)
        name = entries[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
        if name in _OLE_STREAMS:
            return _OLE_STREAMS[name]
    return OLE
