"""Tests of the model calls of one question: usage accounting, prompts and streaming."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from pipelines.core.errors import CallFailed, CallTimedOut
from pipelines.llm.ask import CallEnding, listening
from pipelines.llm.cache import CacheChat, ReplyStore
from pipelines.llm.chat import Message, Request, Usage
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.settings import LlmSettings
from pipelines.llm.testing.fakes import ScriptedChat
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import RecallReply

ANSWER = '{"thinking": "", "answer": "Leeds"}'
PIECES = ['{"thinking": "", ', '"answer": "Le', 'eds"}']


async def test_a_cached_reply_counts_as_usage_but_not_as_spent(tmp_path: Path) -> None:
    chat = CacheChat(ScriptedChat([ANSWER]), ReplyStore(tmp_path / "replies.db"))
    first, again = ModelCalls(chat), ModelCalls(chat)
    for language in (first, again):
        asked = await language.ask("cot", RecallReply, question="Where?")
        assert asked.value is not None
        assert asked.value.answer == "Leeds"
    await chat.close()
    assert first.usage == again.usage == first.spent
    assert first.usage.calls == 1
    assert again.spent == Usage()


async def test_each_retry_counts_as_a_call_and_a_failed_call_does_not() -> None:
    language = ModelCalls(ScriptedChat(["?", ANSWER, CallFailed("refused")]))
    await language.ask("cot", RecallReply, question="Where?")
    assert language.usage.calls == 2
    asked = await language.ask("cot", RecallReply, question="When?")
    assert asked.ending is CallEnding.FAILED
    assert language.usage.calls == 2


async def test_a_prompt_folder_replaces_the_built_in_prompts(tmp_path: Path) -> None:
    (tmp_path / "cot.md").write_text("# system\nBe brief.\n# user\nQ: $question\n", encoding="utf-8")
    chat = ScriptedChat([ANSWER])
    await ModelCalls(chat, tmp_path).ask("cot", RecallReply, question="Where?")
    assert [message.content for message in chat.requests[0].messages] == ["Be brief.", "Q: Where?"]


class _Streaming(BaseHTTPRequestHandler):
    """Streams the pieces as server-sent events, with the usage at the end; if `breaks`, the end is missing."""

    breaks = False

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["stream"] is True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in PIECES:
            self._send({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
        if not self.breaks:
            self._send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
            self._send({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, told: dict[str, object]) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small", **told}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[LlmSettings]:
    handler = type("Handler", (_Streaming,), {"breaks": getattr(request, "param", False)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield LlmSettings(model="small", base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", api_key=SecretStr("k"))
    server.shutdown()
    server.server_close()
    thread.join()


async def test_a_listener_receives_the_role_and_every_piece_of_the_reply(endpoint: LlmSettings) -> None:
    heard: list[tuple[str, str]] = []
    chat = OpenAIChat(endpoint)
    with listening(lambda role, piece: heard.append((role, piece))):
        asked = await ModelCalls(chat).ask("cot", RecallReply, question="Where?")
    await chat.close()
    assert heard == [("cot", ""), *(("cot", piece) for piece in PIECES)]
    assert asked.value is not None
    assert asked.value.answer == "Leeds"
    assert (asked.usage.input_tokens, asked.usage.output_tokens) == (7, 5)


@pytest.mark.parametrize("endpoint", [True], indirect=True)
async def test_a_truncated_stream_is_a_retryable_error(endpoint: LlmSettings) -> None:
    chat = OpenAIChat(endpoint)
    with pytest.raises(CallTimedOut):
        await chat.complete(Request((Message("user", "?"),), "cot", model="small", on_text=lambda piece: None))
    await chat.close()
