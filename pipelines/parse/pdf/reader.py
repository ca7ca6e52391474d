"""The reader of PDF: the text layer, a layout model for pages that need it, and OCR for pages without usable text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.limits import MEBIBYTE
from pipelines.parse.magic import PDF, XPS
from pipelines.parse.parsed import REST, Child, Parsed, page_name
from pipelines.parse.pdf.consistency import consistent, without_contents
from pipelines.parse.pdf.continuation import with_whole_paragraphs
from pipelines.parse.pdf.definitions import with_definitions
from pipelines.parse.pdf.furniture import with_own_edges
from pipelines.parse.pdf.headings import Outline, with_levels, with_title, without_lists
from pipelines.parse.pdf.items import PageItem, merge_tables
from pipelines.parse.pdf.printed_sheets import merge_pages_beside
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

if TYPE_CHECKING:
    from pipelines.parse.pdf.mupdf import PdfFile
    from pipelines.parse.pdf.pages import ReadPage
    from pipelines.parse.pdf.survey import Survey

_METADATA_NAMES = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "keywords": "keywords",
    "creator": "application",
    "producer": "producer",
}
_DATE_NAMES = {"creationDate": "created", "modDate": "modified"}
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+\-Z])(?:(\d\d)'?(\d\d)?)?)?")
_LAST_ATTACHMENT = 0.85
"""Share of the file's processor time after which no further attachment is extracted; pages end a little earlier."""
_MOST_NAMED = 5
"""Maximum layers that a remark names; plans have dozens."""


def pdf_metadata(raw: Mapping[str, str]) -> dict[str, str]:
    """Return the metadata under the names of `Document.metadata`, with dates in ISO 8601; invalid dates are dropped."""
    found = {name: raw[key].strip() for key, name in _METADATA_NAMES.items() if raw.get(key, "").strip()}
    for key, name in _DATE_NAMES.items():
        if date := iso_date(raw.get(key, "")):
            found[name] = date
    return found


def iso_date(text: str) -> str:
    """Return a PDF date ("D:20220117170102-05'00'") in ISO 8601, empty for anything else."""
    match = _DATE.match(text.strip())
    if match is None:
        return ""
    year, month, day, hour, minute, second, sign, zone, part = match.groups()
    date = "-".join(value for value in (year, month, day) if value)
    if not hour or not day:
        return date
    time = f"{hour}:{minute or '00'}:{second or '00'}"
    offset = "Z" if sign == "Z" else f"{sign}{zone or '00'}:{part or '00'}" if sign else ""
    return f"{date}T{time}{offset}"


class PdfReader:
    """Reads PDF and XPS files with PyMuPDF, page by page."""

    formats = (signed(PDF, ".pdf"), signed(XPS, ".xps", ".oxps"))

    @property
    def name(self) -> str:
        return f"pymupdf {version('pymupdf')}"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        from pipelines.parse.pdf.mupdf import PdfFile

        with PdfFile(path, settings.passwords_for(source.uri)) as file:
            if file.pages > settings.limits.pages:
                raise TooLarge(f"{file.pages} pages, more than {settings.limits.pages}", ids=(source.uri,))
            builder = DocumentBuilder(source, settings, self.name, pdf_metadata(file.metadata()), hurried=False)
            if not _append_form(file, builder):
                append_pages(file, builder)
            if file.has_lost_pages:
                builder.left_out(issue="damaged: the list of its pages is lost, and pages may be too")
            elif file.is_cut_short:
                builder.left_out(issue="damaged: it does not end as a PDF file does, and parts may be missing")
            if hidden := file.hidden_layers():
                more = f" and {len(hidden) - _MOST_NAMED} more" if len(hidden) > _MOST_NAMED else ""
                builder.remark(f"layers that are switched off were not read: {', '.join(hidden[:_MOST_NAMED])}{more}")
            _append_attachments(file, builder)
        return builder.build()


def append_pages(file: PdfFile, builder: DocumentBuilder) -> None:
    """Append the content of all pages of a file."""
    from pipelines.parse.pdf.pages import PageReader
    from pipelines.parse.pdf.scans import read_scans
    from pipelines.parse.pdf.survey import survey

    outline = Outline.of(file.bookmarks())
    scans = read_scans(file, builder.settings, builder.task)
    surveyed = survey(file, builder.task.clock)
    pages = PageReader(file, surveyed, outline, builder.settings, builder.task, scans)
    read = []
    for number in range(1, file.pages + 1):
        builder.task.next_page(number)
        read.append(pages.read(number))
    _assemble(builder, read, outline, surveyed)


