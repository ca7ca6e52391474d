"""Retries after transient errors."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from pipelines.core.errors import RateLimited, StrataError
from pipelines.llm.chat import Chat, Reply, Request

T = TypeVar("T")

_LONGEST_RETRY_AFTER = 600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number of tries and delays in seconds: exponential from `first` to `longest`, with a jitter of up to one half.

    A Retry-After is respected, with a jitter upwards only, so that waiting calls do not return at the same moment; one
    of more than ten minutes is not waited for.
    """

    tries: int = 10
    first: float = 0.5
    longest: float = 20.0

    def wait(self, attempt: int, error: BaseException | None, chance: float) -> float:
        """Return the seconds to wait after failure number `attempt` (from 1); `chance` is in [0, 1)."""
        asked = error.retry_after if isinstance(error, RateLimited) else None
        if asked is not None:
            return asked + chance * min(1.0, 0.1 + asked / 10)
        return min(self.longest, self.first * 2.0 ** (attempt - 1)) * (0.5 + chance)

    def run(self, call: Callable[[], T], sleep: Callable[[float], None]) -> T:
        """Return the result of `call`, or raise its last error."""
        retrying = Retrying(
            retry=retry_if_exception(may_help),
            wait=self.wait_after,
            stop=stop_after_attempt(self.tries),
            sleep=sleep,
            reraise=True,
        )
        return retrying(call)

    def wait_after(self, state: RetryCallState) -> float:
        """Return the seconds to wait; the callback for tenacity."""
        error = state.outcome.exception() if state.outcome else None
        return self.wait(state.attempt_number, error, random.random())  # noqa: S311


def may_help(error: BaseException) -> bool:
    """Whether a retry can help: the error is retryable and its Retry-After is not too long."""
    if isinstance(error, RateLimited) and (error.retry_after or 0) > _LONGEST_RETRY_AFTER:
        return False
    return isinstance(error, StrataError) and error.retryable


class RetryChat:
    """A chat that retries calls.

    After a call has failed in all its tries, the endpoint counts as unavailable: further calls have one try each until
    one succeeds. So a run against a dead endpoint waits once, and not for every chunk.
    """

    def __init__(
        self,
        inner: Chat,
        policy: RetryPolicy = RetryPolicy(),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner, self._policy, self._sleep = inner, policy, sleep
        self._away = False

    async def complete(self, request: Request) -> Reply:
        retrying = AsyncRetrying(
            retry=retry_if_exception(may_help),
            wait=self._policy.wait_after,
            stop=self._gives_up,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            reply: Reply = await retrying(self._inner.complete, request)
        except StrataError as error:
            self._away = self._away or may_help(error)
            raise
        self._away = False
        return reply

    async def close(self) -> None:
        await self._inner.close()

    def _gives_up(self, state: RetryCallState) -> bool:
        return self._away or state.attempt_number >= self._policy.tries
