"""Office files as ZIP packages: parts found by name and read within limits, decryption, and repair of damaged files."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from lxml import etree

from pipelines.core.errors import Encrypted, Malformed, MissingExtra
from pipelines.parse.broken_zip import found_members
from pipelines.parse.compound import OLE
from pipelines.parse.limits import check_archive, most_unpacked
from pipelines.parse.magic import binary_type
from pipelines.parse.settings import UNLOCK_HINT, Limits, ParseSettings

_STANDARD_PASSWORDS = ("VelvetSweatshop", "/01Hannes Ruescher/01")
"""Excel and PowerPoint encrypt files that anybody may open with these, such as those protected against changes, and try
them before they ask (MS-XLS 2.2.10, MS-PPT 2.3.7)."""
_PROTECTED = "the document is protected by a password"
_ENCRYPTED_FLAG = 0x1
_HEAD_BYTES = 1024
"""Bytes from the start by which a file is recognized."""


def is_protected(path: Path) -> bool:
    """Whether a compound file is an Office document, of any version, that a password opens."""
    msoffcrypto, faults = _library()
    with path.open("rb") as file:
        try:
            return bool(msoffcrypto.OfficeFile(file).is_encrypted())
        except faults:
            return False


def decrypted(path: Path, uri: str, settings: ParseSettings) -> io.BytesIO:
    """Return the content of a protected file, decrypted with the first password of the settings that fits.

    Raises `Encrypted` if none fits, and `Malformed` for a compound file that is not encrypted.
    """
    passwords = settings.passwords_for(uri)
    if not is_protected(path):
        raise Malformed("an old binary Office file under a new name", ids=(uri,))
    for password in (*passwords, *_STANDARD_PASSWORDS):
        if (content := _open(path, uri, password)) is not None:
            return content
    reason = "none of the passwords in the settings opens the document" if passwords else _PROTECTED
    raise Encrypted(reason, ids=(uri,), hint=UNLOCK_HINT)


def _library() -> tuple[Any, tuple[type[Exception], ...]]:
    """Return msoffcrypto and its errors for files that it cannot read. Raises `MissingExtra`."""
    try:
        import msoffcrypto  # type: ignore[import-untyped]
        from msoffcrypto.exceptions import FileFormatError  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("office", "opening Office files with a password") from error
    return msoffcrypto, (FileFormatError, OSError, ValueError, LookupError, AssertionError, struct.error)


def _open(path: Path, uri: str, password: str) -> io.BytesIO | None:
    msoffcrypto, faults = _library()
    content = io.BytesIO()
    with path.open("rb") as file:
        try:
            office = msoffcrypto.OfficeFile(file)
            office.load_key(password=password)
            office.decrypt(content)
        except (msoffcrypto.exceptions.InvalidKeyError, msoffcrypto.exceptions.DecryptionError):
            return None
        except faults as error:
            raise Malformed(f"the encrypted file is broken: {error}", ids=(uri,)) from error
    content.seek(0)
    return content


class Package:
    """An open ZIP file of parts. Names have no leading slash; letter case and backslashes do not matter.

    Raises `Encrypted` for a file protected by a password, `Malformed` for one that is not a ZIP file or is truncated,
    and `TooLarge` for one that would unpack beyond the limits.
    """

    def __init__(self, path: Path, uri: str, settings: ParseSettings) -> None:
        self.uri = uri
        with path.open("rb") as file:
            compound = binary_type(file.read(_HEAD_BYTES)) == OLE
        content = decrypted(path, uri, settings) if compound else path
        try:
            self._zip = zipfile.ZipFile(content)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise Malformed(f"not an Office file, or cut short: {error}", ids=(uri,)) from error
        members = self._zip.infolist()
        check_archive(
            [member.file_size for member in members], path.stat().st_size, uri, settings.limits, called="parts"
        )
        self._members = {_normal(member.filename): member for member in members}
        self.damaged: list[str] = []

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._members

    def names(self) -> list[str]:
        """Return the names of all parts as written in the file."""
        return [member.filename.replace("\\", "/").lstrip("/") for member in self._members.values()]

    def read(self, name: str) -> bytes:
        """Return a part's bytes. Raises `Malformed` if it is missing or does not unpack, `Encrypted` if encrypted."""
        member = self._members.get(_normal(name))
        if member is None:
            raise Malformed(f"the part {name} is missing", ids=(self.uri,))
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise Encrypted("the parts are encrypted", ids=(self.uri,))
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise Malformed(f"the part {name} does not unpack: {error}", ids=(self.uri,)) from error

    def find(self, name: str) -> bytes:
        """Return a part's bytes, empty if it is missing, or does not unpack and so is `damaged`."""
        if name not in self:
            return b""
        try:
            return self.read(name)
        except Malformed:
            self.damaged.append(name)
            return b""

    @property
    def damage(self) -> str:
        """What is to be said about the damaged parts, which were not read; empty if there are none."""
        return f"damaged parts: {', '.join(dict.fromkeys(self.damaged))}" if self.damaged else ""


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


_XML_SUFFIXES = (".xml", ".rels")


def salvaged(path: Path, uri: str, limits: Limits) -> bytes:
    """Return a ZIP file with the readable content of the damaged one at `path`, empty if there is none.

    Each part ends where it no longer unpacks or is no longer XML. Parts are found by their local headers, not by the
    file's directory. Raises `TooLarge` if they unpack beyond the limits.
    """
    data = path.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for stored, part in found_members(data, most_unpacked(len(data), limits), uri):
            name = stored.decode("utf-8", "replace")
            whole = _closed_xml(part) if name.lower().endswith(_XML_SUFFIXES) else part
            if whole and name not in archive.NameToInfo:
                archive.writestr(name, whole)
        found = bool(archive.NameToInfo)
    return out.getvalue() if found else b""


def _closed_xml(part: bytes) -> bytes:
    """Return truncated XML with its open elements closed, empty if there is none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(part, parser)
    except (etree.XMLSyntaxError, ValueError):
        return b""
    return etree.tostring(root, encoding="utf-8", xml_declaration=True) if root is not None else b""
