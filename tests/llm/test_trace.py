from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pipelines.core.codec import decode
from pipelines.core.errors import CallFailed
from pipelines.llm.chat import Reply, Request, Usage
from pipelines.llm.ledger import Ledger, Totals, TraceChat, TraceLine
from pipelines.llm.settings import Price
from pipelines.llm.testing.contracts import say
from pipelines.llm.testing.fakes import ScriptedChat

SCRIPT = [
    Reply("pump", "m-2", Usage(100, 10, 1)),
    Reply("pump", "m-2", Usage(100, 10, 0), cached=True),
    CallFailed("refused"),
]


async def traced(path: Path | None, ledger: Ledger) -> None:
    ticks = iter(range(100))
    chat = TraceChat(ScriptedChat(SCRIPT), ledger, path, lambda: float(next(ticks)))
    for _ in range(2):
        await chat.complete(say("secret", role="atomize", model="m"))
    with pytest.raises(CallFailed):
        await chat.complete(say("secret", role="answer", model="m"))
    await chat.close()


async def test_each_call_is_a_line_of_the_trace(tmp_path: Path) -> None:
    await traced(tmp_path / "deep" / "trace.jsonl", Ledger())
    text = (tmp_path / "deep" / "trace.jsonl").read_text("utf-8")
    first, second, third = (decode(line, TraceLine) for line in text.split("\n") if line)
    assert (first.role, first.model, first.input_tokens, first.output_tokens) == ("atomize", "m-2", 100, 10)
    assert (first.seconds, first.cached, first.error) == (1.0, False, "")
    assert (second.cached, second.key) == (True, first.key)
    assert (third.role, third.error, third.finish) == ("answer", "CallFailed", "")


async def test_the_trace_contains_no_text_of_documents_or_replies(tmp_path: Path) -> None:
    await traced(tmp_path / "trace.jsonl", Ledger())
    text = (tmp_path / "trace.jsonl").read_text("utf-8")
    assert "secret" not in text
    assert "pump" not in text


async def test_a_second_run_appends_to_the_trace(tmp_path: Path) -> None:
    for _ in range(2):
        await traced(tmp_path / "trace.jsonl", Ledger())
    assert (tmp_path / "trace.jsonl").read_text("utf-8").count("\n") == 6


async def test_the_ledger_separates_spent_from_cached_usage() -> None:
    ledger = Ledger({"m": Price(input=10_000, output=100_000)})
    await traced(None, ledger)
    assert ledger.roles["atomize"] == Totals(Usage(100, 10, 1), Usage(100, 10, 0), 1, 0, 2.0, 2.0)
    assert ledger.roles["answer"] == Totals(failed=1, seconds=1.0)
    assert ledger.total == Totals(Usage(100, 10, 1), Usage(100, 10, 0), 1, 1, 3.0, 2.0)


async def test_overlapping_calls_count_their_time_once() -> None:
    ledger = Ledger()
    ledger.begin("atomize", 0.0)
    ledger.begin("atomize", 1.0)
    assert ledger.end("atomize", 5.0) == 0.0
    assert ledger.end("atomize", 7.0) == 7.0
    ledger.begin("atomize", 9.0)
    assert ledger.end("atomize", 10.0) == 1.0


class Silent:
    """A chat that never replies."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        """There is nothing to close."""


async def test_a_cancelled_call_is_removed_from_the_ledger() -> None:
    ledger = Ledger()
    chat = TraceChat(Silent(), ledger, None, lambda: 3.0)
    call = asyncio.create_task(chat.complete(say("x", role="atomize")))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert ledger.roles == {}
    ledger.begin("atomize", 8.0)
    assert ledger.end("atomize", 9.0) == 1.0
