"""A record of every call: a line of JSON each, and sums by role."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from pipelines.core.codec import encode
from pipelines.core.file_access import append_to, can_write, private_folder
from pipelines.llm.chat import Chat, Reply, Request, Usage, request_key
from pipelines.llm.ledger import Ledger, Totals


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One call. `key` finds the reply in the cache; `error` is the class that ended it, empty where it did not fail.

    No text of a document or a reply is in it.
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
    """A chat that keeps book of what passes. `path` is appended to; None, or one that cannot be written, is no file."""

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
