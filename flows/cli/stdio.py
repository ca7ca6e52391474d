"""The standard streams: safe lines, any encoding, readers that disappear, full disks."""

from __future__ import annotations

import json
import os
import re
import select
import sys
from contextlib import suppress
from typing import TextIO, cast

from pipelines.core.safe_output import HIDDEN, shown, shown_lines

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

INTERRUPTED = 130
READER_GONE = 141
"""The exit code that a shell gives a command ended by SIGPIPE."""


def prepare_streams() -> os.stat_result:
    """Make every text printable: characters that the encoding lacks are escaped (`\\u8fc7`), invalid ones replaced.

    A closed stream is replaced by the null device, so that no opened file gets its number. Returns the state of
    standard output, for `reader_is_gone`.
    """
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    for stream, errors in ((sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace"), (sys.stdin, "replace")):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=errors)
    return os.fstat(1)


def _nowhere(mode: str) -> TextIO:
    return cast("TextIO", open(os.devnull, mode, encoding="utf-8"))


def say(text: str, err: bool = False) -> None:
    """Print lines of text without characters that a terminal would interpret."""
    stream = sys.stderr if err else sys.stdout
    stream.write(shown_lines(text) + "\n")


def say_error(text: str, hint: str = "") -> None:
    """Print an error and a hint to standard error, as one line."""
    say(f"strata: {shown(text)}{shown(f' ({hint})') if hint else ''}", err=True)


def say_json(text: str) -> None:
    """Print JSON; characters that a terminal would interpret, or that the encoding lacks, are escaped as in JSON."""
    safe = HIDDEN.sub(_as_json, text)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        safe.encode(encoding)
    except UnicodeEncodeError:
        safe = _NOT_ASCII.sub(_as_json, safe)
    sys.stdout.write(safe + "\n")


def edit_lines() -> None:
    """Let `input` edit its line on a terminal, with the arrow keys and the lines before."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # Windows has none: its console edits lines itself
            import readline  # noqa: F401


def plain_output() -> TextIO:
    """Return standard output for the content of a file: unchanged in a file or pipe, made safe on a terminal."""
    return cast("TextIO", _Terminal(sys.stdout)) if sys.stdout.isatty() else sys.stdout


def reader_is_gone(output: os.stat_result) -> bool:
    """Whether the reader of standard output or error has gone; rich then replaces `output` by another file."""
    return any(_broken(number) for number in (1, 2)) or not os.path.samestat(output, os.fstat(1))


def flushed(code: int) -> int:
    """Flush the streams, so that the interpreter does not fail on exit; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = code or READER_GONE
            _discard(stream)
        except OSError as error:
            code = code or 1
            _discard(stream)
            sys.stderr.write(f"strata: the output cannot be written: {error.strerror}\n")
    if code == READER_GONE:
        _discard(sys.stdout)
    return code


class _Terminal:
    """A stream that makes text safe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(shown_lines(text))


def _as_json(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _broken(number: int) -> bool:
    try:
        poll = select.poll()
        poll.register(number, select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))
    except (AttributeError, OSError):  # no poll on this system, or no such descriptor
        return True


def _discard(stream: TextIO) -> None:
    """Redirect a stream to the null device, also for the flush when the interpreter exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
