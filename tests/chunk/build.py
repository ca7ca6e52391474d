"""Short constructors of documents from parts, whose texts are joined by blank lines."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import Block, BlockKind, Document, Section, Source
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table


@dataclass(frozen=True, slots=True)
class Part:
    kind: BlockKind
    text: str = ""
    level: int = 0
    table: Table | None = None
    caption_of: str = ""


def title(text: str) -> Part:
    return Part(BlockKind.TITLE, text)


def heading(text: str, level: int = 1) -> Part:
    return Part(BlockKind.HEADING, text, level)


def paragraph(text: str) -> Part:
    return Part(BlockKind.PARAGRAPH, text)


def item(text: str) -> Part:
    return Part(BlockKind.LIST_ITEM, text, 1)


def code(text: str) -> Part:
    return Part(BlockKind.CODE, text)


def table(*rows: list[str], name: str = "table:1", caption: str = "", headers: int = 1) -> Part:
    cells = tuple(
        Cell(r, c, text, header=r < headers, address=f"{chr(65 + c)}{r + 1}")
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    made = Table(name, len(rows), max(map(len, rows)), cells, caption)
    return Part(BlockKind.TABLE, made.to_text(), table=made)


def document(*parts: Part, name: str = "Manual", language: str = "en", gap: str = "\n\n") -> Document:
    source = Source(f"{name}.md", "text/markdown", 1, name)
    blocks: list[Block] = []
    text = ""
    for number, part in enumerate(parts):
        text += gap if text else ""
        span = Span(len(text), len(text) + len(part.text))
        place = Provenance(source.document_id, span, number // 4 + 1, boxes=(Box(number // 4 + 1, 0, 0, 1, 1),))
        blocks.append(
            Block(f"block:{number}", part.kind, part.text, place, part.level, part.table, None, part.caption_of)
        )
        text += part.text
    return Document(
        source.document_id, source, name, text, tuple(blocks), _sections(blocks, len(text)), language=language
    )


def _sections(blocks: list[Block], end: int) -> tuple[Section, ...]:
    """The root section, and one section per heading up to the next heading of the same or a higher level."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    sections = [Section("section:root", "", 0, Span(0, end))]
    line = [sections[0]]
    for number, block in enumerate(headings):
        while line[-1].level >= block.level:
            line.pop()
        closing = [h.provenance.span.start for h in headings[number + 1 :] if h.level <= block.level]
        span = Span(block.provenance.span.start, min(closing, default=end))
        path = (*line[-1].path, block.text)
        section = Section(f"section:{number}", block.text, block.level, span, line[-1].id, path=path)
        sections.append(section)
        line.append(section)
    return tuple(sections)
