"""Contract tests of chats and embedders: subclass one and provide the fixture `chat` or `embedder`.

The model of the fixture `chat` must answer a request whose last message is "say WORD" with "WORD", and with
`{"word": "WORD"}` if the request has a schema.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from pydantic import BaseModel

from pipelines.llm.chat import Chat, Message, Reply, Request
from pipelines.llm.embedder import Embedder, Side


class WordReply(BaseModel):
    word: str


def say(word: str, **fields: object) -> Request:
    """Return a request that the contract's model answers with `word`."""
    return replace(Request((Message("user", f"say {word}"),), role="test", model="test"), **fields)  # type: ignore[arg-type]


def said(last_message: str, structured: bool) -> str:
    """Return the answer of the contract's model to a message."""
    word = last_message.split()[1]
    return WordReply(word=word).model_dump_json() if structured else word


class ChatContract:
    """Requires the fixture `chat`."""

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


TEXTS = [
    "The pump of line 3 stopped with a worn seal.",
    "泵的密封件磨损。",
    "DS-2041 measures 0 to 16 bar.",
    "word " * 700,
]


class EmbedderContract:
    """Requires the fixture `embedder`."""

    def test_it_is_an_embedder(self, embedder: Embedder) -> None:
        assert isinstance(embedder, Embedder)
        assert embedder.info.metric == "cosine"

    def test_rows_are_unit_vectors_of_the_dimension(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.info.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.info.dimension)

    @pytest.mark.parametrize("side", list(Side))
    def test_an_empty_text_has_a_zero_row(self, embedder: Embedder, side: Side) -> None:
        vectors = embedder.embed(["", " \n\t", "seal"], side)
        assert not vectors[:2].any()
        assert vectors[2].any()

    def test_the_same_text_has_the_same_vector_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        together = embedder.embed(TEXTS)
        alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
        assert together == pytest.approx(alone, abs=1e-4)

    def test_a_query_is_nearest_to_the_passage_with_its_words(self, embedder: Embedder) -> None:
        query = embedder.embed(["which pump stopped with a worn seal"], Side.QUERY)[0]
        assert int((embedder.embed(TEXTS) @ query).argmax()) == 0

    def test_texts_that_no_tokenizer_likes_are_embedded(self, embedder: Embedder) -> None:
        vectors = embedder.embed(["a\0b seal", "lone \ud800 surrogate", "\u202e\ufeffmark seal"])
        assert np.isfinite(vectors).all()

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        alone = embedder.embed(TEXTS[:3])
        with ThreadPoolExecutor(4) as pool:
            for vectors in pool.map(lambda _: embedder.embed(TEXTS[:3]), range(8)):
                assert vectors == pytest.approx(alone, abs=1e-4)
