"""Keeping to an endpoint's limits: calls in flight, requests and tokens a minute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pipelines.core.errors import RateLimited
from pipelines.llm.chat import Chat, Reply, Request
from pipelines.llm.pace import Pace
from pipelines.llm.tokens import estimate_input
from pipelines.llm.turnstile import Turnstile


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits; 0 a minute is none."""

    concurrency: int = 16
    requests_per_minute: int = 0
    tokens_per_minute: int = 0


class RateLimitChat:
    """A chat that waits its turn.

    When the endpoint refuses for its rate, nobody calls until the Retry-After has passed, and half as many at a time
    from then on, more again as calls succeed. A request books its estimated input and all its `max_tokens`; what
    it did not take is given back.
    """

    def __init__(
        self,
        inner: Chat,
        rates: Rates = Rates(),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner, self._clock, self._sleep = inner, clock, sleep
        self._turnstile = Turnstile(rates.concurrency)
        self._requests, self._tokens = Pace(rates.requests_per_minute), Pace(rates.tokens_per_minute)
        self._closed_until = float("-inf")
        self._narrowed_at = float("-inf")

    async def complete(self, request: Request) -> Reply:
        await self._turnstile.enter()
        try:
            booked = estimate_input(request.messages) + request.max_tokens
            await self._wait(booked)
            began = self._clock()
            try:
                reply = await self._inner.complete(request)
            except RateLimited as error:
                self._refused(error, began)
                raise
            self._tokens.give_back(booked - reply.usage.input_tokens - reply.usage.output_tokens)
            self._turnstile.widen()
            return reply
        finally:
            self._turnstile.leave()

    async def close(self) -> None:
        await self._inner.close()

    async def _wait(self, tokens: int) -> None:
        now = self._clock()
        wait = max(self._requests.book(1, now), self._tokens.book(tokens, now))
        until = now + wait
        # The endpoint may close while this call waits, so the door is looked at again.
        while (left := max(until, self._closed_until) - self._clock()) > 0:
            await self._sleep(left)

    def _refused(self, error: RateLimited, began: float) -> None:
        now = self._clock()
        self._closed_until = max(self._closed_until, now + (error.retry_after or 0.0))
        if began >= self._narrowed_at:  # the refusals of calls made together are one event
            self._narrowed_at = now
            self._turnstile.narrow()
