"""Chats without a model, for tests and trials; `pipelines.llm.embedder` has the embedder to go with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from pydantic import BaseModel

from pipelines.core.errors import StrataError
from pipelines.llm.chat import Chat, Reply, Request, Usage
from pipelines.llm.tokens import estimate_input, estimate_tokens

FakeAnswer = str | BaseModel | StrataError | Reply
"""What a fake gives: a text, a value to be sent as JSON, an error to be raised, or a whole reply."""


def as_reply(answer: FakeAnswer, request: Request) -> Reply:
    """Return the reply that carries `answer`, with its tokens estimated; raise it where it is an error."""
    if isinstance(answer, StrataError):
        raise answer
    if isinstance(answer, Reply):
        return answer
    text = answer.model_dump_json() if isinstance(answer, BaseModel) else answer
    usage = Usage(estimate_input(request.messages), estimate_tokens(text), 1)
    return Reply(text, request.model or "fake", usage)


class ScriptedChat:
    """A chat that gives its answers in order and remembers what it was asked; the last answer stays.

    Raises `AssertionError` when asked with no answers at all.
    """

    def __init__(self, answers: Iterable[FakeAnswer]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        if not self._answers:
            raise AssertionError(f"asked without a script: {request.messages[-1].content[:80]}")
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        return as_reply(answer, request)

    async def close(self) -> None:
        """Nothing is held."""


class FunctionChat:
    """A chat whose answer is a function of the request; `requests` are those it was asked, in order."""

    def __init__(self, answer: Callable[[Request], FakeAnswer]) -> None:
        self._answer = answer
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return as_reply(self._answer(request), request)

    async def close(self) -> None:
        """Nothing is held."""


class DelayedChat:
    """A chat that lets `wait` pass before each reply of the inner one, and counts how many it answers at a time."""

    def __init__(self, inner: Chat, wait: Callable[[Request], Awaitable[object]]) -> None:
        self._inner, self._wait = inner, wait
        self._now = 0
        self.most_at_once = 0

    async def complete(self, request: Request) -> Reply:
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await self._wait(request)
            return await self._inner.complete(request)
        finally:
            self._now -= 1

    async def close(self) -> None:
        await self._inner.close()
