"""The parts of a document as readers produce them: pieces with clean text, pictures, references, table cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import Block, BlockKind, Figure, ReferenceKind
from pipelines.core.errors import TooLarge
from pipelines.core.provenance import Box, Span
from pipelines.core.table import Cell, Table, without_group_header
from pipelines.parse.settings import Limits

_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, surrogates, non-characters, zero-width spaces, soft hyphens and direction marks carry no text. The
# zero-width joiners stay: Persian and Indic scripts and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a piece: page, slide or sheet from 1, its label, a range of cells, boxes on the pages.

    `breaks` are the positions in its text at which the parts in the second box, the third and so on begin.
    """

    page: int | None = None
    label: str = ""
    cells: str = ""
    boxes: tuple[Box, ...] = ()
    breaks: tuple[int, ...] = ()


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as a reader finds it; sizes are in pixels, 0 if unknown. Without `data`, only its texts are kept.

    If `ocr_text` is empty, the picture is read by OCR, unless `unread` is set because the document already has its
    text.
    """

    data: bytes = b""
    media_type: str = "image/png"
    width: int = 0
    height: int = 0
    ocr_text: str = ""
    description: str = ""
    unread: bool = False


@dataclass(slots=True)
class Piece:
    """A future block; its text is clean."""

    kind: BlockKind
    text: str
    place: Place
    level: int = 0
    confidence: float = 1.0
    table: Table | None = None
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A reference as a reader finds it: its target, and the words of the text that refer to it (`evidence`)."""

    kind: ReferenceKind
    target: str
    evidence: str
    section: str = ""


def join_pieces(pieces: Sequence[Piece | Block]) -> tuple[str, list[Span]]:
    """Return the text and each piece's span: list items are separated by a line break, other pieces by a blank line."""
    parts: list[str] = []
    spans: list[Span] = []
    end, last = 0, None
    for piece in pieces:
        if piece.text and last is not None:
            parts.append("\n" if last is piece.kind is BlockKind.LIST_ITEM else "\n\n")
            end += len(parts[-1])
        spans.append(Span(end, end + len(piece.text)))
        if piece.text:
            parts.append(piece.text)
            end, last = end + len(piece.text), piece.kind
    return "".join(parts), spans


def clean(text: str) -> str:
    """Return `text` as prose: no invisible characters, ordinary spaces, no blank lines, stripped."""
    lines = (line.rstrip() for line in clean_verbatim(text).split("\n"))
    return "\n".join(line for line in lines if line).strip()


def clean_verbatim(text: str) -> str:
    """Return `text` as code: lines and indentation are kept, invisible characters are removed."""
    if text.isascii() and text.isprintable():
        return text
    return _SPACE.sub(" ", _INVISIBLE.sub("", _LINE_END.sub("\n", text))).strip("\n").rstrip()


_LARGEST_SPAN = 10_000
"""Maximum positions that a cell may span; more is a mistake or an attack, and the cell gets a span of one."""
_SPARSEST = 50
"""Maximum positions of a table per allowed cell: rendering includes empty ones, so a table must not be too sparse."""


def _tidy_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells in row-major order with clean texts, without overlaps.

    Of two cells that begin at the same position the first is kept; a span that overlaps another cell is reduced to one
    position, and a span ends at the last row.
    """
    last_row = max((cell.row for cell in cells), default=0)
    taken: set[tuple[int, int]] = set()
    kept: list[Cell] = []
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        if (cell.row, cell.column) not in taken:
            fitting = _fitting(cell, last_row, taken)
            taken.update(_places(fitting))
            kept.append(replace(fitting, text=clean(cell.text)))
    return tuple(kept)


def _fitting(cell: Cell, last_row: int, taken: set[tuple[int, int]]) -> Cell:
    if cell.row_span == cell.column_span == 1:
        return cell
    rows, columns = max(1, min(cell.row_span, last_row - cell.row + 1)), max(1, cell.column_span)
    fitting = replace(cell, row_span=rows, column_span=columns)
    if rows * columns > _LARGEST_SPAN or not taken.isdisjoint(_places(fitting)):
        return replace(cell, row_span=1, column_span=1)
    return fitting


def _places(cell: Cell) -> list[tuple[int, int]]:
    rows = range(cell.row, cell.row + cell.row_span)
    return [(row, column) for row in rows for column in range(cell.column, cell.column + cell.column_span)]


def table_of(id: str, cells: Sequence[Cell], caption: str, parts: tuple[int, ...], limits: Limits, uri: str) -> Table:
    """Return a table of `cells`, in any order, just large enough to contain them.

    Of two cells at the same position the first is kept. Raises `TooLarge` if more than `limits.cells` have text.
    """
    kept = tuple(without_group_header(_tidy_cells(cells)))
    if sum(1 for cell in kept if cell.text) > limits.cells:
        raise TooLarge(f"a table of more than {limits.cells} cells", ids=(uri,))
    rows = max((cell.row + cell.row_span for cell in kept), default=0)
    columns = max((cell.column + cell.column_span for cell in kept), default=0)
    if rows * columns > _SPARSEST * limits.cells:
        raise TooLarge(f"a table of {rows} by {columns} places", ids=(uri,))
    return Table(id, rows, columns, kept, clean(caption), parts)
