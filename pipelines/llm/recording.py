"""Recording what a model replies, for tests that are given it again (`pipelines.llm.testing.recorded`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipelines.core.codec import decode, encode
from pipelines.core.file_access import append_to
from pipelines.llm.chat import Chat, Reply, Request, request_key


@dataclass(frozen=True, slots=True)
class Recording:
    """One line of the file: the reply, the key of its request, and the request's words for who reads the file."""

    key: str
    role: str
    asked: str
    text: str
    model: str
    finish: str
    input_tokens: int
    output_tokens: int


def read_recordings(path: Path) -> dict[str, Recording]:
    """Return the recordings of a JSON Lines file by key; of two with one key the later counts."""
    # Not splitlines: that takes marks such as U+2028, which JSON leaves as they are, for ends of lines.
    lines = (line for line in path.read_bytes().split(b"\n") if line.strip())
    return {recording.key: recording for recording in (decode(line, Recording) for line in lines)}


class RecordingChat:
    """A chat that writes down what the inner one replies; `path` is appended to, a line at a time."""

    def __init__(self, inner: Chat, path: Path) -> None:
        self._inner, self._path = inner, path
        self._known = set(read_recordings(path)) if path.exists() else set()

    async def complete(self, request: Request) -> Reply:
        reply = await self._inner.complete(request)
        key = request_key(request)
        if key not in self._known:
            self._known.add(key)
            self._write(key, request, reply)
        return reply

    async def close(self) -> None:
        await self._inner.close()

    def _write(self, key: str, request: Request, reply: Reply) -> None:
        usage = reply.usage
        recording = Recording(
            key,
            request.role,
            words_of(request.messages),
            reply.text,
            reply.model,
            reply.finish,
            usage.input_tokens,
            usage.output_tokens,
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with append_to(self._path) as file:
            file.write(encode(recording).decode() + "\n")


class _Turn(Protocol):
    """Who speaks, and what."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


def words_of(turns: Iterable[_Turn]) -> str:
    """Return the words of a conversation, as a recording shows and tests find them."""
    return "\n".join(f"{turn.role}: {turn.content}" for turn in turns)
