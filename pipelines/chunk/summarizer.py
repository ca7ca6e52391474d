"""The summarizer protocol: the summaries of many chunks or sections to one, with and without a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from pipelines.chunk.passages import ShownTexts, summarize
from pipelines.chunk.reply import Overview
from pipelines.core.outcome import Failure
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Chat
from pipelines.llm.prompt import Prompt, fence

OVERVIEW_ROLE = "overview"
_FENCE = "text"
_NOTHING = "-"
_QUOTED = 3
"""Sentences of a quoted summary: about the 60 words that a model is asked for."""
_REPLY_TOKENS = 200
"""Tokens of a reply at most: the 60 words that it is asked for, in a language that takes three tokens a word."""
_TRIES = 2
"""Times that a model is asked about one part: a quoted summary does, where no reply is of use."""


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """A section, or a whole document, by the summaries of what it consists of, in reading order.

    `id` is its id, `document` that of its document; `heading_path` is empty for a whole document.
    """

    id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    language: str
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartSummary:
    """The summary of a part; `failure` is that of a model call."""

    text: str
    failure: Failure | None = None


@runtime_checkable
class Summarizer(Protocol):
    """Makes one summary of many."""

    async def summarize(self, part: SummaryInput) -> PartSummary:
        """Return the summary of a part, empty only if it has none to summarize. Raises `BudgetExceeded` only."""
        ...


class QuotingSummarizer:
    """Quotes the sentences that say most: those nearest to the frequencies of all terms, relative to their length."""

    async def summarize(self, part: SummaryInput) -> PartSummary:
        return PartSummary(self.quote(part))

    def quote(self, part: SummaryInput) -> str:
        """Return what `summarize` returns, without a coroutine."""
        about = " ".join((part.title, *part.heading_path))
        return summarize(part.summaries, _QUOTED, about, part.language)


class ModelSummarizer:
    """Asks a model; where the call failed, or the reply is of no use or not supported, the summary is quoted.

    `overrides` is a folder with prompts of the user's own.
    """

    def __init__(self, chat: Chat, overrides: Path | None = None) -> None:
        self._chat = chat
        self._quoting = QuotingSummarizer()
        self._prompt = Prompt.load("pipelines.chunk", "overview", overrides)

    async def summarize(self, part: SummaryInput) -> PartSummary:
        messages = self._prompt.messages(
            language=part.language,
            title=_line(part.title) or _NOTHING,
            headings=_line(" > ".join(part.heading_path)) or _NOTHING,
            summaries=fence("\n".join(f"- {_line(summary)}" for summary in part.summaries), _FENCE),
        )
        asked = await ask(
            self._chat,
            messages,
            Overview,
            role=OVERVIEW_ROLE,
            subject=part.id,
            document=part.document,
            max_tokens=_REPLY_TOKENS,
            tries=_TRIES,
        )
        text = asked.value.summary if asked.value is not None else ""
        if text and ShownTexts((part.title, *part.heading_path, *part.summaries), part.language).supports(text):
            return PartSummary(text)
        failure = asked.failure if asked.ending is CallEnding.FAILED else None
        return PartSummary(self._quoting.quote(part), failure)


def _line(text: str) -> str:
    return " ".join(text.split())
