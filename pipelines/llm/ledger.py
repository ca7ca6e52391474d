"""Records of calls: totals of tokens, dollars and time by role; a trace file with one line per call; and recordings.

A recording contains requests and replies, so that tests can replay them (`pipelines.llm.testing.fakes`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TextIO

from pipelines.core.codec import decode, encode
from pipelines.core.file_access import append_to, can_write, private_folder
from pipelines.llm.chat import Chat, Reply, Request, Usage, request_key
from pipelines.llm.settings import Price

MILLION = 1_000_000


def cost(usage: Usage, price: Price | None) -> float:
    """Return the cost in US dollars, 0 if the model has no price."""
    if price is None:
        return 0.0
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / MILLION


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over calls. `usage` was spent in this run, `saved` is the original usage of cached replies.

    `failed` counts calls that raised an error; `seconds` is the time during which at least one call was running.
    """

    usage: Usage = Usage()  # noqa: RUF009
    saved: Usage = Usage()  # noqa: RUF009
    cached: int = 0
    failed: int = 0
    seconds: float = 0.0
    dollars: float = 0.0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.usage + other.usage,
            self.saved + other.saved,
            self.cached + other.cached,
            self.failed + other.failed,
            self.seconds + other.seconds,
            self.dollars + other.dollars,
        )


class Ledger:
    """Totals by role; any thread may read them while calls run."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = prices or {}
        self._roles: dict[str, Totals] = {}
        self._under_way: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def begin(self, role: str, now: float) -> None:
        """Record that a call begins at `now`, in seconds."""
        with self._lock:
            calls, since = self._under_way.get(role, (0, now))
            self._under_way[role] = (calls + 1, since)

    def end(self, role: str, now: float) -> float:
        """Record that a call ends; return the seconds since the first running call began, 0 if others still run."""
        with self._lock:
            calls, since = self._under_way.pop(role)
            if calls > 1:
                self._under_way[role] = (calls - 1, since)
            return 0.0 if calls > 1 else now - since

    def add(self, role: str, model: str, totals: Totals) -> None:
        """Add the totals of one call of `model`; its cost is computed here."""
        dollars = cost(totals.usage, self._prices.get(model))
        counted = totals + Totals(dollars=dollars)
        with self._lock:
            self._roles = {**self._roles, role: self._roles.get(role, Totals()) + counted}

    @property
    def roles(self) -> Mapping[str, Totals]:
        return self._roles

    @property
    def total(self) -> Totals:
        return sum(self._roles.values(), Totals())


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One call, without any text of a document or reply.

    `key` identifies the reply in the cache; `error` is the class of the error that ended the call, empty for none.
    """

    time: str
    role: str
    model: str
    key: str
    attempt: int
    input_tokens: int
    output_tokens: int
    seconds: float
    cached: bool
    finish: str
    error: str = ""


class TraceChat:
    """A chat that records each call in a ledger and appends a line to the file at `path`, if it is writable."""

    def __init__(
        self, inner: Chat, ledger: Ledger, path: Path | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._inner, self._ledger, self._clock = inner, ledger, clock
        self._file: TextIO | None = None
        if path is not None and can_write(path):
            private_folder(path.parent)
            self._file = append_to(path)

    async def complete(self, request: Request) -> Reply:
        began = self._clock()
        self._ledger.begin(request.role, began)
        try:
            reply = await self._inner.complete(request)
        except BaseException as error:
            ended = self._clock()
            busy = self._ledger.end(request.role, ended)
            if isinstance(error, Exception):
                self._note(request, Reply("", finish=""), ended - began, busy, type(error).__name__)
            raise
        ended = self._clock()
        self._note(request, reply, ended - began, self._ledger.end(request.role, ended), "")
        return reply

    async def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._inner.close()

    def _note(self, request: Request, reply: Reply, seconds: float, busy: float, error: str) -> None:
        usage = reply.usage
        spent, saved = (Usage(), usage) if reply.cached else (usage, Usage())
        self._ledger.add(request.role, request.model, Totals(spent, saved, reply.cached, bool(error), busy))
        if self._file is None:
            return
        line = TraceLine(
            datetime.now(UTC).isoformat(timespec="milliseconds"),
            request.role,
            reply.model or request.model,
            request_key(request),
            request.attempt,
            usage.input_tokens,
            usage.output_tokens,
            round(seconds, 3),
            reply.cached,
            reply.finish,
            error,
        )
        self._file.write(encode(line).decode() + "\n")
        self._file.flush()


@dataclass(frozen=True, slots=True)
class Recording:
    """One line of a recording: the reply, the key of its request, and the text of the request for readers."""

    key: str
    role: str
    asked: str
    text: str
    model: str
    finish: str
    input_tokens: int
    output_tokens: int


def read_recordings(path: Path) -> dict[str, Recording]:
    """Return the recordings of a JSON Lines file by key; a later one replaces an earlier one with the same key."""
    # Not splitlines: it also splits at characters such as U+2028, which JSON does not escape.
    lines = (line for line in path.read_bytes().split(b"\n") if line.strip())
    return {recording.key: recording for recording in (decode(line, Recording) for line in lines)}


class RecordingChat:
    """A chat that appends the replies of the inner chat to a recording."""

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
    """A message with its role."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


def words_of(turns: Iterable[_Turn]) -> str:
    """Return the text of a conversation, as it is stored in a recording."""
    return "\n".join(f"{turn.role}: {turn.content}" for turn in turns)
