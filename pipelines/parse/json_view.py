"""The output of `strata parse --json`: a parsed file for other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

import msgspec

from pipelines.core.document import Block, BlockKind, Document, Page, Reference
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table
from pipelines.parse.office.touching import touching_tables
from pipelines.parse.parsed import Parsed

_NUMBER = re.compile(r"((?:\d{1,3}\.)+\d{0,3}|\d{1,3}\)|[A-Za-z]{1,4}[.)]|\([A-Za-z0-9]{1,4}\))\s+")
_CHECK_BOX = re.compile(r"([☐☑☒])\s*(?=\S)")
_NUMBERING_FORMATS = (
    "application/vnd.openxmlformats-", "application/vnd.oasis.opendocument.", "text/html", "application/xhtml",
    "application/epub", "text/markdown", "text/x-rst",
)  # fmt: skip
"""Beginnings of the media types whose numbers of list items are not in the file."""
_KINDS = {BlockKind.TABLE: "table", BlockKind.FIGURE: "picture"}


class CellView(msgspec.Struct, omit_defaults=True):
    """A cell: its position, the number of `rows` and `cols` that it spans, its text."""

    row: int
    col: int
    rows: int
    cols: int
    text: str
    header: bool = False
    address: str = ""
    boxes: tuple[Box, ...] = ()


class JsonTable(msgspec.Struct, omit_defaults=True):
    """A table; `parts` are the rows at which its parts on successive pages begin."""

    rows: int
    cols: int
    cells: tuple[CellView, ...]
    caption: str = ""
    page: int | str | None = None
    range: str = ""
    parts: tuple[int, ...] = (0,)


class JsonBlock(msgspec.Struct, omit_defaults=True):
    """A block: `kind` is "text", "table" or "picture", `type` the exact kind.

    `page` is the number of the page or slide, or the name of the sheet; `index` the number of the table, whose text is
    in its cells; `ocr_text` the text found by OCR. `marker` and `cell` are set in the scored form only (`to_json`).
    """

    kind: str
    type: str
    text: str = ""
    page: int | str | None = None
    label: str = ""
    range: str = ""
    level: int = 0
    span: Span | None = None
    boxes: tuple[Box, ...] = ()
    index: int | None = None
    cell: tuple[int, int, int] | None = None
    marker: str = ""
    caption: str = ""
    ocr_text: str = ""
    description: str = ""
    digest: str = ""
    confidence: float = 1.0


class HeadingView(msgspec.Struct):
    """A heading and its level; the level of a title is 0."""

    text: str
    level: int


class FileView(msgspec.Struct):
    """A file: its status and content; without text the lists are empty."""

    status: str
    reason: str
    title: str
    media_type: str
    language: str
    engine: str
    metadata: dict[str, str]
    blocks: tuple[JsonBlock, ...]
    headings: tuple[HeadingView, ...]
    tables: tuple[JsonTable, ...]
    pictures: int
    pages: int | None
    page_list: tuple[Page, ...]
    furniture: tuple[JsonBlock, ...]
    references: tuple[Reference, ...]
    children: tuple[str, ...]
    notes: tuple[str, ...]


_FURNITURE = (BlockKind.PAGE_HEADER, BlockKind.PAGE_FOOTER)


def view(parsed: Parsed, *, scored: bool = False) -> FileView:
    """Return `parsed` as plain rows, in the scored form (`to_json`) if `scored`."""
    document = parsed.document
    blocks = document.blocks if document else ()
    blocks = tuple(part for block in blocks for part in touching_tables(block)) if scored else blocks
    pages = document.pages if document else ()
    return FileView(
        status=parsed.status.value,
        reason=parsed.reason,
        title=document.title if document else "",
        media_type=document.source.media_type if document else "",
        language=document.language if document else "",
        engine=document.engine if document else "",
        metadata=document.metadata if document else {},
        blocks=tuple(_scored(blocks, _has_computed_numbers(document)) if scored else _blocks(blocks)),
        headings=tuple(_headings(blocks)),
        tables=tuple(_table(block, block.table) for block in blocks if block.table is not None),
        pictures=sum(block.figure is not None for block in blocks),
        pages=len(pages) or None,
        page_list=pages,
        furniture=tuple(_block(block) for block in (document.furniture if document else ())),
        references=document.references if document else (),
        children=tuple(child.name for child in parsed.children),
        notes=document.notes if document else (),
    )


def _headings(blocks: tuple[Block, ...]) -> list[HeadingView]:
    kinds = (BlockKind.TITLE, BlockKind.HEADING)
    return [HeadingView(block.text, block.level) for block in blocks if block.kind in kinds]


def _blocks(blocks: tuple[Block, ...]) -> Iterator[JsonBlock]:
    tables = count()
    for block in blocks:
        yield _block(block) if block.table is None else _table_block(block, next(tables))


def _scored(blocks: tuple[Block, ...], computed_numbers: bool) -> Iterator[JsonBlock]:
    for block, shown in zip(blocks, _blocks(blocks), strict=True):
        if block.kind in _FURNITURE:
            continue  # it is listed apart as well
        yield _without_marker(shown, _marker(block, computed_numbers))
        if block.table is not None and shown.index is not None:
            for cell in filter(_is_rich, block.table.cells):
                yield from _cell_lines(block, cell, shown.index)


def _has_computed_numbers(document: Document | None) -> bool:
    """Whether the numbers of list items are computed by the format's numbering rather than typed by the author."""
    return document is not None and document.source.media_type.startswith(_NUMBERING_FORMATS)


