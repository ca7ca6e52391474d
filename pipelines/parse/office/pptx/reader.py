"""The reader of PPTX: the slides in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipelines.core.document import Page, Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.ooxml import (
    NAMESPACES,
    Element,
    core_properties,
    local,
    main_part,
    parse_xml,
    qualified,
    read_xml,
    related,
    relationships,
)
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import plain_text
from pipelines.parse.office.pptx.slide import Size, SlideReader
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_AUTHOR_PARTS = ("commentAuthors", "authors")
_POINT = 12700
"""EMU of a point: 914,400 an inch (ECMA-376 1, 20.1.10.16)."""
_USUAL_WIDTH, _USUAL_HEIGHT = 9144000, 6858000
"""EMU: 10 by 7.5 inches (ECMA-376 1, 19.2.1.39, screen4x3)."""


def speaker_notes(package: Package, slide: str) -> Iterator[str]:
    """Yield the texts that are written below a slide, without its number and date."""
    for part in related(package, slide, "notesSlide"):
        root = read_xml(package, part)
        for shape in root.iter(qualified("p:sp")) if root is not None else ():
            kind = shape.find("p:nvSpPr/p:nvPr/p:ph", NAMESPACES)
            body = shape.find("p:txBody", NAMESPACES)
            if body is not None and (kind is None or kind.get("type", "body") == "body"):
                yield plain_text(body)


def slide_comments(package: Package, slide: str) -> Iterator[str]:
    """Yield the comments on a slide with their authors, old ones and those of threads."""
    parts = related(package, slide, "comments")
    authors = _authors(package) if parts else {}
    for part in parts:
        root = read_xml(package, part)
        for comment in root.iter() if root is not None else ():
            if local(comment) in ("cm", "reply") and (text := _text(comment)):
                head = ", ".join(filter(None, (authors.get(comment.get("authorId", "")), _date(comment))))
                yield f"[{head}] {text}" if head else text


def _text(comment: Element) -> str:
    for child in comment:
        if local(child) == "text":
            return (child.text or "").strip()
        if local(child) == "txBody":
            return plain_text(child)
    return ""


def _date(comment: Element) -> str:
    return comment.get("dt") or comment.get("created") or ""


def _authors(package: Package) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in package.names():
        if name.rpartition("/")[2].removesuffix(".xml") in _AUTHOR_PARTS:
            root = read_xml(package, name)
            for author in root if root is not None else ():
                found[author.get("id", "")] = author.get("name", "")
    return found


class PptxReader:
    """Reads the slides with their tables, charts, diagrams, pictures, speaker's notes and comments."""

    formats = (signed("application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"),)
    name = "pptx"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            builder = DocumentBuilder(source, settings, self.name, core_properties(package))
            _read(package, builder)
        return builder.build()


def _read(package: Package, builder: DocumentBuilder) -> None:
    presentation = main_part(package, "ppt/presentation.xml")
    root = parse_xml(package.read(presentation), package.uri, presentation)
    size = _size(root)
    links = relationships(package, presentation)
    shown = [links.get(item.get(qualified("r:id"), "")) for item in root.iterfind("p:sldIdLst/p:sldId", NAMESPACES)]
    parts = [link.target for link in shown if link is not None and not link.external]
    numbers = {part: number for number, part in enumerate(parts, 1)}
    for number, part in enumerate(parts, 1):
        slide = read_xml(package, part)
        issue = "" if slide is not None else "the slide is missing or broken"
        label = str(number)
        if slide is not None and slide.get("show") in ("0", "false"):
            builder.remark(f"slide {number} is hidden in the presentation")
            label = f"{number} (hidden)"
        builder.page(Page(number, label, size.width / _POINT, size.height / _POINT, issue=issue))
        if slide is not None:
            _slide(package, part, slide, SlideReader(package, part, builder, number, size, numbers))
    if parts and all(part not in package for part in parts):
        raise Malformed("all slides are missing", ids=(package.uri,))


def _slide(package: Package, part: str, slide: Element, reader: SlideReader) -> None:
    reader.read(slide)
    for text in (*speaker_notes(package, part), *slide_comments(package, part)):
        reader.note(text)


def _size(presentation: Element) -> Size:
    found = presentation.find("p:sldSz", NAMESPACES)
    if found is None:
        return Size(_USUAL_WIDTH, _USUAL_HEIGHT)
    width, height = found.get("cx", ""), found.get("cy", "")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        return Size(_USUAL_WIDTH, _USUAL_HEIGHT)
    return Size(int(width), int(height))
