"""The messages in the pipes between a worker and its parent: a kind, a number, and bytes with their length."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from typing import IO

HEAD = struct.Struct("<cQQ")


class FrameKind(Enum):
    JOB = b"J"
    ANSWER = b"A"
    """To a question of this number."""
    STAGE = b"S"
    NOTE = b"N"
    KEPT = b"K"
    QUESTION = b"Q"
    RESULT = b"R"
    RAISED = b"X"


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; `number` connects an answer with its question."""

    kind: FrameKind
    data: bytes = b""
    number: int = 0


class FrameWriter:
    """Writes frames, each whole; may be used from several threads."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = Lock()

    def send(self, frame: Frame) -> None:
        """Write a frame. Raises `OSError` where the other side is gone."""
        with self._lock:
            self._stream.write(HEAD.pack(frame.kind.value, frame.number, len(frame.data)))
            self._stream.write(frame.data)
            self._stream.flush()


def receive(stream: IO[bytes]) -> Frame | None:
    """Return the next frame, None where the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, number, length = HEAD.unpack(head)
    data = stream.read(length)
    return Frame(FrameKind(kind), data, number) if len(data) == length else None
