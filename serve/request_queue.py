"""How many questions are answered at once, and how many may wait."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from pipelines.core.errors import StrataError


class Busy(StrataError):
    """As many questions wait for their turn as may."""

    retryable = True


class RequestQueue:
    """Lets in `at_once` at a time; up to `waiting` more wait in the order in which they came."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once, self._most = at_once, at_once + waiting
        self._here = 0
        self._semaphore: anyio.Semaphore | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold a turn inside. Raises `Busy` at once where too many wait."""
        if self._here >= self._most:
            raise Busy("too many questions wait for an answer", hint="ask again in a while")
        if self._semaphore is None:
            self._semaphore = anyio.Semaphore(self._at_once)
        self._here += 1
        try:
            async with self._semaphore:
                yield
        finally:
            self._here -= 1
