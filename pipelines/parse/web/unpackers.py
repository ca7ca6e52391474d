"""Archives that other programs unpack: RAR, CAB, LHA and others (bsdtar), and Windows help (7-Zip)."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, TooLarge, Unsupported
from pipelines.core.ids import is_clutter
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import OUT_OF_TIME, READING, check_archive, current_task, most_unpacked, within_seconds
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.archives import BROKEN_TAR, Bounded, append_all, append_member

BSDTAR, SEVEN_ZIP = ("bsdtar",), ("7zz", "7z", "7za")
"""The names of the commands."""
_SIZE = re.compile(r"^Size = (\d+)$", re.MULTILINE)
_LOCKED = re.compile(r"encrypt|passphrase|password", re.IGNORECASE)
_INTERNAL = ("#", "$", "::")
"""Beginnings of the names of a help file's own data (CHM: tables of topics, strings and links)."""


class LibarchiveReader:
    """Unpacks what bsdtar reads, as a stream of tar, so that nothing is written to disk."""

    formats = (
        signed("application/vnd.rar", ".rar"),
        signed("application/vnd.ms-cab-compressed", ".cab"),
        signed("application/x-compress", ".z"),
        signed("application/zstd", ".zst", ".zstd"),
        FileFormat("application/x-lzh-compressed", (".lzh", ".lha")),
        FileFormat("application/x-iso9660-image", (".iso",)),
        FileFormat("application/x-cpio", (".cpio",)),
    )
    name = "bsdtar"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        program = _program(BSDTAR, "bsdtar (libarchive-tools)", source)
        limit = most_unpacked(path.stat().st_size, settings.limits)
        with tempfile.TemporaryFile() as said:
            with _started([program, "-cf", "-", f"@{path.resolve()}"], said) as process:
                stream = io.BufferedReader(Bounded(_pipe(process), limit, source.uri))
                with contextlib.suppress(*BROKEN_TAR):  # what bsdtar says is the reason
                    append_all(stream, builder)
            said.seek(0)
            fault = _fault(process.returncode, said.read(), source)
        if fault is not None and not builder.empty:
            builder.left_out(issue=fault.message)
        elif fault is not None:
            raise fault
        return builder.build()


class HelpReader:
    """Unpacks compiled HTML help (CHM); its pages become documents."""

    formats = (signed("application/vnd.ms-htmlhelp", ".chm"),)
    name = "7z"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        program = _program(SEVEN_ZIP, "7-Zip", source)
        listed = _output([program, "l", "-slt", str(path.resolve())], source)
        check_archive([int(size) for size in _SIZE.findall(listed)], path.stat().st_size, source.uri, settings.limits)
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            _output([program, "x", "-y", f"-o{folder}", str(path.resolve())], source)
            for file in sorted(Path(folder).rglob("*")):
                name = file.relative_to(folder).as_posix()
                if file.is_file() and not file.is_symlink() and not name.startswith(_INTERNAL) and not is_clutter(name):
                    append_member(name, file.read_bytes(), builder)
        return builder.build()


def _program(names: Sequence[str], called: str, source: Source) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Unsupported(f"{called} is not installed", ids=(source.uri,), hint=f"install {called}, or unpack the file")
    return found


def _started(command: list[str], said: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program that has the processor time left for the file, and writes its messages to `said`."""
    clock = current_task().clock
    limited = within_seconds(command, READING * clock.limit_s - clock.spent)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # names of members are written in it
    return subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=said, env=environment)


def _pipe(process: subprocess.Popen[bytes]) -> io.BufferedIOBase:
    return cast(io.BufferedIOBase, process.stdout)


def _output(command: list[str], source: Source) -> str:
    """Return what a program writes. Raises `Malformed`, `Encrypted` or `TooLarge` if it fails."""
    with tempfile.TemporaryFile() as said:
        with _started(command, said) as process:
            output = _pipe(process).read()
        said.seek(0)
        fault = _fault(process.returncode, said.read() or output, source)
    if fault is not None:
        raise fault
    return output.decode("utf-8", "replace")


def _fault(status: int, said: bytes, source: Source) -> Malformed | Encrypted | TooLarge | None:
    """Return why a program failed, by its exit status and its first message; None if it did not."""
    text = said.decode("utf-8", "replace").strip()
    if not status:
        return None
    if status in OUT_OF_TIME:
        return TooLarge("unpacking took too long", ids=(source.uri,))
    if _LOCKED.search(text):
        return Encrypted("the archive needs a password", ids=(source.uri,), hint="unpack it into the folder")
    return Malformed(f"it does not unpack: {text.partition(chr(10))[0] or f'exit status {status}'}", ids=(source.uri,))
