"""Damaged Office files: what still unpacks of their parts, as a sound file that the readers read as any other."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from pipelines.core.errors import TooLarge
from pipelines.parse.limits import most_unpacked
from pipelines.parse.settings import Limits

_MARK = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3L2H")
"""A member's local header: mark, version, flags, method, time, date, CRC, both sizes, lengths of name and extra field
(PKWARE APPNOTE 4.3.7)."""
_STORED, _DEFLATED = 0, 8
"""Ways of compression (PKWARE APPNOTE 4.4.5)."""
_PIECE = 64
"""Bytes unpacked at once: so many before a fault are lost."""
_XML = (".xml", ".rels")


def salvaged(path: Path, uri: str, limits: Limits) -> bytes:
    """Return a ZIP file of the parts of the one at `path`, each as far as it unpacks and is XML; empty for none.

    Its directory is not asked: the parts are found by the headers before them. Raises `TooLarge` where they unpack
    beyond the limits.
    """
    data = path.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, part in _parts(data, most_unpacked(len(data), limits), uri):
            whole = _mended(part) if name.lower().endswith(_XML) else part
            if whole and name not in archive.NameToInfo:
                archive.writestr(name, whole)
        found = bool(archive.NameToInfo)
    return out.getvalue() if found else b""


def _parts(data: bytes, most: int, uri: str) -> Iterator[tuple[str, bytes]]:
    at = data.find(_MARK)
    while 0 <= at <= len(data) - _HEADER.size:
        _, _, _, method, _, _, _, size, _, name_length, extra_length = _HEADER.unpack_from(data, at)
        begin = at + _HEADER.size + name_length + extra_length
        name = data[at + _HEADER.size : at + _HEADER.size + name_length].decode("utf-8", "replace")
        part, end = _unpacked(data, begin, size, method, most)
        most -= len(part)
        if most < 0:
            raise TooLarge("unpacks to more than is allowed", ids=(uri,))
        yield name, part
        at = data.find(_MARK, max(end, at + 1))


def _unpacked(data: bytes, begin: int, size: int, method: int, most: int) -> tuple[bytes, int]:
    """Return what unpacks of a member, one byte more than allowed at the most, and where its data ends."""
    if method == _STORED:
        return data[begin : begin + size], begin + size
    unpacker, part = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    if method != _DEFLATED:
        return b"", begin
    for start in range(begin, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        try:
            part += unpacker.decompress(piece, most + 1 - len(part))
        except zlib.error:
            return bytes(part), start
        if unpacker.eof or len(part) > most:
            return bytes(part), start + len(piece) - len(unpacker.unused_data)
    return bytes(part), len(data)


def _mended(part: bytes) -> bytes:
    """Return XML that is closed where it breaks off, empty for none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(part, parser)
    except (etree.XMLSyntaxError, ValueError):
        return b""
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) if root is not None else b""
