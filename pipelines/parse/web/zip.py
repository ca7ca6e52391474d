"""ZIP archives: a list of what is inside, and each member as a document of its own."""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed
from pipelines.core.outcome import Status
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import check_archive
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.members import append_member, is_clutter

BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, struct.error)
_LINK = 0o120000
_TYPE = 0o170000
_ENCRYPTED_FLAG = 0x1
_HINT = 'set it under [parse.passwords] in strata.toml, by file pattern: "archive/*.zip" = "..."'


class ZipReader:
    """Unpacks members in memory, within the limits; nothing is written anywhere."""

    formats = (signed("application/zip", ".zip"),)
    name = "zip"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            with zipfile.ZipFile(path) as archive:
                members = [member for member in archive.infolist() if _is_file(member)]
                check_archive(members, path.stat().st_size, source.uri, settings.limits)
                password = _password(archive, members, source, settings)
                lost = [fault for member in members if (fault := _append(archive, member, password, builder))]
        except BROKEN_ZIP as error:
            raise Malformed(f"not a readable archive: {error}", ids=(source.uri,)) from error
        return _result(builder, members, lost)


def _result(builder: DocumentBuilder, members: list[zipfile.ZipInfo], lost: list[str]) -> Parsed:
    if lost and len(lost) == len(members):
        raise Malformed(f"no member unpacks: {lost[0]}", ids=(builder.source.uri,))
    parsed = builder.build()
    return replace(parsed, status=Status.PARTIAL, reason="; ".join(lost[:5])) if lost else parsed


def _is_file(member: zipfile.ZipInfo) -> bool:
    """Folders and links are no members."""
    linked = (member.external_attr >> 16) & _TYPE == _LINK
    return not (member.is_dir() or linked or is_clutter(member.filename))


def _append(archive: zipfile.ZipFile, member: zipfile.ZipInfo, password: bytes | None, builder: DocumentBuilder) -> str:
    """Append a member; return what is wrong with it, nothing where all is well."""
    name = _decoded(member)
    try:
        data = archive.read(member, password)
    except (*BROKEN_ZIP, RuntimeError) as error:
        return f"the member {name!r} does not unpack: {error}"
    append_member(name, data, builder)
    return ""


def _decoded(member: zipfile.ZipInfo) -> str:
    """Without the UTF-8 flag a name is in the packer's own code page, mostly UTF-8 or Chinese all the same."""
    if member.flag_bits & 0x800:
        return member.filename
    raw = member.orig_filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding) if not raw.isascii() else member.filename
        except UnicodeDecodeError:
            continue
    return member.filename


def _password(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], source: Source, settings: ParseSettings
) -> bytes | None:
    """Return the password that opens the archive, None where it needs none. Raises `Encrypted`."""
    locked = [member for member in members if member.flag_bits & _ENCRYPTED_FLAG]
    if not locked:
        return None
    smallest = min(locked, key=lambda member: member.file_size)
    for password in settings.passwords_for(source.uri):
        if _opens(archive, smallest, password.encode()):
            return password.encode()
    raise Encrypted("the archive needs a password", ids=(source.uri,), hint=_HINT)


def _opens(archive: zipfile.ZipFile, member: zipfile.ZipInfo, password: bytes) -> bool:
    try:
        archive.read(member, password)
    except (*BROKEN_ZIP, RuntimeError):
        return False
    return True
