"""What a chunk holds besides its text: its sentences, the rows of its tables, its figures."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipelines.atomize.keyphrases import repeated_han
from pipelines.atomize.tables import Grid
from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.document import Block, BlockKind, Document, Figure
from pipelines.core.ids import normalize
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.sentences import sentences

_HEADINGS = frozenset({BlockKind.TITLE, BlockKind.HEADING})
_SILENT = _HEADINGS | {BlockKind.TABLE, BlockKind.CODE, BlockKind.FORMULA}
Path = tuple[tuple[str, str], ...]
"""The document's title and the headings above a place, outermost first, without repeats, each also as normalized."""
_INSIDE = re.compile(r"(?<=[a-z0-9,;)] )[A-ZÀ-ÖØ-Þ][\w'’-]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk, the kind of block that it stands in, and what it stands under, see `Path`."""

    span: Span
    text: str
    kind: BlockKind = BlockKind.PARAGRAPH
    path: Path = ()

    @property
    def heading(self) -> bool:
        return self.kind in _HEADINGS

    @property
    def prose(self) -> bool:
        """Whether it can state something: no heading, nor a line of a table, of code or of a formula."""
        return self.kind not in _SILENT


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row below a table's header that stands in a chunk."""

    grid: Grid
    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """A figure that stands in or next to a chunk."""

    figure: Figure
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Content:
    """A chunk, the document it is of, and what stands in it, in order.

    `names` are the words that the document writes with a capital inside a sentence, `terms` the Chinese strings that
    it repeats.
    """

    document: Document
    chunk: Chunk
    layout: BlockIndex
    path: Path
    sentences: tuple[Sentence, ...]
    rows: tuple[RowPlace, ...]
    figures: tuple[FigurePlace, ...]
    names: frozenset[str]
    terms: frozenset[str]


def contents(document: Document, chunks: Sequence[Chunk]) -> Iterator[Content]:
    """Yield what each chunk holds, in the order of `chunks`."""
    layout, headings = BlockIndex(document), _Headings(document)
    names = frozenset(_INSIDE.findall(document.text))
    terms = repeated_han(document.text)
    figures = _figures(layout, chunks)
    grids: dict[str, Grid] = {}
    for chunk in chunks:
        blocks = layout.touching(chunk.provenance.span)
        rows = tuple(row for block in blocks for row in _rows(layout, block, chunk, grids))
        path = _path(document.title, chunk.heading_path)
        said = tuple(_sentences(blocks, chunk, path, headings))
        pictures = tuple(figures.get(chunk.id, ()))
        yield Content(document, chunk, layout, path, said, rows, pictures, names, terms)


class _Headings:
    """The paths of a document's sections by place."""

    def __init__(self, document: Document) -> None:
        self._sections = sorted(document.sections, key=lambda section: (section.span.start, section.level))
        self._starts = [section.span.start for section in self._sections]
        self._paths = [_path(document.title, section.path) for section in self._sections]

    def at(self, place: int, default: Path) -> Path:
        """Return the path of the innermost section that holds `place`."""
        index = bisect_right(self._starts, place) - 1
        while index >= 0 and self._sections[index].span.end <= place:
            index -= 1
        return self._paths[index] if index >= 0 else default


def _path(title: str, headings: Sequence[str]) -> Path:
    forms = {normalize(part): part for part in reversed((title, *headings)) if part.strip()}
    return tuple((part, form) for form, part in reversed(forms.items()))


def _sentences(blocks: Sequence[Block], chunk: Chunk, path: Path, headings: _Headings) -> Iterator[Sentence]:
    if not blocks:
        yield from _split(chunk, chunk.provenance.span, BlockKind.PARAGRAPH, path)
    for block in blocks:
        own, whole = block.provenance.span, chunk.provenance.span
        inside = Span(max(own.start, whole.start), min(own.end, whole.end))
        yield from _split(chunk, inside, block.kind, headings.at(inside.start, path))


def _split(chunk: Chunk, span: Span, kind: BlockKind, path: Path) -> Iterator[Sentence]:
    text = span.shifted(-chunk.provenance.span.start).slice(chunk.text)
    for found in sentences(text):
        yield Sentence(found.shifted(span.start), found.slice(text), kind, path)


def _rows(layout: BlockIndex, block: Block, chunk: Chunk, grids: dict[str, Grid]) -> Iterator[RowPlace]:
    if block.table is None:
        return
    rows = layout.rows(block)
    if block.id not in grids:
        grids[block.id] = Grid.of(block.table)
    grid = grids[block.id]
    for number in rows.touching(chunk.provenance.span):
        # A row cut in two belongs to the chunk where it begins.
        if number >= grid.first_row and rows.spans[number].start >= chunk.provenance.span.start:
            yield RowPlace(grid, number, rows.spans[number])


def _figures(layout: BlockIndex, chunks: Sequence[Chunk]) -> dict[str, list[FigurePlace]]:
    """Figures by the chunk they stand in; one between two chunks goes with the one before it."""
    starts = [chunk.provenance.span.start for chunk in chunks]
    found: dict[str, list[FigurePlace]] = {}
    for block in layout.blocks:
        if block.figure is not None and chunks:
            index = max(0, bisect_right(starts, block.provenance.span.start) - 1)
            found.setdefault(chunks[index].id, []).append(FigurePlace(block.figure, block.provenance))
    return found
