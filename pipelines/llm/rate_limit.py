"""Rate limits of an endpoint: concurrent calls, requests per minute and tokens per minute.

The library aiolimiter is not suitable: it lets a whole minute's amount pass at once, rejects an amount above the rate
(one request may reserve more tokens than a minute allows), and cannot release a part of a reservation.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pipelines.core.errors import RateLimited
from pipelines.llm.chat import Chat, Reply, Request
from pipelines.llm.tokens import estimate_request

_MINUTE = 60.0
_AHEAD = 1.0
"""Burst allowance after a pause, in seconds."""


class Throttle:
    """Limits a rate to `per_minute` with a burst of one second; 0 is no limit.

    (The virtual scheduling form of the generic cell rate algorithm, ITU-T I.371.)
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds_each = _MINUTE / per_minute if per_minute else 0.0
        self._free_at = float("-inf")

    def book(self, amount: float, now: float) -> float:
        """Reserve `amount` and return the seconds to wait from `now` before using it."""
        begin = max(self._free_at, now - _AHEAD)
        self._free_at = begin + amount * self._seconds_each
        return max(0.0, begin - now)

    def give_back(self, amount: float) -> None:
        """Release `amount` of a reservation that was too large, or add to it if `amount` is negative."""
        self._free_at -= amount * self._seconds_each


class AdaptiveSemaphore:
    """A semaphore whose size is halved by a rate-limit error and grows by one for each full round of successes.

    (Additive increase and multiplicative decrease as in TCP; Jacobson 1988, Congestion avoidance and control.)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> int:
        return int(self._allowed)

    async def enter(self) -> None:
        if self._inside < self.allowed and not self._waiting:
            self._inside += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        self._inside -= 1
        self._admit()

    def narrow(self) -> None:
        self._allowed = max(1.0, self._allowed / 2)

    def widen(self) -> None:
        self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._inside < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits; 0 per minute is no limit."""

    concurrency: int = 16
    requests_per_minute: int = 0
    tokens_per_minute: int = 0


class RateLimitChat:
    """A chat that waits until the limits allow the call.

    After a rate-limit error, no call is made until the Retry-After has passed, and concurrency is halved; it grows
    again with successful calls. A request reserves its estimated input and all of its `max_tokens`; unused tokens are
    released.
    """

    def __init__(
        self,
        inner: Chat,
        rates: Rates = Rates(),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner, self._clock, self._sleep = inner, clock, sleep
        self._semaphore = AdaptiveSemaphore(rates.concurrency)
        self._requests, self._tokens = Throttle(rates.requests_per_minute), Throttle(rates.tokens_per_minute)
        self._closed_until = float("-inf")
        self._narrowed_at = float("-inf")

    async def complete(self, request: Request) -> Reply:
        await self._semaphore.enter()
        try:
            booked = estimate_request(request) + request.max_tokens
            await self._wait(booked)
            began = self._clock()
            try:
                reply = await self._inner.complete(request)
            except RateLimited as error:
                self._refused(error, began)
                raise
            self._tokens.give_back(booked - reply.usage.input_tokens - reply.usage.output_tokens)
            self._semaphore.widen()
            return reply
        finally:
            self._semaphore.leave()

    async def close(self) -> None:
        await self._inner.close()

    async def _wait(self, tokens: int) -> None:
        now = self._clock()
        wait = max(self._requests.book(1, now), self._tokens.book(tokens, now))
        until = now + wait
        # Another call may be rate limited while this one waits, so the condition is checked again.
        while (left := max(until, self._closed_until) - self._clock()) > 0:
            await self._sleep(left)

    def _refused(self, error: RateLimited, began: float) -> None:
        now = self._clock()
        self._closed_until = max(self._closed_until, now + (error.retry_after or 0.0))
        if began >= self._narrowed_at:  # rejections of concurrent calls count as one event
            self._narrowed_at = now
            self._semaphore.narrow()
