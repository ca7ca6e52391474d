"""The chunk stage: a document to its chunks in reading order, by recurrent splitting (PIKE-RAG 5.2.1, figure 5).

For a large section, the splitter chooses the end of each chunk among the ends that `CutPlan` allows; sections that fit
into one chunk, and the remainders of split ones, are summarized several at a time. Each call gets the forward summary
of the preceding text and returns that for the following text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipelines.chunk.passages import PassageGroup, carried
from pipelines.chunk.section_groups import SectionGroup, group_sections, root_section, whole_document
from pipelines.chunk.segments import Segment, segments
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import CutPlan, Splitter, Window, passage_of, quoted_cut
from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Chunk, Document, Section
from pipelines.core.outcome import Failure, Outcome
from pipelines.core.provenance import Span
from pipelines.lang.identify import language_of


async def chunk(document: Document, splitter: Splitter, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order: the results of `split`, without its failures."""
    return (await split(document, splitter, settings)).results


async def split(document: Document, splitter: Splitter, settings: ChunkSettings) -> Outcome[Chunk]:
    """Return the chunks of a document in order, and a failure for each model call that failed.

    Chunks are slices of the document's text with only white space between them. None exceeds `max_tokens`; one below
    `min_tokens` does not fit into one chunk with either neighbour of its section. Each has its summary, and the forward
    summary of the text before it. Raises `BudgetExceeded`.
    """
    block_index = BlockIndex(document)
    recurrence = Recurrence(block_index, splitter, settings)
    if settings.by is ChunkBy.DOCUMENT:
        await recurrence.whole(root_section(document))
    else:
        by_size = settings.by is ChunkBy.SIZE
        await recurrence.run([whole_document(document)] if by_size else group_sections(block_index, settings))
    drafts = enumerate(recurrence.drafts)
    chunks = tuple(_chunk(block_index, position, draft) for position, draft in drafts)
    return Outcome(chunks, tuple(recurrence.failures))


def _chunk(block_index: BlockIndex, position: int, draft: ChunkDraft) -> Chunk:
    document = block_index.document
    text = draft.span.slice(document.text)
    return Chunk(
        id=Chunk.make_id(document.id, draft.span.start, draft.span.end),
        document=document.id,
        section=draft.section.id,
        position=position,
        text=text,
        provenance=block_index.provenance(draft.span),
        heading_path=draft.section.path,
        context=draft.context,
        summary=draft.summary,
        forward_summary=draft.forward_summary,
        language=language_of(text, document.language),
    )


