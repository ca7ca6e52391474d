"""The reader of DOCX: the body block by block, then notes, comments, headers and footers from the other parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.docx.numbering import Numbering
from pipelines.parse.office.docx.story import WordContext, WordStory
from pipelines.parse.office.docx.styles import WordStyles
from pipelines.parse.office.embedded import append_embedded
from pipelines.parse.office.ooxml import (
    Element,
    built,
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
"""Maximum paragraphs and tables of a document, empty ones included: 50 per page of the longest document allowed."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A reviewer's comment; `element` contains its paragraphs."""

    author: str
    date: str
    element: Element

    def render(self, text: str, about: str) -> str:
        """Return the comment as one text: author, time, the words that it is about, and `text`."""
        details = {"author": self.author, "time": self.date, "on": about and f"“{about}”"}
        head = ", ".join(f"{name}: {value}" for name, value in details.items() if value)
        return f"[{head}] {text}" if head else text


def notes(package: Package, document: str, kind: str) -> tuple[str, dict[str, Element]]:
    """Return the part with the "footnotes" or "endnotes" of a document, and its notes by id, without separators."""
    part, root = _first_readable(package, document, kind)
    normal = [note for note in root if note.get(_TYPE, "normal") == "normal"] if root is not None else []
    return part, {note.get(_ID, ""): note for note in normal if note.get(_ID)}


def comments(package: Package, document: str) -> tuple[str, dict[str, Comment]]:
    """Return the part with the comments of a document, and the comments by id, in order."""
    part, root = _first_readable(package, document, "comments")
    found = root.iter(qualified("w:comment")) if root is not None else ()
    return part, {item.get(_ID, ""): _comment(item) for item in found}


def _first_readable(package: Package, document: str, kind: str) -> tuple[str, Element | None]:
    """Return name and root of the first related part that can be parsed."""
    for part in related(package, document, kind):
        if (root := read_xml(package, part)) is not None:
            return part, root
    return "", None


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
            append_embedded(package, builder)
            return built(builder, package)


def _read(package: Package, builder: DocumentBuilder) -> None:
    document = main_part(package, "word/document.xml")
    data = package.read(document)
    context = _context(package, document, builder)
    story = WordStory(context, document, paged=_PAGE_BREAK in data)
    count = 0
    for count, element in enumerate(stream_children(data, _BODY, package.uri, document), 1):
        if count > _MOST_BLOCKS:
            raise TooLarge(f"more than {_MOST_BLOCKS} paragraphs", ids=(package.uri,))
        story.add(element)
    if not count and qualified("w:body").rpartition("}")[2].encode() not in data:
        raise Malformed(f"{document} has no body", ids=(package.uri,))
    story.finish()
    _append_notes(package, document, context, story)


def _context(package: Package, document: str, builder: DocumentBuilder) -> WordContext:
    parts = {kind: next(iter(related(package, document, kind)), "") for kind in ("styles", "numbering")}
    return WordContext(
        package,
        builder,
        WordStyles(read_xml(package, parts["styles"])),
        Numbering(read_xml(package, parts["numbering"])),
        footnotes=notes(package, document, "footnotes"),
        endnotes=notes(package, document, "endnotes"),
    )


def _append_notes(package: Package, document: str, context: WordContext, story: WordStory) -> None:
    """Append endnotes, comments, headers, footers and pages."""
    part, notes_by_id = context.endnotes
    for id in story.endnotes:
        if id in notes_by_id:
            context.builder.footnote(WordStory(context, part).text(notes_by_id[id]), story.place)
    part, comments_by_id = comments(package, document)
    for id, comment in comments_by_id.items():
        text = WordStory(context, part).text(comment.element)
        if text:
            context.builder.note(comment.render(text, story.commented(id)))
    for kind, block in (("header", BlockKind.PAGE_HEADER), ("footer", BlockKind.PAGE_FOOTER)):
        _furniture(package, document, context, kind, block)
    for page in range(1, (story.place.page or 0) + 1):
        context.builder.page(Page(page))


def _furniture(package: Package, document: str, context: WordContext, kind: str, block: BlockKind) -> None:
    roots = ((part, read_xml(package, part)) for part in related(package, document, kind))
    for text in dict.fromkeys(WordStory(context, part).text(root) for part, root in roots if root is not None):
        context.builder.furniture(block, text, new_words=1)
