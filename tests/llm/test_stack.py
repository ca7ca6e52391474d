from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from pipelines.core.errors import BudgetExceeded, MissingExtra, SettingsError
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.budget import Budget
from pipelines.llm.chat import Chat, Message, Request
from pipelines.llm.ledger import Ledger
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Call, Fault, FaultRates, FaultScript


class Echo(BaseModel):
    echo: str


def echo(call: Call) -> str:
    return json.dumps({"echo": call.first_turns[-1].content})


def settings_for(server: LoopbackServer, **fields: object) -> LlmSettings:
    base = {"base_url": server.url, "api_key": SecretStr("k"), "model": "m", "max_wait": 0.001, "tries": 12}
    return LlmSettings.model_validate(base | fields)


async def ask_all(chat: Chat, words: list[str], tries: int = 6) -> list[str]:
    async def one(word: str) -> str:
        asked = await ask(chat, (Message("user", word),), Echo, role="test", subject=word, tries=tries)
        assert asked.ending is CallEnding.DONE, asked
        assert asked.value is not None
        return asked.value.echo

    try:
        return await asyncio.gather(*map(one, words))
    finally:
        await chat.close()


WORDS = [f"word {number}" for number in range(120)]


async def test_thirty_percent_faulty_calls_give_the_same_answers_as_none(tmp_path: Path) -> None:
    faults = FaultRates.evenly(0.3, seed=1)
    with LoopbackServer(echo, Behaviour(faults)) as server:
        assert await ask_all(open_chat(settings_for(server), tmp_path / "replies.db"), WORDS) == WORDS
        seen = server.faults
    assert all(seen[fault] > 0 for fault in Fault if fault is not Fault.SLOW)
    assert sum(seen.values()) - seen[Fault.NONE] > 0.25 * sum(seen.values())


async def test_a_late_reply_is_retried() -> None:
    with LoopbackServer(echo, Behaviour(FaultScript([Fault.SLOW]), slow=5)) as server:
        assert await ask_all(open_chat(settings_for(server, timeout=1)), ["late"]) == ["late"]
        assert server.faults == {Fault.SLOW: 1, Fault.NONE: 1}


async def test_the_same_seed_gives_the_same_faults_in_any_order_of_calls() -> None:
    counts = []
    for concurrency in (1, 16):
        with LoopbackServer(echo, Behaviour(FaultRates.evenly(0.3, seed=2))) as server:
            await ask_all(open_chat(settings_for(server, concurrency=concurrency)), WORDS[:40])
            counts.append(server.faults)
    assert counts[0] == counts[1]


async def test_a_second_run_makes_no_calls(tmp_path: Path) -> None:
    places = tmp_path / "replies.db", tmp_path / "trace.jsonl"
    with LoopbackServer(echo) as server:
        settings = settings_for(server)
        await ask_all(open_chat(settings, *places), WORDS)
    ledger = Ledger()
    assert await ask_all(open_chat(settings, *places, ledger=ledger), WORDS) == WORDS
    assert ledger.total.usage.calls == 0
    assert ledger.total.cached == len(WORDS)


async def test_each_role_has_its_model() -> None:
    with LoopbackServer(echo) as server:
        chat = open_chat(settings_for(server, models={"answer": "large"}))
        for role in ("answer", "atomize"):
            await chat.complete(Request((Message("user", "x"),), role))
        await chat.close()
        assert [call.model for call in server.calls] == ["large", "m"]


async def test_a_run_stopped_by_the_budget_is_resumed_with_a_higher_one(tmp_path: Path) -> None:
    with LoopbackServer(echo) as server:
        settings = settings_for(server)
        with pytest.raises(BudgetExceeded):
            await ask_all(open_chat(settings, tmp_path / "r.db", budget=Budget(max_tokens=1500)), WORDS)
        done = len(server.calls)
        assert 0 < done < len(WORDS)
        assert await ask_all(open_chat(settings, tmp_path / "r.db"), WORDS) == WORDS
        assert len(server.calls) == len(WORDS)


def in_threads(work: Callable[[int], object]) -> list[object]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(work, range(8)))


def test_interleaved_replies_to_eight_threads_are_not_mixed_up(tmp_path: Path) -> None:
    together = threading.Barrier(8)

    def slow_echo(call: Call) -> str:
        # A word with a low last digit waits longest, so replies overtake one another.
        threading.Event().wait((9 - int(call.turns[-1].content[-1])) / 1000)
        return echo(call)

    def ask_in_thread(number: int) -> bool:
        words = [f"thread {number} word {word}" for word in range(40)]
        together.wait()
        for word in words[:10]:  # one event loop after another, as in a synchronous caller
            (reply,) = asyncio.run(kept_open(chat, [word]))
            assert reply == word
        return asyncio.run(kept_open(chat, words[10:])) == words[10:]

    with LoopbackServer(slow_echo) as server:
        chat = open_chat(settings_for(server, concurrency=32), tmp_path / "replies.db")
        assert all(in_threads(ask_in_thread))
        asyncio.run(chat.close())


async def kept_open(chat: Chat, words: list[str]) -> list[str]:
    async def one(word: str) -> str:
        asked = await ask(chat, (Message("user", word),), Echo, role="test")
        assert asked.value is not None
        return asked.value.echo

    return await asyncio.gather(*map(one, words))


def test_equal_requests_from_eight_threads_make_one_call(tmp_path: Path) -> None:
    together = threading.Barrier(8)

    def ask_in_thread(number: int) -> object:
        together.wait()
        return asyncio.run(kept_open(chat, ["the same"]))

    with LoopbackServer(echo, Behaviour(latency=0.1)) as server:
        chat = open_chat(settings_for(server), tmp_path / "replies.db")
        assert in_threads(ask_in_thread) == [["the same"]] * 8
        asyncio.run(chat.close())
        assert len(server.calls) == 1


def test_opening_a_chat_without_a_model_is_an_error() -> None:
    assert not LlmSettings().configured
    with pytest.raises(SettingsError, match="no language model"):
        open_chat(LlmSettings())


def test_a_missing_gguf_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no GGUF file"):
        open_chat(LlmSettings(gguf=str(tmp_path / "none.gguf")))


def test_a_gguf_file_without_the_extra_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.gguf").touch()
    monkeypatch.setattr("pipelines.llm.local_model.find_spec", lambda _: None)
    with pytest.raises(MissingExtra) as missing:
        open_chat(LlmSettings(gguf=str(tmp_path / "m.gguf")))
    assert missing.value.extra == "local"


async def test_a_missing_key_is_reported_on_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    chat = open_chat(LlmSettings(model="m"))
    with pytest.raises(SettingsError, match="needs a key"):
        await chat.complete(Request((Message("user", "x"),), "r"))
    await chat.close()
