"""PDF files read with PyMuPDF; tables and layout regions are found by `mupdf_search`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from pipelines.core.errors import Encrypted, Malformed
from pipelines.parse.lines import Line, Projection, Rect
from pipelines.parse.near import Covered, Near
from pipelines.parse.ocr.engine import Raster
from pipelines.parse.pdf.damage import has_lost_content, is_cut_short, with_found_pages
from pipelines.parse.pdf.extract import (
    add_rules,
    annotations_of,
    check_boxes_of,
    fragments_of,
    images_of,
    paint_of,
    upright_rotation,
    words_of,
)
from pipelines.parse.pdf.fragments import Fragment, lines_of
from pipelines.parse.pdf.library import FAULTS, pymupdf
from pipelines.parse.pdf.mupdf_search import grids_of, regions_of, searchable_page
from pipelines.parse.pdf.page import Bookmark, PageGrid, PageLink, PageRegion, PageWord, RawPage, Rules, TextLayer
from pipelines.parse.settings import UNLOCK_HINT

_UTF16 = re.compile(r"<FEFF((?:[0-9A-F]{4})*)>")
"""How the library returns a label that is UTF-16 in the file."""
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
_PAINTED = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED
_ZIP = b"PK\x03\x04"
_NO_COMMENTS = frozenset(("Link", "Popup", "FreeText", "Stamp", "Widget"))
"""Annotations whose contents are no comment, or are shown on the page (PDF 1.7, 12.5.6)."""
_SIZES = ("Params/Size", "Length")
"""The sizes of an embedded file, below its stream (PDF 1.7, 7.11.4)."""
_STAMP_TYPES = (pymupdf.PDF_ANNOT_STAMP,)
_SHRINK_EVERY = 8
"""Pages after which MuPDF's cache of fonts and images is emptied, so that memory use stays constant."""
_MOST_ANTIALIASED, _MOST_PATHS, _MOST_DRAWN = 5_000, 20_000, 100_000
"""Maximum drawing operations of a page for which it is rendered with antialiasing, searched for tables, and passed to
the layout model."""
_MOST_FIELDS = 1000
"""Maximum fields and annotations of a page for the model and the search for tables, whose time is quadratic in them."""
_MOST_TEXT_PIECES = 10_000
"""Maximum text operations of a page for the model and the search for tables: both compare them with one another."""
_MOST_STAMPS = 20
"""Maximum stamps of a page whose text is read character by character."""
_MOST_KEPT = 60_000
"""Maximum lines of a file that are kept until their page is read: 1,200 pages, about 45 MB."""
_ANTIALIASING = 8
"""MuPDF's default bits of antialiasing."""


@dataclass(frozen=True, slots=True)
class _PageText:
    """The lines of a page after rotation by `rotation` degrees clockwise, to upright, and its height then.

    `words` and `rules` are those found by OCR, None if the page has a text layer.
    """

    rotation: int
    height: float
    lines: tuple[Line, ...]
    watermarks: tuple[Line, ...] = ()
    words: tuple[PageWord, ...] | None = None
    rules: tuple[Rect, ...] = ()
    projection: Projection | None = None


def _opened(path: Path) -> tuple[Any, bool]:
    """Open a PDF file, or an XPS file, converted to PDF; also return whether pages may be lost with their list."""
    try:
        file = pymupdf.open(path, filetype="pdf") if not _is_xps(path) else _converted(path)
        found = with_found_pages(path) if not file.needs_pass and not file.page_count else None
    except FAULTS as error:
        found = with_found_pages(path)
        if found is None:
            raise _malformed(path, error) from error
    else:
        if found is None:
            return file, False
        file.close()
    return found, True


def _converted(path: Path) -> Any:
    with pymupdf.open(path, filetype="xps") as pages:
        return pymupdf.open("pdf", pages.convert_to_pdf())


def _is_xps(path: Path) -> bool:
    """Whether a file is a ZIP archive, as XPS files are."""
    with path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def _malformed(path: Path, error: Exception) -> Malformed:
    """Return the error of the library as ours, without the folder of the file, which may be a temporary one."""
    kind = "XPS file" if _is_xps(path) else "PDF"
    return Malformed(f"not a readable {kind}: {str(error).replace(str(path), path.name)}", ids=(path.name,))


def write_pictures(path: Path, pictures: Iterable[tuple[bytes, float, float]]) -> None:
    """Write a PDF file with each picture as a page: PNG or JPEG data, with width and height in points."""
    with pymupdf.open() as file:
        for data, width, height in pictures:
            page = file.new_page(width=width, height=height)
            page.insert_image(page.rect, stream=data, keep_proportion=False)
        file.save(path)


