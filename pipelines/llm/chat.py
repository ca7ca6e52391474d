"""The protocol of chat models, one request in and one reply out, and the cache key of a request."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

from pydantic import BaseModel

from pipelines.core.ids import digest


@dataclass(frozen=True, slots=True)
class AttachedImage:
    """An image sent with a message."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `role` is "system", "user" or "assistant"."""

    role: str
    content: str
    images: tuple[AttachedImage, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a chat model.

    `role` names the task ("distil", "answer", ...): settings map it to a model, traces and estimates group by it.
    `schema` is the type of the reply; None requests plain text. `attempt` counts repetitions of the same request from
    0, so that the cache does not answer a repetition. `subject` is the id of what the task is about (a chunk).
    `document` is the id of the document shown, empty for several; it does not affect the reply, and is used to find the
    replies about a document that is to be forgotten. `on_text` is called with the pieces of the reply as they arrive,
    from any thread; not for a cached reply.
    """

    messages: tuple[Message, ...]
    role: str
    schema: type[BaseModel] | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    model: str = ""
    attempt: int = 0
    subject: str = ""
    document: str = ""
    on_text: Callable[[str], None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as counted by the endpoint, or estimated if it does not report them.

    A cached reply has the tokens of its original call, and 0 `calls`.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's text and its usage. `finish` is "stop", or "length" if `max_tokens` truncated the reply."""

    text: str
    model: str = ""
    usage: Usage = Usage()
    finish: str = "stop"
    cached: bool = False


@runtime_checkable
class Chat(Protocol):
    """A chat model, or a wrapper around one (trace, cache, budget, retry, rate limit)."""

    async def complete(self, request: Request) -> Reply:
        """Return the model's reply.

        Raises `RateLimited` and `CallTimedOut` (retryable), `CallFailed` (not retryable), `BudgetExceeded`.
        """
        ...

    async def close(self) -> None:
        """Release connections and processes; closing twice is allowed."""
        ...


VERSION = 1
"""Increase it to invalidate all cached replies."""


def request_key(request: Request) -> str:
    """Return a digest (64 hexadecimal digits) of model, messages, schema, temperature, token limit, attempt, `VERSION`.

    The role is not included: the same messages to the same model have the same reply. API keys, URLs and time-outs are
    not part of a request.
    """
    parts = (
        VERSION,
        request.model,
        [_parts(message) for message in request.messages],
        _schema(request.schema) if request.schema is not None else None,
        float(request.temperature),
        request.max_tokens,
        request.attempt,
    )
    return digest(json.dumps(parts, ensure_ascii=True).encode())


def _parts(message: Message) -> list[object]:
    pictures = [[image.media_type, digest(image.data)] for image in message.images]
    return [message.role, message.content, pictures]


@lru_cache(maxsize=256)
def _schema(schema: type[BaseModel]) -> str:
    # Not sorted: models write the fields in the order of the schema.
    return json.dumps(schema.model_json_schema())
