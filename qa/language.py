"""A chat model as a strategy sees it: a named prompt in, a typed reply out, and the account of what it took."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from pipelines.llm.ask import Asked, Ending, ask
from pipelines.llm.chat import Chat, Usage
from pipelines.llm.prompt import Prompt
from qa.listen import listening_now

T = TypeVar("T", bound=BaseModel)


class Language:
    """The language work of one question. `prompts` is the knowledge base's folder of prompts that replace ours.

    `usage` is what all replies took when they were made, calls too; `spent` without those from the cache.
    """

    def __init__(self, chat: Chat, prompts: Path | None = None, tries: int = 3) -> None:
        self._chat, self._prompts, self._tries = chat, prompts, tries
        self.usage = Usage()
        self.spent = Usage()

    async def ask(self, prompt: str, reply: type[T], *, room: int = 512, **values: str) -> Asked[T]:
        """Return what the model makes of a prompt of this package; an unusable reply is asked for again.

        `room` is how many tokens the reply may take. Raises `BudgetExceeded`, and nothing for any reply.
        """
        messages = Prompt.load("qa", prompt, self._prompts).messages("en", (), **values)
        listener = listening_now()
        on_text = partial(listener, prompt) if listener else None
        if listener:
            listener(prompt, "")
        asked = await ask(self._chat, messages, reply, role=prompt, max_tokens=room, tries=self._tries, on_text=on_text)
        self.usage += replace(asked.usage, calls=asked.tries - (asked.ending is Ending.FAILED))
        self.spent += asked.usage if asked.usage.calls else Usage()
        return asked
