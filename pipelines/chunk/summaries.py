"""Summaries of sections and of the document, bottom-up from the summaries of the chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Protocol, runtime_checkable

from pipelines.chunk.passages import LONGEST_OVERVIEW, Overview, ShownTexts, quoted, shortened, summarize
from pipelines.chunk.segments import Break, segments
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import passage_of
from pipelines.core.block_index import BlockIndex
from pipelines.core.concurrent import gather
from pipelines.core.document import BlockKind, Chunk, Document, Section
from pipelines.core.outcome import Failure
from pipelines.lang.sentences import is_complete
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Chat
from pipelines.llm.prompt import Prompt, fence
from pipelines.llm.tokens import count_tokens

OVERVIEW_ROLE = "overview"
_FENCE = "text"
_NOTHING = "-"
_QUOTED = 3
"""Sentences of a quoted summary: about the 60 words that a model is asked for."""
_REPLY_TOKENS = 200
"""Maximum tokens of a reply: the requested 60 words, in a language with three tokens per word."""
_TRIES = 2
"""Requests to a model for one part; if no reply is usable, the summary is quoted."""
_PARTS_AT_ONCE = 16
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_MOST_TOKENS = 1500
"""Maximum tokens of the summaries in one call: they fit into a context of 4,096 in every language."""


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """A section or document, represented by the summaries of its parts in reading order.

    `id` is its id, `document` the id of its document; `heading_path` is empty for a document.
    """

    id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    language: str
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartSummary:
    """The summary of a part; `failure` is set if the model call failed."""

    text: str
    failure: Failure | None = None


@runtime_checkable
class Summarizer(Protocol):
    """Condenses several summaries to one."""

    async def summarize(self, part: SummaryInput) -> PartSummary:
        """Return the summary of a part, empty only if it has none to summarize. Raises `BudgetExceeded` only."""
        ...


class QuotingSummarizer:
    """Quotes the most representative sentences: those with the most frequent terms, relative to their length.

    A summary has at most 700 characters, like that of a model: the lines of an index or a listing, which are sentences
    of thousands of words, would not become shorter by a summary of summaries.
    """

    async def summarize(self, part: SummaryInput) -> PartSummary:
        return PartSummary(self.quote(part))

    def quote(self, part: SummaryInput) -> str:
        """Return what `summarize` returns, without a coroutine."""
        about = " ".join((part.title, *part.heading_path))
        return shortened(summarize(part.summaries, _QUOTED, about, part.language), LONGEST_OVERVIEW)


class ModelSummarizer:
    """Asks a model; if the call failed, or the reply is unusable or unsupported, the summary is quoted.

    `overrides` is a folder with the user's own prompts.
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


async def summarize_sections(
    document: Document, chunks: Sequence[Chunk], summarizer: Summarizer, settings: ChunkSettings
) -> tuple[dict[str, str], tuple[Failure, ...]]:
    """Return the summaries of sections and of the document, by id, and the failed calls.

    If the summaries of a section's chunks have at most `section_tokens`, they are joined; otherwise the summarizer
    condenses them in one call. A section that shares its chunk with others is quoted. Raises `BudgetExceeded`.
    """
    work = _BottomUp(document, chunks, summarizer, settings)
    await work.run()
    return work.summaries, tuple(work.failures)


class _BottomUp:
    def __init__(
        self, document: Document, chunks: Sequence[Chunk], summarizer: Summarizer, settings: ChunkSettings
    ) -> None:
        self.summaries: dict[str, str] = {}
        self.failures: list[Failure] = []
        self._document, self._summarizer, self._settings = document, summarizer, settings
        self._block_index = BlockIndex(document)
        self._sections = {section.id: section for section in document.sections if section.parent}
        self._material: dict[str, list[tuple[int, str]]] = {}
        """For each section and for the document: the start and the summary of each of its parts."""
        telling = [chunk for chunk in chunks if self._has_prose(chunk)]
        for chunk in telling or chunks:
            self._add(chunk.section, chunk.provenance.span.start, chunk.summary)

    async def run(self) -> None:
        deepest_first = sorted(self._sections.values(), key=lambda section: -section.level)
        for _, level in groupby(deepest_first, key=lambda section: section.level):
            await gather(self._summarize_section, level, _PARTS_AT_ONCE)
        whole = await self._condensed(self._document.id, (), self._texts(self._document.id))
        if whole:
            self.summaries = {self._document.id: whole} | self.summaries

    def _has_prose(self, chunk: Chunk) -> bool:
        """Whether a summary is more than a fragment, or a line of a table or of code, that is quoted."""
        if not chunk.quotes(chunk.summary):
            return True
        blocks = self._block_index.touching(chunk.provenance.span)
        return is_complete(chunk.summary) and any(block.kind in _PROSE for block in blocks)

    async def _summarize_section(self, section: Section) -> None:
        texts = self._texts(section.id)
        if texts:
            summary = await self._condensed(section.id, section.path, texts)
            self._add(section.parent, section.span.start, summary)
        else:
            summary = self._quoted(section)
        if summary:
            self.summaries[section.id] = summary

    def _add(self, section: str, start: int, summary: str) -> None:
        holder = section if section in self._sections else self._document.id
        if summary:
            self._material.setdefault(holder, []).append((start, summary))

    def _texts(self, id: str) -> list[str]:
        return list(dict.fromkeys(text for _, text in sorted(self._material.get(id, ()))))

    async def _condensed(self, id: str, heading_path: tuple[str, ...], texts: Sequence[str]) -> str:
        """Return the texts joined if they are short, else their summary; for very many, a summary of summaries."""
        joined = " ".join(texts)
        if len(texts) < 2 or count_tokens(joined) <= self._settings.section_tokens:
            return joined
        batches = list(_batches(texts))
        if 1 < len(batches) < len(texts):
            found = await gather(lambda batch: self._asked(id, heading_path, batch), batches, _PARTS_AT_ONCE)
            return await self._condensed(id, heading_path, found)
        return await self._asked(id, heading_path, texts)

    async def _asked(self, id: str, heading_path: tuple[str, ...], texts: Sequence[str]) -> str:
        document = self._document
        part = SummaryInput(id, document.id, document.title, heading_path, document.language, tuple(texts))
        result = await self._summarizer.summarize(part)
        self.failures.extend([result.failure] if result.failure else [])
        return result.text

    def _quoted(self, section: Section) -> str:
        """Return the best sentence of a section without a chunk of its own, empty if it has headings only."""
        found = segments(self._block_index, section.span, self._settings.max_tokens)
        body = [segment for segment in found if segment.end is not Break.NEVER]
        if not body:
            return ""
        texts = [segment.span.slice(self._document.text) for segment in body]
        passage = passage_of(body, texts, self._document.title, section.path, self._document.language)
        return quoted(passage, self._settings.summary_sentences)


def _batches(texts: Iterable[str]) -> Iterable[list[str]]:
    """Yield batches of texts for one call each; a text that is too long forms a batch alone."""
    batch: list[str] = []
    room = _MOST_TOKENS
    for text in texts:
        size = count_tokens(text)
        if batch and size > room:
            yield batch
            batch, room = [], _MOST_TOKENS
        batch.append(text)
        room -= size
    if batch:
        yield batch
