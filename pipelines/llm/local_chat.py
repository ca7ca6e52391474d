"""A chat with a GGUF file: the same client, talking to a server of our own on loopback."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from pipelines.llm.chat import Reply, Request
from pipelines.llm.local_server import LocalServer
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.settings import LlmSettings

_PATIENCE = 900.0
"""Seconds for a reply: a slow processor is no lost connection, and asking anew would begin from nothing."""


class LocalChat:
    """Starts the server when made, which takes seconds, and ends it when closed."""

    def __init__(self, settings: LlmSettings) -> None:
        self._server = LocalServer(settings)
        served = LlmSettings(
            base_url=self._server.url,
            api_key=SecretStr(self._server.key),
            timeout=max(settings.timeout, _PATIENCE),
        )
        self._client = OpenAIChat(served)

    async def complete(self, request: Request) -> Reply:
        return await self._client.complete(request)

    async def close(self) -> None:
        await self._client.close()
        await asyncio.to_thread(self._server.close)
