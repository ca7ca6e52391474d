"""PyMuPDF behind values: an open PDF file and its pages; `mupdf_search` has what the library searches a page for."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pymupdf

from pipelines.core.errors import Encrypted, Malformed
from pipelines.parse.lines import Line, Rect
from pipelines.parse.near import Covered, Near
from pipelines.parse.pdf.extract import (
    add_rules,
    annotations_of,
    fragments_of,
    images_of,
    paint_of,
    ticks_of,
    upright_turn,
    words_of,
)
from pipelines.parse.pdf.fragments import Fragment, lines_of
from pipelines.parse.pdf.mupdf_search import grids_of, regions_of
from pipelines.parse.pdf.page import Bookmark, PageGrid, PageLink, PageRegion, PageWord, RawPage, Rules

_UTF16 = re.compile(r"<FEFF((?:[0-9A-F]{4})*)>")
"""How the library tells a text that the file has as UTF-16."""
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
_COMMENTS = frozenset(("Text", "Highlight", "Underline", "StrikeOut", "Squiggly", "Caret", "Square", "Circle"))
_STAMPS = (pymupdf.PDF_ANNOT_STAMP,)
_SHRINK_EVERY = 8
"""Pages after which MuPDF's store of fonts and images is emptied, so that memory stays flat."""
_MOST_SMOOTH, _MOST_PATHS, _MOST_DRAWN = 5_000, 20_000, 100_000
"""Drawn things of a page up to which edges are drawn smooth, tables are looked for, the layout model is asked."""
_MOST_FIELDS = 1000
"""Fields and annotations of a page up to which model and tables are tried: the library looks up each among all."""
_MOST_WRITTEN = 10_000
"""Pieces in which the text of a page is written up to which they are: both compare pieces with one another."""
_MOST_STAMPS = 20
"""Stamps of a page that are read to the character."""
_MOST_KEPT = 20_000
"""Lines of a file that are kept from the survey until their page is read: 400 pages, some 15 MB."""
_SMOOTH = 8
"""Bits of MuPDF's smoothing, as it begins."""


FAULTS = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError)
"""What the library raises for a page that it cannot read."""


@dataclass(frozen=True, slots=True)
class _PageText:
    """The lines of a page of that height, once it is turned upright by so many degrees clockwise."""

    turned: int
    height: float
    lines: tuple[Line, ...]
    watermarks: tuple[Line, ...]


