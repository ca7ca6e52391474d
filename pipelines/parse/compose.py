"""Documents from their pieces: the text, spans and ids, sections, title, captions of tables, and references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from pipelines.core.document import Block, BlockKind, Document, Page, Reference, Source
from pipelines.core.ids import content_id
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.identify import detect_language
from pipelines.lang.word_lists import any_of
from pipelines.parse.captions import match_captions
from pipelines.parse.lines import BULLET_GLYPHS
from pipelines.parse.outline import build_sections, section_number
from pipelines.parse.pieces import Piece, Pointer, join_pieces
from pipelines.parse.references import find_references

_LONGEST = 200
"""Maximum characters of a title or of a reference's evidence; longer texts are paragraphs."""
# Placeholders that programs write as a title; the ones in parentheses are from ReportLab.
_EMPTY_TITLE = re.compile(
    rf"(?:microsoft\s+(?:word|powerpoint|excel)\b.*|untitled.*|unbenannt.*|ohne titel.*"
    rf"|{any_of('untitled')}[\W\d_]*|\((?:anonymous|unspecified)\)"
    r"|document\d*|dokument\d*"
    r"|.{0,24}power ?point.{0,24}|presentation\d*|pr[äa]sentation\d*|slide \d+|folie \d+|titel|title|print"
    r"|(?:scan|img|dsc)[\W_\d]*|new document|book\d*|sheet\d*|index|layout \d+|\W*|\d+)",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r".{0,100}\.(?:docx?|pdf|indd|tex|dvi|xlsx?|pptx?|qxd|rtf|odt|html?|ai|eps|md|txt|fm|cdr)"
    r"|\S{1,100}\.[a-z]\w{1,4}",
    re.IGNORECASE,
)

CONTENTS = re.compile(rf"{any_of('contents')}\s*:?", re.IGNORECASE)
"""The heading of a table of contents."""
_PART = re.compile(r"[-\u2010\u00ad]$|^(?:\w\s){2,}\w$|^[a-z]\w*$")
"""Not a whole title: it ends in a hyphen, is a word spaced out letter by letter, or is the end of a divided word."""
_NAME_PART = re.compile(r"[^\W\d_]{2,}?(?=[A-Z][a-z]|[\W\d_]|$)")
"""A word in a file name, where words may be written together ("UserGuide")."""
_READ_ME = re.compile(r"read\W?me\b|index\b|default\b", re.IGNORECASE)
"""Conventional file names, which say nothing about the content."""


def choose_title(declared: str, blocks: Sequence[Block], source: Source) -> str:
    """Return the first usable title: metadata (`declared`), TITLE blocks, top heading, first heading, the file's stem.

    If the file name has several words, it wins over a single word and over the heading of a part. A single lower-case
    word is a title if metadata and first heading agree on it ("pg_dump"). Metadata that only repeats the file name is
    ignored.
    """
    stem = PurePosixPath(source.name).stem
    declared = _clean(declared)
    agreed = declared == _first_heading(blocks) and not _is_placeholder(declared)
    if declared.casefold() == stem.casefold() and not agreed:
        declared = ""
    named = _is_title(stem) and not _READ_ME.match(stem) and len(_NAME_PART.findall(stem)) > 1
    titles = _titles(blocks)
    candidates = [titles if declared and titles.startswith(declared) else declared]
    candidates += [text for text in (titles, _top_heading(blocks)) if not named or _is_phrase(text)]
    candidates += [] if named else [_first_heading(blocks)]
    return next((title[:_LONGEST] for title in candidates if agreed or _is_title(title)), stem or source.uri)


def _clean(text: str) -> str:
    return " ".join(text.split())


def _is_title(text: str) -> bool:
    sample = text[: _LONGEST * 2]
    return not _is_placeholder(sample) and not _PART.search(sample) and sample[0] not in BULLET_GLYPHS


def _is_placeholder(text: str) -> bool:
    sample = text[: _LONGEST * 2]
    placeholder = _EMPTY_TITLE.fullmatch(sample) or _FILE_NAME.fullmatch(sample) or CONTENTS.fullmatch(sample)
    return not sample or bool(placeholder)


def _is_phrase(text: str) -> bool:
    """Whether a text has several words, or is in a script without spaces between words."""
    return " " in text or CJK_CHARACTER.search(text) is not None


