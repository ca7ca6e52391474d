"""The builder that readers fill with the pieces of a file, in reading order, and that returns the document."""

from __future__ import annotations

import re
import string
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
    interruption_issue,
    joined_issues,
    page_issues,
    page_numbers,
    shown_text,
    unread_pictures_issue,
)
from pipelines.parse.limits import READING, OutOfTime, check_text, current_task
from pipelines.parse.lines import PAGE_NUMBER
from pipelines.parse.parsed import REST, Child, Parsed
from pipelines.parse.pieces import NOWHERE, Image, Piece, Place, Pointer, clean, clean_verbatim, table_of
from pipelines.parse.settings import ParseSettings

__all__ = ["NOWHERE", "DocumentBuilder", "Image", "Place"]

_LABEL_END = re.compile(r"([:\uff1a])\n(?!.*[:\uff1a]$)", re.MULTILINE)
"""The end of a label ("Approved by:") whose value follows, in the next cell of a header; not that of an empty field."""


class DocumentBuilder:
    """Collects the blocks of a file in reading order; `build` returns the document. Every reader uses it.

        builder = DocumentBuilder(source, settings, "foo")
        builder.heading("1 Safety", 1, Place(page=1))
        builder.paragraph("Close the valve V-12.", Place(page=1))
        parsed = builder.build()

    Texts are cleaned, and blocks without text are skipped, except figures; the methods that append return whether they
    did. They raise `TooLarge` if the text exceeds `limits.output_mb`, and `OutOfTime` if the file's processor seconds
    are used up; a reader that checks the clock itself passes `hurried=False`.
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
        self._headers: list[tuple[Piece, int]] = []
        self._pages: list[Page] = []
        self._pointers: list[tuple[int, Pointer]] = []
        self._gallery = Gallery()
        self._children: dict[str, Child] = {}
        self._name_counts: Counter[str] = Counter()
        self._notes: dict[str, list[int]] = {}
        self._left_out = LeftOut()
        self._illegible: list[str] = []
        self._hurried = hurried
        self._size = 0
        for name, value in (metadata or {}).items():
            self.meta(name, value)

    # -- text

    def title(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append the document's title as printed on its first page."""
        return self._prose(BlockKind.TITLE, text, place, confidence=confidence)

    def heading(self, text: str, level: int, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append a heading of `level`, from 1. Levels may be skipped; the depths of the sections have no gaps."""
        return self._prose(BlockKind.HEADING, text, place, level=max(1, level), confidence=confidence)

    def paragraph(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        return self._prose(BlockKind.PARAGRAPH, text, place, confidence=confidence)

    def list_item(self, text: str, level: int = 1, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append a list item at nesting depth `level`, from 1; `text` includes its bullet or number, if any."""
        return self._prose(BlockKind.LIST_ITEM, text, place, level=max(1, level), confidence=confidence)

    @property
    def last(self) -> int:
        """The position of the last piece, or -1 if there is none."""
        return len(self._pieces) - 1

    def promote(self, levels: Mapping[int, int]) -> None:
        """Turn the pieces at these positions into headings of these levels; level 0 makes a title."""
        for position, level in levels.items():
            piece = self._pieces[position]
            piece.kind, piece.level = (BlockKind.HEADING, level) if level else (BlockKind.TITLE, 0)

    def code(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        return self._append(Piece(BlockKind.CODE, clean_verbatim(text), place, confidence=confidence))

    def formula(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        return self._prose(BlockKind.FORMULA, text, place, confidence=confidence)

    def caption(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append a caption; it is assigned to an adjacent table or figure."""
        return self._prose(BlockKind.CAPTION, text, place, confidence=confidence)

    def footnote(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        return self._prose(BlockKind.FOOTNOTE, text, place, confidence=confidence)

    def note(self, text: str, place: Place = NOWHERE, confidence: float = 1.0) -> bool:
        """Append a speaker note or a reviewer's comment."""
        return self._prose(BlockKind.NOTE, text, place, confidence=confidence)

    def furniture(self, kind: BlockKind, text: str, place: Place = NOWHERE, *, new_words: int = 0) -> bool:
        """Add a PAGE_HEADER or PAGE_FOOTER, which is stored apart from the text.

        If the text lacks at least `new_words` of its words, it becomes part of the text too, once and at the end: often
        only page headers tell the number and the revision of a document, and who approved it. With 0 it never does.
        """
        piece = Piece(kind, clean(text), place)
        if piece.text:
            self._furniture.append(piece)
            self._headers += [(piece, new_words)] if new_words else []
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
        """Append a table of `cells`, in any order, just large enough to contain them.

        Of two cells at the same position the first is kept. Raises `TooLarge` if more than `limits.cells` have text.
        """
        id = content_id("table", self.source.document_id, len(self._pieces))
        table = table_of(id, cells, caption, parts, self.settings.limits, self.source.uri)
        if not any(cell.text for cell in table.cells):
            return False
        return self._append(Piece(BlockKind.TABLE, table.to_text(), place, confidence=confidence, table=table))

    def figure(self, image: Image, place: Place = NOWHERE, *, caption: str = "", confidence: float = 1.0) -> bool:
        """Append a figure; its text is the text in it (`image.ocr_text`, else found by OCR) and its description.

        `confidence` applies to `image.ocr_text`. OCR runs in `build` and sets a confidence of its own, below 1.
        """
        key = self._gallery.keep(image)
        ocr_text, description = clean(image.ocr_text), clean(image.description)
        id = content_id("figure", self.source.document_id, len(self._pieces))
        figure = Figure(id, key, image.media_type, image.width, image.height, clean(caption), ocr_text, description)
        confidence = confidence if image.ocr_text else 1.0
        piece = Piece(BlockKind.FIGURE, shown_text(figure), place, confidence=confidence, figure=figure)
        self._pieces.append(piece)
        if not image.ocr_text and not image.unread:
            self._gallery.wait(piece)
        self._add_size(len(piece.text))
        self._check_clock()
        return True

    # -- about the document

    def page(self, page: Page) -> None:
        """Append a page, slide or sheet to the list of pages; call it once for each, in order.

        Raises `TooLarge` beyond `limits.pages`.
        """
        if len(self._pages) >= self.settings.limits.pages:
            raise TooLarge(f"more than {self.settings.limits.pages} pages", ids=(self.source.uri,))
        self._pages.append(page)

    def reference(self, kind: ReferenceKind, target: str, evidence: str = "", section: str = "") -> None:
        """Record that the last block refers to `target`; `evidence` is the text in the block that does."""
        target = clean(target)
        if target:
            self._pointers.append((self.last, Pointer(kind, target, clean(evidence), clean(section))))

    def references(self, pointers: Iterable[Pointer]) -> None:
        """Record several references of the last block."""
        for pointer in pointers:
            self.reference(pointer.kind, pointer.target, pointer.evidence, pointer.section)

    def meta(self, name: str, value: str) -> None:
        """Set a metadata field (author, created, subject, ...); an empty value is ignored."""
        value = clean(value)
        if value:
            self.metadata[name] = value

    def child(self, child: Child, otherwise: str = "") -> str:
        """Add a document inside this one (an attachment, an archive member); return the name under which it is stored.

        A name that is already used gets a number. If nothing of it is usable (`part_name`), the name is `otherwise`, or
        the kind and a number. A note is added if the stored name differs from the document's own.
        """
        plain = part_name(child.name) or otherwise or f"{child.kind.value}-{len(self._children) + 1}"
        name = plain
        while name in self._children:
            self._name_counts[plain] += 1
            name = f"{self._name_counts[plain] + 1}-{plain}"
        if child.name and name != child.name:
            self.remark(f"the {child.kind.value} {child.name!r} is called {name!r} here")
        self._children[name] = replace(child, name=name)
        self._check_clock()
        return name

    def remark(self, note: str, page: int = 0) -> None:
        """Add a note about parsing to `Document.notes`; all pages given for the same note are listed in it."""
        pages = self._notes.setdefault(note, [])
        if page:
            pages.append(page)

    def left_out(self, *names: str, issue: str = "") -> None:
        """Record what was not read because of a limit (`Parsed.unread`); `issue` is a sentence about it."""
        self._left_out = self._left_out.plus(names, issue)

    def illegible(self, *names: str) -> None:
        """Record pages and pictures that OCR cannot read; they are read again once other OCR models are installed."""
        self._illegible.extend(names)

    @property
    def empty(self) -> bool:
        """Whether there is no text yet."""
        return self._size == 0

    # -- the end

    def build(self) -> Parsed:
        """Return the document: INDEXED, PARTIAL if a page has an issue, EMPTY if there is no text at all.

        Pictures are read by OCR last, after the task has stored the text. If a limit leaves something unread, the
        document is PARTIAL, or TOO_LARGE if nothing was read.
        """
        self._append_headers()
        total = len(self._gallery.waiting)
        read, why = self._gallery.read(self.settings.ocr, self.task, self._keep)
        self._add_size(sum(len(one.text) for one in read.values()))
        for name, one in read.items():
            if one.issue:
                self.remark(f"a picture was not read off: {one.issue}")
                self.illegible(name)
        left = self._gallery.waiting
        if left:
            self.left_out(*left, issue=unread_pictures_issue(len(left), total, why))
        if self.empty:
            self._read_furniture()
        return self._result(self._left_out)

    def _append_headers(self) -> None:
        """Append the headers and footers with enough words that the text lacks, without page numbers."""
        said = {word for piece in self._pieces for word in _words(piece.text)} if self._headers else set()
        for piece, new_words in () if self.empty else self._headers:
            parts = [part.strip() for part in re.split(r"[\t\n]+", piece.text)]
            text = "\n".join(part for part in parts if not PAGE_NUMBER.fullmatch(part))
            text = _LABEL_END.sub(r"\1 ", text)
            # On the next page, only its number is new.
            if len(_words(text) - said) >= new_words and any(map(str.isalpha, text)):
                self._append(replace(piece, text=text))
                said |= _words(text)

    def _read_furniture(self) -> None:
        """Make the page headers and footers the text of a document that has no other."""
        pieces = {piece.text: replace(piece, kind=BlockKind.PARAGRAPH) for piece in reversed(self._furniture)}
        self._furniture = []
        for piece in reversed(pieces.values()):
            self._append(piece)

    def _interrupted(self) -> Parsed:
        """Return what was read before the time was up, without OCR of its pictures."""
        place = self._pieces[-1].place if self._pieces else NOWHERE
        self.left_out(REST, *self._gallery.waiting, issue=interruption_issue(place, self.task.clock))
        return self._result(self._left_out)

    def _keep(self) -> None:
        """Pass the text to the task's checkpoint, in case OCR terminates this process."""
        if self.empty or self.task.checkpoint is None:
            return
        left = self._gallery.waiting
        issue = unread_pictures_issue(len(left), len(left), "reading them was broken off")
        self.task.checkpoint(replace(self._result(self._left_out.plus(left, issue)), again=True))

    def _result(self, left: LeftOut) -> Parsed:
        """Return the current document, with the text of those pictures that have been read."""
        unread = tuple(dict.fromkeys((*left.names, *self._illegible)))
        issues = joined_issues([*page_issues(self._pages), *left.issues])
        parsed = Parsed(
            Status.PARTIAL if issues else Status.INDEXED,
            None if self.empty else self._document(),
            self._gallery.pictures,
            tuple(self._children.values()),
            issues,
            unread=unread,
            readings=self.task.readings if unread else {},
            again=bool(left.names and self.task.read),
        )
        if not self.empty:
            return parsed
        status = Status.TOO_LARGE if left.names else Status.EMPTY
        return replace(parsed, status=status, reason=f"no text ({issues})" if issues else "no text")

    def _document(self) -> Document:
        return compose(
            self.source,
            self.engine,
            self._pieces,
            furniture=self._furniture,
            pointers=self._pointers,
            pages=self._pages,
            metadata=self.metadata,
            notes=tuple(f"{page_numbers(pages)}: {note}" if pages else note for note, pages in self._notes.items()),
            languages=self.settings.languages,
        )

    def _prose(self, kind: BlockKind, text: str, place: Place, *, level: int = 0, confidence: float = 1.0) -> bool:
        return self._append(Piece(kind, clean(text), place, level, confidence))

    def _append(self, piece: Piece) -> bool:
        if not piece.text:
            return False
        self._pieces.append(piece)
        self._add_size(len(piece.text))
        self._check_clock()
        return True

    def _add_size(self, characters: int) -> None:
        self._size += characters
        check_text(self._size, self.source.uri, self.settings.limits)

    def _check_clock(self) -> None:
        if self._hurried and self.task.clock.past(READING):
            raise OutOfTime(self.task.clock.reason, self._interrupted)


def _words(text: str) -> set[str]:
    return {word.strip(string.punctuation) for word in text.casefold().split() if any(map(str.isalnum, word))}
