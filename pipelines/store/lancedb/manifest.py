"""What a Lance table says about where its files are: one may name folders and hosts that it is read from.

Ours never do. A table that does came from elsewhere, and opening it would ask those hosts, with keys of this machine's
environment. So the manifests are read before Lance does: a protobuf message (`Manifest` of Lance's `table.proto`) whose
place stands at the end of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from pipelines.core.errors import StoreMismatch

_FOOTER = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
_READER_FLAGS, _BASE_PATHS = 9, 18
"""Numbers of fields: what a reader must be able to do, and the other places."""
_HAS_BASE_PATHS = 16
"""The flag that says that there are such places."""
_FIXED = {1: 8, 5: 4}


def has_version(table: Path) -> bool:
    """Tell whether this folder holds a table: one whose making was cut off has files, and no version yet."""
    return any(_manifests(table))


def refuse_elsewhere(table: Path) -> None:
    """Raise `StoreMismatch` where a version of the table in this folder has files outside it, or cannot be read."""
    for path in sorted(_manifests(table)):
        try:
            elsewhere = _names_places(path.read_bytes())
        except FileNotFoundError:  # a writer has cleaned up
            continue
        except (ValueError, IndexError, OverflowError, struct.error) as error:
            raise StoreMismatch(f"a manifest of the vectors is damaged: {path.name}", ids=(str(path),)) from error
        if elsewhere:
            raise StoreMismatch(
                "the vectors name files outside the knowledge base, which Strata never does; they are not opened",
                ids=(str(path),),
                hint="remove its folder `vectors` and ingest again",
            )


def _manifests(table: Path) -> Iterator[Path]:
    return (table / "_versions").glob("*.manifest")


def _names_places(data: bytes) -> bool:
    place, _, _, magic = _FOOTER.unpack(data[-_FOOTER.size :])
    if magic != b"LANC":
        raise ValueError("not a manifest")
    (length,) = _LENGTH.unpack_from(data, place)
    message = data[place + _LENGTH.size :][:length]
    if len(message) < length:
        raise ValueError("cut off")
    return any(
        number == _BASE_PATHS or (number == _READER_FLAGS and bool(value & _HAS_BASE_PATHS))
        for number, value in _fields(message)
    )


def _fields(message: bytes) -> Iterator[tuple[int, int]]:
    """The fields of a message by number; of those that are no varint, the value is their length."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _varint(message, place)
        elif kind == 2:
            value, place = _varint(message, place)
            place += value
        elif kind in _FIXED:
            value = _FIXED[kind]
            place += value
        else:
            raise ValueError(f"a field of kind {kind}")
        if place > len(message):
            raise ValueError("cut off")
        yield number, value


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError("a number without end")
