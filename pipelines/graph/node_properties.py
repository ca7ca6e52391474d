"""The properties of each kind of node: flat values, sufficient for a citation without loading the document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import takewhile

from pipelines.core.document import Block, BlockKind, Chunk, Document, Figure, Section
from pipelines.core.graph import PropertyValue
from pipelines.core.knowledge import Atom, AtomKind, Row
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Table

NAME_LENGTH = 60
"""Maximum characters of a node's `name`, its caption in a drawing of the graph."""

Properties = dict[str, PropertyValue]


def short(text: str) -> str:
    """Return `text` on one line, cut to `NAME_LENGTH`."""
    line = " ".join(text.split())
    return line if len(line) <= NAME_LENGTH else line[: NAME_LENGTH - 1].rstrip() + "…"


def box_text(box: Box) -> str:
    """Return a box as "page:left,top,right,bottom", fractions with four decimals (`box_of` parses it)."""
    return f"{box.page}:{box.left:.4f},{box.top:.4f},{box.right:.4f},{box.bottom:.4f}"


def box_of(text: str) -> Box:
    """Return the box from the text that `box_text` returns."""
    page, _, sides = text.partition(":")
    left, top, right, bottom = (float(side) for side in sides.split(","))
    return Box(int(page), left, top, right, bottom)


def span_properties(provenance: Provenance) -> Properties:
    """Return `start` and `end` in the document's text, and `page` if it is known."""
    found: Properties = {"start": provenance.span.start, "end": provenance.span.end}
    if provenance.page is not None:
        found["page"] = provenance.page
    return found


def place(provenance: Provenance) -> Properties:
    """Return `span_properties`, and `boxes`, `label` and `cells` if there are any."""
    found = span_properties(provenance)
    if provenance.boxes:
        found["boxes"] = tuple(box_text(box) for box in provenance.boxes)
    return found | _filled(label=provenance.label, cells=provenance.cells)


def of_document(document: Document, summary: str = "") -> Properties:
    source = document.source
    found: Properties = {
        "name": short(document.title or source.name),
        "title": document.title,
        "uri": source.uri,
        "media_type": source.media_type,
        "size": source.size,
        "digest": source.digest,
        "characters": len(document.text),
        "pages": len(document.pages),
    }
    known = tuple(f"{name}: {value}" for name, value in sorted(document.metadata.items()) if value)
    return found | _filled(summary=summary, language=document.language, engine=document.engine, metadata=known)


def of_section(document: Document, section: Section, summary: str = "") -> Properties:
    found: Properties = {
        "name": short(_numbered(section)),
        "title": section.title,
        "level": section.level,
        "start": section.span.start,
        "end": section.span.end,
        "uri": document.source.uri,
    }
    if section.page is not None:
        found["page"] = section.page
    return found | _filled(number=section.number, heading_path=section.path, summary=summary)


def of_chunk(document: Document, chunk: Chunk) -> Properties:
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    if " ".join(chunk.text.split()).startswith(" ".join(heading.split())):
        heading = ""  # the chunk's text begins with it
    found: Properties = {
        "name": short(f"{heading}: {chunk.text}" if heading else chunk.text),
        "text": chunk.text,
        "position": chunk.position,
        "uri": document.source.uri,
        "title": document.title,
        "section": chunk.section,
    }
    optional = _filled(
        heading_path=chunk.heading_path,
        headings=tuple(_headings_in(document, chunk.provenance.span)),
        items=tuple(_items_in(document, chunk.provenance.span)),
        context=chunk.context,
        summary=chunk.summary,
        forward_summary=chunk.forward_summary,
        language=chunk.language,
    )
    return found | optional | place(chunk.provenance)


def _headings_in(document: Document, span: Span) -> Iterator[str]:
    """Yield the place and the path of each section that begins in a span of the document's text: "120 Care > Daily"."""
    first = bisect_left(document.sections, span.start, key=lambda section: section.span.start)
    for section in takewhile(lambda section: section.span.start < span.end, document.sections[first:]):
        if section.title:
            yield f"{section.span.start} {' > '.join(section.path)}"


def _items_in(document: Document, span: Span) -> Iterator[str]:
    """Yield start, end and depth of each list item in a span of the document's text: "120 164 1"."""
    first = bisect_left(document.blocks, span.start, key=lambda block: block.provenance.span.start)
    for block in takewhile(lambda block: block.provenance.span.start < span.end, document.blocks[max(0, first - 1) :]):
        if block.kind is BlockKind.LIST_ITEM and block.provenance.span.end > span.start:
            yield f"{block.provenance.span.start} {block.provenance.span.end} {max(1, block.level)}"


def of_table(document: Document, block: Block, table: Table) -> Properties:
    found: Properties = {
        "name": short(table.caption or f"Table, {_where(block.provenance)}"),
        "text": table.to_text(),
        "rows": table.rows,
        "columns": table.columns,
        "uri": document.source.uri,
    }
    return found | _filled(caption=table.caption) | place(block.provenance)


def of_figure(document: Document, block: Block, figure: Figure) -> Properties:
    text = "\n".join(part for part in (figure.caption, figure.description, figure.ocr_text) if part)
    found: Properties = {
        "name": short(figure.caption or figure.description or f"Figure, {_where(block.provenance)}"),
        "text": text,
        "digest": figure.digest,
        "media_type": figure.media_type,
        "width": figure.width,
        "height": figure.height,
        "uri": document.source.uri,
    }
    optional = _filled(caption=figure.caption, description=figure.description, ocr_text=figure.ocr_text)
    return found | optional | place(block.provenance)


def of_atom(document: Document, atom: Atom) -> Properties:
    stated = atom.kind is AtomKind.STATEMENT
    quote = atom.provenance.span.slice(document.text)  # the atom's text may begin with its heading
    found: Properties = {
        "name": short(quote if stated and quote.strip() else atom.text),
        "text": atom.text,
        "kind": atom.kind.value,
        "chunk": atom.chunk,
        "uri": document.source.uri,
    }
    if atom.templated:
        found["templated"] = True
    return found | place(atom.provenance)


def of_row(document: Document, row: Row) -> Properties:
    pairs = tuple(f"{field.name}: {field.value}" for field in row.fields)
    found: Properties = {
        "name": short("; ".join(pairs)),
        "text": "; ".join(pairs),
        "columns": tuple(field.name for field in row.fields),
        "values": tuple(field.value for field in row.fields),
        "types": tuple(field.type for field in row.fields),
        "chunk": row.chunk,
        "table": row.table,
        "uri": document.source.uri,
    }
    return found | place(row.provenance)


def _numbered(section: Section) -> str:
    if not section.number or section.title.startswith(section.number):
        return section.title
    return f"{section.number} {section.title}".strip()


def _where(provenance: Provenance) -> str:
    """Return the page, sheet or cell range as shown to a reader."""
    if provenance.cells:
        return " ".join(part for part in (provenance.label, provenance.cells) if part)
    if provenance.label:
        return provenance.label
    return f"page {provenance.page}" if provenance.page is not None else f"character {provenance.span.start}"


def _filled(**values: PropertyValue) -> Properties:
    """Return the properties that are not empty."""
    return {name: value for name, value in values.items() if value}
