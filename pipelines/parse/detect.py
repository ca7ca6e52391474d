"""What a file is: its media type by content, and a note where its name says something else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.parse.decode import decode
from pipelines.parse.magic import ENCRYPTED_OFFICE, OLE, ZIP, binary_type, ole_type, zip_type
from pipelines.parse.sniff import HTML, JSON, JSON_LINES, MAIL, SVG, TEXT, XHTML, XML, text_type

UNKNOWN = "application/octet-stream"
_SAMPLE = 65536
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."

# What a name promises. Suffixes of plain text are not here: text may be called anything.
_PROMISED = {
    ".pdf": ("application/pdf",),
    ".docx": (_OOXML + "wordprocessingml.document",),
    ".docm": (_OOXML + "wordprocessingml.document",),
    ".xlsx": (_OOXML + "spreadsheetml.sheet",),
    ".xlsm": ("application/vnd.ms-excel.sheet.macroenabled.12", _OOXML + "spreadsheetml.sheet"),
    ".pptx": (_OOXML + "presentationml.presentation",),
    ".odt": (_ODF + "text",),
    ".ods": (_ODF + "spreadsheet",),
    ".odp": (_ODF + "presentation",),
    ".doc": ("application/msword",),
    ".xls": ("application/vnd.ms-excel",),
    ".ppt": ("application/vnd.ms-powerpoint",),
    ".msg": ("application/vnd.ms-outlook",),
    ".rtf": ("application/rtf",),
    ".epub": ("application/epub+zip",),
    ".zip": (ZIP,),
    ".tar": ("application/x-tar",),
    ".tgz": ("application/gzip",),
    ".gz": ("application/gzip",),
    ".bz2": ("application/x-bzip2",),
    ".xz": ("application/x-xz",),
    ".png": ("image/png",),
    ".jpg": ("image/jpeg",),
    ".jpeg": ("image/jpeg",),
    ".tif": ("image/tiff",),
    ".tiff": ("image/tiff",),
    ".webp": ("image/webp",),
    ".gif": ("image/gif",),
    ".bmp": ("image/bmp",),
    ".html": (HTML, XHTML),
    ".htm": (HTML, XHTML),
    ".xhtml": (XHTML, HTML, XML),
    ".xml": (XML, XHTML, SVG),
    ".svg": (SVG, XML),
    ".json": (JSON, JSON_LINES),
    ".jsonl": (JSON_LINES, JSON),
    ".eml": (MAIL,),
    ".txt": (TEXT, "text/markdown", "text/csv", "text/tab-separated-values", "text/x-rst"),
    ".md": ("text/markdown",),
    ".csv": ("text/csv",),
    ".tsv": ("text/tab-separated-values",),
}
_OFFICE_BY_NAME = {suffix: _PROMISED[suffix][0] for suffix in (".docx", ".docm", ".xlsx", ".xlsm", ".pptx")}


@dataclass(frozen=True, slots=True)
class Detected:
    """The media type of a file, `UNKNOWN` where nothing tells; `note` is a sentence where the name misleads."""

    media_type: str
    note: str = ""


def detect(path: Path, name: str = "") -> Detected:
    """Return what the file at `path` is; `name` is what it is called where the path does not say so.

    An empty file is what its name promises, else plain text. Raises `OSError` where it cannot be read.
    """
    suffix = PurePosixPath(name or path.name).suffix.lower()
    media_type = _by_content(path, suffix)
    promised = _PROMISED.get(suffix, ())
    if not promised or media_type in promised or path.stat().st_size == 0:
        return Detected(media_type)
    return Detected(media_type, f"named {suffix}, but its content is {media_type}")


def _by_content(path: Path, suffix: str) -> str:
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    if not head:
        return _PROMISED.get(suffix, (TEXT,))[0]
    media_type = binary_type(head)
    if media_type == ZIP:
        return zip_type(path)
    if media_type == OLE:
        inside = ole_type(path)
        # What is encrypted cannot be looked into without its password: its name is believed, if it has one.
        return _OFFICE_BY_NAME.get(suffix, inside) if inside == ENCRYPTED_OFFICE else inside
    return media_type or _textual(head, suffix)


def _textual(head: bytes, suffix: str) -> str:
    whole = len(head) < _SAMPLE
    sample = decode(head if whole else head[: head.rfind(b"\n") + 1 or len(head) - 3]).text
    if len(_CONTROL.findall(sample)) > len(sample) // 50:
        return _rare(head)
    return text_type(sample, suffix, whole=whole)


def _rare(head: bytes) -> str:
    """Binary, and none of those we read: puremagic has a name for most."""
    import puremagic

    try:
        return str(puremagic.from_string(head, mime=True)) or UNKNOWN
    except (puremagic.PureError, ValueError):
        return UNKNOWN
