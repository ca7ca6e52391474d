"""Archives (ZIP, tar, 7z) and compressed files: a list of the members, each of which becomes a document of its own."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from pipelines.core.document import ReferenceKind, Source
from pipelines.core.errors import Encrypted, Malformed, MissingExtra, TooLarge
from pipelines.core.ids import is_clutter, path_of
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.broken_zip import found_members
from pipelines.parse.limits import MEBIBYTE, check_archive, most_unpacked
from pipelines.parse.magic import TAR_MARK
from pipelines.parse.parsed import Child, Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import UNLOCK_HINT, ParseSettings

BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, struct.error)
_MODE = 16
"""Shift of the mode in a member's external attributes, as written on Unix (Info-ZIP, proginfo/extra.txt)."""
_ENCRYPTED_FLAG, _UTF8_FLAG = 0x1, 0x800
"""Bits 0 and 11 of a member's flags (PKWARE APPNOTE 4.4.4)."""
BROKEN_TAR = (tarfile.TarError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
_OPENERS: Mapping[str, Callable[[Path], io.BufferedIOBase]] = MappingProxyType(
    {
        "application/x-tar": lambda path: path.open("rb"),
        "application/gzip": gzip.GzipFile,
        "application/x-bzip2": bz2.BZ2File,
        "application/x-xz": lzma.LZMAFile,
    }
)
_HEADER = 512
"""Bytes of the first header in a tar archive (POSIX.1-1988)."""
_OF_FILES = ("", ".zip")
"""Suffixes of archives whose members are documents; those of other formats of ZIP files are their parts."""
_CHUNK = 1 << 20
"""Bytes that are decompressed at a time."""


def append_member(name: str, data: bytes, builder: DocumentBuilder) -> None:
    """Add a member as a child document and as a list item that refers to it."""
    called = builder.child(Child(name, data, ReferenceKind.MEMBER), "member")
    if builder.list_item(called):
        builder.reference(ReferenceKind.MEMBER, called, called)


class ZipReader:
    """Unpacks members in memory, within the limits; nothing is written to disk."""

    formats = (signed("application/zip", ".zip"),)
    name = "zip"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            opened = zipfile.ZipFile(path)
        except BROKEN_ZIP as error:
            if path_of(source.name).suffix.lower() in _OF_FILES:
                return _found(path, builder)
            raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
        try:
            with opened as archive:
                members = [member for member in archive.infolist() if _is_file(member)]
                check_archive(
                    [member.file_size for member in members], path.stat().st_size, source.uri, settings.limits
                )
                password = _password(archive, members, source, settings)
                faults = [fault for member in members if (fault := _append(archive, member, password, builder))]
        except BROKEN_ZIP as error:
            raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
        return _result(builder, members, faults)


def _found(path: Path, builder: DocumentBuilder) -> Parsed:
    """Return the members of an archive whose list of them is damaged or cut off; the last one may be too."""
    data, uri, limits = path.read_bytes(), builder.source.uri, builder.settings.limits
    members = list(islice(found_members(data, most_unpacked(len(data), limits), uri), limits.members + 1))
    if len(members) > limits.members:
        raise TooLarge(f"more than {limits.members} members", ids=(uri,))
    for member in members:
        name = _named(member.name)
        if member.data and not is_clutter(name):
            append_member(name, member.data, builder)
    if builder.empty:
        raise Malformed("not a readable archive: its list of members is damaged or cut off", ids=(uri,))
    builder.left_out(issue="damaged or cut short: the list of its members is lost, and members may be too")
    return builder.build()


def _result(builder: DocumentBuilder, members: list[zipfile.ZipInfo], faults: list[str]) -> Parsed:
    if faults and len(faults) == len(members):
        raise Malformed(f"no member unpacks: {faults[0]}", ids=(builder.source.uri,))
    for fault in faults:
        builder.left_out(issue=fault)
    return builder.build()


def _is_file(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a regular file, not a folder or a link."""
    linked = stat.S_ISLNK(member.external_attr >> _MODE)
    return not (member.is_dir() or linked or is_clutter(member.filename))


def _append(archive: zipfile.ZipFile, member: zipfile.ZipInfo, password: bytes | None, builder: DocumentBuilder) -> str:
    """Append a member; return an error message, or '' if it could be unpacked."""
    name = _decoded(member)
    try:
        data = archive.read(member, password)
    except (*BROKEN_ZIP, RuntimeError) as error:
        return f"the member {name!r} does not unpack: {error}"
    append_member(name, data, builder)
    return ""


def _decoded(member: zipfile.ZipInfo) -> str:
    """Return a member's name; without the UTF-8 flag it is in the packer's code page, usually UTF-8 or Chinese."""
    if member.flag_bits & _UTF8_FLAG:
        return member.filename
    raw = member.orig_filename.encode("cp437", "replace")
    return member.filename if raw.isascii() else _named(raw)


def _named(raw: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("cp437")


def _password(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], source: Source, settings: ParseSettings
) -> bytes | None:
    """Return the password that opens the archive, or None if it needs none. Raises `Encrypted`."""
    locked = [member for member in members if member.flag_bits & _ENCRYPTED_FLAG]
    if not locked:
        return None
    smallest = min(locked, key=lambda member: member.file_size)
    for password in settings.passwords_for(source.uri):
        if _opens(archive, smallest, password.encode()):
            return password.encode()
    raise Encrypted("the archive needs a password", ids=(source.uri,), hint=UNLOCK_HINT)


def _opens(archive: zipfile.ZipFile, member: zipfile.ZipInfo, password: bytes) -> bool:
    try:
        archive.read(member, password)
    except (*BROKEN_ZIP, RuntimeError):
        return False
    return True


class SevenZipReader:
    """Unpacks 7z archives in memory. The only user of py7zr (the extra `7z`)."""

    formats = (signed("application/x-7z-compressed", ".7z"),)
    name = "7z"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        try:
            import py7zr
        except ImportError as error:
            raise MissingExtra("7z", "unpacking 7z archives") from error
        builder = DocumentBuilder(source, settings, self.name)
        for password in (None, *settings.passwords_for(source.uri)):
            try:
                members = _unpacked_7z(path, password, builder)
            except py7zr.PasswordRequired:
                continue
            except (py7zr.exceptions.ArchiveError, *BROKEN_TAR, zlib.error, struct.error) as error:
                if password is None:
                    raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
                continue  # a wrong password results in garbage
            for name, data in members:
                append_member(name, data, builder)
            return builder.build()
        raise Encrypted("the archive needs a password", ids=(source.uri,), hint=UNLOCK_HINT)


def _unpacked_7z(path: Path, password: str | None, builder: DocumentBuilder) -> list[tuple[str, bytes]]:
    """Return names and bytes of the members. Raises `TooLarge` and the errors of py7zr."""
    import py7zr
    from py7zr.io import BytesIOFactory

    uri, limits = builder.source.uri, builder.settings.limits
    with py7zr.SevenZipFile(path, password=password) as archive:
        files = [one for one in archive.list() if one.is_file and not is_clutter(one.filename)]
        check_archive([one.uncompressed for one in files], path.stat().st_size, uri, limits)
        factory = BytesIOFactory(limits.total_mb * MEBIBYTE)
        archive.extract(targets=[one.filename for one in files], factory=factory)
    return [(one.filename, factory.products[one.filename].read()) for one in files]


class TarReader:
    """Unpacks in memory as a stream, so that a limit is noticed before it is exceeded by much."""

    formats = (
        signed("application/x-tar", ".tar"),
        signed("application/gzip", ".gz", ".tgz"),
        signed("application/x-bzip2", ".bz2"),
        signed("application/x-xz", ".xz"),
    )
    name = "tar"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        limit = most_unpacked(path.stat().st_size, settings.limits)
        with _OPENERS[source.media_type](path) as unpacked:
            stream = io.BufferedReader(Bounded(unpacked, limit, source.uri), _CHUNK)
            try:
                if stream.peek(_HEADER)[TAR_MARK] == b"ustar":
                    append_all(stream, builder)
                else:
                    _append_single(stream, builder)
            except BROKEN_TAR as error:
                raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
        return builder.build()


class Bounded(io.RawIOBase):
    """Reads a stream up to `limit` bytes. Raises `TooLarge` beyond."""

    def __init__(self, stream: io.BufferedIOBase, limit: int, uri: str) -> None:
        self._stream = stream
        self._left = limit
        self._uri = uri

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._stream.read1(min(len(view), _CHUNK))  # `read` would lose what comes before damage
        self._left -= len(data)
        if self._left < 0:
            raise TooLarge("unpacks to more than is allowed", ids=(self._uri,))
        view[: len(data)] = data
        return len(data)


def append_all(stream: IO[bytes], builder: DocumentBuilder) -> None:
    """Append the members; a truncated archive is reported as an issue. Raises the error of the first member."""
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                data = archive.extractfile(member) if member.isreg() and not is_clutter(member.name) else None
                if data is None:
                    continue
                count += 1
                if count > builder.settings.limits.members:
                    raise TooLarge(f"more than {builder.settings.limits.members} members", ids=(builder.source.uri,))
                append_member(member.name, data.read(), builder)
        # Behind the end there are only zeros (POSIX.1-1988, 10.1.1); tarfile ends at a damaged header, too.
        if any(piece.strip(b"\0") for piece in iter(lambda: stream.read(_CHUNK), b"")):
            builder.left_out(issue="the archive breaks off: a header is damaged")
    except BROKEN_TAR as error:
        if builder.empty:
            raise
        builder.left_out(issue=f"the archive breaks off: {error}")


def _append_single(stream: io.BufferedReader[Any], builder: DocumentBuilder) -> None:
    """Append the content of a compressed file, named like the file without its last suffix."""
    path = path_of(builder.source.name)
    name = path.stem if path.suffix.lower() in (".gz", ".bz2", ".xz") else path.name
    data = bytearray()
    try:
        while piece := stream.read1(_CHUNK):
            data += piece
    except BROKEN_TAR as error:
        if not data:
            raise
        builder.left_out(issue=f"damaged, and read as far as it goes: {error}")
    append_member(name, bytes(data), builder)
