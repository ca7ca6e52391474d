"""What readers hand to the builder, and how the texts of pieces become one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.document import BlockKind, Figure, ReferenceKind
from pipelines.core.provenance import Box, Span
from pipelines.core.table import Table


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece stands: page, slide or sheet from 1, its label, a range of cells, boxes on the page."""

    page: int | None = None
    label: str = ""
    cells: str = ""
    boxes: tuple[Box, ...] = ()


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as a reader finds it; sizes in pixels, 0 where unknown. Without `data` only its texts are kept.

    What stands in it is read by OCR where `ocr_text` is empty; not where `unread` is set, because it is text of the
    document already.
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
    """One block to be; its text is clean."""

    kind: BlockKind
    text: str
    place: Place
    level: int = 0
    confidence: float = 1.0
    table: Table | None = None
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A reference as a reader gave it, on the piece that it stands in."""

    piece: int
    kind: ReferenceKind
    target: str
    evidence: str
    section: str


def join_pieces(pieces: Sequence[Piece]) -> tuple[str, list[Span]]:
    """Return the text of the document and each piece's span: a blank line between pieces, none within a list."""
    parts: list[str] = []
    spans: list[Span] = []
    end, last = 0, None
    for piece in pieces:
        if piece.text and last is not None:
            listed = last is BlockKind.LIST_ITEM and piece.kind is BlockKind.LIST_ITEM
            parts.append("\n" if listed else "\n\n")
            end += len(parts[-1])
        spans.append(Span(end, end + len(piece.text)))
        if piece.text:
            parts.append(piece.text)
            end, last = end + len(piece.text), piece.kind
    return "".join(parts), spans