_MOST_TOGETHER = 8
"""Maximum passages summarized by one call: small models lose count in longer lists."""
_MOST_TRIES = 3
"""Maximum requests to a model for one reply."""


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk without an id: its span, section, table context and summaries."""

    span: Span
    section: Section
    context: str = ""
    summary: str = ""
    forward_summary: str = ""


@dataclass(frozen=True, slots=True)
class _Unsummarized:
    """A chunk whose end is decided and whose summary is missing."""

    segments: Sequence[Segment]
    section: Section
    tokens: int

    @property
    def span(self) -> Span:
        return Span(self.segments[0].span.start, self.segments[-1].span.end)


@dataclass(slots=True)
class Recurrence:
    """Splits section groups, in reading order, into `drafts`, and records the `failures` of the splitter.

    A cut that the plan does not allow is replaced by the last allowed one, so that size limits hold. Unusable replies
    are requested again as long as there is no more than one call per chunk, plus one.
    """

    block_index: BlockIndex
    splitter: Splitter
    settings: ChunkSettings
    drafts: list[ChunkDraft] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    _forward: str = ""
    _calls: int = 0
    _waiting: list[_Unsummarized] = field(default_factory=list)

    async def run(self, groups: Iterable[SectionGroup]) -> None:
        """Fill `drafts` and `failures`; call it once."""
        for group in groups:
            found = segments(self.block_index, group.span, self.settings.max_tokens)
            plan, start = CutPlan(found, self.settings.min_tokens, self.settings.max_tokens), 0
            while start < len(found) and plan.rest(start) > self.settings.max_tokens:
                start += await self._cut(group.section, found, plan.choices(start), start)
            if start < len(found):
                await self._add(_Unsummarized(found[start:], group.section, plan.rest(start)))
        await self._summarize()

    async def whole(self, section: Section) -> None:
        """Make the whole document one chunk; call it in place of `run`."""
        found = segments(self.block_index, Span(0, len(self.block_index.document.text)), self.settings.max_tokens)
        if found:
            await self._add(_Unsummarized(found, section, sum(segment.tokens for segment in found)))
            await self._summarize()

    async def _add(self, chunk: _Unsummarized) -> None:
        tokens = sum(one.tokens for one in self._waiting) + chunk.tokens
        if tokens > self.settings.window_tokens or len(self._waiting) == _MOST_TOGETHER:
            await self._summarize()
        self._waiting.append(chunk)

    async def _summarize(self) -> None:
        """Summarize the waiting chunks in one call."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        group = self._group(waiting)
        result = await self.splitter.summarize(group)
        self._note(result.failure, result.tries)
        for one, summary in zip(waiting, result.summaries, strict=True):
            self._draft(one.segments, one.section, summary)
            self._forward = carried(self._forward, summary, group.language)
        self._forward = result.forward_summary

    async def _cut(self, section: Section, found: Sequence[Segment], choices: Sequence[int], start: int) -> int:
        """Append the chunk that begins with segment `start`, and return the number of its segments."""
        await self._summarize()
        window = self._window(section, found, choices, start)
        cut = await self.splitter.cut(window)
        self._note(cut.failure, cut.tries)
        if cut.end not in choices:
            cut = quoted_cut(window, choices[-1], self.settings.summary_sentences)
        self._draft(found[start : start + cut.end], section, cut.summary)
        self._forward = cut.forward_summary
        return cut.end

    def _note(self, failure: Failure | None, calls: int) -> None:
        self.failures.extend([failure] if failure else [])
        self._calls += calls

    def _tries(self, chunks: int) -> int:
        """Return how often a model may be asked about this number of further chunks."""
        return max(1, min(_MOST_TRIES, len(self.drafts) + chunks + 1 - self._calls))

    def _draft(self, own: Sequence[Segment], section: Section, summary: str) -> None:
        span = Span(own[0].span.start, own[-1].span.end)
        self.drafts.append(ChunkDraft(span, section, own[0].context, summary, self._forward))

    def _texts(self, found: Sequence[Segment]) -> tuple[str, ...]:
        return tuple(segment.span.slice(self.block_index.document.text) for segment in found)

    def _group(self, waiting: Sequence[_Unsummarized]) -> PassageGroup:
        document = self.block_index.document
        texts = [self._texts(one.segments) for one in waiting]
        language = language_of(" ".join(text for some in texts for text in some), document.language)
        return PassageGroup(
            subject=Chunk.make_id(document.id, waiting[0].span.start, waiting[-1].span.end),
            title=document.title,
            language=language,
            forward_summary=self._forward,
            passages=tuple(
                passage_of(one.segments, some, document.title, one.section.path, document.language)
                for one, some in zip(waiting, texts, strict=True)
            ),
            tries=self._tries(len(waiting)),
            document=document.id,
        )

    def _window(self, section: Section, found: Sequence[Segment], choices: Sequence[int], start: int) -> Window:
        size, end = 0, start
        while end < len(found) and (end <= start + choices[-1] or size <= self.settings.window_tokens):
            size += found[end].tokens
            end += 1
        document = self.block_index.document
        texts = self._texts(found[start:end])
        return Window(
            subject=Chunk.make_id(document.id, found[start].span.start, found[end - 1].span.end),
            title=document.title,
            heading_path=section.path,
            language=language_of(" ".join(texts), document.language),
            forward_summary=self._forward,
            sentences=texts,
            segments=tuple(found[start:end]),
            choices=tuple(choices),
            tries=self._tries(1),
            document=document.id,
        )
