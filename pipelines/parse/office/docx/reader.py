"""The reader of DOCX: the parts of the package put together, the body read block by block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.docx.numbering import Numbering
from pipelines.parse.office.docx.story import WordContext, WordStory
from pipelines.parse.office.docx.styles import WordStyles
from pipelines.parse.office.ooxml import (
    Element,
    core_properties,
    main_part,
    qualified,
    read_xml,
    related,
    stream_children,
)
from pipelines.parse.office.package import Package
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_ID, _TYPE = qualified("w:id"), qualified("w:type")
_AUTHOR, _INITIALS, _DATE = qualified("w:author"), qualified("w:initials"), qualified("w:date")
_BODY = frozenset({qualified("w:body")})
_PAGE_BREAK = b"lastRenderedPageBreak"
_MOST_BLOCKS = 400_000
"""Paragraphs and tables of one document, also empty ones: fifty to a page of the longest document that is read."""


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reviewer wrote; `element` holds its paragraphs."""

    author: str
    date: str
    element: Element

    def render(self, text: str, about: str) -> str:
        """Return the comment as one text: who, when, about which words, and what."""
        told = {"author": self.author, "time": self.date, "on": about and f"“{about}”"}
        head = ", ".join(f"{name}: {value}" for name, value in told.items() if value)
        return f"[{head}] {text}" if head else text


def notes(package: Package, document: str, kind: str) -> tuple[str, dict[str, Element]]:
    """Return the part with the "footnotes" or "endnotes" of a document; its notes by id, without the rules between."""
    for part in related(package, document, kind):
        root = read_xml(package, part)
        if root is not None:
            return part, {
                note.get(_ID, ""): note for note in root if note.get(_TYPE, "normal") == "normal" and note.get(_ID)
            }
    return "", {}


def comments(package: Package, document: str) -> tuple[str, dict[str, Comment]]:
    """Return the part of the comments of a document and the comments by id, in their order."""
    for part in related(package, document, "comments"):
        root = read_xml(package, part)
        if root is not None:
            return part, {item.get(_ID, ""): _comment(item) for item in root.iter(qualified("w:comment"))}
    return "", {}


def _comment(element: Element) -> Comment:
    author, initials = element.get(_AUTHOR, "").strip(), element.get(_INITIALS, "").strip()
    name = f"{author} ({initials})" if author and initials and initials != author else author or initials
    return Comment(name, element.get(_DATE, ""), element)


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
    story = WordStory(shared, document, paged=_PAGE_BREAK in data)
    count = 0
    for count, element in enumerate(stream_children(data, _BODY, package.uri, document), 1):
        if count > _MOST_BLOCKS:
            raise TooLarge(f"more than {_MOST_BLOCKS} paragraphs", ids=(package.uri,))
        story.add(element)
    if not count and qualified("w:body").rpartition("}")[2].encode() not in data:
        raise Malformed(f"{document} has no body", ids=(package.uri,))
    story.finish()
    _close(package, document, shared, story)


def _shared(package: Package, document: str, builder: DocumentBuilder) -> WordContext:
    parts = {kind: next(iter(related(package, document, kind)), "") for kind in ("styles", "numbering")}
    return WordContext(
        package,
        builder,
        WordStyles(read_xml(package, parts["styles"])),
        Numbering(read_xml(package, parts["numbering"])),
        footnotes=notes(package, document, "footnotes"),
        endnotes=notes(package, document, "endnotes"),
    )


def _close(package: Package, document: str, shared: WordContext, story: WordStory) -> None:
    """Append what stands outside the body: endnotes, comments, headers and footers, and the count of pages."""
    part, notes_by_id = shared.endnotes
    for id in story.endnotes:
        if id in notes_by_id:
            shared.builder.footnote(WordStory(shared, part).text(notes_by_id[id]), story.place)
    part, remarks = comments(package, document)
    for id, comment in remarks.items():
        text = WordStory(shared, part).text(comment.element)
        if text:
            shared.builder.note(comment.render(text, story.commented(id)))
    for kind, block in (("header", BlockKind.PAGE_HEADER), ("footer", BlockKind.PAGE_FOOTER)):
        _furniture(package, document, shared, kind, block)
    for page in range(1, (story.place.page or 0) + 1):
        shared.builder.page(Page(page))


def _furniture(package: Package, document: str, shared: WordContext, kind: str, block: BlockKind) -> None:
    told: set[str] = set()
    for part in dict.fromkeys(related(package, document, kind)):
        root = read_xml(package, part)
        text = WordStory(shared, part).text(root) if root is not None else ""
        if text not in told:
            told.add(text)
            shared.builder.furniture(block, text)
