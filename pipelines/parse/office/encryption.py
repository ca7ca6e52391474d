"""Office files behind a password: compound (OLE) files that hold an encrypted package. The only user of msoffcrypto."""

from __future__ import annotations

import io
from pathlib import Path

from pipelines.core.errors import Encrypted, Malformed, MissingExtra
from pipelines.parse.settings import ParseSettings

COMPOUND_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PROTECTED = "the document is protected by a password"
_HINT = 'set it under [parse.passwords] in strata.toml, by file pattern: "contracts/*.docx" = "..."'


def is_compound(path: Path) -> bool:
    """Whether the file is a compound file, as .doc, .xls, .ppt and encrypted .docx are."""
    with path.open("rb") as file:
        return file.read(len(COMPOUND_MAGIC)) == COMPOUND_MAGIC


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
