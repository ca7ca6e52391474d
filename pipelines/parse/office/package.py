"""The parts of an Office file, encrypted or not: a zip whose members are found by name and read within limits."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from types import TracebackType

from pipelines.core.errors import Encrypted, Malformed, MissingExtra
from pipelines.parse.limits import check_archive
from pipelines.parse.magic import OLE, binary_type
from pipelines.parse.settings import ParseSettings

_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PROTECTED = "the document is protected by a password"
_HINT = 'set it under [parse.passwords] in strata.toml, by file pattern: "contracts/*.docx" = "..."'
_ENCRYPTED_FLAG = 0x1
_HEAD = 1024
"""Bytes in which a file tells what it is."""


def holds_encrypted_package(path: Path) -> bool:
    """Whether a compound file wraps an encrypted OOXML file."""
    return _ENCRYPTED_PACKAGE in path.read_bytes()


def decrypted(path: Path, uri: str, settings: ParseSettings) -> io.BytesIO:
    """Return the content of an encrypted file, opened by the first password of the settings that fits.

    Raises `Encrypted` where none does, `Malformed` for a compound file that is not encrypted.
    """
    passwords = settings.passwords_for(uri)
    if not passwords:
        if holds_encrypted_package(path):
            raise Encrypted(_PROTECTED, ids=(uri,), hint=_HINT)
        raise Malformed("an old binary Office file under a new name", ids=(uri,))
    for password in passwords:
        if (content := _open(path, uri, password)) is not None:
            return content
    raise Encrypted("none of the passwords in the settings opens the document", ids=(uri,), hint=_HINT)


def _open(path: Path, uri: str, password: str) -> io.BytesIO | None:
    try:
        import msoffcrypto  # type: ignore[import-untyped]
        from msoffcrypto.exceptions import (  # type: ignore[import-untyped]
            DecryptionError,
            FileFormatError,
            InvalidKeyError,
        )
    except ImportError as error:
        raise MissingExtra("office", "opening Office files with a password") from error
    content = io.BytesIO()
    with path.open("rb") as file:
        try:
            office = msoffcrypto.OfficeFile(file)
            office.load_key(password=password)
            office.decrypt(content)
        except (InvalidKeyError, DecryptionError):
            return None
        except (FileFormatError, OSError, ValueError) as error:
            raise Malformed(f"the encrypted file is broken: {error}", ids=(uri,)) from error
    content.seek(0)
    return content


class Package:
    """An open zip of parts. Names have no leading slash; letter case and backslashes do not matter.

    Raises `Encrypted` for a file behind a password, `Malformed` for one that is no zip or is cut short, `TooLarge`
    for one that would unpack beyond the limits.
    """

    def __init__(self, path: Path, uri: str, settings: ParseSettings) -> None:
        self.uri = uri
        with path.open("rb") as file:
            compound = binary_type(file.read(_HEAD)) == OLE
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

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._members

    def names(self) -> list[str]:
        """All parts, as written in the file."""
        return [member.filename.replace("\\", "/").lstrip("/") for member in self._members.values()]

    def read(self, name: str) -> bytes:
        """Return a part's bytes. Raises `Malformed` where it is missing or does not unpack."""
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
        """Return a part's bytes, empty where it is missing or does not unpack."""
        try:
            return self.read(name)
        except Malformed:
            return b""


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