class PdfFile:
    """An open PDF. One page is held at a time; pages are numbered from 1.

    Raises `Encrypted` where no password opens it, `Malformed` where it is no PDF.
    """

    def __init__(self, path: Path, passwords: Sequence[str] = ()) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        try:
            self._file = pymupdf.open(path, filetype="pdf")
        except FAULTS as error:
            raise Malformed(f"not a readable PDF: {error}", ids=(path.name,)) from error
        self._unlock(path, passwords)
        try:
            self.pages: int = self._file.page_count
        except FAULTS as error:
            raise Malformed(f"not a readable PDF: {error}", ids=(path.name,)) from error
        if not self.pages:
            raise Malformed("a PDF without pages", ids=(path.name,))
        self._number = 0
        self._upright: Any = None
        self._blocks: Any = ()
        self._holder: Any = None
        self._known: dict[int, _PageText] = {}
        self._kept = 0
        self._words: list[PageWord] | None = None
        self._turn = self._turned_by = 0
        self._opened = 0
        self._drawn = self._written = 0

    def _unlock(self, path: Path, passwords: Sequence[str]) -> None:
        if not self._file.needs_pass:
            return
        if not any(self._file.authenticate(password) for password in passwords):
            self._file.close()
            hint = "give its password under parse.passwords" if not passwords else "none of the passwords opens it"
            raise Encrypted("the PDF needs a password", ids=(path.name,), hint=hint)

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop()
        self._file.close()

    # -- the file

    def metadata(self) -> dict[str, str]:
        """Return what the file says of itself, by PDF's own names (title, author, creationDate, ...)."""
        return {name: value for name, value in (self._file.metadata or {}).items() if isinstance(value, str) and value}

    def bookmarks(self) -> list[Bookmark]:
        """Return the outline in order; entries that lead out of the file are left out."""
        try:
            entries = self._file.get_toc()
        except (*FAULTS, KeyError):
            return []
        return [
            Bookmark(level, title, page)
            for level, title, page, *_ in entries
            if title.strip() and 0 < page <= self.pages
        ]

    def label(self, number: int) -> str:
        """Return the page number as printed, where the file tells it."""
        try:
            label = self._file[number - 1].get_label()
        except (*FAULTS, IndexError, KeyError, TypeError):
            return ""
        return _UTF16.sub(lambda told: bytes.fromhex(told[1]).decode("utf-16-be", "replace"), str(label or ""))

    def image(self, number: int) -> tuple[bytes, str]:
        """Return the bytes and media type of a bitmap as it is in the file; empty where it cannot be had."""
        try:
            found = self._file.extract_image(number)
        except FAULTS:
            return b"", ""
        kind = {"jpg": "jpeg", "jpx": "jp2"}.get(found.get("ext", ""), found.get("ext", ""))
        return (found.get("image") or b"", f"image/{kind}") if found else (b"", "")

    def attachments(self, most: int) -> Iterator[tuple[str, bytes]]:
        """Yield name and bytes of the files inside the file, up to `most` bytes in all."""
        names = self._file.embfile_names()
        self._file.embfile_names = lambda: names  # the library would gather them anew for each, and twice
        for number, name in enumerate(names):
            information = self._file.embfile_info(number)
            most -= int(information.get("size") or information.get("length") or 0)
            if most < 0:
                return
            yield str(information.get("filename") or name), bytes(self._file.embfile_get(number))

    # -- a page

    def comments(self, number: int) -> list[tuple[Rect, str]]:
        """Return what reviewers wrote and stamped on a page; what stands on the page itself is not among it."""
        self._open(number)
        found = [
            (Rect(*annotation.rect), str(annotation.info.get("content") or ""))
            for annotation in annotations_of(self._upright)
            if annotation.type[1] in _COMMENTS and annotation.info.get("content")
        ]
        stamps = [stamp.rect for stamp in annotations_of(self._upright) if stamp.type[0] in _STAMPS]
        found += [(Rect(*stamp), f"[{text}]") for stamp, text in zip(stamps, self._texts(stamps), strict=True)]
        return [(rect, text) for rect, text in found if text != "[]"]

    def _texts(self, stamps: Sequence[Any]) -> Iterator[str]:
        """Yield what stands on each stamp; of many, whole words: the library looks at every character for each."""
        if len(stamps) <= _MOST_STAMPS:
            page = self._upright.get_textpage() if stamps else None
            for stamp in stamps:
                yield " ".join(self._upright.get_textbox(stamp, textpage=page).split())
            return
        words = Near(self.words(self._number), lambda word: word.rect)
        for stamp in stamps:
            rect = Rect(*stamp)
            yield " ".join(word.text for word in words.at(rect) if rect.holds(*word.rect.middle))

    def page(self, number: int) -> RawPage:
        """Return the page with its lines upright, whichever way it is turned in the file."""
        text = self._text(number)
        page = self._upright
        return RawPage(
            number=number,
            width=page.rect.width,
            height=page.rect.height,
            lines=text.lines,
            watermarks=text.watermarks,
            images=tuple(images_of(page)),
            paint=paint_of(page, self._log()),
            links=tuple(self._links(number)),
            turn=self._turn,
        )

    def _log(self) -> list[Any]:
        """Return what is drawn on the page, kind and box, and remember how much that is."""
        log: list[Any] = self._upright.get_bboxlog()
        self._drawn, self._written = len(log), sum(1 for kind, _ in log if kind.endswith("-text"))
        return log

    def lines(self, number: int) -> tuple[Sequence[Line], float]:
        """Return only the lines of a page, and its height: the quick look that a survey takes."""
        text = self._text(number)
        return text.lines, text.height

    def _text(self, number: int) -> _PageText:
        """Return the text of a page, which is opened; it is read once, unless the file has very many lines."""
        self._open(number)
        if (kept := self._known.get(number)) is not None:
            return kept
        fragments = self._fragments()
        level, askew = (
            tuple(lines_of([fragment for fragment in fragments if fragment.is_watermark is mark]))
            for mark in (False, True)
        )
        text = _PageText(self._turned_by, self._upright.rect.height, level, askew)
        self._kept += len(level)
        if self._kept <= _MOST_KEPT:
            self._known[number] = text
        return text

    def _fragments(self) -> list[Fragment]:
        """Return the pieces of text of the open page, without what is stamped on it, and the check boxes of a form."""
        ticks = list(ticks_of(self._upright)) if self._file.is_form_pdf else []
        stamps = [Rect(*stamp.rect) for stamp in annotations_of(self._upright) if stamp.type[0] in _STAMPS]
        covered = Covered([*stamps, *(tick.rect for tick in ticks)])
        found = [
            fragment
            for fragment in fragments_of(self._upright, self._blocks, _FLAGS)
            if not covered.holds(*fragment.rect.middle)
        ]
        return [*found, *ticks]

    def words(self, number: int) -> list[PageWord]:
        """Return the words of a page, parted also where only white space between them tells."""
        self._open(number)
        if self._words is None:
            # An italic letter hangs over the page's edge.
            area = pymupdf.Rect(*Rect(*self._upright.rect).grown(2))
            self._words = list(words_of(self._upright.get_text("rawdict", flags=_FLAGS, clip=area)["blocks"]))
        return self._words

    def correct(self, number: int, words: Sequence[PageWord]) -> None:
        """Take other words for a page, as long as it is the one that is held."""
        self._open(number)
        self._words = list(words)

    def regions(self, number: int, *, looking: bool) -> list[PageRegion]:
        """Return what the layout model sees on the page, in reading order; nothing where drawings are too intricate.

        `looking` it sees the page as a picture, too, which takes four times as long.
        """
        self._open(number)
        if self._drawn > _MOST_DRAWN or self._crowded():
            return []
        with self._drawn_fast():
            return regions_of(self._upright, looking=looking)

    def grids(self, number: int) -> list[PageGrid]:
        """Return the grids of the page's tables that have drawn lines; none where the drawing is too intricate."""
        self._open(number)
        if self._drawn > _MOST_PATHS or self._crowded():
            return []
        return grids_of(self._upright)

    def _crowded(self) -> bool:
        return self._written > _MOST_WRITTEN or len(self._upright.annot_xrefs()) > _MOST_FIELDS

    def rules(self, number: int, clip: Rect) -> Rules:
        """Return the straight lines drawn in an area, sides of boxes among them."""
        self._open(number)
        found = Rules()
        for drawing in self._upright.get_cdrawings():
            if Rect(*drawing["rect"]).grown(1).meet(clip).width > 0:
                add_rules(found, drawing)
        return found.without_hidden().within(clip)

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height of a page, upright, in points."""
        self._open(number)
        return self._upright.rect.width, self._upright.rect.height

    def render(self, number: int, dpi: int, clip: Rect | None = None) -> bytes:
        """Return the page, or a part of it, as PNG at `dpi`."""
        self._open(number)
        area = pymupdf.Rect(*clip) if clip is not None else None
        with self._drawn_fast():
            pixels = self._upright.get_pixmap(dpi=dpi, clip=area, alpha=False, annots=True)
        return bytes(pixels.tobytes("png"))

    @contextlib.contextmanager
    def _drawn_fast(self) -> Iterator[None]:
        """Draw what is intricate without smooth edges: they take twenty times as long."""
        if self._drawn <= _MOST_SMOOTH:
            yield
            return
        pymupdf.TOOLS.set_aa_level(0)
        try:
            yield
        finally:
            pymupdf.TOOLS.set_aa_level(_SMOOTH)

    def _open(self, number: int) -> None:
        if number == self._number:
            return
        self._drop()
        self._opened += 1
        if self._opened % _SHRINK_EVERY == 0:
            # Per cent.
            pymupdf.TOOLS.store_shrink(100)
        page = self._file[number - 1]
        shown = page.rotation
        page.set_rotation(0)
        kept = self._known.get(number)
        self._upright, self._blocks = page, () if kept else _text_blocks(page)
        upright = kept.turned if kept else upright_turn(self._blocks, shown)
        self._turn, self._turned_by = (shown - upright) % 360, upright
        if upright:
            self._upright = self._turned(page, upright)
            self._blocks = () if kept else _text_blocks(self._upright)
        self._number, self._drawn, self._written = number, 0, 0

    def _turned(self, page: Any, turn: int) -> Any:
        """Return a copy of the page turned clockwise, on a page of its own: every tool then sees it upright."""
        width, height = page.rect.width, page.rect.height
        if turn in (90, 270):
            width, height = height, width
        self._holder = pymupdf.open()
        copy = self._holder.new_page(width=width, height=height)
        copy.show_pdf_page(copy.rect, self._file, page.number, rotate=-turn % 360, keep_proportion=False)
        return copy

    def _drop(self) -> None:
        self._upright, self._blocks, self._words = None, (), None
        self._number = 0
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def _links(self, number: int) -> Iterator[PageLink]:
        """Links have no place on a turned copy; there they are told without their rectangle."""
        page = self._file[number - 1] if self._holder is not None else self._upright
        try:
            links = list(_links_of(page))
        except FAULTS:
            return
        for link in links:
            rect = Rect(*link["from"]) if self._holder is None else Rect(0, 0, 0, 0)
            uri = str(link.get("uri") or link.get("file") or "")
            target = int(link.get("page", -1)) + 1
            if uri or target > 0:
                yield PageLink(rect, uri, 0 if uri else target)


def _links_of(page: Any) -> Iterator[Any]:
    link = page.first_link
    while link:
        link.xref = 0  # the library would look up the number of the next one among all
        yield pymupdf.utils.getLinkDict(link, page.parent)
        link = link.next


def _text_blocks(page: Any) -> Any:
    return page.get_text("dict", flags=_FLAGS)["blocks"]
