"""The chunk stage: a document to its chunks."""

from __future__ import annotations

from pipelines.chunk.recurrence import ChunkDraft, Recurrence
from pipelines.chunk.section_groups import group_sections, root_section, whole_document
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import Splitter
from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Chunk, Document
from pipelines.core.outcome import Outcome
from pipelines.lang.identify import language_of


async def chunk(document: Document, splitter: Splitter, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order: the results of `split`, without its failures."""
    return (await split(document, splitter, settings)).results


async def split(document: Document, splitter: Splitter, settings: ChunkSettings) -> Outcome[Chunk]:
    """Return the chunks of a document in order, and a failure for each model call that failed.

    Chunks are slices of the document's text with only white space between them. None is over `max_tokens`; one below
    `min_tokens` fits into one chunk with neither neighbour of its section. Each has its summary, and the forward
    summary that was there when it was summarized. Raises `BudgetExceeded`.
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