def _marker(block: Block, computed_numbers: bool) -> str:
    if block.kind is not BlockKind.LIST_ITEM:
        return ""
    found = _CHECK_BOX.match(block.text) or (_NUMBER.match(block.text) if computed_numbers else None)
    return found.group(1) if found else ""


def _without_marker(shown: JsonBlock, marker: str) -> JsonBlock:
    """Return a list item with its marker moved from the text to `marker`."""
    if not marker:
        return shown
    return msgspec.structs.replace(shown, text=shown.text[len(marker) :].lstrip(), marker=marker)


def _block(block: Block) -> JsonBlock:
    where, figure = block.provenance, block.figure
    return JsonBlock(
        kind=_KINDS.get(block.kind, "text"),
        type=block.kind.value,
        text="" if figure else block.text,
        page=_page(where),
        label=where.label,
        range=where.cells,
        level=block.level,
        span=where.span,
        boxes=where.boxes,
        caption=figure.caption if figure else "",
        ocr_text=figure.ocr_text if figure else "",
        description=figure.description if figure else "",
        digest=figure.digest if figure else "",
        # OCR engines report four digits.
        confidence=round(block.confidence, 4),
    )


def _table_block(block: Block, index: int) -> JsonBlock:
    """Return a table without text, which is in its cells."""
    where = block.provenance
    return JsonBlock("table", "table", "", _page(where), where.label, where.cells, 0, where.span, where.boxes, index)


def _is_rich(cell: Cell) -> bool:
    """Whether a cell has structure of its own: line breaks by the author (no box, no address), not by wrapping."""
    return cell.rich or ("\n" in cell.text and not cell.boxes and not cell.address)


def _cell_lines(block: Block, cell: Cell, table: int) -> list[JsonBlock]:
    page, place = _page(block.provenance), (table, cell.row, cell.column)
    lines = []
    for line in filter(str.strip, cell.text.split("\n")):
        box = _CHECK_BOX.match(line)
        text, marker = (line[box.end() :], box.group(1)) if box else (line, "")
        lines.append(JsonBlock("text", "cell", text, page, cell=place, marker=marker))
    return lines


def _page(where: Provenance) -> int | str | None:
    """Return the name of a sheet (if there is a cell range), or the number of a page or slide."""
    return where.label if where.cells and where.label else where.page


def _table(block: Block, table: Table) -> JsonTable:
    cells = tuple(
        CellView(
            cell.row, cell.column, cell.row_span, cell.column_span, cell.text, cell.header, cell.address, cell.boxes
        )
        for cell in table.cells
    )
    where = block.provenance
    return JsonTable(table.rows, table.columns, cells, table.caption, _page(where), where.cells, table.parts)


def to_json(parsed: Parsed, indent: int = 1, *, scored: bool = False) -> str:
    """Return `parsed` as JSON: status, title, blocks, headings, tables, pictures, pages, references, notes.

    The texts of blocks are those that are ingested. In the scored form (`scored`), in which parsers are evaluated, the
    check box of a list item and a number computed from the format's numbering are in `marker` instead of the text, and
    the lines of a rich cell are repeated after its table, with `cell` = (table, row, column). Tables on a sheet are
    split into cells that touch.
    """
    return msgspec.json.format(msgspec.json.encode(view(parsed, scored=scored)), indent=indent).decode()
