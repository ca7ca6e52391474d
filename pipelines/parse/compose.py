"""A document made of its pieces: one text, spans and ids, sections, captions tied, references placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipelines.core.document import Block, Document, Page, Reference, Source
from pipelines.core.ids import content_id
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.identify import detect_language
from pipelines.parse.captions import match_captions
from pipelines.parse.outline import build_sections
from pipelines.parse.pieces import Piece, Pointer, join_pieces
from pipelines.parse.references import find_references
from pipelines.parse.title import choose_title


def compose(
    source: Source,
    engine: str,
    pieces: Sequence[Piece],
    *,
    furniture: Sequence[Piece] = (),
    pointers: Sequence[Pointer] = (),
    pages: Sequence[Page] = (),
    metadata: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    languages: tuple[str, ...] = (),
) -> Document:
    """Return the document that the pieces make, in their order; `languages` are likely ones, the likeliest first."""
    text, spans = join_pieces(pieces)
    blocks = _blocks(source.document_id, pieces, spans)
    told = dict(metadata or {})
    return Document(
        id=source.document_id,
        source=source,
        title=choose_title(told.get("title", ""), blocks, source),
        text=text,
        blocks=blocks,
        sections=build_sections(source.document_id, blocks, len(text)),
        references=_references(source.document_id, blocks, pointers),
        pages=tuple(pages),
        furniture=tuple(_block("furniture", source.document_id, n, p, Span(0, 0)) for n, p in enumerate(furniture)),
        language=detect_language(text, languages),
        metadata=told,
        engine=engine,
        notes=tuple(notes),
    )


def _blocks(document: str, pieces: Sequence[Piece], spans: Sequence[Span]) -> tuple[Block, ...]:
    pairs = enumerate(zip(pieces, spans, strict=True))
    blocks = [_block("block", document, number, piece, span) for number, (piece, span) in pairs]
    owners = match_captions([block.kind for block in blocks], [block.text for block in blocks])
    for position, owner in owners.items():
        blocks[position], blocks[owner] = _tie(blocks[position], blocks[owner])
    return tuple(blocks)


def _block(kind: str, document: str, number: int, piece: Piece, span: Span) -> Block:
    place = piece.place
    return Block(
        id=content_id(kind, document, number, span.start, span.end),
        kind=piece.kind,
        text=piece.text,
        provenance=Provenance(document, span, place.page, place.label, place.cells, place.boxes),
        level=piece.level,
        table=piece.table,
        figure=piece.figure,
        confidence=piece.confidence,
    )


def _tie(caption: Block, owner: Block) -> tuple[Block, Block]:
    """Return caption and owner knowing of each other; a caption that the owner has already is kept."""
    if owner.table is not None:
        table = owner.table if owner.table.caption else replace(owner.table, caption=caption.text)
        return replace(caption, caption_of=table.id), replace(owner, table=table)
    if owner.figure is not None:
        figure = owner.figure if owner.figure.caption else replace(owner.figure, caption=caption.text)
        return replace(caption, caption_of=figure.id), replace(owner, figure=figure)
    return caption, owner


def _references(document: str, blocks: Sequence[Block], pointers: Sequence[Pointer]) -> tuple[Reference, ...]:
    """Return what readers told and what stands in the text, block by block; told ones win over found ones."""
    told: dict[int, list[Reference]] = {}
    for pointer in pointers:
        told.setdefault(pointer.piece, []).append(_told(document, pointer, blocks))
    found = told.get(-1, [])
    for number, block in enumerate(blocks):
        explicit = told.get(number, [])
        targets = {reference.target for reference in explicit}
        found += explicit
        found += [reference for reference in find_references(block) if reference.target not in targets]
    return tuple(dict.fromkeys(found))


def _told(document: str, pointer: Pointer, blocks: Sequence[Block]) -> Reference:
    if pointer.piece < 0:
        nowhere = Provenance(document, Span(0, 0))
        return Reference(pointer.kind, pointer.target, pointer.evidence, nowhere, pointer.section)
    block = blocks[pointer.piece]
    provenance = block.provenance
    at = block.text.find(pointer.evidence) if pointer.evidence else -1
    if at >= 0:
        start = provenance.span.start + at
        provenance = replace(provenance, span=Span(start, start + len(pointer.evidence)))
    return Reference(pointer.kind, pointer.target, pointer.evidence or block.text[:200], provenance, pointer.section)
