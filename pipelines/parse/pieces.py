"""What a document is put together from, with clean text: no control characters, lone surrogates, invisible spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.document import Block, BlockKind, Figure, ReferenceKind
from pipelines.core.provenance import Box, Span
from pipelines.core.table import Table

_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, surrogates, non-characters, zero-width spaces, soft hyphens and direction marks carry no text. The
# zero-width joiners stay: Persian and Indic scripts and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")


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
    """A reference as a reader finds it: what it points at, and the words that point (`evidence`)."""

    kind: ReferenceKind
    target: str
    evidence: str
    section: str = ""


def join_pieces(pieces: Sequence[Piece | Block]) -> tuple[str, list[Span]]:
    """Return the text of the document and each piece's span: a blank line between pieces, none within a list."""
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
    """Return `text` as prose: invisible characters dropped, spaces plain, no blank lines, none around it."""
    lines = (line.rstrip() for line in clean_verbatim(text).split("\n"))
    return "\n".join(line for line in lines if line).strip()


def clean_verbatim(text: str) -> str:
    """Return `text` as code: line by line as it was, indentation kept, invisible characters dropped."""
    if text.isascii() and text.isprintable():
        return text
    return _SPACE.sub(" ", _INVISIBLE.sub("", _LINE_END.sub("\n", text))).strip("\n").rstrip()
