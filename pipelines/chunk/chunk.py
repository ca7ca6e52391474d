"""A document to its chunks."""

from __future__ import annotations

from pipelines.chunk.group import Group, group_sections, root_section
from pipelines.chunk.recurrence import Piece, Recurrence
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import Splitter
from pipelines.chunk.summary import summarize
from pipelines.chunk.unit import units
from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.concurrent import gather
from pipelines.core.document import Document
from pipelines.core.outcome import Outcome
from pipelines.core.provenance import Span
from pipelines.lang.identify import language_of

_GROUPS_AT_ONCE = 16


async def chunk(document: Document, splitter: Splitter, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Return the chunks of a document in order: `split` without what the splitter could not do."""
    return (await split(document, splitter, settings)).results


async def split(document: Document, splitter: Splitter, settings: ChunkSettings) -> Outcome[Chunk]:
    """Return the chunks of a document in order, and a failure for each cut that was made without the model's word.

    Chunks are slices of the document's text with nothing but white space between them. None is over `max_tokens`,
    and one below `min_tokens` fits into one chunk with neither neighbour of its section; a section that fits into
    one is not shown to the splitter. Raises `BudgetExceeded`.
    """
    layout = BlockIndex(document)
    if settings.by is ChunkBy.DOCUMENT:
        return Outcome(tuple(_chunk(layout, index, piece) for index, piece in enumerate(_whole(layout, settings))))

    async def cut(group: Group) -> Recurrence:
        recurrence = Recurrence(layout, group, splitter, settings)
        await recurrence.run()
        return recurrence

    done = await gather(cut, group_sections(layout, settings), _GROUPS_AT_ONCE)
    pieces = [piece for recurrence in done for piece in recurrence.pieces]
    failures = tuple(failure for recurrence in done for failure in recurrence.failures)
    return Outcome(tuple(_chunk(layout, index, piece) for index, piece in enumerate(pieces)), failures)


def _whole(layout: BlockIndex, settings: ChunkSettings) -> list[Piece]:
    document = layout.document
    found = units(layout, Span(0, len(document.text)), settings.max_tokens)
    if not found:
        return []
    span = Span(found[0].span.start, found[-1].span.end)
    quoted = [unit.span.slice(document.text) for unit in found if unit.prose]
    summary = summarize(quoted, settings.summary_sentences, document.title)
    return [Piece(span, root_section(document), summary=summary)]


def _chunk(layout: BlockIndex, position: int, piece: Piece) -> Chunk:
    document = layout.document
    text = piece.span.slice(document.text)
    return Chunk(
        id=Chunk.make_id(document.id, piece.span.start, piece.span.end),
        document=document.id,
        section=piece.section.id,
        position=position,
        text=text,
        provenance=layout.provenance(piece.span),
        heading_path=piece.section.path,
        context=piece.context,
        summary=piece.summary,
        forward_summary=piece.forward_summary,
        language=language_of(text, document.language),
    )
