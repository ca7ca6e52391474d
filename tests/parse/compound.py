"""A minimal writer of OLE compound files (MS-CFB), for Outlook messages in tests."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_SECTOR = 512
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_NONE = 0xFFFFFFFF
_CUTOFF = 4096


@dataclass
class Storage:
    """A storage: its bytes entries are streams, the others storages."""

    entries: dict[str, bytes | Storage] = field(default_factory=dict)


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    child: int = _NONE
    right: int = _NONE
    start: int = _END


def compound(root: Storage) -> bytes:
    """Return the file. Streams are padded to the size from which they are stored in regular sectors."""
    entries = [_Entry("Root Entry", 5)]
    _flatten(root, 0, entries)
    sectors: list[bytes] = []
    chains: list[tuple[int, int]] = []
    for entry in entries:
        if entry.kind == 2 and entry.data:
            entry.start = len(sectors)
            chunks = _chunks(entry.data.ljust(_CUTOFF, b"\0"))
            chains.append((entry.start, len(chunks)))
            sectors += chunks
    directory = b"".join(_directory_entry(entry) for entry in entries)
    first_directory = len(sectors)
    chunks = _chunks(directory)
    chains.append((first_directory, len(chunks)))
    sectors += chunks
    return _file(sectors, chains, first_directory)


def _flatten(storage: Storage, parent: int, entries: list[_Entry]) -> None:
    """Link the entries as a chain of right siblings, a valid (unbalanced) tree if the names ascend."""
    previous = -1
    for name in sorted(storage.entries, key=lambda name: (len(name), name.upper())):
        value = storage.entries[name]
        number = len(entries)
        entries.append(_Entry(name, 2 if isinstance(value, bytes) else 1, value if isinstance(value, bytes) else b""))
        if previous < 0:
            entries[parent].child = number
        else:
            entries[previous].right = number
        previous = number
        if isinstance(value, Storage):
            _flatten(value, number, entries)


def _directory_entry(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le")
    size = max(len(entry.data), _CUTOFF) if entry.data else 0
    return (
        name.ljust(64, b"\0")
        + struct.pack("<HBB", len(name) + 2, entry.kind, 1)
        + struct.pack("<III", _NONE, entry.right, entry.child)
        + b"\0" * 36
        + struct.pack("<IQ", entry.start if entry.data else (_END if entry.kind != 1 else 0), size)
    )


def _chunks(data: bytes) -> list[bytes]:
    return [data[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(data), _SECTOR)]


def _file(sectors: list[bytes], chains: list[tuple[int, int]], first_directory: int) -> bytes:
    count = len(sectors)
    fats = 1
    while fats * 128 < count + fats:
        fats += 1
    table = [_FREE] * (fats * 128)
    for start, length in chains:
        for at in range(start, start + length):
            table[at] = at + 1 if at + 1 < start + length else _END
    for at in range(count, count + fats):
        table[at] = _FAT
    difat = [count + number if number < fats else _FREE for number in range(109)]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + b"\0" * 6
    header += struct.pack("<IIIIIIIII", 0, fats, first_directory, 0, _CUTOFF, _END, 0, _END, 0)
    header += struct.pack("<109I", *difat)
    return header + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)


class Coded(bytes):
    """A string in a code page, as messages of old have it."""


Value = str | bytes | int


def _strings(properties: dict[int, Value]) -> dict[str, bytes | Storage]:
    """Return the streams of text and binary properties (MS-OXMSG 2.1.3), and the stream that lists all of them."""
    streams: dict[str, bytes | Storage] = {}
    listed = b""
    for tag, value in properties.items():
        if isinstance(value, int):
            listed += struct.pack("<HHIII", 0x0003, tag, 6, value, 0)
            continue
        kind = 0x001F if isinstance(value, str) else 0x001E if isinstance(value, Coded) else 0x0102
        data = value.encode("utf-16-le") if isinstance(value, str) else value
        streams[f"__substg1.0_{tag:04X}{kind:04X}"] = data
        listed += struct.pack("<HHIII", kind, tag, 6, len(data) + (2 if kind == 0x001F else 0), 0)
    streams["listed"] = listed
    return streams


def _listed(properties: dict[int, Value], header: int) -> Storage:
    """Return a storage with the properties and their list, which begins with a header of zeros."""
    storage = Storage(_strings(properties))
    listed = storage.entries.pop("listed")
    assert isinstance(listed, bytes)
    storage.entries["__properties_version1.0"] = bytes(header) + listed
    return storage


def message(
    properties: dict[int, Value],
    attachments: list[dict[int, Value]],
    item: dict[int, Value] | None = None,
) -> bytes:
    """Return an Outlook message with text properties by tag, attachments, and an embedded item."""
    root = Storage(_strings(properties))
    listed = root.entries.pop("listed")
    assert isinstance(listed, bytes)
    root.entries["__properties_version1.0"] = (
        struct.pack("<8xIIII8x", 0, len(attachments), 0, len(attachments)) + listed
    )
    for number, attached in enumerate(attachments):
        root.entries[f"__attach_version1.0_#{number:08X}"] = _listed(attached, 8)
    if item is not None:
        holder = _listed({0x3001: "item"}, 8)
        holder.entries["__substg1.0_3701000D"] = _listed(item, 24)
        root.entries[f"__attach_version1.0_#{len(attachments):08X}"] = holder
    root.entries["__nameid_version1.0"] = Storage({"__substg1.0_00020102": b"\0" * 16})
    return compound(root)
