"""How many may be inside at a time, fewer after a refusal and slowly more again."""

from __future__ import annotations

import asyncio
from collections import deque


class Turnstile:
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
