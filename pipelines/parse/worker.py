"""The process that parses file after file for a `ParserPool`: jobs come in on stdin, results go out on stdout."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import threading
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from pipelines.core.document import Source
from pipelines.parse.settings import ParseSettings

LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Job:
    """One file to parse."""

    path: str
    source: Source


def send(stream: IO[bytes], data: bytes) -> None:
    """Write `data` behind its length."""
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return what was sent, None where the other side is gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return stream.read(LENGTH.unpack(head)[0])


class _Inbox:
    """Reads jobs beside the work, to see at once when the parent is gone: then this process must not go on."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._jobs: SimpleQueue[bytes | None] = SimpleQueue()
        self._busy = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> bytes | None:
        self._busy.clear()
        job = self._jobs.get()
        self._busy.set()
        return job

    def _listen(self) -> None:
        while (data := receive(self._stream)) is not None:
            self._jobs.put(data)
        if self._busy.is_set():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        self._jobs.put(None)


def main() -> None:
    """Serve until stdin ends. The first message is the settings; this side trusts what the parent pickles."""
    incoming, outgoing = _own_channels()
    first = receive(incoming)
    if first is None:
        return
    settings: ParseSettings = pickle.loads(first)  # noqa: S301
    import msgspec

    from pipelines.parse.limits import confine
    from pipelines.parse.parse import parse

    confine(settings.limits)
    inbox = _Inbox(incoming)
    while (data := inbox.next()) is not None:
        job: Job = pickle.loads(data)  # noqa: S301
        send(outgoing, msgspec.msgpack.encode(parse(Path(job.path), job.source, settings)))


def _own_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipes for ourselves: a library that prints must not write into the results."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return incoming, outgoing


if __name__ == "__main__":
    main()
