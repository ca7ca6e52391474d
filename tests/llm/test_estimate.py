from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.core.errors import CallFailed
from pipelines.llm.budget import DryRunChat, EstimateLine
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Message, Reply, Request, Usage, request_key
from pipelines.llm.settings import LlmSettings, Price
from pipelines.llm.tokens import estimate_input

SETTINGS = LlmSettings(model="m", models={"answer": "big"}, prices={"big": Price(input=1_000_000, output=2_000_000)})
ASKED = Request((Message("user", "How many seals has the pump?"),), "distil", max_tokens=100)
OTHER = replace(ASKED, messages=(Message("user", "How many seals has the fan?"),))
READ = estimate_input(ASKED.messages)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    opened = ReplyStore(tmp_path / "replies.db")
    yield opened
    opened.close()


async def ask(chat: DryRunChat, *requests: Request) -> None:
    for request in requests:
        with pytest.raises(CallFailed, match="dry run"):
            await chat.complete(request)


async def test_calls_tokens_and_cost_are_summed_by_role() -> None:
    chat = DryRunChat(SETTINGS, shares={"distil": 0.5})
    await ask(chat, ASKED, OTHER)
    chat.expect("answer", calls=3, input_tokens=100, output_tokens=10)
    assert chat.estimate.lines == (
        EstimateLine("distil", "m", Usage(2 * READ, 100, 2)),
        EstimateLine("answer", "big", Usage(300, 30, 3), 0, 360.0),
    )
    assert chat.estimate.total.usage == Usage(2 * READ + 300, 130, 5)
    assert chat.estimate.total.dollars == 360.0


async def test_a_cached_reply_is_returned_and_costs_nothing(store: ReplyStore) -> None:
    store.put(request_key(replace(ASKED, model="m")), "distil", Reply("two", "m"))
    chat = DryRunChat(SETTINGS, store)
    assert (await chat.complete(ASKED)).text == "two"
    assert chat.estimate.lines == (EstimateLine("distil", "m", Usage(), 1),)


async def test_a_repeated_request_is_one_call_with_a_cache(store: ReplyStore) -> None:
    chat = DryRunChat(SETTINGS, store, {"distil": 0.5})
    await ask(chat, ASKED, ASKED)
    assert chat.estimate.lines == (EstimateLine("distil", "m", Usage(READ, 50, 1), 1),)


async def test_a_repeated_request_is_several_calls_without_a_cache() -> None:
    chat = DryRunChat(SETTINGS, shares={"distil": 0.5})
    await ask(chat, ASKED, ASKED)
    assert chat.estimate.lines == (EstimateLine("distil", "m", Usage(2 * READ, 100, 2)),)


async def test_the_length_of_replies_is_estimated_from_cached_ones(store: ReplyStore) -> None:
    for number in range(5):
        store.put(str(number), "distil", Reply("", "m", Usage(100, 200, 1)))
    chat = DryRunChat(SETTINGS, store, {"distil": 0.5})
    await ask(chat, ASKED)
    chat.expect("answer", 1, 100, output_tokens=10)
    assert [line.usage.output_tokens for line in chat.estimate.lines] == [200, 10]


async def test_a_dry_run_does_not_mark_cached_replies_as_used(tmp_path: Path) -> None:
    key, days = request_key(replace(ASKED, model="m")), [0.0]
    store = ReplyStore(tmp_path / "replies.db", lambda: days[0] * 86_400)
    store.put(key, "distil", Reply("two", "m"))
    days[0] = 30
    await DryRunChat(SETTINGS, store).complete(ASKED)
    assert store.prune(unused_days=20) == 1
    store.close()
