"""A chat model behind an OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp.

The adapter learns from rejected requests which parameters an endpoint supports.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from pipelines.core.errors import CallFailed
from pipelines.llm.chat import AttachedImage, Message, Reply, Request, Usage
from pipelines.llm.openai_errors import NO_KEY, address, constructing, no_completion, translate, translated
from pipelines.llm.reply_schema import Json, reply_form, strict_schema
from pipelines.llm.settings import LlmSettings
from pipelines.llm.tokens import estimate_request, estimate_tokens


class SchemaMode(StrEnum):
    """How a reply type is requested, the most reliable way first."""

    STRICT = "strict"
    LEAN = "lean"
    """Strict, without limits on lengths and ranges."""
    OBJECT = "object"
    """Any JSON object; the prompt describes its form."""
    TEXT = "text"
    """The prompt describes the form, and nothing enforces it."""

    @property
    def in_prompt(self) -> bool:
        return self in (SchemaMode.OBJECT, SchemaMode.TEXT)

    @property
    def next(self) -> SchemaMode | None:
        modes = list(SchemaMode)
        return modes[modes.index(self) + 1] if self is not SchemaMode.TEXT else None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The variant of the request format that an endpoint accepts."""

    schema: SchemaMode = SchemaMode.STRICT
    limit_name: str = "max_tokens"
    temperature: bool = True

    def after(self, refusal: str) -> Dialect | None:
        """Return the variant to try after this error message; None if the format is not the cause."""
        words = refusal.casefold()
        if self.limit_name == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit_name="max_completion_tokens")
        if self.temperature and "temperature" in words:
            return replace(self, temperature=False)
        about_schema = any(word in words for word in ("response_format", "schema", "grammar", "json", "structured"))
        following = self.schema.next
        return replace(self, schema=following) if about_schema and following else None

    def response_format(self, schema: type[BaseModel]) -> Json | None:
        """Return the request's `response_format`, or None."""
        if self.schema is SchemaMode.TEXT:
            return None
        if self.schema is SchemaMode.OBJECT:
            return {"type": "json_object"}
        name = "".join(letter if letter.isalnum() else "_" for letter in schema.__name__)
        body = strict_schema(schema, limits=self.schema is SchemaMode.STRICT)
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": body}}

    def messages(self, messages: tuple[Message, ...], schema: type[BaseModel]) -> tuple[Message, ...]:
        """Return the messages, with the form of the reply appended to the last one if the prompt must describe it."""
        if not self.schema.in_prompt:
            return messages
        form = reply_form(schema)
        asking = f"{messages[-1].content}\n\nReply with one JSON object and nothing else, of this form:\n{form}"
        return (*messages[:-1], replace(messages[-1], content=asking))


Subject = tuple[str, type[BaseModel] | None]
"""A model and a reply type: an endpoint that rejects one schema may accept others."""

_PATIENCE = 3


class Dialects:
    """The request formats that an endpoint accepts, by model and reply type."""

    def __init__(self) -> None:
        self._known: dict[Subject, Dialect] = {}
        self._honoured: set[Subject] = set()
        self._ignored: Counter[Subject] = Counter()

    def of(self, subject: Subject) -> Dialect:
        return self._known.get(subject, Dialect())

    def learn(self, subject: Subject, dialect: Dialect, text: str) -> None:
        """Record a format that was accepted.

        If the first replies are not JSON although a schema was sent, the endpoint ignores `response_format`; from then
        on the prompt describes the form.
        """
        if subject[1] is not None and not dialect.schema.in_prompt and subject not in self._honoured:
            if text.lstrip().startswith(("{", "[")):
                self._honoured.add(subject)
            else:
                self._ignored[subject] += 1
            if self._ignored[subject] >= _PATIENCE:
                dialect = replace(dialect, schema=SchemaMode.TEXT)
        self._known[subject] = dialect


_REFUSALS = frozenset({400, 422, 501})
"""Statuses by which endpoints reject a parameter."""


