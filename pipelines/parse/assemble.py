"""Pieces of a file in reading order, put together into a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import (
    Block,
    BlockKind,
    Document,
    Figure,
    Page,
    Reference,
    ReferenceKind,
    Source,
)
from pipelines.core.errors import TooLarge
from pipelines.core.ids import content_id, digest
from pipelines.core.outcome import Status
from pipelines.core.provenance import Box, Provenance, Span
from pipelines.core.table import Cell, Table
from pipelines.parse.captions import match_captions
from pipelines.parse.cleaning import clean, clean_verbatim
from pipelines.parse.language import detect_language
from pipelines.parse.outline import build_sections
from pipelines.parse.parsed import Child, Parsed, Picture
from pipelines.parse.references import find_references
from pipelines.parse.settings import ParseSettings
from pipelines.parse.title import choose_title
from pipelines.parse.tidy import tidy_cells

_MEBIBYTE = 1 << 20
_SPARSEST = 50
"""Places of a table for each cell allowed: renderings are dense, so a table must not be much larger than its cells."""


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
    """A picture as a reader finds it; sizes in pixels, 0 where unknown. Without `data` only its texts are kept."""

    data: bytes = b""
    media_type: str = "image/png"
    width: int = 0
    height: int = 0
    ocr_text: str = ""
    description: str = ""


@dataclass(slots=True)
class _Piece:
    kind: BlockKind
    text: str
    place: Place
    level: int = 0
    confidence: float = 1.0
    table: Table | None = None
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class _Pointer:
    """A reference as a reader gave it, on the piece that it stands in."""

    piece: int
    kind: ReferenceKind
    target: str
    evidence: str
    section: str


class DocumentBuilder:
    """Takes the pieces of one file in reading order; `build` makes a document of them.

    Every text is cleaned on entry and a piece without text is left out, but for figures. The methods that append
    say whether they did. Raises `TooLarge` when the text outgrows `limits.output_mb`.
    """

    def __init__(
        self, source: Source, settings: ParseSettings, engine: str, metadata: Mapping[str, str] | None = None
    ) -> None:
        self.source = source
        self.settings = settings
        self.engine = engine
        self.metadata: dict[str, str] = {}
        self._pieces: list[_Piece] = []
        self._furniture: list[_Piece] = []
        self._pages: list[Page] = []
        self._pointers: list[_Pointer] = []
        self._pictures: dict[str, Picture] = {}
        self._children: list[Child] = []
        self._notes: list[str] = []
        self._size = 0
        for name, value in (metadata or {}).items():
            self.meta(name, value)

    # -- text

    def title(self, text: str, place: Place = NOWHERE) -> bool:
        """Append the document's own title, as it stands on its first page."""
        return self._prose(BlockKind.TITLE, text, place)

    def heading(self, text: str, level: int, place: Place = NOWHERE) -> bool:
        """Append a heading of `level` from 1; levels may skip, the sections' depth will not."""
        return self._prose(BlockKind.HEADING, text, place, level=max(1, level))

    def paragraph(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        return self._prose(BlockKind.PARAGRAPH, text, place, confidence=confidence)

    def list_item(self, text: str, level: int = 1, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append an item of a list, nested `level` deep from 1; `text` begins with its bullet or number, if any."""
        return self._prose(BlockKind.LIST_ITEM, text, place, level=max(1, level), confidence=confidence)

    def code(self, text: str, place: Place = NOWHERE) -> bool:
        return self._append(_Piece(BlockKind.CODE, clean_verbatim(text), place))

    def formula(self, text: str, place: Place = NOWHERE) -> bool:
        return self._prose(BlockKind.FORMULA, text, place)

    def caption(self, text: str, place: Place = NOWHERE) -> bool:
        """Append a caption; it is tied to the table or figure next to it."""
        return self._prose(BlockKind.CAPTION, text, place)

    def footnote(self, text: str, place: Place = NOWHERE) -> bool:
        return self._prose(BlockKind.FOOTNOTE, text, place)

    def note(self, text: str, place: Place = NOWHERE) -> bool:
        """Append a speaker's note or a reviewer's comment."""
        return self._prose(BlockKind.NOTE, text, place)

    def furniture(self, kind: BlockKind, text: str, place: Place = NOWHERE) -> bool:
        """Keep a PAGE_HEADER or PAGE_FOOTER apart from the text."""
        piece = _Piece(kind, clean(text), place)
        if piece.text:
            self._furniture.append(piece)
        return bool(piece.text)

    # -- tables and figures

    def table(
        self,
        cells: Sequence[Cell],
        place: Place = NOWHERE,
        *,
        caption: str = "",
        parts: tuple[int, ...] = (0,),
        confidence: float = 1.0,
    ) -> bool:
        """Append a table of `cells`, in any order; its size is the least that holds them.

        Of two cells on one place the first stays. Raises `TooLarge` for more cells with text than `limits.cells`.
        """
        kept = tidy_cells(cells)
        if sum(1 for cell in kept if cell.text) > self.settings.limits.cells:
            raise TooLarge(f"a table of more than {self.settings.limits.cells} cells", ids=(self.source.uri,))
        rows = max((cell.row + cell.row_span for cell in kept), default=0)
        columns = max((cell.column + cell.column_span for cell in kept), default=0)
        if rows * columns > _SPARSEST * self.settings.limits.cells:
            raise TooLarge(f"a table of {rows} by {columns} places", ids=(self.source.uri,))
        id = content_id("table", self.source.document_id, len(self._pieces))
        table = Table(id, rows, columns, kept, clean(caption), parts)
        if not any(cell.text for cell in kept):
            return False
        return self._append(_Piece(BlockKind.TABLE, table.to_text(), place, confidence=confidence, table=table))

    def figure(self, image: Image, place: Place = NOWHERE, *, caption: str = "", confidence: float = 1.0) -> bool:
        """Append a figure; what was read off it, and its description, are its text."""
        key = digest(image.data) if image.data else ""
        if key and key not in self._pictures:
            self._pictures[key] = Picture(key, image.media_type, image.data)
        read, described = clean(image.ocr_text), clean(image.description)
        id = content_id("figure", self.source.document_id, len(self._pieces))
        figure = Figure(
            id, key, image.media_type, image.width, image.height, clean(caption), read, described
        )
        text = "\n".join(part for part in (read, described) if part)
        self._pieces.append(_Piece(BlockKind.FIGURE, text, place, confidence=confidence, figure=figure))
        self._grow(len(text))
        return True

    # -- about the document

    def page(self, page: Page) -> None:
        """Tell of a page, slide or sheet; each once, in order."""
        if len(self._pages) >= self.settings.limits.pages:
            raise TooLarge(f"more than {self.settings.limits.pages} pages", ids=(self.source.uri,))
        self._pages.append(page)

    def reference(self, kind: ReferenceKind, target: str, evidence: str = "", section: str = "") -> None:
        """Tell that the piece appended last points at `target`; `evidence` is its text that does."""
        target = clean(target)
        if target:
            piece = len(self._pieces) - 1
            self._pointers.append(_Pointer(piece, kind, target, clean(evidence), clean(section)))

    def meta(self, name: str, value: str) -> None:
        """Keep something told about the document (author, created, subject, ...); empty values are left out."""
        value = clean(value)
        if value:
            self.metadata[name] = value

    def child(self, child: Child) -> None:
        """Hand on a document inside this one; a name that is taken gets a number."""
        names = {other.name for other in self._children}
        name, count = child.name, 2
        while name in names:
            name, count = f"{count}-{child.name}", count + 1
        self._children.append(replace(child, name=name))

    def remark(self, note: str) -> None:
        """Keep a note on how parsing went, for `Document.notes`."""
        if note not in self._notes:
            self._notes.append(note)

    @property
    def empty(self) -> bool:
        """Whether no piece has any text yet."""
        return self._size == 0

    # -- the end

    def build(self) -> Parsed:
        """Return the document: INDEXED, PARTIAL where a page has an issue, EMPTY where there is no text at all."""
        pictures, children = tuple(self._pictures.values()), tuple(self._children)
        issues = [f"page {page.number}: {page.issue}" for page in self._pages if page.issue]
        if self.empty:
            reason = "no text" + (f" ({_first(issues)})" if issues else "")
            return Parsed(Status.EMPTY, None, pictures, children, reason)
        status = Status.PARTIAL if issues else Status.INDEXED
        return Parsed(status, self._document(), pictures, children, _first(issues))

    def _prose(
        self, kind: BlockKind, text: str, place: Place, *, level: int = 0, confidence: float = 1.0
    ) -> bool:
        return self._append(_Piece(kind, clean(text), place, level, confidence))

    def _append(self, piece: _Piece) -> bool:
        if not piece.text:
            return False
        self._pieces.append(piece)
        self._grow(len(piece.text))
        return True

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > self.settings.limits.output_mb * _MEBIBYTE:
            raise TooLarge(f"more than {self.settings.limits.output_mb} MiB of text", ids=(self.source.uri,))

    def _document(self) -> Document:
        text, spans = _join(self._pieces)
        blocks = self._blocks(spans)
        title = choose_title(self.metadata.get("title", ""), blocks, self.source)
        id = self.source.document_id
        return Document(
            id=id,
            source=self.source,
            title=title,
            text=text,
            blocks=blocks,
            sections=build_sections(id, blocks, len(text)),
            references=self._references(blocks),
            pages=tuple(self._pages),
            furniture=tuple(self._aside(number, piece) for number, piece in enumerate(self._furniture)),
            language=detect_language(text, self.settings.languages),
            metadata=self.metadata,
            engine=self.engine,
            notes=tuple(self._notes),
        )

    def _blocks(self, spans: Sequence[Span]) -> tuple[Block, ...]:
        blocks = [
            self._block("block", number, piece, span)
            for number, (piece, span) in enumerate(zip(self._pieces, spans, strict=True))
        ]
        owners = match_captions([block.kind for block in blocks], [block.text for block in blocks])
        for position, owner in owners.items():
            blocks[position], blocks[owner] = _tie(blocks[position], blocks[owner])
        return tuple(blocks)

    def _block(self, kind: str, number: int, piece: _Piece, span: Span) -> Block:
        place = piece.place
        id = content_id(kind, self.source.document_id, number, span.start, span.end)
        provenance = Provenance(
            self.source.document_id, span, place.page, place.label, place.cells, place.boxes
        )
        return Block(
            id, piece.kind, piece.text, provenance, piece.level, piece.table, piece.figure, "", piece.confidence
        )

    def _aside(self, number: int, piece: _Piece) -> Block:
        return self._block("furniture", number, piece, Span(0, 0))

    def _references(self, blocks: Sequence[Block]) -> tuple[Reference, ...]:
        told: dict[int, list[Reference]] = {}
        for pointer in self._pointers:
            told.setdefault(pointer.piece, []).append(self._told(pointer, blocks))
        found: list[Reference] = told.get(-1, [])
        for number, block in enumerate(blocks):
            explicit = told.get(number, [])
            targets = {reference.target for reference in explicit}
            found += explicit
            found += [reference for reference in find_references(block) if reference.target not in targets]
        return tuple(dict.fromkeys(found))

    def _told(self, pointer: _Pointer, blocks: Sequence[Block]) -> Reference:
        if pointer.piece < 0:
            provenance = Provenance(self.source.document_id, Span(0, 0))
            return Reference(pointer.kind, pointer.target, pointer.evidence, provenance, pointer.section)
        block = blocks[pointer.piece]
        provenance = block.provenance
        at = block.text.find(pointer.evidence) if pointer.evidence else -1
        if at >= 0:
            start = provenance.span.start + at
            provenance = replace(provenance, span=Span(start, start + len(pointer.evidence)))
        evidence = pointer.evidence or block.text[:200]
        return Reference(pointer.kind, pointer.target, evidence, provenance, pointer.section)


def _join(pieces: Sequence[_Piece]) -> tuple[str, list[Span]]:
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


def _tie(caption: Block, owner: Block) -> tuple[Block, Block]:
    """Return caption and owner knowing of each other."""
    if owner.table is not None:
        table = owner.table if owner.table.caption else replace(owner.table, caption=caption.text)
        return replace(caption, caption_of=table.id), replace(owner, table=table)
    assert owner.figure is not None
    figure = owner.figure if owner.figure.caption else replace(owner.figure, caption=caption.text)
    return replace(caption, caption_of=figure.id), replace(owner, figure=figure)


def _first(issues: Sequence[str], most: int = 5) -> str:
    more = f"; and {len(issues) - most} more" if len(issues) > most else ""
    return "; ".join(issues[:most]) + more
