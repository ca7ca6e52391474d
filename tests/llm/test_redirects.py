"""Tests that redirects are not followed, so neither key nor text is sent to another address."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import SecretStr

from pipelines.core.errors import CallFailed
from pipelines.llm.chat import Message, Request
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.openai_embedder import OpenAIEmbedder
from pipelines.llm.settings import EmbedSettings, LlmSettings

HELLO = Request((Message("user", "what the documents hold"),), role="test", model="m")


class Recorder(ThreadingHTTPServer):
    """Records the requests it receives; redirects them if `towards` is set."""

    daemon_threads = True

    def __init__(self, status: int = 307) -> None:
        self.seen: list[str] = []
        self.towards, self.status = "", status
        super().__init__(("127.0.0.1", 0), _Handler)

    def url(self, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Recorder

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append(f"{self.headers}{body.decode()}")
        self.send_response(self.server.status if self.server.towards else 404)
        if self.server.towards:
            self.send_header("Location", self.server.towards)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def redirecting(status: int, host: str) -> Iterator[tuple[Recorder, Recorder]]:
    with Recorder(status) as asked, Recorder() as other:
        asked.towards = f"{other.url(host)}/elsewhere"
        for server in (asked, other):
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield asked, other
        asked.shutdown()
        other.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("api_version", ["", "2024-10-21"])
async def test_a_chat_does_not_follow_redirects(status: int, host: str, api_version: str) -> None:
    with redirecting(status, host) as (asked, other):
        chat = OpenAIChat(LlmSettings(base_url=asked.url(), api_key=SecretStr("sk-key"), api_version=api_version))
        with pytest.raises(CallFailed, match="redirects to") as caught:
            await chat.complete(HELLO)
        await chat.close()
    assert len(asked.seen) == 1
    assert other.seen == []
    assert not caught.value.retryable
    assert "base_url" in caught.value.hint


@pytest.mark.parametrize("status", [302, 307])
def test_an_embedder_does_not_follow_redirects(status: int) -> None:
    with redirecting(status, "localhost") as (asked, other):
        embedder = OpenAIEmbedder(EmbedSettings(base_url=asked.url(), api_key=SecretStr("sk-key"), dimension=8))
        with pytest.raises(CallFailed, match="redirects to"):
            embedder.embed(["what the documents hold"])
        embedder.close()
    assert len(asked.seen) == 1
    assert other.seen == []
