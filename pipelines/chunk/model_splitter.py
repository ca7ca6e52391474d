"""The splitter that asks a model: where a chunk ends, and summaries of both sides (PIKE-RAG 5.2.1, figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, StructuralSplitter, Window
from pipelines.lang.numbers import FIGURE
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence

ROLE = "split"
_FENCE = "text"
_NOTHING = "-"
_REPLY_TOKENS = 300
"""Tokens of a reply: a number and two sentences."""
_LONGEST = 300
"""Maximum characters of a summary."""


Told = Annotated[
    str,
    BeforeValidator(lambda value: value[:_LONGEST] if isinstance(value, str) else value),
    Field(max_length=_LONGEST),
]


class Division(BaseModel):
    """The reply: the number of the sentence with which the first passage ends, and a sentence on either side."""

    end: int
    summary: Told
    next: Told


class ModelSplitter:
    """Shows a model the window as numbered sentences; the model replies with a number and two summaries.

    A number that is not among the choices counts as the nearest of them, without the summaries. If the reply is
    unusable or the call failed, the structural splitter cuts; only a failed call is a failure: asking again may help.
    `overrides` is a folder with prompts of the user's own.
    """

    def __init__(
        self, chat: Chat, settings: ChunkSettings, embedder: Embedder | None = None, overrides: Path | None = None
    ) -> None:
        self._chat = chat
        self._structural = StructuralSplitter(settings, embedder)
        self._prompt = Prompt.load("pipelines.chunk", "split", overrides)

    async def cut(self, window: Window) -> Cut:
        if len(window.choices) == 1:
            return Cut(window.choices[0])
        asked = await ask(
            self._chat,
            self._messages(window),
            Division,
            role=ROLE,
            subject=window.subject,
            document=window.document,
            max_tokens=_REPLY_TOKENS,
            tries=window.tries,
        )
        division = asked.value
        if division is None:
            end = (await self._structural.cut(window)).end
            return Cut(end, failure=asked.failure if asked.ending is CallEnding.FAILED else None, tries=asked.tries)
        end = min(window.choices, key=lambda choice: (abs(choice - division.end), choice))
        if end != division.end:
            return Cut(end, tries=asked.tries)  # the summaries are not of these passages
        before, behind = window.sentences[:end], window.sentences[end:]
        return Cut(end, _said(division.summary, before), _said(division.next, behind), tries=asked.tries)

    def _messages(self, window: Window) -> tuple[Message, ...]:
        numbered = "\n".join(f"{number}: {text}" for number, text in enumerate(window.sentences, 1))
        return self._prompt.messages(
            language=window.language,
            title=_line(window.title) or _NOTHING,
            headings=_line(" > ".join(window.heading_path)) or _NOTHING,
            before=_line(window.forward_summary) or _NOTHING,
            sentences=fence(numbered, _FENCE),
            first=str(window.choices[0]),
            last=str(window.choices[-1]),
        )


def _said(summary: str, sentences: Sequence[str]) -> str:
    """Return a summary on one line, empty if it has a number that is not in `sentences`."""
    figures = {figure for sentence in sentences for figure in FIGURE.findall(sentence)}
    return _line(summary) if set(FIGURE.findall(summary)) <= figures else ""


def _line(text: str) -> str:
    return " ".join(text.split())
