"""OLE compound files (MS-CFB): their media types, and the files inside OLE objects. The only user of olefile.

Office stores an embedded object as a part of its own: an OOXML file as it is, anything else as a compound file whose
streams are those of the old format, or which wraps the bytes of a file (MS-OLEDS 2.3.6).
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from olefile import OleFileIO

OLE = "application/x-ole-storage"
ENCRYPTED_OFFICE = "application/vnd.ms-office.encrypted"
STAR_OFFICE = "application/vnd.stardivision."
"""The prefix of the types of StarOffice 3 to 5."""
VISIO = "application/vnd.visio"
PUBLISHER = "application/x-mspublisher"
WORKS = "application/vnd.ms-works"

_TYPES = MappingProxyType(
    {
        "encryptedpackage": ENCRYPTED_OFFICE,
        "__properties_version1.0": "application/vnd.ms-outlook",
        "worddocument": "application/msword",
        "powerpoint document": "application/vnd.ms-powerpoint",
        "workbook": "application/vnd.ms-excel",
        "book": "application/vnd.ms-excel",
        "visiodocument": VISIO,
        "starwriterdocument": STAR_OFFICE + "writer",
        "starcalcdocument": STAR_OFFICE + "calc",
        "bodytext": "application/x-hwp",
    }
)
"""Types by a stream or storage of the root, in lower case: names differ by more than their case (MS-CFB 2.6.4)."""
_CLASSES = MappingProxyType(
    {
        "2E8905A0-85BD-11D1-89D0-008029E4B0B1": STAR_OFFICE + "draw",
        "565C7221-85BC-11D1-89D0-008029E4B0B1": STAR_OFFICE + "impress",
        "00021201-0000-0000-00C0-000000000046": PUBLISHER,
    }
)
"""Types by the class of the root, for formats whose streams have the same names as others (LibreOffice,
comphelper/classids.hxx; libmspub)."""
_WRAPPED = ("package", "contents", "embeddedodf")
"""Streams that hold a whole file: OOXML, files of other programs such as PDF, OpenDocument."""
_NATIVE = "\x01ole10native"
_EMBEDDED = 2
"""The format of an object of OLE 1 that has its data."""
_PACKAGED = b"\x02\x00"
"""The version in front of a file's name in a stream of the Packager; without it the data follow at once."""


def ole_type(path: Path) -> str:
    """Return the media type of a compound file, or `OLE` if nothing in its root identifies it."""
    with path.open("rb") as file:
        return _type(_opened(file))


def stream_of(path: Path, name: str) -> bytes:
    """Return a stream of the root of a compound file, empty if it has none of this name."""
    with path.open("rb") as file:
        ole = _opened(file)
        return ole.openstream(name).read() if ole is not None and ole.exists(name) else b""


def content_of(data: bytes, name: str) -> tuple[str, bytes] | None:
    """Return the name and the bytes of the file in an OLE object, None if it holds none of a known kind.

    `name` is that of the object; it is kept if the object has no name of its own for the file.
    """
    ole = _opened(io.BytesIO(data))
    if ole is None:
        return None
    names = {entry[0].lower(): entry[0] for entry in ole.listdir() if len(entry) == 1}
    try:
        if _NATIVE in names:
            stream = ole.openstream(names[_NATIVE])
            _number(stream)  # the size of the rest
            return _packaged(stream.read(), name)
        for wrapped in _WRAPPED:
            if wrapped in names and _type(ole) == OLE:
                return name, ole.openstream(names[wrapped]).read()
    except (OSError, struct.error):
        return None
    return (name, data) if _type(ole) != OLE else None


def content_of_ole1(data: bytes, name: str) -> tuple[str, bytes] | None:
    """Return the same as `content_of` for an object of OLE 1, as RTF has it (MS-OLEDS 2.2.5)."""
    stream = io.BytesIO(data)
    try:
        _version, kind = _number(stream), _number(stream)
        program, _topic, _item = (stream.read(_number(stream)).rstrip(b"\0") for _ in ("class", "topic", "item"))
        native = stream.read(_number(stream))
        if kind != _EMBEDDED:
            return None
        return _packaged(native, name) if program.lower() == b"package" else content_of(native, name)
    except struct.error:
        return None


def _opened(file: io.BufferedIOBase) -> OleFileIO | None:
    """Return the file with its directory read, None if it is not a readable compound file."""
    import olefile

    try:
        return olefile.OleFileIO(file)
    except (OSError, ValueError, IndexError, struct.error, OverflowError, MemoryError):
        return None


def _type(ole: OleFileIO | None) -> str:
    if ole is None:
        return OLE
    names = {entry[0].lower() for entry in ole.listdir(streams=True, storages=True)}
    found = (media_type for name, media_type in _TYPES.items() if name in names)
    return next(found, "") or _CLASSES.get(ole.root.clsid, OLE)


def _packaged(data: bytes, name: str) -> tuple[str, bytes] | None:
    """Return what the Packager stored: a version, label and path of the file, a temporary path, and the bytes.

    The layout is not specified; it is that of oletools (oleobj, OleNativeStream). Without the version, it is a file.
    """
    if not data.startswith(_PACKAGED):
        return name, data
    label, _, rest = data.removeprefix(_PACKAGED).partition(b"\0")
    _path, _, rest = rest.partition(b"\0")
    stream = io.BytesIO(rest)
    _number(stream)  # of unknown meaning
    stream.read(_number(stream))
    content = stream.read(_number(stream))
    file_name = label.decode("cp1252", "replace").replace("\\", "/").rpartition("/")[2]
    return (file_name or name, content) if content else None


def _number(stream: IO[bytes]) -> int:
    """Return the next number of 32 bits. Raises `struct.error` at the end of the stream."""
    (number,) = struct.unpack("<I", stream.read(struct.calcsize("<I")))
    return int(number)
