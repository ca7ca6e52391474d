from __future__ import annotations

import asyncio
import heapq
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.errors import RateLimited
from pipelines.llm.chat import Reply, Request, Usage
from pipelines.llm.rate_limit import AdaptiveSemaphore, RateLimitChat, Rates, Throttle
from pipelines.llm.testing.contracts import say
from pipelines.llm.testing.fakes import DelayedChat, FunctionChat, ScriptedChat
from pipelines.llm.tokens import estimate_input


class Clock:
    """A simulated clock: `run` advances it to the next sleeper whenever all coroutines sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = count()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._number), future))
        await future

    async def run(self, *coroutines: object) -> list[object]:
        work = asyncio.gather(*coroutines, return_exceptions=True)  # type: ignore[call-overload]
        while not work.done():
            for _ in range(50):
                await asyncio.sleep(0)
            if self._sleepers and not work.done():
                self.now, _, future = heapq.heappop(self._sleepers)
                if not future.done():
                    future.set_result(None)
        return list(work.result())


def limited(inner: object, clock: Clock, **rates: int) -> RateLimitChat:
    return RateLimitChat(inner, Rates(**rates), clock, clock.sleep)  # type: ignore[arg-type]


async def test_the_number_of_concurrent_calls_is_limited() -> None:
    clock = Clock()
    slow = DelayedChat(FunctionChat(lambda _: "x"), lambda _: clock.sleep(0.5))
    chat = limited(slow, clock, concurrency=4)
    await clock.run(*(chat.complete(say(f"w{number}")) for number in range(40)))
    assert slow.most_at_once == 4
    assert clock.now == pytest.approx(40 / 4 * 0.5)


async def test_requests_per_minute_are_limited() -> None:
    clock, times = Clock(), []
    model = FunctionChat(lambda _: times.append(clock.now) or "x")
    chat = limited(model, clock, concurrency=99, requests_per_minute=60)
    await clock.run(*(chat.complete(say(f"w{number}")) for number in range(30)))
    assert len(times) == 30
    assert clock.now == pytest.approx(28, abs=1)
    assert all(later - earlier >= 8 for earlier, later in zip(times, times[10:], strict=False))


async def test_tokens_per_minute_are_limited_and_unused_ones_released() -> None:
    clock = Clock()
    request = say("pump", max_tokens=900)
    read = estimate_input(request.messages)
    model = FunctionChat(lambda _: Reply("x", usage=Usage(read, 100, 1)))
    chat = limited(model, clock, concurrency=1, tokens_per_minute=60 * (read + 100))
    await clock.run(*(chat.complete(request) for _ in range(20)))
    assert clock.now == pytest.approx(18, abs=1.1)


async def test_retry_after_pauses_all_calls() -> None:
    clock = Clock()
    times: list[float] = []

    def answer(request: Request) -> str:
        times.append(clock.now)
        if len(times) == 1:
            raise RateLimited("slow down", retry_after=30)
        return "x"

    chat = limited(FunctionChat(answer), clock, concurrency=1)
    results = await clock.run(*(chat.complete(say(f"w{number}")) for number in range(3)))
    assert isinstance(results[0], RateLimited)
    assert times == [0, 30, 30]


async def test_concurrency_is_halved_after_a_rate_limit_and_recovers() -> None:
    clock = Clock()
    refusing = True

    def answer(request: Request) -> str:
        if refusing:
            raise RateLimited("slow down")
        return "x"

    slow = DelayedChat(FunctionChat(answer), lambda _: clock.sleep(1))
    chat = limited(slow, clock, concurrency=16)
    await clock.run(*(chat.complete(say(f"w{number}")) for number in range(16)))
    refusing, slow.most_at_once = False, 0
    await clock.run(*(chat.complete(say(f"w{number}")) for number in range(8)))
    assert slow.most_at_once == 8
    await clock.run(*(chat.complete(say(f"w{number}")) for number in range(500)))
    assert slow.most_at_once == 16


async def test_a_failed_call_releases_its_slot() -> None:
    chat = limited(ScriptedChat([RateLimited("slow", retry_after=0)] * 5 + ["x"]), Clock(), concurrency=1)
    for _ in range(5):
        with pytest.raises(RateLimited):
            await chat.complete(say("pump"))
    assert (await chat.complete(say("pump"))).text == "x"


async def test_a_cancelled_call_leaves_the_queue() -> None:
    gate = AdaptiveSemaphore(1)
    await gate.enter()
    waiting = [asyncio.create_task(gate.enter()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    gate.leave()
    waiting[1].cancel()
    await asyncio.gather(*waiting[:2], return_exceptions=True)
    await waiting[2]
    gate.leave()
    await gate.enter()


@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.floats(0, 10), st.integers(1, 50)), min_size=1, max_size=60),
)
def test_no_minute_exceeds_the_rate_by_more_than_one_second_of_it(rate: int, bookings: list[tuple[float, int]]) -> None:
    pace, now, used = Throttle(rate), 0.0, []
    for pause, amount in bookings:
        now += pause
        used.append((now + pace.book(amount, now), amount))
    for start, _ in used:
        inside = [(at, amount) for at, amount in used if start <= at < start + 60]
        # The last booking may begin in this minute and be paid for after it.
        assert sum(amount for _, amount in inside[:-1]) <= rate * 61 / 60 + 1e-6


def test_without_a_rate_there_is_no_wait() -> None:
    pace = Throttle(0)
    assert [pace.book(10**9, 0.0) for _ in range(3)] == [0.0, 0.0, 0.0]
