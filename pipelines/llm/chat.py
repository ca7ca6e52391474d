"""What a chat model is to Strata: one request in, one reply out; and the identity of a request."""

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
    """A picture sent with a message."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """One turn; `role` is "system", "user" or "assistant"."""

    role: str
    content: str
    images: tuple[AttachedImage, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """All that shapes a reply.

    `role` names the work ("atomize", "answer", ...): settings map it to a model, traces and quotes group by it.
    `schema` is the type the reply must validate as; None asks for plain text. `attempt` counts askings of the same
    thing from 0, so that asking again is not answered from the cache. `subject` is the id of what the work is about (a
    chunk's). `document` is the id of the document whose text is shown, empty where it is that of several: it shapes no
    reply, and lets those be found that quote a document which is to be forgotten. `on_text` is given the pieces of the
    reply as they come, from any thread; one that is kept already comes whole, without it.
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
    """Tokens of one call as the endpoint counts them, estimated where it does not say.

    A reply from the cache has the tokens that it took when it was made, and 0 `calls`.
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
    """The model's text, and what it took. `finish` is "stop", or "length" where the reply was cut by `max_tokens`."""

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

        Raises `RateLimited` and `CallTimedOut` (try again), `CallFailed` (do not), `BudgetExceeded`.
        """
        ...

    async def close(self) -> None:
        """Release connections and processes; closing twice is allowed."""
        ...


VERSION = 1
"""Raised when replies kept so far must not be used any more."""


def request_key(request: Request) -> str:
    """Return 64 hexadecimal digits over model, messages, schema, temperature, token limit, attempt and `VERSION`.

    The role has no part in it: the same words to the same model have the same reply. Keys, URLs and time-outs are
    not in a request.
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
    # The order of the fields is the order in which a model writes them, so it stays.
    return json.dumps(schema.model_json_schema())
