"""The wire format of the loopback server, a subset of OpenAI's JSON, and its faults."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pipelines.llm.ask import CORRECTION
from pipelines.llm.embedder import Embedder
from pipelines.llm.tokens import estimate_tokens

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class CallTurn:
    """One received message; `content` is its text, `images` the number of its images."""

    role: str
    content: str
    images: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A received request; `schema` is its JSON schema, or None."""

    model: str
    turns: tuple[CallTurn, ...]
    schema: Json | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    key: str = ""

    @property
    def first_turns(self) -> tuple[CallTurn, ...]:
        """The messages of the first request, without an unusable reply and the message that asks again."""
        corrected = len(self.turns) > 2 and self.turns[-1].content.startswith(CORRECTION)
        return self.turns[:-2] if corrected else self.turns


def read_call(body: Json, key: str) -> Call:
    """Return the call in the body of a request."""
    messages = body["messages"]
    turns = tuple(_turn(message) for message in messages) if isinstance(messages, list) else ()
    temperature, limit = body.get("temperature"), body.get("max_tokens", body.get("max_completion_tokens"))
    return Call(
        str(body.get("model")),
        turns,
        _schema(body.get("response_format")),
        float(temperature) if isinstance(temperature, int | float) else None,
        limit if isinstance(limit, int) else None,
        key.removeprefix("Bearer "),
    )


def completion(call: Call, text: str, usage: bool) -> Json:
    """Return the body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body: Json = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": call.model}
    body["choices"] = [choice]
    if usage:
        read, written = sum(estimate_tokens(turn.content) for turn in call.turns), estimate_tokens(text)
        body["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return body


def embeddings(body: Json, embedder: Embedder) -> Json:
    """Return the body of the reply to an embedding request."""
    texts = _texts(body.get("input"))
    rows = embedder.embed(texts)
    data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]
    read = sum(map(estimate_tokens, texts))
    usage = {"prompt_tokens": read, "total_tokens": read}
    return {"object": "list", "model": body.get("model"), "data": data, "usage": usage}


def refusal(message: str) -> Json:
    """Return the body of an error."""
    return {"error": {"message": message, "type": "loopback", "code": None, "param": None}}


def _turn(message: dict[str, object]) -> CallTurn:
    content = message.get("content")
    if not isinstance(content, list):
        return CallTurn(str(message["role"]), str(content or ""))
    text = "".join(str(part["text"]) for part in content if part["type"] == "text")
    return CallTurn(str(message["role"]), text, sum(part["type"] == "image_url" for part in content))


def _schema(shape: object) -> Json | None:
    wanted = shape.get("json_schema") if isinstance(shape, dict) else None
    schema = wanted.get("schema") if isinstance(wanted, dict) else None
    return schema if isinstance(schema, dict) else None


def _texts(given: object) -> Sequence[str]:
    if isinstance(given, str):
        return [given]
    return [str(text) for text in given] if isinstance(given, list) else []


class Fault(StrEnum):
    NONE = "none"
    TOO_MANY = "429"
    SERVER_ERROR = "500"
    SLOW = "slow"
    """The reply is correct but late."""
    CUT = "cut"
    """The connection breaks in the middle of the reply."""
    MALFORMED = "malformed"
    """The body is not valid JSON."""
    GARBLED = "garbled"
    """The body is valid, but the model's text in it is truncated and unusable."""


class Faults(Protocol):
    """Selects the fault of each request."""

    def fault(self, words: bytes, times: int) -> Fault:
        """Return the fault of the request with this body when it is sent for the `times`-th time, from 0."""
        ...


@dataclass(frozen=True, slots=True)
class FaultRates:
    """The share of calls with each fault, at most 1 in total. The same seed gives the same faults.

    A fault depends on the body of a request and on how often it was sent, not on the order of calls, so that concurrent
    calls have the same faults in every run.
    """

    rates: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0

    @staticmethod
    def evenly(rate: float, seed: int = 0) -> FaultRates:
        """Return rates that distribute `rate` evenly over the faults that make a call fail."""
        faults = [fault for fault in Fault if fault not in (Fault.NONE, Fault.SLOW)]
        return FaultRates({fault: rate / len(faults) for fault in faults}, seed)

    def fault(self, words: bytes, times: int) -> Fault:
        hashed = hashlib.blake2b(words, digest_size=8, key=f"{self.seed}:{times}".encode()).digest()
        chance = int.from_bytes(hashed) / 2**64
        for fault, rate in self.rates.items():
            if chance < rate:
                return fault
            chance -= rate
        return Fault.NONE


class FaultScript:
    """Faults in the order of calls; after the last one, calls succeed."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._faults = list(faults)

    def fault(self, words: bytes, times: int) -> Fault:
        return self._faults.pop(0) if self._faults else Fault.NONE
