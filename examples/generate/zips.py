"""Rewrites zip-based documents (DOCX, XLSX, PPTX, EPUB) so that two runs give the same bytes."""

from __future__ import annotations

import io
import re
import zipfile

EPOCH = (2025, 3, 1, 9, 0, 0)
STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:)")


def repack(data: bytes) -> bytes:
    """Fix the time stamps of all members and of the core properties, also in embedded workbooks."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for member in source.infolist():
            write(out, member.filename, _fixed(member.filename, source.read(member)))
    return target.getvalue()


def write(out: zipfile.ZipFile, name: str, data: bytes | str, stored: bool = False) -> None:
    """Add one member with the fixed time stamp."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    info.create_system = 3
    out.writestr(info, data)


def _fixed(name: str, data: bytes) -> bytes:
    if name.endswith((".xlsx", ".docx")):
        return repack(data)
    if name.endswith("core.xml"):
        return STAMP.sub(rb"\g<1>2025-03-01T09:00:00Z\g<2>", data)
    return data
