"""The splitter that asks a model for the end of a chunk and for summaries (PIKE-RAG 5.2.1, figure 5)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pipelines.chunk.passages import (
    Division,
    GroupSummary,
    PassageGroup,
    ShownTexts,
    Summaries,
    carried,
    quoted_group,
    summaries_of,
)
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, StructuralSplitter, Window, quoted_cut
from pipelines.core.outcome import Failure
from pipelines.llm.ask import Asked, CallEnding, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.prompt import Prompt, fence

SPLIT_ROLE, SUMMARY_ROLE = "split", "summarize"
_FENCE = "text"
_NOTHING = "-"
_REPLY_TOKENS = 200
"""Maximum tokens of a reply: a number and the forward summary."""
_SUMMARY_TOKENS = 100
"""Additional tokens for each summary."""
_LONGEST = 300
"""Maximum characters of a summary."""


class ModelSplitter:
    """Shows a model the window as numbered sentences, or a group as numbered passages, after the forward summary.

    The model replies with the number of the last sentence and two summaries, or with a summary for each passage and a
    forward summary. A number that is not among the choices is replaced by the nearest choice, and the summaries are
    discarded. A summary with a number or a name that the model was not shown is replaced by a quoted one. If the reply
    is unusable or the call failed, the structural splitter processes this window; only a failed call is reported as a
    failure, because a retry may help. `overrides` is a folder with the user's own prompts.
    """

    def __init__(self, chat: Chat, settings: ChunkSettings, overrides: Path | None = None) -> None:
        self._chat = chat
        self._quoted = settings.summary_sentences
        self._structural = StructuralSplitter(settings)
        self._split = Prompt.load("pipelines.chunk", "split", overrides)
        self._summarize = Prompt.load("pipelines.chunk", "summarize", overrides)

    async def cut(self, window: Window) -> Cut:
        asked = await ask(
            self._chat,
            self._split_messages(window),
            Division,
            role=SPLIT_ROLE,
            subject=window.subject,
            document=window.document,
            max_tokens=_REPLY_TOKENS + _SUMMARY_TOKENS,
            tries=window.tries,
        )
        reply = asked.value
        if reply is None:
            return replace(await self._structural.cut(window), failure=_failure(asked), tries=asked.tries)
        end = min(window.choices, key=lambda choice: (abs(choice - reply.end), choice))
        quoted = quoted_cut(window, end, self._quoted)
        if end != reply.end:  # the summaries belong to other passages
            return replace(quoted, tries=asked.tries)
        shown = ShownTexts([*_around(window), *window.heading_path, *window.sentences], window.language)
        summary = reply.summary if shown.is_of(reply.summary, window.passage(end).text) else quoted.summary
        forward = reply.forward if shown.supports(reply.forward) else ""
        forward = forward or carried(window.forward_summary, summary, window.language)
        return Cut(end, summary, forward, tries=asked.tries)

    async def summarize(self, group: PassageGroup) -> GroupSummary:
        asked = await ask(
            self._chat,
            self._summary_messages(group),
            summaries_of(len(group.passages)),
            role=SUMMARY_ROLE,
            subject=group.subject,
            document=group.document,
            max_tokens=_REPLY_TOKENS + _SUMMARY_TOKENS * len(group.passages),
            tries=group.tries,
        )
        quoted = quoted_group(group, self._quoted)
        if asked.value is None:
            return replace(quoted, failure=_failure(asked), tries=asked.tries)
        texts = [text for one in group.passages for text in (*one.heading_path, one.text)]
        shown = ShownTexts([*_around(group), *texts], group.language)
        pairs = zip(asked.value.of_passages(), quoted.summaries, group.passages, strict=True)
        summaries = tuple(one if shown.is_of(one, passage.text) else own for one, own, passage in pairs)
        forward = asked.value.of_all()
        forward = forward if shown.supports(forward) else quoted.forward_summary
        return GroupSummary(summaries, forward, tries=asked.tries)

    def _split_messages(self, window: Window) -> tuple[Message, ...]:
        numbered = "\n".join(f"{number}: {text}" for number, text in enumerate(window.sentences, 1))
        return self._split.messages(
            language=window.language,
            title=_line(window.title) or _NOTHING,
            headings=_line(" > ".join(window.heading_path)) or _NOTHING,
            before=_line(window.forward_summary) or _NOTHING,
            sentences=fence(numbered, _FENCE),
            first=str(window.choices[0]),
            last=str(window.choices[-1]),
        )

    def _summary_messages(self, group: PassageGroup) -> tuple[Message, ...]:
        numbered = "\n\n".join(
            f"[{number}] {_line(' > '.join(one.heading_path))}\n{one.text}"
            for number, one in enumerate(group.passages, 1)
        )
        return self._summarize.messages(
            language=group.language,
            title=_line(group.title) or _NOTHING,
            before=_line(group.forward_summary) or _NOTHING,
            passages=fence(numbered, _FENCE),
            keys=", ".join(f'"{number}"' for number in range(1, len(group.passages) + 1)),
        )


def _around(part: Window | PassageGroup) -> tuple[str, str]:
    return part.title, part.forward_summary


def _failure(asked: Asked[Division] | Asked[Summaries]) -> Failure | None:
    return asked.failure if asked.ending is CallEnding.FAILED else None


def _line(text: str) -> str:
    return " ".join(text.split())
