"""Pieces of a file in reading order, put together into a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.core.document import BlockKind, Figure, Page, ReferenceKind, Source
from pipelines.core.errors import TooLarge
from pipelines.core.ids import content_id, digest
from pipelines.core.names import part_name
from pipelines.core.outcome import Status
from pipelines.core.table import Cell, Table
from pipelines.parse.cleaning import clean, clean_verbatim
from pipelines.parse.compose import compose
from pipelines.parse.parsed import Child, Parsed, Picture
from pipelines.parse.pieces import NOWHERE, Image, Piece, Place, Pointer
from pipelines.parse.settings import ParseSettings
from pipelines.parse.tidy import tidy_cells

if TYPE_CHECKING:
    from pipelines.parse.ocr.figures import FigureText

__all__ = ["NOWHERE", "DocumentBuilder", "Image", "Place"]

_MEBIBYTE = 1 << 20
_SPARSEST = 50
"""Places of a table for each cell allowed: renderings are dense, a table must not be much larger than its cells."""


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
        self._pieces: list[Piece] = []
        self._furniture: list[Piece] = []
        self._pages: list[Page] = []
        self._pointers: list[Pointer] = []
        self._pictures: dict[str, Picture] = {}
        self._children: dict[str, Child] = {}
        self._taken: Counter[str] = Counter()
        self._notes: list[str] = []
        self._figure_text: FigureText | None = None
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

    @property
    def last(self) -> int:
        """The position of the piece appended last, -1 before the first."""
        return len(self._pieces) - 1

    def promote(self, levels: Mapping[int, int]) -> None:
        """Make headings of pieces of text by their positions; level 0 makes the title."""
        for position, level in levels.items():
            piece = self._pieces[position]
            piece.kind, piece.level = (BlockKind.HEADING, level) if level else (BlockKind.TITLE, 0)

    def code(self, text: str, place: Place = NOWHERE) -> bool:
        return self._append(Piece(BlockKind.CODE, clean_verbatim(text), place))

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
        piece = Piece(kind, clean(text), place)
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
        return self._append(Piece(BlockKind.TABLE, table.to_text(), place, confidence=confidence, table=table))

    def figure(self, image: Image, place: Place = NOWHERE, *, caption: str = "", confidence: float = 1.0) -> bool:
        """Append a figure; what stands in it, by the reader's word or by OCR, and its description are its text.

        `confidence` is that of `image.ocr_text`; text that is read here comes with its own, which is below 1.
        """
        key = digest(image.data) if image.data else ""
        if key and key not in self._pictures:
            self._pictures[key] = Picture(key, image.media_type, image.data)
        text, confidence = (image.ocr_text, confidence) if image.ocr_text else self._read_off(image)
        read, described = clean(text), clean(image.description)
        id = content_id("figure", self.source.document_id, len(self._pieces))
        figure = Figure(id, key, image.media_type, image.width, image.height, clean(caption), read, described)
        text = "\n".join(part for part in (read, described) if part)
        self._pieces.append(Piece(BlockKind.FIGURE, text, place, confidence=confidence, figure=figure))
        self._grow(len(text))
        return True

    def _read_off(self, image: Image) -> tuple[str, float]:
        if image.unread or not image.data:
            return "", 1.0
        if self._figure_text is None:
            from pipelines.parse.ocr.figures import FigureText  # documents without pictures load no OCR

            self._figure_text = FigureText(self.settings.ocr)
        return self._figure_text.read(image.data)

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
            self._pointers.append(Pointer(piece, kind, target, clean(evidence), clean(section)))

    def meta(self, name: str, value: str) -> None:
        """Keep something told about the document (author, created, subject, ...); empty values are left out."""
        value = clean(value)
        if value:
            self.metadata[name] = value

    def child(self, child: Child, otherwise: str = "") -> str:
        """Hand on a document inside this one; return what it is called here (`part_name`).

        A name that is taken gets a number, one of which nothing remains is `otherwise`, else what it is and a number; a
        remark says where a name is not its own.
        """
        plain = part_name(child.name) or otherwise or f"{child.kind.value}-{len(self._children) + 1}"
        name = plain
        while name in self._children:
            self._taken[plain] += 1
            name = f"{self._taken[plain] + 1}-{plain}"
        if child.name and name != child.name:
            self.remark(f"the {child.kind.value} {child.name!r} is called {name!r} here")
        self._children[name] = replace(child, name=name)
        return name

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
        pictures, children = tuple(self._pictures.values()), tuple(self._children.values())
        issues = [f"page {page.number}: {page.issue}" for page in self._pages if page.issue]
        if self.empty:
            reason = "no text" + (f" ({_first(issues)})" if issues else "")
            return Parsed(Status.EMPTY, None, pictures, children, reason)
        status = Status.PARTIAL if issues else Status.INDEXED
        document = compose(
            self.source,
            self.engine,
            self._pieces,
            furniture=self._furniture,
            pointers=self._pointers,
            pages=self._pages,
            metadata=self.metadata,
            notes=self._notes,
            languages=self.settings.languages,
        )
        return Parsed(status, document, pictures, children, _first(issues))

    def _prose(self, kind: BlockKind, text: str, place: Place, *, level: int = 0, confidence: float = 1.0) -> bool:
        return self._append(Piece(kind, clean(text), place, level, confidence))

    def _append(self, piece: Piece) -> bool:
        if not piece.text:
            return False
        self._pieces.append(piece)
        self._grow(len(piece.text))
        return True

    def _grow(self, characters: int) -> None:
        self._size += characters
        if self._size > self.settings.limits.output_mb * _MEBIBYTE:
            raise TooLarge(f"more than {self.settings.limits.output_mb} MiB of text", ids=(self.source.uri,))


def _first(issues: Sequence[str], most: int = 5) -> str:
    more = f"; and {len(issues) - most} more" if len(issues) > most else ""
    return "; ".join(issues[:most]) + more
