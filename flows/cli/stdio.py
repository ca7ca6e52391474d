"""The standard streams: clean lines, any encoding, a reader that goes away, a disk that is full."""

from __future__ import annotations

import json
import os
import re
import select
import sys
from typing import TextIO, cast

from pipelines.core.safe_output import HIDDEN, shown, shown_lines

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

INTERRUPTED = 130
READER_GONE = 141
"""The exit code that a shell gives a command ended by SIGPIPE."""


def prepare_streams() -> os.stat_result:
    """Let every text be printed: what the encoding lacks is escaped (`\\u8fc7`), what no text is, is replaced.

    A stream that was closed goes nowhere, so that no file of ours takes its number. Returns what the output is.
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
    """Print lines of text as they are but for what a terminal would obey."""
    stream = sys.stderr if err else sys.stdout
    stream.write(shown_lines(text) + "\n")


def say_error(text: str, hint: str = "") -> None:
    """Print on the standard error, as one line, what went wrong and what can be done about it."""
    say(f"strata: {shown(text)}{shown(f' ({hint})') if hint else ''}", err=True)


def say_json(text: str) -> None:
    """Print JSON; what a terminal would obey, or the output's encoding lacks, is escaped as JSON has it."""
    safe = HIDDEN.sub(_as_json, text)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        safe.encode(encoding)
    except UnicodeEncodeError:
        safe = _NOT_ASCII.sub(_as_json, safe)
    sys.stdout.write(safe + "\n")


def plain_output() -> TextIO:
    """Return the standard output for a file's content: as it is in a file or pipe, cleaned on a terminal."""
    return cast("TextIO", _Terminal(sys.stdout)) if sys.stdout.isatty() else sys.stdout


def reader_is_gone(output: os.stat_result) -> bool:
    """Whether nobody reads the standard output or error any more; rich puts another file in place of `output` then."""
    return any(_broken(number) for number in (1, 2)) or not os.path.samestat(output, os.fstat(1))


def flushed(code: int) -> int:
    """Write out what is still held, so that the interpreter has nothing to fail on; return the exit code."""
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
    """Writes clean text."""

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
    """What could not be written goes nowhere, now and when the interpreter ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
