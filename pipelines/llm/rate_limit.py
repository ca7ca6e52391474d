"""Keeping to an endpoint's limits: calls in flight, requests and tokens a minute.

The library aiolimiter does not serve: it lets a whole minute's amount go at once, refuses an amount over the rate (one
request may book more tokens than a minute has), and nothing can be given back to it.
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
"""Seconds' worth that may go at once after a pause."""


class Throttle:
    """Tells when an amount may go, so that no minute sees over `per_minute` and a second's worth; 0 is no limit.

    (The virtual scheduling form of the generic cell rate algorithm, ITU-T I.371.)
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds_each = _MINUTE / per_minute if per_minute else 0.0
        self._free_at = float("-inf")

    def book(self, amount: float, now: float) -> float:
        """Book `amount` and return the seconds to wait from `now` before using it."""
        begin = max(self._free_at, now - _AHEAD)
        self._free_at = begin + amount * self._seconds_each
        return max(0.0, begin - now)

    def give_back(self, amount: float) -> None:
        """Correct a booking that turned out smaller, or larger where `amount` is negative."""
        self._free_at -= amount * self._seconds_each


class AdaptiveSemaphore:
    """A semaphore whose size halves when an endpoint refuses and grows by one for each full round of successes.

    (The additive increase and multiplicative decrease of TCP; Jacobson 1988, Congestion avoidance and control.)
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
        # The endpoint may close while this call waits, so the door is looked at again.
        while (left := max(until, self._closed_until) - self._clock()) > 0:
            await self._sleep(left)

    def _refused(self, error: RateLimited, began: float) -> None:
        now = self._clock()
        self._closed_until = max(self._closed_until, now + (error.retry_after or 0.0))
        if began >= self._narrowed_at:  # the refusals of calls made together are one event
            self._narrowed_at = now
            self._semaphore.narrow()
