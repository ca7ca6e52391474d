"""The calls of one question to the language model: named prompts in, typed replies out, with an account of the cost.

Whoever waits for the answer can follow the calls while they are made: see `listening`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from pipelines.core.errors import LanguageError
from pipelines.llm.ask import Asked, CallEnding, ask
from pipelines.llm.chat import Chat, Reply, Request, Usage
from pipelines.llm.prompt import Prompt

T = TypeVar("T", bound=BaseModel)
Listener = Callable[[str, str], None]
"""Is called with the name of the prompt ("propose", "answer") and a piece of the reply, empty when a call begins."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_TEXTS = re.compile(r'"(?:text|answer|question)"\s*:\s*"((?:[^"\\]|\\.)*)("?)')


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without a usable reply: its prompt, why it failed, and what can be done about it.

    `silent` is true where the endpoint gave no reply at all, false where it gave none that could be used.
    """

    role: str
    reason: str
    hint: str = ""
    silent: bool = True


class ModelCalls:
    """The calls of one question to a chat model.

    Args:
        chat: the client that is called.
        prompts: the folder of the knowledge base whose prompts take the place of the shipped ones.
        tries: how often a call is made until its reply can be used.
        endpoint: the name of the model's address in the reasons of failed calls.

    `usage` counts the calls and tokens of all replies, `spent` leaves out those from the cache; `failed` are the calls
    without a usable reply, in order.
    """

    def __init__(self, chat: Chat, prompts: Path | None = None, tries: int = 3, endpoint: str = "") -> None:
        self._chat, self._prompts, self._tries, self._endpoint = chat, prompts, tries, endpoint
        self.usage = Usage()
        self.spent = Usage()
        self.failed: list[FailedCall] = []

    @property
    def failure(self) -> FailedCall | None:
        """The first call to which the endpoint gave no reply, None where it replied to all."""
        return next((call for call in self.failed if call.silent), None)

    async def ask(self, prompt: str, reply: type[T], *, room: int = 512, **values: str) -> Asked[T]:
        """Return the model's reply to a prompt of `qa/prompts` as a value of type `reply`.

        An unusable reply is asked for again. `room` is how many tokens the reply may have, `values` fill the prompt's
        placeholders. A call that fails raises nothing: it is told by the result and added to `failed`. Raises
        `BudgetExceeded`.
        """
        messages = Prompt.load("qa", prompt, self._prompts).messages("en", (), **values)
        listener = _listener.get()
        on_text = partial(listener, prompt) if listener else None
        if listener:
            listener(prompt, "")
        chat = _Watched(self._chat)
        asked = await ask(chat, messages, reply, role=prompt, max_tokens=room, tries=self._tries, on_text=on_text)
        self.usage += replace(asked.usage, calls=asked.tries - (asked.ending is CallEnding.FAILED))
        self.spent += asked.usage if asked.usage.calls else Usage()
        if asked.failure is not None:
            self.failed.append(self._failed(prompt, asked.failure.reason, asked.ending, chat.error))
        return asked

    def _failed(self, role: str, reason: str, ending: CallEnding, error: LanguageError | None) -> FailedCall:
        told = f"{reason} ({self._endpoint})" if self._endpoint else reason
        return FailedCall(role, told, error.hint if error else "", ending is CallEnding.FAILED)


class _Watched:
    """A chat whose last error is kept, for what it says can be done."""

    def __init__(self, inner: Chat) -> None:
        self._inner = inner
        self.error: LanguageError | None = None

    async def complete(self, request: Request) -> Reply:
        try:
            return await self._inner.complete(request)
        except LanguageError as error:
            self.error = error
            raise

    async def close(self) -> None:
        await self._inner.close()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` for every call that is made within the `with` block, in this thread or task."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def readable(reply: str) -> str:
    """Return the texts that the beginning of a JSON reply holds, one a line, the last one as far as it has come."""
    return "\n".join(_text(match.group(1)) for match in _TEXTS.finditer(reply) if match.group(1))


def _text(escaped: str) -> str:
    try:
        return str(json.loads(f'"{escaped}"'))
    except json.JSONDecodeError:
        return escaped
