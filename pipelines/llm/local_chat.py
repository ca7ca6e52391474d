"""A chat with a GGUF file: the same client, talking to a server of our own on loopback."""

from __future__ import annotations

import asyncio

from pydantic import SecretStr

from pipelines.llm.chat import Reply, Request
from pipelines.llm.local_server import LocalServer
from pipelines.llm.openai_chat import OpenAIChat
from pipelines.llm.settings import LlmSettings


class LocalChat:
    """Starts the server when made, which takes seconds, and ends it when closed."""

    def __init__(self, settings: LlmSettings) -> None:
        self._server = LocalServer(settings)
        served = {"base_url": self._server.url, "api_key": SecretStr(self._server.key), "api_version": ""}
        self._client = OpenAIChat(settings.model_copy(update=served))

    async def complete(self, request: Request) -> Reply:
        return await self._client.complete(request)

    async def close(self) -> None:
        await self._client.close()
        await asyncio.to_thread(self._server.close)
