"""The reader of DOCX: the parts of the package put together, the body read block by block."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.docx.notes import comments, notes
from pipelines.parse.office.docx.numbering import Numbering
from pipelines.parse.office.docx.story import Shared, Story
from pipelines.parse.office.docx.styles import Styles
from pipelines.parse.office.ooxml import main_part, qualified, read_xml, related, stream_children
from pipelines.parse.office.package import Package
from pipelines.parse.office.properties import core_properties
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_BODY = frozenset({qualified("w:body")})
_PAGE_BREAK = b"lastRenderedPageBreak"
_MOST_BLOCKS = 400_000
"""Paragraphs and tables of one document, also empty ones: fifty to a page of the longest document that is read."""


class DocxReader:
    """Reads word/document.xml with its notes, comments, headers, pictures, charts and diagrams."""

    formats = (signed("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", ".docm"),)
    name = "docx"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            builder = DocumentBuilder(source, settings, self.name, core_properties(package))
            _read(package, builder)
        return builder.build()


def _read(package: Package, builder: DocumentBuilder) -> None:
    document = main_part(package, "word/document.xml")
    data = package.read(document)
    shared = _shared(package, document, builder)
    story = Story(shared, document, paged=_PAGE_BREAK in data)
    count = 0
    for count, element in enumerate(stream_children(data, _BODY, package.uri, document), 1):
        if count > _MOST_BLOCKS:
            raise TooLarge(f"more than {_MOST_BLOCKS} paragraphs", ids=(package.uri,))
        story.add(element)
    if not count and qualified("w:body").rpartition("}")[2].encode() not in data:
        raise Malformed(f"{document} has no body", ids=(package.uri,))
    story.finish()
    _close(package, document, shared, story)


def _shared(package: Package, document: str, builder: DocumentBuilder) -> Shared:
    parts = {kind: next(iter(related(package, document, kind)), "") for kind in ("styles", "numbering")}
    return Shared(
        package,
        builder,
        Styles(read_xml(package, parts["styles"])),
        Numbering(read_xml(package, parts["numbering"])),
        footnotes=notes(package, document, "footnotes"),
        endnotes=notes(package, document, "endnotes"),
    )


def _close(package: Package, document: str, shared: Shared, story: Story) -> None:
    """Append what stands outside the body: endnotes, comments, headers and footers, and the count of pages."""
    part, notes_by_id = shared.endnotes
    for id in story.endnotes:
        if id in notes_by_id:
            shared.builder.footnote(Story(shared, part).text(notes_by_id[id]), story.place)
    part, remarks = comments(package, document)
    for id, comment in remarks.items():
        text = Story(shared, part).text(comment.element)
        if text:
            shared.builder.note(comment.render(text, story.commented(id)))
    for kind, block in (("header", BlockKind.PAGE_HEADER), ("footer", BlockKind.PAGE_FOOTER)):
        _furniture(package, document, shared, kind, block)
    for page in range(1, (story.place.page or 0) + 1):
        shared.builder.page(Page(page))


def _furniture(package: Package, document: str, shared: Shared, kind: str, block: BlockKind) -> None:
    told: set[str] = set()
    for part in dict.fromkeys(related(package, document, kind)):
        root = read_xml(package, part)
        text = Story(shared, part).text(root) if root is not None else ""
        if text not in told:
            told.add(text)
            shared.builder.furniture(block, text)
