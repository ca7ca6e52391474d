from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.errors import (
    BudgetExceeded,
    CallFailed,
    CallTimedOut,
    MissingExtra,
    RateLimited,
    StoreUnavailable,
    StrataError,
)
from pipelines.llm.retry import RetryChat, RetryPolicy, may_help
from pipelines.llm.testing.contracts import say
from pipelines.llm.testing.fakes import ScriptedChat


class Sleeper:
    """Records the seconds instead of waiting."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


async def test_retryable_errors_are_retried_with_growing_waits() -> None:
    sleep, model = Sleeper(), ScriptedChat([CallTimedOut("cut")] * 3 + ["pump"])
    reply = await RetryChat(model, RetryPolicy(first=1.0), sleep).complete(say("pump"))
    assert reply.text == "pump"
    for wait, middle in zip(sleep.waits, (1, 2, 4), strict=True):
        assert middle * 0.5 <= wait < middle * 1.5


async def test_the_wait_requested_by_the_endpoint_is_respected() -> None:
    sleep, model = Sleeper(), ScriptedChat([RateLimited("slow", retry_after=20), "pump"])
    await RetryChat(model, RetryPolicy(longest=1.0), sleep).complete(say("pump"))
    (wait,) = sleep.waits
    assert 20 <= wait <= 21


async def test_it_gives_up_after_the_last_try_with_the_last_error() -> None:
    sleep, model = Sleeper(), ScriptedChat([CallTimedOut(f"number {number}") for number in range(9)])
    with pytest.raises(CallTimedOut, match="number 3"):
        await RetryChat(model, RetryPolicy(tries=4), sleep).complete(say("pump"))
    assert len(model.requests) == 4
    assert len(sleep.waits) == 3


async def test_while_an_endpoint_is_unreachable_each_call_is_tried_once() -> None:
    sleep, model = Sleeper(), ScriptedChat([CallTimedOut("away")] * 7 + ["pump"] + [CallTimedOut("cut"), "pump"])
    chat = RetryChat(model, RetryPolicy(tries=5), sleep)
    for asked in (5, 6, 7):
        with pytest.raises(CallTimedOut):
            await chat.complete(say("pump"))
        assert len(model.requests) == asked
    for asked in (8, 10):  # one successful try, and then the usual number of tries again
        assert (await chat.complete(say("pump"))).text == "pump"
        assert len(model.requests) == asked


@pytest.mark.parametrize("error", [CallFailed("refused"), BudgetExceeded("spent"), MissingExtra("local", "it")])
async def test_terminal_errors_are_not_retried(error: StrataError) -> None:
    model = ScriptedChat([error, "pump"])
    with pytest.raises(type(error)):
        await RetryChat(model, RetryPolicy(), Sleeper()).complete(say("pump"))
    assert len(model.requests) == 1


def test_only_the_class_and_retry_after_decide_about_a_retry() -> None:
    assert may_help(StoreUnavailable("away"))
    assert may_help(RateLimited("wait", retry_after=599))
    assert not may_help(RateLimited("wait until tomorrow", retry_after=40_000))
    assert not may_help(TimeoutError())


def test_a_synchronous_call_is_retried_too() -> None:
    waits: list[float] = []
    script = [CallTimedOut("cut"), CallTimedOut("cut")]

    def call() -> str:
        if script:
            raise script.pop()
        return "done"

    assert RetryPolicy(first=1.0).run(call, waits.append) == "done"
    assert len(waits) == 2


@given(st.integers(1, 100), st.one_of(st.none(), st.floats(0, 600)), st.floats(0, 1, exclude_max=True))
def test_waits_are_bounded_and_never_shorter_than_requested(attempt: int, asked: float | None, chance: float) -> None:
    wait = RetryPolicy(longest=60).wait(attempt, RateLimited("wait", retry_after=asked), chance)
    assert 0 <= wait <= (90 if asked is None else asked + 1)
    assert wait >= (asked or 0)
