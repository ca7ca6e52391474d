"""Pieces of a file in reading order, put together into a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pipelines.core.document import BlockKind, Document, Figure, Page, ReferenceKind, Source
from pipelines.core.errors import TooLarge
from pipelines.core.ids import content_id, part_name
from pipelines.core.outcome import Status
from pipelines.core.table import Cell
from pipelines.parse.compose import compose
from pipelines.parse.gallery import (
    Gallery,
    LeftOut,
    broken_off,
    page_issues,
    pages_named,
    pictures_unread,
    shown_text,
    summed_up,
)
from pipelines.parse.limits import READING, OutOfTime, check_text, current_task, keep_nothing
from pipelines.parse.parsed import REST, Child, Parsed
from pipelines.parse.pieces import NOWHERE, Image, Piece, Place, Pointer, clean, clean_verbatim, table_of
from pipelines.parse.settings import ParseSettings

__all__ = ["NOWHERE", "DocumentBuilder", "Image", "Place"]


class DocumentBuilder:
    """Takes the blocks of one file in reading order; `build` returns the document. Every reader uses it.

        builder = DocumentBuilder(source, settings, "foo")
        builder.heading("1 Safety", 1, Place(page=1))
        builder.paragraph("Close the valve V-12.", Place(page=1))
        parsed = builder.build()

    Texts are cleaned, and a block without text is left out, but for figures; the methods that append return whether
    they did. All raise `TooLarge` when the text exceeds `limits.output_mb`, and `OutOfTime` when the file has used up
    its processor seconds; a reader that checks the clock itself passes `hurried=False`.
    """

    def __init__(
        self,
        source: Source,
        settings: ParseSettings,
        engine: str,
        metadata: Mapping[str, str] | None = None,
        *,
        hurried: bool = True,
    ) -> None:
        self.source = source
        self.settings = settings
        self.engine = engine
        self.task = current_task()
        self.metadata: dict[str, str] = {}
        self._pieces: list[Piece] = []
        self._furniture: list[Piece] = []
        self._pages: list[Page] = []
        self._pointers: list[tuple[int, Pointer]] = []
        self._gallery = Gallery()
        self._children: dict[str, Child] = {}
        self._taken: Counter[str] = Counter()
        self._notes: dict[str, list[int]] = {}
        self._left = LeftOut()
        self._hurried = hurried
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
        id = content_id("table", self.source.document_id, len(self._pieces))
        table = table_of(id, cells, caption, parts, self.settings.limits, self.source.uri)
        if not any(cell.text for cell in table.cells):
            return False
        return self._append(Piece(BlockKind.TABLE, table.to_text(), place, confidence=confidence, table=table))

    def figure(self, image: Image, place: Place = NOWHERE, *, caption: str = "", confidence: float = 1.0) -> bool:
        """Append a figure; its text is what stands in it (`image.ocr_text`, else read by OCR) and its description.

        `confidence` is that of `image.ocr_text`; text read by OCR, once all else is read, comes with its own below 1.
        """
        key = self._gallery.keep(image)
        told, described = clean(image.ocr_text), clean(image.description)
        id = content_id("figure", self.source.document_id, len(self._pieces))
        figure = Figure(id, key, image.media_type, image.width, image.height, clean(caption), told, described)
        confidence = confidence if image.ocr_text else 1.0
        piece = Piece(BlockKind.FIGURE, shown_text(figure), place, confidence=confidence, figure=figure)
        self._pieces.append(piece)
        if not image.ocr_text and not image.unread:
            self._gallery.wait(piece)
        self._grow(len(piece.text))
        self._hurry()
        return True

    # -- about the document

    def page(self, page: Page) -> None:
        """Append a page, slide or sheet to the list of pages; each once, in order.

        Raises `TooLarge` beyond `limits.pages`.
        """
        if len(self._pages) >= self.settings.limits.pages:
            raise TooLarge(f"more than {self.settings.limits.pages} pages", ids=(self.source.uri,))
        self._pages.append(page)

    def reference(self, kind: ReferenceKind, target: str, evidence: str = "", section: str = "") -> None:
        """Record that the block appended last refers to `target`; `evidence` are the words of it that do."""
        target = clean(target)
        if target:
            self._pointers.append((self.last, Pointer(kind, target, clean(evidence), clean(section))))

    def references(self, pointers: Iterable[Pointer]) -> None:
        """Record several references of the block appended last."""
        for pointer in pointers:
            self.reference(pointer.kind, pointer.target, pointer.evidence, pointer.section)

    def meta(self, name: str, value: str) -> None:
        """Set one field of the metadata (author, created, subject, ...); an empty value is ignored."""
        value = clean(value)
        if value:
            self.metadata[name] = value

    def child(self, child: Child, otherwise: str = "") -> str:
        """Add a document inside this one (an attachment, a member of an archive); return the name that it gets here.

        A name that is taken gets a number. One that has no usable part (`part_name`) becomes `otherwise`, or else its
        kind and a number. A remark says where the name is not the document's own.
        """
        plain = part_name(child.name) or otherwise or f"{child.kind.value}-{len(self._children) + 1}"
        name = plain
        while name in self._children:
            self._taken[plain] += 1
            name = f"{self._taken[plain] + 1}-{plain}"
        if child.name and name != child.name:
            self.remark(f"the {child.kind.value} {child.name!r} is called {name!r} here")
        self._children[name] = replace(child, name=name)
        self._hurry()
        return name

    def remark(self, note: str, page: int = 0) -> None:
        """Add a note on how parsing went to `Document.notes`, with the pages that it is about where it is of some."""
        of = self._notes.setdefault(note, [])
        if page:
            of.append(page)

    def left_out(self, *names: str, issue: str = "") -> None:
        """Record what a limit kept from being read (`Parsed.unread`); `issue` is the sentence on it."""
        self._left = self._left.and_(names, issue)

    @property
    def empty(self) -> bool:
        """Whether no piece has any text yet."""
        return self._size == 0

    # -- the end

    def build(self) -> Parsed:
        """Return the document: INDEXED, PARTIAL where a page has an issue, EMPTY where there is no text at all.

        Pictures are read off last, once the task has kept the text. Where the limits leave something unread, the
        document is PARTIAL; TOO_LARGE where nothing was read.
        """
        total = len(self._gallery.waiting)
        read, why = self._gallery.read(self.settings.ocr, self.task, self._keep)
        self._grow(sum(len(one.text) for one in read))
        for issue in dict.fromkeys(one.issue for one in read if one.issue):
            self.remark(f"a picture was not read off: {issue}")
        left = self._gallery.waiting
        if left:
            self.left_out(*left, issue=pictures_unread(len(left), total, why))
        return self._result(self._left)

    def _broken_off(self) -> Parsed:
        """Return what was read before the time was up, its pictures unread."""
        place = self._pieces[-1].place if self._pieces else NOWHERE
        self.left_out(REST, *self._gallery.waiting, issue=broken_off(place, self.task.clock))
        return self._result(self._left)

    def _keep(self) -> None:
        """Hand the text to whoever keeps it, in case that reading the pictures ends this process."""
        if self.empty or self.task.checkpoint is keep_nothing:
            return
        left = self._gallery.waiting
        issue = pictures_unread(len(left), len(left), "reading them was broken off")
        self.task.checkpoint(replace(self._result(self._left.and_(left, issue)), again=True))

    def _result(self, left: LeftOut) -> Parsed:
        """Return the document as it is, its pictures as far as they are read."""
        unread = left.names
        issues = summed_up([*page_issues(self._pages), *left.issues])
        parsed = Parsed(
            Status.PARTIAL if issues else Status.INDEXED,
            None if self.empty else self._composed(),
            self._gallery.pictures,
            tuple(self._children.values()),
            issues,
            unread=unread,
            readings=self.task.readings if unread else {},
            again=bool(unread and self.task.read),
        )
        if not self.empty:
            return parsed
        status = Status.TOO_LARGE if unread else Status.EMPTY
        return replace(parsed, status=status, reason=f"no text ({issues})" if issues else "no text")

    def _composed(self) -> Document:
        return compose(
            self.source,
            self.engine,
            self._pieces,
            furniture=self._furniture,
            pointers=self._pointers,
            pages=self._pages,
            metadata=self.metadata,
            notes=tuple(f"{pages_named(of)}: {note}" if of else note for note, of in self._notes.items()),
            languages=self.settings.languages,
        )

    def _prose(self, kind: BlockKind, text: str, place: Place, *, level: int = 0, confidence: float = 1.0) -> bool:
        return self._append(Piece(kind, clean(text), place, level, confidence))

    def _append(self, piece: Piece) -> bool:
        if not piece.text:
            return False
        self._pieces.append(piece)
        self._grow(len(piece.text))
        self._hurry()
        return True

    def _grow(self, characters: int) -> None:
        self._size += characters
        check_text(self._size, self.source.uri, self.settings.limits)

    def _hurry(self) -> None:
        if self._hurried and self.task.clock.past(READING):
            raise OutOfTime(self.task.clock.reason, self._broken_off)
