"""The contract tests of every chat in the package."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from pipelines.llm.budget import Budget, BudgetChat
from pipelines.llm.cache import CacheChat, ReplyStore
from pipelines.llm.chat import Chat, Message, Request
from pipelines.llm.ledger import Ledger, RecordingChat, TraceChat
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.rate_limit import RateLimitChat
from pipelines.llm.retry import RetryChat
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import LazyChat, OwnLoopChat, RouteChat, open_chat, wrap
from pipelines.llm.testing.contracts import ChatContract, WordReply, said, say
from pipelines.llm.testing.fakes import DelayedChat, FunctionChat, ReplayChat
from pipelines.llm.testing.loopback import Behaviour, LoopbackServer
from pipelines.llm.testing.loopback_wire import Call


def model() -> Chat:
    return FunctionChat(lambda request: said(request.messages[-1].content, request.schema is not None))


def served(call: Call) -> str:
    return said(call.turns[-1].content, call.schema is not None or "of this form:" in call.turns[-1].content)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(served) as running:
        yield running


def settings_for(server: LoopbackServer) -> LlmSettings:
    return LlmSettings(base_url=server.url, api_key=SecretStr("key"), model="test")


class TestFunctionChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return model()


class TestDelayedChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return DelayedChat(model(), lambda request: asyncio.sleep(len(request.messages[-1].content) % 3 / 1000))


class TestOpenAIChat(ChatContract):
    @pytest.fixture
    def chat(self, server: LoopbackServer) -> Chat:
        return OpenAIChat(settings_for(server))


class TestOpenAIChatWithoutSchemas(ChatContract):
    @pytest.fixture
    def chat(self) -> Iterator[Chat]:
        with LoopbackServer(served, Behaviour(schemas=False, usage=False)) as running:
            yield OpenAIChat(settings_for(running))


class TestTraceChat(ChatContract):
    @pytest.fixture
    def chat(self, tmp_path: Path) -> Chat:
        return TraceChat(model(), Ledger(), tmp_path / "trace.jsonl")


class TestCacheChat(ChatContract):
    @pytest.fixture
    def chat(self, tmp_path: Path) -> Chat:
        return CacheChat(model(), ReplyStore(tmp_path / "replies.db"))


class TestBudgetChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return BudgetChat(model(), Budget(max_tokens=1_000_000))


class TestRetryChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return RetryChat(model())


class TestRateLimitChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return RateLimitChat(model())


class TestRouteChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return RouteChat(model(), lambda role: "routed")


class TestLazyChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return LazyChat(model)


class TestOwnLoopChat(ChatContract):
    @pytest.fixture
    def chat(self) -> Chat:
        return OwnLoopChat(model())


class TestRecordingChat(ChatContract):
    @pytest.fixture
    def chat(self, tmp_path: Path) -> Chat:
        return RecordingChat(model(), tmp_path / "recorded.jsonl")


class TestReplayChat(ChatContract):
    @pytest.fixture
    async def chat(self, tmp_path: Path) -> Chat:
        """Replays recorded replies to the requests of the contract tests."""
        recording = RecordingChat(model(), tmp_path / "recorded.jsonl")
        words = ["pump", "never", "after", "Druckaufnehmer", "压力变送器", "🛠", "a\u2028b", '"quoted"']
        for word in words:
            await recording.complete(say(word))
            messages = (Message("system", word), Message("user", f"say {word}"))
            await recording.complete(Request(messages, role="test", model="test"))
        for number in range(40):
            await recording.complete(say(f"w{number}"))
        await recording.complete(say("泵", schema=WordReply))
        return ReplayChat(tmp_path / "recorded.jsonl")


class TestWholeStack(ChatContract):
    @pytest.fixture
    def chat(self, server: LoopbackServer, tmp_path: Path) -> Chat:
        places = tmp_path / "replies.db", tmp_path / "trace.jsonl"
        return open_chat(settings_for(server), *places, Budget(max_tokens=1_000_000))


class TestWrapped(ChatContract):
    @pytest.fixture
    def chat(self, tmp_path: Path) -> Chat:
        return wrap(model(), LlmSettings(model="test"), tmp_path / "replies.db")
