"""The readers of DOC, XLS and PPT (by xlrd, or turned into today's formats by LibreOffice) and of encrypted files."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import MappingProxyType

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, TooLarge, Unsupported
from pipelines.parse.limits import READING
from pipelines.parse.magic import ENCRYPTED_OFFICE, zip_type
from pipelines.parse.office.docx import DocxReader
from pipelines.parse.office.package import decrypted, holds_encrypted_package
from pipelines.parse.office.pptx import PptxReader
from pipelines.parse.office.xls import read_xls
from pipelines.parse.office.xlsx import XlsxReader
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import Reader, signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.task import current_task

_TARGETS = MappingProxyType({"application/msword": "docx", "application/vnd.ms-powerpoint": "pptx"})
_NAMES = MappingProxyType({"docx": "a Word 97 document", "pptx": "a PowerPoint 97 presentation"})
_PROGRAMS = ("soffice", "libreoffice")
_OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL)


class LegacyReader:
    """Reads the binary formats of Office 97 to 2003."""

    formats = (
        signed("application/msword", ".doc"),
        signed("application/vnd.ms-powerpoint", ".ppt"),
        signed("application/vnd.ms-excel", ".xls"),
    )
    name = "legacy"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        if holds_encrypted_package(path):
            decrypted(path, source.uri, settings)
            raise Malformed("a document of today under the name of an old one", ids=(source.uri,))
        target = _TARGETS.get(source.media_type)
        if target is None:
            return read_xls(path, source, settings)
        reader: Reader = DocxReader() if target == "docx" else PptxReader()
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            converted = _convert(path, target, Path(folder), source)
            return reader.read(converted, source, settings)


def _limited(command: list[str]) -> list[str]:
    """Return the command with no more processor seconds than the file has left; one that idles, our parent ends."""
    clock = current_task().clock
    if clock.limit_s == math.inf:
        return command
    left = max(1, math.ceil(READING * clock.limit_s - clock.spent))
    return ["/bin/sh", "-c", 'ulimit -t "$0"; exec "$@"', str(left), *command]


def _convert(path: Path, target: str, folder: Path, source: Source) -> Path:
    """Return the converted file in `folder`. Raises `Unsupported` without LibreOffice, `TooLarge` out of time."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise Unsupported(
            f"{_NAMES[target]} is read by way of LibreOffice", ids=(source.uri,), hint="install LibreOffice (soffice)"
        )
    # A profile of its own keeps a LibreOffice that is already running out of it.
    command = [program, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore"]
    command += ["--convert-to", target, "--outdir", str(folder), str(path.resolve())]
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(_limited(command), capture_output=True, check=False, env=environment)
    if done.returncode in _OUT_OF_TIME:
        raise TooLarge(f"LibreOffice took {current_task().clock.reason}", ids=(source.uri,))
    converted = folder / f"{path.resolve().stem}.{target}"  # the path may be a link
    if converted.exists():
        return converted
    told = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    if "password" in told.lower():
        raise Encrypted("the document is protected by a password", ids=(source.uri,))
    raise Malformed(f"LibreOffice cannot convert it: {told[-200:] or 'no reason given'}", ids=(source.uri,))


class EncryptedReader:
    """Opens a file with the passwords of the settings and reads what is inside; without one it is `Encrypted`."""

    formats = (signed(ENCRYPTED_OFFICE),)
    name = "encrypted"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        content = decrypted(path, source.uri, settings)
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            opened = Path(folder) / "opened"
            opened.write_bytes(content.getbuffer())
            return _reader(zip_type(opened), source).read(opened, source, settings)


def _reader(media_type: str, source: Source) -> Reader:
    readers: dict[str, Reader] = {
        "wordprocessingml.document": DocxReader(),
        "spreadsheetml.sheet": XlsxReader(),
        "presentationml.presentation": PptxReader(),
    }
    reader = readers.get(media_type.rpartition("officedocument.")[2])
    if reader is None:
        raise Unsupported(f"an encrypted {media_type or 'file of unknown type'}", ids=(source.uri,))
    return reader
