"""Members of a ZIP file that is cut short or damaged, found by their local headers: its directory stands at the end."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from pipelines.core.errors import TooLarge

_LOCAL_HEADER = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3L2H")
"""A member's local header: signature, version, flags, method, time, date, CRC, both sizes, lengths of name and extra
field (PKWARE APPNOTE 4.3.7)."""
_STORED, _DEFLATED = 0, 8
"""Compression methods (PKWARE APPNOTE 4.4.5)."""
_STEP = 64
"""Bytes decompressed at once: at most as many before a defect are lost."""


class FoundMember(NamedTuple):
    """The name of a member as stored, and its data as far as it unpacks."""

    name: bytes
    data: bytes


def found_members(data: bytes, most: int, uri: str) -> Iterator[FoundMember]:
    """Yield the members of a ZIP file in order. Raises `TooLarge` if they unpack to more than `most` bytes."""
    at = data.find(_LOCAL_HEADER)
    while 0 <= at <= len(data) - _HEADER.size:
        _, _, _, method, _, _, _, size, _, name_length, extra_length = _HEADER.unpack_from(data, at)
        begin = at + _HEADER.size + name_length + extra_length
        part, end = _unpack(data, begin, size, method, most)
        most -= len(part)
        if most < 0:
            raise TooLarge("unpacks to more than is allowed", ids=(uri,))
        yield FoundMember(data[at + _HEADER.size : at + _HEADER.size + name_length], part)
        at = data.find(_LOCAL_HEADER, max(end, at + 1))


def _unpack(data: bytes, begin: int, size: int, method: int, most: int) -> tuple[bytes, int]:
    """Return the data of a member as far as it unpacks, at most `most + 1` bytes, and the offset of its end."""
    if method == _STORED:
        return data[begin : begin + size], begin + size
    unpacker, part = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    if method != _DEFLATED:
        return b"", begin
    for start in range(begin, len(data), _STEP):
        piece = data[start : start + _STEP]
        try:
            part += unpacker.decompress(piece, most + 1 - len(part))
        except zlib.error:
            return bytes(part), start
        if unpacker.eof or len(part) > most:
            return bytes(part), start + len(piece) - len(unpacker.unused_data)
    return bytes(part), len(data)