class PdfFile:
    """An open PDF file, or an XPS file as PDF. One page is open at a time; pages are numbered from 1.

    `is_cut_short` says that its end is missing, `has_lost_pages` that not all of its pages may have been found.
    Raises `Encrypted` if no password opens it, and `Malformed` if it is not a PDF file or has no pages.
    """

    def __init__(self, path: Path, passwords: Sequence[str] = ()) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        self._file, self.has_lost_pages = _opened(path)
        self.is_cut_short = self._file.is_repaired and is_cut_short(path)
        try:
            self._unlock(path, passwords)
            self.pages: int = self._file.page_count
        except FAULTS as error:
            self._file.close()
            raise _malformed(path, error) from error
        if not self.pages:
            raise Malformed("a PDF without pages", ids=(path.name,))
        self._damaged: set[int] = set()
        self._number = 0
        self._upright: Any = None
        self._blocks: Any = ()
        self._rotated_file: Any = None
        self._layer_file: Any = None
        self._page_texts: dict[int, _PageText] = {}
        self._kept_lines = 0
        self._words: list[PageWord] | None = None
        self._display_rotation = self._rotation_to_upright = 0
        self._pages_opened = 0
        self._drawn_things = self._text_pieces = 0

    def _unlock(self, path: Path, passwords: Sequence[str]) -> None:
        if not self._file.needs_pass:
            return
        if not any(self._file.authenticate(password) for password in passwords):
            self._file.close()
            text = "none of the passwords in the settings opens the PDF" if passwords else "the PDF needs a password"
            raise Encrypted(text, ids=(path.name,), hint=UNLOCK_HINT)

    def __enter__(self) -> PdfFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_page()
        self._file.close()

    # -- the file

    def metadata(self) -> dict[str, str]:
        """Return the metadata under PDF's names (title, author, creationDate, ...)."""
        return {name: value for name, value in (self._file.metadata or {}).items() if isinstance(value, str) and value}

    def bookmarks(self) -> list[Bookmark]:
        """Return the outline in order, without entries that link to other files."""
        try:
            entries = self._file.get_toc()
        except (*FAULTS, KeyError):
            return []
        return [
            Bookmark(level, title, page)
            for level, title, page, *_ in entries
            if title.strip() and 0 < page <= self.pages
        ]

    def hidden_layers(self) -> list[str]:
        """Return the names of the layers (optional content, PDF 1.7, 8.11) that are switched off; they are not read."""
        try:
            layers = self._file.get_ocgs().values()
        except FAULTS:
            return []
        return [str(layer["name"]) for layer in layers if not layer["on"]]

    def label(self, number: int) -> str:
        """Return the printed page number, empty if the file does not contain it."""
        try:
            label = self._file[number - 1].get_label()
        except (*FAULTS, IndexError, KeyError, TypeError):
            return ""
        # The library reads the type of a label, "/PageLabel", which Typst writes, as its prefix.
        label = str(label or "").removeprefix("ageLabel")
        return _UTF16.sub(lambda found: bytes.fromhex(found[1]).decode("utf-16-be", "replace"), label)

    def image(self, number: int) -> tuple[bytes, str]:
        """Return the bytes and media type of a bitmap as stored in the file, empty if it cannot be extracted."""
        try:
            found = self._file.extract_image(number)
        except FAULTS:
            return b"", ""
        kind = {"jpg": "jpeg", "jpx": "jp2"}.get(found.get("ext", ""), found.get("ext", ""))
        return (found.get("image") or b"", f"image/{kind}") if found else (b"", "")

    def dynamic_form(self) -> bytes:
        """Return the XML of a dynamic XFA form, whose pages only have a placeholder; empty for other files.

        Only such a form must be rendered by the viewer (PDF 1.7 ExtensionLevel 3, 7.7.2: NeedsRendering); its
        placeholder is one page.
        """
        mupdf, trailer = pymupdf.mupdf, pymupdf.mupdf.pdf_trailer(pymupdf._as_pdf_document(self._file))
        if self.pages > 1 or not mupdf.pdf_to_bool(mupdf.pdf_dict_getp(trailer, "Root/NeedsRendering")):
            return b""
        form = mupdf.pdf_dict_getp(trailer, "Root/AcroForm/XFA")
        # The XML, or its parts, each after its name.
        places = range(1, mupdf.pdf_array_len(form), 2) if mupdf.pdf_is_array(form) else ()
        streams = [mupdf.pdf_array_get(form, place) for place in places] or [form]
        return b"".join(
            bytes(pymupdf.JM_BinFromBuffer(mupdf.pdf_load_stream(stream)))
            for stream in streams
            if mupdf.pdf_is_stream(stream)
        )

    def attachments(self, most: int) -> Iterator[tuple[str, bytes]]:
        """Yield names and contents of the embedded files, of the document and of its pages, up to `most` bytes."""
        mupdf = pymupdf.mupdf
        for name, specification in self._specifications():
            # The unpacked and the packed size, if stated: what is too large is not loaded.
            sizes = (mupdf.pdf_to_int(mupdf.pdf_dict_getp(specification, f"EF/F/{key}")) for key in _SIZES)
            if next(filter(None, sizes), 0) > most:
                return
            data = bytes(pymupdf.JM_BinFromBuffer(mupdf.pdf_load_embedded_file_contents(specification)))
            most -= len(data)
            if most < 0:
                return
            yield name, data

    def _specifications(self) -> Iterator[tuple[str, Any]]:
        """Yield name and file specification (PDF 1.7, 7.11.3) of each embedded file.

        The library's own list lacks the files of a name tree of more than one level (7.9.6), and those of annotations.
        """
        mupdf = pymupdf.mupdf
        tree = mupdf.pdf_load_name_tree(pymupdf._as_pdf_document(self._file), pymupdf.PDF_NAME("EmbeddedFiles"))
        found = [mupdf.pdf_dict_get_val(tree, place) for place in range(mupdf.pdf_dict_len(tree))]
        for number in range(self._file.page_count):
            with contextlib.suppress(*FAULTS):  # a broken page has an issue of its own
                page = self._file[number]  # which must outlive its annotations
                found += [
                    mupdf.pdf_dict_get(mupdf.pdf_annot_obj(annotation.this), pymupdf.PDF_NAME("FS"))
                    for annotation in annotations_of(page)
                    if annotation.type[0] == pymupdf.PDF_ANNOT_FILE_ATTACHMENT
                ]
        for specification in found:
            if mupdf.pdf_is_embedded_file(specification):
                names = (mupdf.pdf_dict_get(specification, pymupdf.PDF_NAME(key)) for key in ("UF", "F"))
                yield next(filter(None, map(mupdf.pdf_to_text_string, names)), "attachment"), specification

    # -- a page

    def comments(self, number: int) -> list[tuple[Rect, str]]:
        """Return reviewers' comments and the texts of stamps on a page, with their rectangles."""
        self._open(number)
        found = [
            (Rect(*annotation.rect), str(annotation.info.get("content") or ""))
            for annotation in annotations_of(self._upright)
            if annotation.type[1] not in _NO_COMMENTS and annotation.info.get("content")
        ]
        stamps = [stamp.rect for stamp in annotations_of(self._upright) if stamp.type[0] in _STAMP_TYPES]
        found += [(Rect(*stamp), f"[{text}]") for stamp, text in zip(stamps, self._stamp_texts(stamps), strict=True)]
        return [(rect, text) for rect, text in found if text != "[]"]

    def _stamp_texts(self, stamps: Sequence[Any]) -> Iterator[str]:
        """Yield the text of each stamp; if there are many, by whole words, since the library scans all characters."""
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
        """Return the page, rotated so that most of its lines are upright."""
        text = self._text(number)
        page, log = self._upright, self._drawing_log()
        paint = paint_of(page, log)
        across = tuple(rule for rule in text.rules if rule.width > rule.height)
        down = tuple(rule for rule in text.rules if rule.width <= rule.height)
        paint = replace(paint, horizontal=paint.horizontal + across, vertical=paint.vertical + down)
        return RawPage(
            number=number,
            width=page.rect.width,
            height=page.rect.height,
            lines=text.lines,
            watermarks=text.watermarks,
            images=tuple(images_of(page, log)),
            paint=paint,
            links=tuple(self._links(number)),
            turn=self._display_rotation,
            projection=text.projection,
        )

    def _drawing_log(self) -> list[Any]:
        """Return the drawing operations of the page as kind and box, and remember their numbers."""
        log: list[Any] = self._upright.get_bboxlog()
        self._drawn_things, self._text_pieces = len(log), sum(1 for kind, _ in log if kind.endswith("-text"))
        return log

    def lines(self, number: int) -> tuple[Sequence[Line], float]:
        """Return only the lines and the height of a page, for the survey of the file."""
        text = self._text(number)
        return text.lines, text.height

    def _text(self, number: int) -> _PageText:
        """Open a page and return its text; it is cached unless the file has very many lines."""
        self._open(number)
        if (kept := self._page_texts.get(number)) is not None:
            return kept
        fragments = self._fragments()
        upright_lines, watermarks = (
            tuple(lines_of([fragment for fragment in fragments if fragment.is_watermark is mark]))
            for mark in (False, True)
        )
        text = _PageText(self._rotation_to_upright, self._upright.rect.height, upright_lines, watermarks)
        self._kept_lines += len(upright_lines)
        if self._kept_lines <= _MOST_KEPT:
            self._page_texts[number] = text
        return text

    def _fragments(self) -> list[Fragment]:
        """Return the text fragments of the open page, without stamps, and the check boxes of a form."""
        boxes = list(check_boxes_of(self._upright)) if self._file.is_form_pdf else []
        stamps = [Rect(*stamp.rect) for stamp in annotations_of(self._upright) if stamp.type[0] in _STAMP_TYPES]
        covered = Covered([*stamps, *(tick.rect for tick in boxes)])
        found = [
            fragment
            for fragment in fragments_of(self._upright, self._blocks, _FLAGS)
            if not covered.holds(*fragment.rect.middle)
        ]
        return [*found, *boxes]

    def hidden_share(self, number: int) -> float:
        """Return the share of the characters of a page's text layer that are invisible, as those of a searchable scan.

        It must be called before `set_text`.
        """
        self._open(number)
        spans = [span for block in self._blocks for line in block.get("lines", ()) for span in line["spans"]]
        hidden = sum(len(span["text"]) for span in spans if not span["char_flags"] & _PAINTED)
        return hidden / max(1, sum(len(span["text"]) for span in spans))

    def set_text(self, number: int, layer: TextLayer) -> None:
        """Replace the text layer of a page by what OCR found."""
        self._open(number)
        rotation = (self._rotation_to_upright + layer.turn) % 360
        # A quarter turn exchanges width and height.
        height = self._upright.rect.height if layer.turn in (0, 180) else self._upright.rect.width
        self._page_texts[number] = _PageText(
            rotation, height, layer.lines, (), layer.words, layer.rules, layer.projection
        )
        self._close_page()

    def words(self, number: int) -> list[PageWord]:
        """Return the words of a page; gaps without a blank character also separate words."""
        self._open(number)
        kept = self._page_texts.get(number)
        if self._words is None and kept is not None and kept.words is not None:
            self._words = list(kept.words)
        if self._words is None:
            # 2 points: an italic letter may extend beyond the edge of the page.
            area = pymupdf.Rect(*Rect(*self._upright.rect).grown(2))
            self._words = list(words_of(self._upright.get_text("rawdict", flags=_FLAGS, clip=area)["blocks"]))
        return self._words

    def set_words(self, number: int, words: Sequence[PageWord]) -> None:
        """Replace the words of a page until another page is opened."""
        self._open(number)
        self._words = list(words)

    def regions(self, number: int, *, with_image: bool) -> list[PageRegion]:
        """Return the regions that the layout model finds on the page, in reading order; none if it is too complex.

        `with_image` passes the model an image of the page too, which takes four times as long.
        """
        self._open(number)
        if self._drawn_things > _MOST_DRAWN or self._too_complex():
            return []
        with self._reduced_antialiasing():
            return regions_of(self._upright, self._searched, with_image=with_image, drawn=self._drawn_things)

    def grids(self, number: int) -> list[PageGrid]:
        """Return the grids of the page's tables with drawn lines; none if the page is too complex."""
        self._open(number)
        if self._drawn_things > _MOST_PATHS or self._too_complex():
            return []
        return grids_of(self._searched)

    @property
    def _searched(self) -> Any:
        """The open page as layout is searched for: with the text and lines of OCR if it has such."""
        kept = self._page_texts.get(self._number)
        if kept is None or kept.words is None:
            return self._upright
        if self._layer_file is None:
            self._layer_file = searchable_page(self._upright.rect, kept.lines, kept.rules)
        return self._layer_file[0]

    def _too_complex(self) -> bool:
        return self._text_pieces > _MOST_TEXT_PIECES or len(self._upright.annot_xrefs()) > _MOST_FIELDS

    def rules(self, number: int, clip: Rect) -> Rules:
        """Return the straight lines in an area, including the sides of boxes."""
        self._open(number)
        found = Rules()
        for drawing in self._searched.get_cdrawings():
            if Rect(*drawing["rect"]).grown(1).meet(clip).width > 0:
                add_rules(found, drawing)
        return found.without_hidden().within(clip)

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height of the upright page in points."""
        self._open(number)
        return self._upright.rect.width, self._upright.rect.height

    def render(self, number: int, dpi: int, clip: Rect | None = None) -> bytes:
        """Return the page, or a part of it, as PNG at `dpi`."""
        return bytes(self._pixmap(number, dpi, clip).tobytes("png"))

    def pixels(self, number: int, dpi: int, clip: Rect | None = None) -> Raster:
        """Return the pixels of the page, or of a part of it, at `dpi`."""
        pixmap = self._pixmap(number, dpi, clip)
        return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, pixmap.n)

    def _pixmap(self, number: int, dpi: int, clip: Rect | None) -> Any:
        self._open(number)
        area = pymupdf.Rect(*clip) if clip is not None else None
        with self._reduced_antialiasing():
            pixmap = self._upright.get_pixmap(dpi=dpi, clip=area, alpha=False, annots=True, colorspace=pymupdf.csRGB)
        self._note_damage()
        return pixmap

    @contextlib.contextmanager
    def _reduced_antialiasing(self) -> Iterator[None]:
        """Disable antialiasing for a complex page, whose rendering would take twenty times as long."""
        if self._drawn_things <= _MOST_ANTIALIASED:
            yield
            return
        pymupdf.TOOLS.set_aa_level(0)
        try:
            yield
        finally:
            pymupdf.TOOLS.set_aa_level(_ANTIALIASING)

    def _open(self, number: int) -> None:
        if number == self._number:
            return
        self._close_page()
        self._pages_opened += 1
        if self._pages_opened % _SHRINK_EVERY == 0:
            # Per cent.
            pymupdf.TOOLS.store_shrink(100)
        has_lost_content()  # what was reported before is not about this page
        page = self._file[number - 1]
        shown = page.rotation
        page.set_rotation(0)
        kept = self._page_texts.get(number)
        self._upright, self._blocks = page, () if kept else _text_blocks(page)
        upright = kept.rotation if kept else upright_rotation(self._blocks, shown)
        self._display_rotation, self._rotation_to_upright = (shown - upright) % 360, upright
        if upright:
            self._upright = self._rotated_copy(page, upright)
            self._blocks = () if kept else _text_blocks(self._upright)
        self._number, self._drawn_things, self._text_pieces = number, 0, 0
        self._note_damage()

    def _note_damage(self) -> None:
        if has_lost_content():
            self._damaged.add(self._number)

    def is_damaged(self, number: int) -> bool:
        """Return whether content of a page was lost when it was last read or rendered."""
        return number in self._damaged

    def _rotated_copy(self, page: Any, rotation: int) -> Any:
        """Return a copy of the page, rotated clockwise, in a new file, so that all functions see it upright."""
        width, height = page.rect.width, page.rect.height
        if rotation in (90, 270):
            width, height = height, width
        self._rotated_file = pymupdf.open()
        copy = self._rotated_file.new_page(width=width, height=height)
        copy.show_pdf_page(copy.rect, self._file, page.number, rotate=-rotation % 360, keep_proportion=False)
        return copy

    def _close_page(self) -> None:
        self._upright, self._blocks, self._words = None, (), None
        self._number = 0
        for file in (self._rotated_file, self._layer_file):
            if file is not None:
                file.close()
        self._rotated_file = self._layer_file = None

    def _links(self, number: int) -> Iterator[PageLink]:
        """Yield the links of a page; those of a rotated copy have no rectangle."""
        page = self._file[number - 1] if self._rotated_file is not None else self._upright
        try:
            links = list(_links_of(page))
        except FAULTS:
            return
        for link in links:
            rect = Rect(*link["from"]) if self._rotated_file is None else Rect(0, 0, 0, 0)
            uri = str(link.get("uri") or link.get("file") or "")
            target = int(link.get("page", -1)) + 1
            if uri or target > 0:
                yield PageLink(rect, uri, 0 if uri else target)


def _links_of(page: Any) -> Iterator[Any]:
    link = page.first_link
    while link:
        link.xref = 0  # otherwise the library searches all links for the next one
        yield pymupdf.utils.getLinkDict(link, page.parent)
        link = link.next


def _text_blocks(page: Any) -> Any:
    return page.get_text("dict", flags=_FLAGS)["blocks"]
