"""The chunk stage: a document to its chunks."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.chunk.section_chunker import ChunkDraft, SectionChunker, summarize
from pipelines.chunk.section_groups import SectionGroup, group_sections, root_section
from pipelines.chunk.segments import segments
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import Splitter
from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.concurrent import gather
from pipelines.core.document import Document
from pipelines.core.outcome import Outcome
from pipelines.core.provenance import Span
from pipelines.lang.identify import language_of

_GROUPS_AT_ONCE = 16


async def chunk(document: Document, splitter: Splitter, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order: the results of `split`, without its failures."""
    return (await split(document, splitter, settings)).results


async def split(document: Document, splitter: Splitter, settings: ChunkSettings) -> Outcome[Chunk]:
    """Return the chunks of a document in order, and a failure for each cut whose model call failed.

    Chunks are slices of the document's text with only white space between them. None is over `max_tokens`; one below
    `min_tokens` fits into one chunk with neither neighbour of its section. A section that fits into one chunk is not
    shown to the splitter. Raises `BudgetExceeded`.
    """
    block_index = BlockIndex(document)
    if settings.by is ChunkBy.DOCUMENT:
        return Outcome(_chunks(block_index, _whole(block_index, settings)))

    async def cut(group: SectionGroup) -> SectionChunker:
        chunker = SectionChunker(block_index, group, splitter, settings)
        await chunker.run()
        return chunker

    done = await gather(cut, group_sections(block_index, settings), _GROUPS_AT_ONCE)
    drafts = [draft for chunker in done for draft in chunker.drafts]
    failures = tuple(failure for chunker in done for failure in chunker.failures)
    return Outcome(_chunks(block_index, drafts), failures)


def _chunks(block_index: BlockIndex, drafts: Sequence[ChunkDraft]) -> tuple[Chunk, ...]:
    return tuple(_chunk(block_index, position, draft) for position, draft in enumerate(drafts))


def _whole(block_index: BlockIndex, settings: ChunkSettings) -> list[ChunkDraft]:
    document = block_index.document
    found = segments(block_index, Span(0, len(document.text)), settings.max_tokens)
    if not found:
        return []
    span = Span(found[0].span.start, found[-1].span.end)
    quoted = [segment.span.slice(document.text) for segment in found if segment.prose]
    summary = summarize(quoted, settings.summary_sentences, document.title, document.language)
    return [ChunkDraft(span, root_section(document), summary=summary)]


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
