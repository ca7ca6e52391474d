"""The distiller protocol: the input and output of a distiller for a chunk (PIKE-RAG 5.1.2, 5.2.2, 5.3.1).

`chunk_contents` prepares chunks for a distiller: sentences with their headings, table rows, figures. A `Distiller`
returns a `ChunkDistillate`. `ExtractiveDistiller` works without a model, `ModelDistiller` asks one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pipelines.atomize.keyphrases import repeated_han
from pipelines.atomize.table_rows import TableRows
from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Block, BlockKind, Chunk, Document, Figure
from pipelines.core.ids import normalize
from pipelines.core.knowledge import Atom, ChunkTag, Entity, Mention, Relation, Row
from pipelines.core.outcome import Failure
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.characters import CAPITAL
from pipelines.lang.sentences import sentences

HeadingPath = tuple[tuple[str, str], ...]
"""The document's title and the headings above a place, outermost first and without repeats, each with its normalized
form: `(("Pump Manual", "pump manual"), ("Seals", "seals"))`."""

_HEADINGS = frozenset({BlockKind.TITLE, BlockKind.HEADING})
_NOT_PROSE = _HEADINGS | {BlockKind.TABLE, BlockKind.CODE, BlockKind.FORMULA}
_CAPITALIZED_INSIDE = re.compile(rf"(?<=[^\W_{CAPITAL}] |[,;)] )[{CAPITAL}][\w'’-]+")
"""A capitalized word that does not begin a sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk, with its span in the document's text, the kind of its block, and the headings above it."""

    span: Span
    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    path: HeadingPath = ()

    @property
    def heading(self) -> bool:
        return self.kind in _HEADINGS

    @property
    def prose(self) -> bool:
        """Whether it can be a statement: it is not a heading, nor part of a table, of code or of a formula."""
        return self.kind not in _NOT_PROSE


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A table row (not a header) in a chunk: its table, its row number there, its span in the document's text."""

    table: TableRows
    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class ChunkFigure:
    """A figure in or next to a chunk."""

    figure: Figure
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class ChunkContent:
    """A chunk with its document, its sentences, table rows and figures, each in reading order.

    `path` are the title and headings above the whole chunk. `names` are the words that the document capitalizes
    inside sentences, `terms` the Chinese strings that it repeats (`repeated_han`): both refer to the whole document.
    """

    document: Document
    chunk: Chunk
    block_index: BlockIndex
    path: HeadingPath
    sentences: tuple[Sentence, ...]
    rows: tuple[ChunkRow, ...]
    figures: tuple[ChunkFigure, ...]
    names: frozenset[str]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class ChunkDistillate:
    """The knowledge distilled from one chunk; `atomize` merges those of a document into its `Distillate`.

    `dropped` counts rejected parts of a model's reply by reason: `{"tag not in the text": 2}`. `failure` is set if a
    model call failed.
    """

    atoms: tuple[Atom, ...] = ()
    tags: tuple[ChunkTag, ...] = ()
    entities: tuple[Entity, ...] = ()
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    rows: tuple[Row, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    failure: Failure | None = None


@runtime_checkable
class Distiller(Protocol):
    """Distils knowledge from one chunk at a time."""

    async def distil(self, content: ChunkContent) -> ChunkDistillate:
        """Return the knowledge in a chunk, each part with its provenance.

        A model call that fails is returned as `failure`. Raises `BudgetExceeded` only.
        """
        ...


def chunk_contents(document: Document, chunks: Sequence[Chunk]) -> Iterator[ChunkContent]:
    """Yield the content of each chunk of a document, in the order of `chunks`."""
    block_index, headings = BlockIndex(document), _Headings(document)
    names = frozenset(_CAPITALIZED_INSIDE.findall(document.text))
    terms = repeated_han(document.text)
    figures = _figures(block_index, chunks)
    tables: dict[str, TableRows] = {}
    for chunk in chunks:
        blocks = block_index.touching(chunk.provenance.span)
        rows = tuple(row for block in blocks for row in _rows(block_index, block, chunk, tables))
        path = _path(document.title, chunk.heading_path)
        found = tuple(_sentences(blocks, chunk, path, headings))
        own = tuple(figures.get(chunk.id, ()))
        yield ChunkContent(document, chunk, block_index, path, found, rows, own, names, terms)


class _Headings:
    """Heading paths of a document's sections, by position in its text."""

    def __init__(self, document: Document) -> None:
        self._sections = sorted(document.sections, key=lambda section: (section.span.start, section.level))
        self._starts = [section.span.start for section in self._sections]
        self._paths = [_path(document.title, section.path) for section in self._sections]

    def at(self, position: int, default: HeadingPath) -> HeadingPath:
        """Return the path of the innermost section that contains `position`, `default` outside all sections."""
        index = bisect_right(self._starts, position) - 1
        while index >= 0 and self._sections[index].span.end <= position:
            index -= 1
        return self._paths[index] if index >= 0 else default


def _path(title: str, headings: Sequence[str]) -> HeadingPath:
    forms = {normalize(part): part for part in reversed((title, *headings)) if part.strip()}
    return tuple((part, form) for form, part in reversed(forms.items()))


def _sentences(blocks: Sequence[Block], chunk: Chunk, path: HeadingPath, headings: _Headings) -> Iterator[Sentence]:
    if not blocks:
        yield from _split(chunk, chunk.provenance.span, BlockKind.PARAGRAPH, path)
    for block in blocks:
        own, whole = block.provenance.span, chunk.provenance.span
        inside = Span(max(own.start, whole.start), min(own.end, whole.end))
        yield from _split(chunk, inside, block.kind, headings.at(inside.start, path))


def _split(chunk: Chunk, span: Span, kind: BlockKind, path: HeadingPath) -> Iterator[Sentence]:
    text = span.shifted(-chunk.provenance.span.start).slice(chunk.text)
    for found in sentences(text):
        yield Sentence(found.shifted(span.start), found.slice(text), kind, path)


def _rows(block_index: BlockIndex, block: Block, chunk: Chunk, tables: dict[str, TableRows]) -> Iterator[ChunkRow]:
    if block.table is None:
        return
    rows = block_index.rows(block)
    if block.id not in tables:
        tables[block.id] = TableRows.of(block.table)
    table = tables[block.id]
    for number in rows.touching(chunk.provenance.span):
        # A row that is split between two chunks belongs to the chunk where it begins.
        if number >= table.first_row and rows.spans[number].start >= chunk.provenance.span.start:
            yield ChunkRow(table, number, rows.spans[number])


def _figures(block_index: BlockIndex, chunks: Sequence[Chunk]) -> dict[str, list[ChunkFigure]]:
    """Return the figures by chunk id; a figure between two chunks belongs to the first."""
    starts = [chunk.provenance.span.start for chunk in chunks]
    found: dict[str, list[ChunkFigure]] = {}
    for block in block_index.blocks:
        if block.figure is not None and chunks:
            index = max(0, bisect_right(starts, block.provenance.span.start) - 1)
            found.setdefault(chunks[index].id, []).append(ChunkFigure(block.figure, block.provenance))
    return found
