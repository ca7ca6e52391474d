"""A chat model as a strategy sees it: a named prompt in, a typed reply out, and the account of what it took."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from pipelines.core.errors import LanguageError
from pipelines.llm.ask import Asked, Ending, ask
from pipelines.llm.chat import Chat, Reply, Request, Usage
from pipelines.llm.prompt import Prompt
from qa.listen import listening_now

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A call without a usable reply: the work it was for, why, and what can be done.

    `silent` says that the endpoint gave no reply at all; else it replied, and never as it was asked to.
    """

    role: str
    reason: str
    hint: str = ""
    silent: bool = True


class Language:
    """The language work of one question. `prompts` is the knowledge base's folder of prompts that replace ours.

    `usage` is what all replies took when they were made, calls too; `spent` without those from the cache. `troubles`
    are the calls that brought nothing, in order. `endpoint` is how they name what was called.
    """

    def __init__(self, chat: Chat, prompts: Path | None = None, tries: int = 3, endpoint: str = "") -> None:
        self._chat, self._prompts, self._tries, self._endpoint = chat, prompts, tries, endpoint
        self.usage = Usage()
        self.spent = Usage()
        self.troubles: list[Trouble] = []

    @property
    def failure(self) -> Trouble | None:
        """The first call to which the endpoint gave no reply, None where it replied to all."""
        return next((trouble for trouble in self.troubles if trouble.silent), None)

    async def ask(self, prompt: str, reply: type[T], *, room: int = 512, **values: str) -> Asked[T]:
        """Return what the model makes of a prompt of this package; an unusable reply is asked for again.

        `room` is how many tokens the reply may take. Raises `BudgetExceeded`, and nothing for any reply; a call that
        brought none is among the `troubles`.
        """
        messages = Prompt.load("qa", prompt, self._prompts).messages("en", (), **values)
        listener = listening_now()
        on_text = partial(listener, prompt) if listener else None
        if listener:
            listener(prompt, "")
        chat = _Watched(self._chat)
        asked = await ask(chat, messages, reply, role=prompt, max_tokens=room, tries=self._tries, on_text=on_text)
        self.usage += replace(asked.usage, calls=asked.tries - (asked.ending is Ending.FAILED))
        self.spent += asked.usage if asked.usage.calls else Usage()
        if asked.failure is not None:
            self.troubles.append(self._trouble(prompt, asked.failure.reason, asked.ending, chat.error))
        return asked

    def _trouble(self, role: str, reason: str, ending: Ending, error: LanguageError | None) -> Trouble:
        told = f"{reason} ({self._endpoint})" if self._endpoint else reason
        return Trouble(role, told, error.hint if error else "", ending is Ending.FAILED)


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