class OpenAIChat:
    """The adapter; retries, limits and the rest are wrappers around it. Raises `SettingsError` without a key."""

    def __init__(self, settings: LlmSettings) -> None:
        with constructing():
            self._client = _client(settings)
        self._dialects = Dialects()

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply; a parameter that the endpoint rejects is omitted from then on."""
        subject = (request.model, request.schema)
        dialect = self._dialects.of(subject)
        while True:
            try:
                with translated(keep=openai.APIStatusError):
                    reply = await self._reply(request, _parameters(request, dialect))
            except openai.APIStatusError as error:
                other = dialect.after(str(error)) if _refused(error) else None
                if other is None:
                    raise translate(error) from error
                dialect = other
            else:
                self._dialects.learn(subject, dialect, reply.text)
                return reply

    async def _reply(self, request: Request, parameters: dict[str, Any]) -> Reply:
        if request.on_text is None:
            return _reply(await self._client.chat.completions.create(**parameters), request)
        streaming = parameters | {"stream": True, "stream_options": {"include_usage": True}}
        stream = await self._client.chat.completions.create(**streaming)
        return await _streamed(stream, request, request.on_text)

    async def close(self) -> None:
        await self._client.close()


def _client(settings: LlmSettings) -> AsyncOpenAI:
    key = settings.api_key.get_secret_value()
    if settings.api_version:
        return AsyncAzureOpenAI(
            azure_endpoint=address(settings.base_url) or "",
            api_key=key,
            api_version=settings.api_version,
            timeout=settings.timeout,
            max_retries=0,
            http_client=_without_redirects(),
        )
    return AsyncOpenAI(
        base_url=address(settings.base_url),
        api_key=key or (NO_KEY if settings.base_url else None),
        timeout=settings.timeout,
        max_retries=0,
        http_client=_without_redirects(),
    )


def _without_redirects() -> DefaultAsyncHttpxClient:
    """Return a client that follows no redirects: they would send documents, and Azure's key, to another host."""
    return DefaultAsyncHttpxClient(follow_redirects=False)


def _refused(error: openai.APIStatusError) -> bool:
    # llama.cpp answers 500 for a schema that it cannot convert to a grammar.
    return error.status_code in _REFUSALS or "grammar" in str(error)


def _parameters(request: Request, dialect: Dialect) -> dict[str, Any]:
    messages, schema = request.messages, request.schema
    parameters: dict[str, Any] = {"model": request.model, dialect.limit_name: request.max_tokens}
    if dialect.temperature:
        parameters["temperature"] = request.temperature
    if schema is not None:
        messages = dialect.messages(messages, schema)
        if shape := dialect.response_format(schema):
            parameters["response_format"] = shape
    return parameters | {"messages": [_turn(message) for message in messages]}


def _turn(message: Message) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.content}
    text = {"type": "text", "text": message.content}
    return {"role": message.role, "content": [text, *(_picture(image) for image in message.images)]}


def _picture(image: AttachedImage) -> dict[str, Any]:
    url = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _reply(completion: object, request: Request) -> Reply:
    if not isinstance(completion, ChatCompletion) or not completion.choices:
        # Gateways answer 200 with an error or a page of their own if the model behind them is unavailable.
        raise no_completion("the endpoint's reply has no choices")
    choice = completion.choices[0]
    return _made(choice.message.content or "", choice.finish_reason, completion.model, completion.usage, request)


async def _streamed(stream: AsyncStream[ChatCompletionChunk], request: Request, tell: Callable[[str], None]) -> Reply:
    """Return the reply of a stream, passing on each piece as it arrives. Raises `CallTimedOut` if it breaks off."""
    pieces: list[str] = []
    finish, model, usage = "", "", None
    async for chunk in stream:
        model, usage = chunk.model or model, chunk.usage or usage
        for choice in chunk.choices[:1]:
            finish = choice.finish_reason or finish
            if choice.delta.content:
                pieces.append(choice.delta.content)
                tell(choice.delta.content)
    if not finish:
        raise no_completion("the endpoint's reply broke off")
    return _made("".join(pieces), finish, model, usage, request)


def _made(text: str, finish: str, model: str, usage: CompletionUsage | None, request: Request) -> Reply:
    if finish == "content_filter":
        raise CallFailed("the endpoint's content filter stopped the reply")
    taken = (
        Usage(usage.prompt_tokens, usage.completion_tokens, 1)
        if usage is not None
        else Usage(estimate_request(request), estimate_tokens(text), 1)
    )
    return Reply(text, model or request.model, taken, "length" if finish == "length" else "stop")
