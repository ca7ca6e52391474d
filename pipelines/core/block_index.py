"""Index of a document's blocks by position: the blocks that a span overlaps, and the spans of a table's rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from pipelines.core.document import Block, Document
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table


class BlockIndex:
    """An index of one document's blocks; a look-up takes logarithmic time."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = tuple(sorted(document.blocks, key=lambda block: block.provenance.span))
        self._starts = [block.provenance.span.start for block in self.blocks]
        self._reaches: list[int] = []
        reach = 0
        for block in self.blocks:
            reach = max(reach, block.provenance.span.end)
            self._reaches.append(reach)
        self._rows: dict[str, RowSpans] = {}
        self._labels = {page.number: page.label for page in document.pages}

    def touching(self, span: Span) -> tuple[Block, ...]:
        """Return the blocks that overlap `span`, in order of their start."""
        first = bisect_right(self._reaches, span.start)
        last = bisect_left(self._starts, span.end)
        return tuple(block for block in self.blocks[first:last] if block.provenance.span.overlaps(span))

    def following(self, block: Block) -> Block | None:
        """Return the block that begins next after `block`, None after the last."""
        index = bisect_right(self._starts, block.provenance.span.start)
        return self.blocks[index] if index < len(self.blocks) else None

    def rows(self, block: Block) -> RowSpans:
        """Return the row spans of a table block; empty if it has no table or its text is not one line per row."""
        if block.id not in self._rows:
            self._rows[block.id] = RowSpans(block)
        return self._rows[block.id]

    def provenance(self, span: Span) -> Provenance:
        """Return page, label, cells and boxes of the blocks that `span` overlaps.

        For a table, they are those of its rows only, and for a paragraph in several boxes, those of its parts.
        """
        places = [self._within(block, span) for block in self.touching(span)]
        if not places:
            return Provenance(self.document.id, span)
        boxes = tuple(box for place in places for box in place.boxes)
        cells = places[0].cells if len(places) == 1 else ""
        return Provenance(self.document.id, span, places[0].page, places[0].label, cells, boxes)

    def _within(self, block: Block, span: Span) -> Provenance:
        origin = block.provenance
        if span.covers(origin.span) or not (block.table or block.breaks):
            return origin
        addresses, places = self.rows(block).place(span) if block.table else ("", _parts(block, span))
        boxes = places or origin.boxes
        page = boxes[0].page if boxes else origin.page
        label = self._labels.get(page, origin.label) if page is not None else origin.label
        return Provenance(origin.document, span, page, label, addresses or origin.cells, boxes)


def _parts(block: Block, span: Span) -> tuple[Box, ...]:
    """Return the boxes of those parts of a paragraph that `span` overlaps."""
    start = block.provenance.span.start
    first, last = bisect_right(block.breaks, span.start - start), bisect_left(block.breaks, span.end - start)
    return block.provenance.boxes[first : last + 1]


class RowSpans:
    """The rows of a table block by position: `spans[i]` is the span of row i in the document's text."""

    def __init__(self, block: Block) -> None:
        self.spans = _lines(block, block.table) if block.table else ()
        self._starts = [span.start for span in self.spans]
        self._cells: list[list[Cell]] = [[] for _ in self.spans]
        self._places: dict[range, tuple[str, tuple[Box, ...]]] = {}
        if self.spans and block.table:
            for cell in block.table.cells:
                self._cells[cell.row].append(cell)

    def touching(self, span: Span) -> range:
        """Return the numbers of the rows that overlap `span`."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        if first < len(self.spans) and self.spans[first].end <= span.start:
            first += 1
        return range(first, bisect_left(self._starts, span.end))

    def place(self, span: Span) -> tuple[str, tuple[Box, ...]]:
        """Return the addresses of the rows that overlap `span`, and their boxes; a long row overlaps many spans."""
        rows = self.touching(span)
        if rows not in self._places:
            cells = [cell for number in rows for cell in self._cells[number]]
            self._places[rows] = (_range(cells), _one_a_page(cells))
        return self._places[rows]


def _lines(block: Block, table: Table) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = block.provenance.span.start
    for line in block.text.split("\n"):
        spans.append(Span(start, start + len(line)))
        start += len(line) + 1
    return tuple(spans) if len(spans) == table.rows else ()


def _range(cells: list[Cell]) -> str:
    """Return the range of sheet addresses from the first cell to the last ("B2:D9")."""
    named = [cell.address for cell in cells if cell.address]
    if not named:
        return ""
    return named[0] if len(named) == 1 else f"{named[0]}:{named[-1]}"


def _one_a_page(cells: list[Cell]) -> tuple[Box, ...]:
    """Return for each page the box that encloses the cells on it."""
    pages: dict[int, Box] = {}
    for box in (box for cell in cells for box in cell.boxes):
        known = pages.get(box.page, box)
        pages[box.page] = Box(
            box.page,
            min(known.left, box.left),
            min(known.top, box.top),
            max(known.right, box.right),
            max(known.bottom, box.bottom),
        )
    return tuple(pages[page] for page in sorted(pages))
