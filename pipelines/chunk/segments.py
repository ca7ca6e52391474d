"""Segments: the smallest parts of a document, from which chunks are built.

Unstructured text is split by `langchain_text_splitters`, whose only adapter this is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum, auto
from functools import lru_cache
from typing import TYPE_CHECKING

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Block, BlockKind
from pipelines.core.provenance import Span
from pipelines.core.table import Table
from pipelines.lang.sentences import sentences
from pipelines.llm.tokens import count_tokens

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

# From the coarsest to the finest; the last one splits between any two characters.
_SEPARATORS = ["\n\n", "\n", "。", "；", ". ", "; ", "，", "、", ", ", " | ", " ", ""]


class Break(IntEnum):
    """The kind of boundary after a segment; a cut at a higher one is better."""

    NEVER = 0
    """No cut: between a heading and its text, or a caption and its table."""
    LAST = auto()
    """No cut unless it avoids one at `NEVER`: above the last headings if no text is below them."""
    PIECE = auto()
    SENTENCE = auto()
    # In this order, because a list item is more self-contained than a sentence, and a paragraph more than an item.
    ITEM = auto()
    PARAGRAPH = auto()


@dataclass(frozen=True, slots=True)
class Segment:
    """A heading, a sentence, a list item, a whole table or code block, or a part of one that exceeds `max_tokens`.

    `end` is the boundary after it. Rows of a split table have the id of its block as `table`, and those below the
    header have caption and header as `context`. `prose`: it can be quoted as a sentence.
    """

    span: Span
    tokens: int
    end: Break
    table: str = ""
    context: str = ""
    prose: bool = False


_WHOLE = frozenset({BlockKind.TABLE, BlockKind.CODE, BlockKind.FORMULA, BlockKind.FIGURE})
_HEADINGS = frozenset({BlockKind.TITLE, BlockKind.HEADING})


def segments(block_index: BlockIndex, span: Span, max_tokens: int) -> list[Segment]:
    """Return the segments of a part of a document in order; every character but white space is in exactly one.

    No segment exceeds `max_tokens`; one below headings of up to half that size fits into a chunk together with them.
    """
    found: list[Segment] = []
    position, lead = span.start, 0
    for block in block_index.touching(span):
        start, end = max(block.provenance.span.start, position), min(block.provenance.span.end, span.end)
        between = _sentences(block_index, Span(position, max(position, start)), max_tokens, Break.PARAGRAPH)
        lead = _lead(lead, between)
        room = max(max_tokens - lead, max_tokens // 2)
        own = list(_of_block(block_index, block, Span(start, end), room)) if start < end else []
        lead = _lead(lead, own)
        found += between + own
        position = max(position, end)
    found.extend(_sentences(block_index, Span(position, max(position, span.end)), max_tokens, Break.PARAGRAPH))
    return _with_last_headings_bound(found)


def _lead(before: int, found: list[Segment]) -> int:
    """Return the tokens of the headings at the end of `found`; `before` are those of the headings before it."""
    for segment in found:
        before = before + segment.tokens if segment.end is Break.NEVER else 0
    return before


def _with_last_headings_bound(found: list[Segment]) -> list[Segment]:
    """Bind the last headings to the text above them if no text is below them."""
    body = len(found)
    while body and found[body - 1].end is Break.NEVER:
        body -= 1
    if 0 < body < len(found):
        found[body - 1] = replace(found[body - 1], end=Break.LAST)
    return found


def _of_block(block_index: BlockIndex, block: Block, span: Span, max_tokens: int) -> Iterator[Segment]:
    if block.kind in _HEADINGS or (block.kind is BlockKind.CAPTION and block.caption_of):
        end = Break.NEVER if block.kind in _HEADINGS or _captions_next(block_index, block) else Break.PARAGRAPH
        yield from (replace(segment, prose=False) for segment in _cut(block_index, span, max_tokens, end))
    elif block.kind in _WHOLE:
        yield from _whole(block_index, block, span, max_tokens)
    else:
        end = Break.ITEM if block.kind is BlockKind.LIST_ITEM else Break.PARAGRAPH
        yield from _sentences(block_index, span, max_tokens, end)


def _captions_next(block_index: BlockIndex, caption: Block) -> bool:
    """Whether a caption is above its table or figure."""
    following = block_index.following(caption)
    if following is None:
        return False
    return caption.caption_of in {
        following.id,
        following.table.id if following.table else "",
        following.figure.id if following.figure else "",
    }


def _whole(block_index: BlockIndex, block: Block, span: Span, max_tokens: int) -> Iterator[Segment]:
    text = span.slice(block_index.document.text)
    tokens = count_tokens(text)
    if tokens <= max_tokens:
        if text.strip():
            yield Segment(_stripped(text, span.start), tokens, Break.PARAGRAPH)
    elif block.table is not None and block_index.rows(block).spans:
        yield from _rows(block_index, block, block.table, span, max_tokens)
    else:
        yield from (replace(segment, prose=False) for segment in _cut(block_index, span, max_tokens, Break.PARAGRAPH))


def _rows(block_index: BlockIndex, block: Block, table: Table, span: Span, max_tokens: int) -> Iterator[Segment]:
    """Yield the rows of a split table; those below the header have caption and header as context."""
    text, rows = block_index.document.text, block_index.rows(block)
    headers = 0 if table.begins_with_data else max(1, table.header_rows)
    lines = [rows.spans[number].slice(text) for number in range(headers)]
    context = _fitting("\n".join(filter(None, [table.caption, *lines])), max_tokens)
    for number in rows.touching(span):
        row = rows.spans[number]
        last = number == len(rows.spans) - 1
        end = Break.PARAGRAPH if last else Break.NEVER if number < headers else Break.ITEM
        pieces = _cut(block_index, Span(max(row.start, span.start), min(row.end, span.end)), max_tokens, end)
        for index, piece in enumerate(pieces):
            below = number >= headers or index > 0
            yield replace(piece, table=block.id, context=context if below else "", prose=False)


def _fitting(text: str, max_tokens: int) -> str:
    return text if count_tokens(text) <= max_tokens else base_split(text, max_tokens)[0].slice(text).rstrip()


def _sentences(block_index: BlockIndex, span: Span, max_tokens: int, end: Break) -> list[Segment]:
    found: list[Segment] = []
    for sentence in sentences(span.slice(block_index.document.text)):
        found.extend(_cut(block_index, sentence.shifted(span.start), max_tokens, Break.SENTENCE))
    return [*found[:-1], replace(found[-1], end=end)] if found else found


def _cut(block_index: BlockIndex, span: Span, max_tokens: int, end: Break) -> Iterator[Segment]:
    """Yield a span as one segment, or if it is too large as its base split; only the last part ends with `end`."""
    text = span.slice(block_index.document.text)
    if not text.strip():
        return
    tokens = count_tokens(text)
    if tokens <= max_tokens:
        yield Segment(_stripped(text, span.start), tokens, end, prose=True)
        return
    pieces = [piece.slice(text) for piece in base_split(text, max_tokens)]
    start = span.start
    for index, piece in enumerate(pieces):
        if piece.strip():
            last = index == len(pieces) - 1
            yield Segment(_stripped(piece, start), count_tokens(piece), end if last else Break.PIECE, prose=True)
        start += len(piece)


def _stripped(text: str, start: int) -> Span:
    left = len(text) - len(text.lstrip())
    return Span(start + left, start + len(text.rstrip()))


def base_split(text: str, max_tokens: int) -> list[Span]:
    """Return consecutive spans that cover `text`, none over `max_tokens`, split at the coarsest separators possible.

    Raises `ValueError` if the parts that the library returns do not add up to the text.
    """
    spans: list[Span] = []
    start = 0
    for piece in _splitter(max_tokens).split_text(text):
        if not text.startswith(piece, start):
            raise ValueError(f"the base split lost text at character {start}")
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    if start != len(text):
        raise ValueError(f"the base split lost the text after character {start}")
    return spans


# Few settings are in use at once.
@lru_cache(maxsize=8)
def _splitter(max_tokens: int) -> RecursiveCharacterTextSplitter:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(
        separators=_SEPARATORS,
        chunk_size=max_tokens,
        chunk_overlap=0,
        length_function=_length,
        keep_separator="end",
        strip_whitespace=False,
    )


def _length(piece: str) -> int:
    """Return the tokens of a part, at least 1: the library repeats a part of length 0 before the next one."""
    return max(1, count_tokens(piece)) if piece else 0
