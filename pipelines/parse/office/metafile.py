"""The text in Windows metafiles (EMF, MS-EMF): drawings and charts pasted into office documents, with their labels."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_SIGNATURE, _SIGNATURE_AT = b" EMF", slice(40, 44)
"""The signature in the header (MS-EMF 2.2.9), which is the first record."""
_RECORD = struct.Struct("<II")
"""Type and size in front of each record (MS-EMF 2.3)."""
_TEXT_WIDE, _TEXT_NARROW, _TEXT_SMALL = 84, 83, 108
"""EMR_EXTTEXTOUTW, EMR_EXTTEXTOUTA and EMR_SMALLTEXTOUT (MS-EMF 2.1.1)."""
_LONG = struct.Struct("<8x4i12xiiIII")
"""A text: the bounding box, and behind the scales its origin, number of characters, their offset in the record, options
(MS-EMF 2.3.5.8 and 2.2.5)."""
_SMALL = struct.Struct("<8xiiII12x")
"""A small text: origin, number of characters, options, and the scales (MS-EMF 2.3.5.37)."""
_GLYPHS, _NO_BOX, _BYTES = 0x10, 0x100, 0x200
"""Options: glyph numbers in place of characters, no box behind the scales, characters of one byte (MS-EMF 2.1.11)."""
_BOX = 16
"""Bytes of a box."""
_GAP = 0.3
"""Gap between texts that belong together, in heights of a line: less than a blank, as for words in PDF."""


def metafile_text(data: bytes) -> str:
    """Return the texts of an EMF file, one per line, those that adjoin joined; empty for any other file.

    Texts that are given by glyph numbers cannot be read.
    """
    if data[_SIGNATURE_AT] != _SIGNATURE:
        return ""
    lines: list[str] = []
    right, bottom = 0, 0
    for text, (left, top, end, low) in _texts(data):
        adjoins = bool(lines) and low == bottom and abs(left - right) <= _GAP * (low - top)
        if adjoins:
            lines[-1] += text
        else:
            lines.append(text)
        right, bottom = end, low
    return "\n".join(line.strip() for line in lines if any(map(str.isalnum, line)))


def _texts(data: bytes) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Yield the texts with their boxes: left, top, right, bottom; an empty box if a text has none."""
    at = 0
    while at + _RECORD.size <= len(data):
        kind, size = _RECORD.unpack_from(data, at)
        record = data[at : at + size]
        try:
            if kind in (_TEXT_WIDE, _TEXT_NARROW):
                left, top, right, bottom, _, _, count, offset, options = _LONG.unpack_from(record)
                if not options & _GLYPHS:
                    yield _decoded(record[offset:], count, kind == _TEXT_NARROW), (left, top, right, bottom)
            elif kind == _TEXT_SMALL:
                _, _, count, options = _SMALL.unpack_from(record)
                start = _SMALL.size + (0 if options & _NO_BOX else _BOX)
                if not options & _GLYPHS:
                    yield _decoded(record[start:], count, bool(options & _BYTES)), (0, 0, 0, 0)
        except struct.error:
            return  # cut short
        if size < _RECORD.size:
            return
        at += size


def _decoded(data: bytes, count: int, narrow: bool) -> str:
    text = data[:count].decode("cp1252", "replace") if narrow else data[: 2 * count].decode("utf-16-le", "replace")
    return text.replace("\0", "")