def _append_form(file: PdfFile, builder: DocumentBuilder) -> bool:
    """Append the content of a dynamic form and return True; return False if the file is none, or cannot be read."""
    from pipelines.parse.pdf.library import FAULTS
    from pipelines.parse.pdf.xfa import texts_of_form

    try:
        form = file.dynamic_form()
        if not form:
            return False
        texts = texts_of_form(form, builder.source.uri)
        width, height = file.size(1)
    except (*FAULTS, Malformed, TooLarge) as error:
        builder.left_out(issue=f"the content of a dynamic form (XFA) was not read: {error}")
        return False
    first = next(texts, "")
    if not first:
        builder.left_out(issue="the content of a dynamic form (XFA) was not read: it has no template")
        return False
    builder.page(Page(1, file.label(1), width, height))
    for text in chain((first,), texts):
        builder.paragraph(text, Place(1))
    builder.remark("a dynamic form (XFA): its labels and values, without its layout")
    return True


def _append_attachments(file: PdfFile, builder: DocumentBuilder) -> None:
    """Add the embedded files as child documents, while there is time; a broken one ends the list, not the document."""
    from pipelines.parse.pdf.library import FAULTS

    try:
        for name, data in file.attachments(builder.settings.limits.total_mb * MEBIBYTE):
            if builder.task.clock.past(_LAST_ATTACHMENT):
                builder.left_out(REST, issue=f"not all attachments were read: {builder.task.clock.reason}")
                return
            builder.child(Child(name, data))
    except FAULTS as error:
        builder.left_out(issue=f"not all attachments were read: {error}")


def _assemble(builder: DocumentBuilder, pages: Sequence[ReadPage], outline: Outline, surveyed: Survey) -> None:
    labels = {page.page.number: page.page.label for page in pages}
    pages = with_own_edges(pages)
    for page in pages:
        builder.page(page.page)
        if page.unread:
            builder.left_out(page_name(page.page.number))
        if page.illegible:
            builder.illegible(page_name(page.page.number))
        for remark in page.remarks:
            builder.remark(remark, page.page.number)
        for item in page.furniture:
            builder.furniture(item.kind, item.text, _place(item, labels), new_words=1)
    items = merge_tables(merge_pages_beside([item for page in pages for item in page.items]))
    items = consistent(items, outline, surveyed.body)
    items = with_definitions(without_contents(without_lists(items)))
    items = with_whole_paragraphs(with_levels(with_title(items, surveyed.body), outline), surveyed.vocabulary)
    for item in items:
        if _append(builder, item, _place(item, labels)):
            builder.references(item.pointers)


def _place(item: PageItem, labels: Mapping[int, str]) -> Place:
    return Place(item.page, labels[item.page], "", item.boxes, item.breaks)


def _append(builder: DocumentBuilder, item: PageItem, place: Place) -> bool:
    """Append an item and return True; return False if it has no text and is left out."""
    plain: dict[BlockKind, Callable[[str, Place, float], bool]] = {
        BlockKind.TITLE: builder.title,
        BlockKind.CODE: builder.code,
        BlockKind.FORMULA: builder.formula,
        BlockKind.CAPTION: builder.caption,
        BlockKind.FOOTNOTE: builder.footnote,
        BlockKind.NOTE: builder.note,
    }
    if item.kind in plain:
        return plain[item.kind](item.text, place, item.confidence)
    match item.kind:
        case BlockKind.HEADING:
            return builder.heading(item.text, item.level, place, item.confidence)
        case BlockKind.LIST_ITEM:
            return builder.list_item(item.text, item.level, place, item.confidence)
        case BlockKind.TABLE:
            return builder.table(item.cells, place, parts=item.parts, confidence=item.confidence)
        case BlockKind.FIGURE if item.image is not None:
            return builder.figure(item.image, place, confidence=item.confidence)
        case _:
            return builder.paragraph(item.text, place, item.confidence)
