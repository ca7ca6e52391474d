"""Replies recorded from a model once, and given again: tests see what a real model says, without one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from pipelines.core.codec import decode, encode
from pipelines.core.errors import NotFound
from pipelines.core.file_access import append_to
from pipelines.llm.chat import Chat, Message, Reply, Request, Usage
from pipelines.llm.request_key import request_key
from pipelines.llm.testing.loopback_wire import Call, Turn

_REPLIED = "\nassistant: "


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


class ReplayChat:
    """A chat that knows only what was recorded.

    It raises `NotFound` for anything else, naming the nearest recording and where the two part ways.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recordings = read_recordings(path)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return tuple(self._recordings.values())

    async def complete(self, request: Request) -> Reply:
        found = self._recordings.get(request_key(request))
        if found is None:
            raise NotFound(f"no recording of this request in {self._path.name}; {self.nearest(_words(request))}")
        return Reply(found.text, found.model, Usage(found.input_tokens, found.output_tokens, 1), found.finish)

    async def close(self) -> None:
        """Nothing is held."""

    def nearest(self, asked: str) -> str:
        """Return which recording is nearest to the words of a request, and where the two part ways."""
        if not self._recordings:
            return "it is empty"
        nearest = max(self._recordings.values(), key=lambda one: _alike(one.asked, asked))
        at = next((i for i, (a, b) in enumerate(zip(nearest.asked, asked, strict=False)) if a != b), None)
        if at is None and len(nearest.asked) == len(asked):
            return f"{nearest.key[:12]} has the same words, and another model, schema, temperature or limit"
        at = min(len(nearest.asked), len(asked)) if at is None else at
        return (
            f"the nearest, {nearest.key[:12]}, has {nearest.asked[at : at + 60]!r}"
            f" where this one has {asked[at : at + 60]!r}"
        )


class RecordedAnswers:
    """The answers of a loopback server, from recordings: by the words of a request, whatever its model is called.

    A request that asks again after a fault of the server's own gets the reply that was usable in the end. `misses`
    names those that were never recorded, which are answered with nothing of use.
    """

    def __init__(self, path: Path) -> None:
        self._replay = ReplayChat(path)
        ordered = sorted(self._replay.recordings, key=lambda one: len(one.asked))
        self._texts = {one.asked: one.text for one in ordered}
        self._last = {one.asked.partition(_REPLIED)[0]: one.text for one in ordered}
        self.misses: list[str] = []

    @property
    def recordings(self) -> tuple[Recording, ...]:
        return self._replay.recordings

    def __call__(self, call: Call) -> str:
        text = self._texts.get(_said(call.turns), self._last.get(_said(call.first_turns)))
        if text is None:
            self.misses.append(self._replay.nearest(_said(call.turns)))
        return text or "not recorded"


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
            _words(request),
            reply.text,
            reply.model,
            reply.finish,
            usage.input_tokens,
            usage.output_tokens,
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with append_to(self._path) as file:
            file.write(encode(recording).decode() + "\n")


def _words(request: Request) -> str:
    return _said(request.messages)


def _said(turns: Iterable[Message | Turn]) -> str:
    return "\n".join(f"{turn.role}: {turn.content}" for turn in turns)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one[-2000:], other[-2000:]).quick_ratio()
