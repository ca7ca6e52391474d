"""The splitter that asks a model where a passage ends, and for summaries of both sides (PIKE-RAG 5.2.1, figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, Window
from pipelines.chunk.structural import StructuralSplitter
from pipelines.lang.numbers import FIGURE
from pipelines.llm.ask import Ending, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence

ROLE = "split"
_TAG = "text"
_NOTHING = "-"
_REPLY_TOKENS = 300
_LONGEST = 300
"""Characters of a summary."""


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


class RecurrentSplitter:
    """Shows the model the window as numbered sentences; the text itself is never taken from the reply.

    A number that is none of the choices counts as the nearest of them. Where no reply can be used, or none comes, the
    structural splitter cuts; only the latter is a failure, for asking again may help there.
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
            return Cut(end, failure=asked.failure if asked.ending is Ending.FAILED else None, tries=asked.tries)
        end = min(window.choices, key=lambda choice: (abs(choice - division.end), choice))
        if end != division.end:
            return Cut(end, tries=asked.tries)  # the summaries are of other passages than the ones that come of it
        before, behind = window.sentences[:end], window.sentences[end:]
        return Cut(end, _said(division.summary, before), _said(division.next, behind), tries=asked.tries)

    def _messages(self, window: Window) -> tuple[Message, ...]:
        numbered = "\n".join(f"{number}: {text}" for number, text in enumerate(window.sentences, 1))
        return self._prompt.messages(
            language=window.language,
            title=_line(window.title) or _NOTHING,
            headings=_line(" > ".join(window.heading_path)) or _NOTHING,
            before=_line(window.forward_summary) or _NOTHING,
            sentences=fence(numbered, _TAG),
            first=str(window.choices[0]),
            last=str(window.choices[-1]),
        )


def _said(summary: str, sentences: Sequence[str]) -> str:
    """Return a summary in one line, empty where it has a number that its sentences have not."""
    figures = {figure for sentence in sentences for figure in FIGURE.findall(sentence)}
    return _line(summary) if set(FIGURE.findall(summary)) <= figures else ""


def _line(text: str) -> str:
    return " ".join(text.split())