def _titles(blocks: Sequence[Block]) -> str:
    """Return the first TITLE block, joined with the next block if that is a TITLE too: a subtitle."""
    first = next((at for at, block in enumerate(blocks) if block.kind is BlockKind.TITLE), len(blocks))
    texts = [_clean(block.text) for block in blocks[first : first + 2] if block.kind is BlockKind.TITLE]
    return " – ".join(dict.fromkeys(texts))


def _top_heading(blocks: Sequence[Block]) -> str:
    """Return the only heading of the highest level, if it comes first, is on the first page and has no number."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING and not _is_sheet(block)]
    highest = min((block.level for block in headings), default=0)
    tops = [block for block in headings if block.level == highest]
    alone = len(tops) == 1 and tops[0] is headings[0] and (tops[0].provenance.page or 1) == 1
    return _clean(tops[0].text) if alone and not section_number(tops[0].text) else ""


def _first_heading(blocks: Sequence[Block]) -> str:
    """Return the first heading if it is on the first page and has no number, else ''."""
    first = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
    if first is None or (first.provenance.page or 1) > 1 or section_number(first.text):
        return ""
    return _clean(first.text)


def _is_sheet(block: Block) -> bool:
    """Whether a heading is the name of a spreadsheet's sheet."""
    return bool(block.provenance.cells) and block.provenance.label.strip() == block.text


def compose(
    source: Source,
    engine: str,
    pieces: Sequence[Piece],
    *,
    furniture: Sequence[Piece] = (),
    pointers: Sequence[tuple[int, Pointer]] = (),
    pages: Sequence[Page] = (),
    metadata: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    languages: tuple[str, ...] = (),
) -> Document:
    """Return the document made of `pieces` in order; `languages` are likely ones, most likely first.

    Each of `pointers` has the position of the piece that contains it, -1 for the document as a whole.
    """
    text, spans = join_pieces(pieces)
    blocks = _blocks(source.document_id, pieces, spans)
    fields = dict(metadata or {})
    language = detect_language(text, languages)
    return Document(
        id=source.document_id,
        source=source,
        title=choose_title(fields.get("title", ""), blocks, source),
        text=text,
        blocks=blocks,
        sections=build_sections(source.document_id, blocks, len(text)),
        references=_references(source.document_id, blocks, pointers, tuple(dict.fromkeys((*languages, language)))),
        pages=tuple(pages),
        furniture=tuple(_block("furniture", source.document_id, n, p, Span(0, 0)) for n, p in enumerate(furniture)),
        language=language,
        metadata=fields,
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
        breaks=place.breaks,
    )


def _tie(caption: Block, owner: Block) -> tuple[Block, Block]:
    """Return caption and owner linked to each other; if the owner already has a caption, that one is kept."""
    if owner.table is not None:
        table = owner.table if owner.table.caption else replace(owner.table, caption=caption.text)
        return replace(caption, caption_of=table.id), replace(owner, table=table)
    if owner.figure is not None:
        figure = owner.figure if owner.figure.caption else replace(owner.figure, caption=caption.text)
        return replace(caption, caption_of=figure.id), replace(owner, figure=figure)
    return caption, owner


def _references(
    document: str, blocks: Sequence[Block], pointers: Sequence[tuple[int, Pointer]], languages: tuple[str, ...]
) -> tuple[Reference, ...]:
    """Return explicit references (`pointers`) and those found in the text, by block; explicit ones take precedence."""
    by_block: dict[int, list[Reference]] = {}
    for position, pointer in pointers:
        block = blocks[position] if position >= 0 else None
        by_block.setdefault(position, []).append(_explicit(document, pointer, block))
    found = by_block.get(-1, [])
    for number, block in enumerate(blocks):
        explicit = by_block.get(number, [])
        targets = {reference.target for reference in explicit}
        found += explicit
        found += [reference for reference in find_references(block, languages) if reference.target not in targets]
    return tuple(dict.fromkeys(found))


def _explicit(document: str, pointer: Pointer, block: Block | None) -> Reference:
    if block is None:
        nowhere = Provenance(document, Span(0, 0))
        return Reference(pointer.kind, pointer.target, pointer.evidence, nowhere, pointer.section)
    provenance = block.provenance
    at = block.text.find(pointer.evidence) if pointer.evidence else -1
    if at >= 0:
        start = provenance.span.start + at
        provenance = replace(provenance, span=Span(start, start + len(pointer.evidence)))
    return Reference(
        pointer.kind, pointer.target, pointer.evidence or block.text[:_LONGEST], provenance, pointer.section
    )
