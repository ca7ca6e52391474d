"""What every chat must do; a test subclasses this and gives the fixture `chat`.

The fixture's model answers a request whose last message is "say WORD" with "WORD", and one with a schema with
`{"word": "WORD"}`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import BaseModel

from pipelines.llm.chat import Chat, Message, Reply, Request


class WordReply(BaseModel):
    word: str


def say(word: str, **fields: object) -> Request:
    """A request that the contract's model answers with `word`."""
    return replace(Request((Message("user", f"say {word}"),), role="test", model="test"), **fields)  # type: ignore[arg-type]


def said(last_message: str, structured: bool) -> str:
    """What the contract's model says to a message."""
    word = last_message.split()[1]
    return WordReply(word=word).model_dump_json() if structured else word


class ChatContract:
    """Asks for the fixture `chat`."""

    @pytest.fixture(autouse=True)
    async def closed(self, chat: Chat) -> AsyncIterator[None]:
        yield
        await chat.close()

    def test_it_is_a_chat(self, chat: Chat) -> None:
        assert isinstance(chat, Chat)

    async def test_it_replies_with_text_usage_and_finish(self, chat: Chat) -> None:
        reply = await chat.complete(say("pump"))
        assert isinstance(reply, Reply)
        assert reply.text == "pump"
        assert reply.usage.input_tokens > 0
        assert reply.usage.output_tokens > 0
        assert reply.finish == "stop"

    async def test_a_schema_brings_a_reply_that_reads_as_it(self, chat: Chat) -> None:
        reply = await chat.complete(say("泵", schema=WordReply))
        assert WordReply.model_validate_json(reply.text) == WordReply(word="泵")

    @pytest.mark.parametrize("word", ["Druckaufnehmer", "压力变送器", "🛠", "a\u2028b", '"quoted"'])
    async def test_any_text_goes_through_unchanged(self, chat: Chat, word: str) -> None:
        request = Request((Message("system", word), Message("user", f"say {word}")), role="test", model="test")
        assert (await chat.complete(request)).text == word.split(maxsplit=1)[0]

    async def test_replies_to_calls_side_by_side_do_not_cross(self, chat: Chat) -> None:
        words = [f"w{number}" for number in range(40)]
        replies = await asyncio.gather(*(chat.complete(say(word)) for word in words))
        assert [reply.text for reply in replies] == words

    async def test_a_cancelled_call_leaves_the_chat_usable(self, chat: Chat) -> None:
        call = asyncio.create_task(chat.complete(say("never")))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert (await chat.complete(say("after"))).text == "after"

    async def test_closing_twice_is_allowed(self, chat: Chat) -> None:
        await chat.complete(say("pump"))
        await chat.close()
        await chat.close()
