from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.errors import BudgetExceeded, CallTimedOut, SettingsError
from pipelines.llm.budget import Budget, BudgetChat
from pipelines.llm.chat import Message, Reply, Request, Usage
from pipelines.llm.settings import Price
from pipelines.llm.testing.fakes import DelayedChat, FunctionChat, ScriptedChat
from pipelines.llm.tokens import estimate_input

ASKED = Request((Message("user", "a"),), role="test", model="m", max_tokens=90)
READ = estimate_input(ASKED.messages)


def model(output: int) -> FunctionChat:
    """A model that reads as many tokens as estimated and writes `output` tokens."""
    return FunctionChat(lambda request: Reply("x", "m", Usage(estimate_input(request.messages), output, 1)))


async def calls_until_stopped(chat: BudgetChat, most: int = 1000) -> int:
    for number in range(most):
        try:
            await chat.complete(ASKED)
        except BudgetExceeded:
            return number
    return most


async def test_it_stops_before_the_call_that_could_exceed_the_limit() -> None:
    each = READ + 90
    inner = model(output=90)
    chat = BudgetChat(inner, Budget(max_tokens=10 * each + 5))
    assert await calls_until_stopped(chat) == 10
    assert len(inner.requests) == 10


async def test_tokens_reserved_but_not_used_are_available_again() -> None:
    chat = BudgetChat(model(output=10), Budget(max_tokens=1000))
    made = await calls_until_stopped(chat)
    assert made * (READ + 10) <= 1000
    assert made * (READ + 10) > 1000 - READ - 95


async def test_after_stopping_every_call_is_refused_with_the_reason() -> None:
    inner = model(output=90)
    chat = BudgetChat(inner, Budget(max_tokens=100))
    await chat.complete(ASKED)
    small = Request((Message("user", "a"),), role="test", model="m", max_tokens=1)
    for request in (ASKED, small):
        with pytest.raises(BudgetExceeded, match="of 100 tokens spent"):
            await chat.complete(request)
    assert len(inner.requests) == 1


async def test_cost_is_computed_with_the_prices_of_the_model() -> None:
    prices = {"m": Price(input=0, output=1_000_000)}
    chat = BudgetChat(model(output=90), Budget(max_usd=450.5), prices)
    assert await calls_until_stopped(chat) == 5


async def test_a_cost_limit_without_a_price_is_refused() -> None:
    inner = model(output=1)
    with pytest.raises(SettingsError, match="needs the price of m"):
        await BudgetChat(inner, Budget(max_usd=1.0)).complete(ASKED)
    assert inner.requests == []


async def test_a_failed_call_releases_its_reserved_tokens() -> None:
    script = [CallTimedOut("cut")] * 50 + [Reply("x", usage=Usage(READ, 90, 1))]
    chat = BudgetChat(ScriptedChat(script), Budget(max_tokens=100))
    for _ in range(50):
        with pytest.raises(CallTimedOut):
            await chat.complete(ASKED)
    assert (await chat.complete(ASKED)).text == "x"


async def test_a_cancelled_call_releases_its_reserved_tokens() -> None:
    chat = BudgetChat(DelayedChat(model(90), lambda _: asyncio.sleep(0.01)), Budget(max_tokens=100))
    call = asyncio.create_task(chat.complete(ASKED))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert (await chat.complete(ASKED)).text == "x"


async def test_a_too_low_estimate_is_corrected_after_the_first_reply() -> None:
    greedy = FunctionChat(lambda _: Reply("x", "m", Usage(500, 90, 1)))
    chat = BudgetChat(greedy, Budget(max_tokens=2000))
    made = await calls_until_stopped(chat)
    assert made == 3
    assert made * 590 <= 2000


@given(
    st.integers(1, 4000),
    st.lists(st.integers(0, 90), min_size=1, max_size=40),
    st.integers(1, 8),
)
async def test_concurrent_calls_never_exceed_the_limit(limit: int, outputs: list[int], workers: int) -> None:
    spent = 0
    script = iter(outputs)

    def answer(request: Request) -> Reply:
        nonlocal spent
        usage = Usage(READ, next(script), 1)
        spent += usage.input_tokens + usage.output_tokens
        return Reply("x", "m", usage)

    chat = BudgetChat(DelayedChat(FunctionChat(answer), lambda _: asyncio.sleep(0)), Budget(max_tokens=limit))
    queue = iter(outputs)
    refused = 0

    async def work() -> None:
        nonlocal refused
        for _ in queue:
            try:
                await chat.complete(ASKED)
            except BudgetExceeded:
                refused += 1

    await asyncio.gather(*(work() for _ in range(workers)))
    assert spent <= limit
    if refused:
        assert spent + round(READ * 1.2) + 90 > limit
