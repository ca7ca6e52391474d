"""Programs that unpack or convert files for which there is no library; each gets the time that is left for the file."""

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
from pipelines.parse.limits import OUT_OF_TIME, READING, current_task, within_seconds

_LOOK_S = 0.5
"""Seconds between two looks at how much a program has written, in which a disk takes some 500 MB."""
_LOCKED = re.compile(r"encrypt|passphrase|password", re.IGNORECASE)


def program(names: Sequence[str], called: str, source: Source, instead: str = "unpack the file") -> str:
    """Return the path of the first of these commands that is installed.

    Raises `Unsupported` if there is none, with the advice to install what is `called` so, or to do something `instead`.
    """
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise Unsupported(f"{called} is not installed", ids=(source.uri,), hint=f"install {called}, or {instead}")
    return found


def started(command: list[str], said: IO[bytes], written: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start a program that has the processor time left for the file, and writes its messages to `said`.

    What it writes to its standard output goes to `written`, which is a pipe otherwise (`output_pipe`).
    """
    clock = current_task().clock
    limited = within_seconds(command, READING * clock.limit_s - clock.spent)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}  # names of members are written in it
    return subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=written, stderr=said, env=environment)


def output_pipe(process: subprocess.Popen[bytes]) -> io.BufferedIOBase:
    """Return the stream that a started program writes to."""
    return cast(io.BufferedIOBase, process.stdout)


def output(command: list[str], source: Source) -> bytes:
    """Return what a program writes. Raises `Malformed`, `Encrypted` or `TooLarge` if it fails."""
    with tempfile.TemporaryFile() as said:
        with started(command, said) as process:
            written = output_pipe(process).read()
        said.seek(0)
        failed = fault(process.returncode, said.read() or written, source)
    if failed is not None:
        raise failed
    return written


def write_into(folder: Path, command: list[str], source: Source, most: int) -> str:
    """Run a program that writes files of at most `most` bytes into a folder; return its messages.

    Raises `Malformed`, `Encrypted` or `TooLarge` if it fails.
    """
    with tempfile.TemporaryFile() as said:
        with started(command, said, said) as process:
            while process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_S)
                if _size(folder) > most:
                    process.kill()
                    raise TooLarge("unpacks to more than is allowed", ids=(source.uri,))
        said.seek(0)
        messages = said.read()
    failed = fault(process.returncode, messages, source)
    if failed is not None:
        raise failed
    return messages.decode("utf-8", "replace")


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder, which may be removed meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total


def fault(status: int, said: bytes, source: Source) -> Malformed | Encrypted | TooLarge | None:
    """Return why a program failed, by its exit status and its first message; None if it did not."""
    text = said.decode("utf-8", "replace").strip()
    if not status:
        return None
    if status in OUT_OF_TIME:
        return TooLarge("unpacking or converting took too long", ids=(source.uri,))
    if _LOCKED.search(text):
        return Encrypted("the archive needs a password", ids=(source.uri,), hint="unpack it into the folder")
    return Malformed(
        f"it cannot be unpacked or converted: {text.partition(chr(10))[0] or f'exit status {status}'}",
        ids=(source.uri,),
    )
