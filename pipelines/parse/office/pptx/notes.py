"""Speaker's notes and comments of a slide."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.parse.office.ooxml import NAMESPACES, Element, local, qualified, read_xml, related
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import plain_text

_AUTHOR_PARTS = ("commentAuthors", "authors")


def speaker_notes(package: Package, slide: str) -> Iterator[str]:
    """Yield the speaker's notes of a slide, without slide number and date."""
    for part in related(package, slide, "notesSlide"):
        root = read_xml(package, part)
        for shape in root.iter(qualified("p:sp")) if root is not None else ():
            kind = shape.find("p:nvSpPr/p:nvPr/p:ph", NAMESPACES)
            body = shape.find("p:txBody", NAMESPACES)
            if body is None or (kind is not None and kind.get("type", "body") != "body"):
                continue
            if body.find(".//a:r", NAMESPACES) is not None:  # a text of fields alone is the slide number or the date
                yield plain_text(body)


def slide_comments(package: Package, slide: str) -> Iterator[str]:
    """Yield the comments on a slide with authors and dates, in the old format and as threads."""
    parts = related(package, slide, "comments")
    authors = _authors(package) if parts else {}
    for part in parts:
        root = read_xml(package, part)
        for comment in root.iter() if root is not None else ():
            if local(comment) in ("cm", "reply") and (text := _text(comment)):
                date = comment.get("dt") or comment.get("created")
                head = ", ".join(filter(None, (authors.get(comment.get("authorId", "")), date)))
                yield f"[{head}] {text}" if head else text


def _text(comment: Element) -> str:
    for child in comment:
        if local(child) == "text":
            return (child.text or "").strip()
        if local(child) == "txBody":
            return plain_text(child)
    return ""


def _authors(package: Package) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in package.names():
        if name.rpartition("/")[2].removesuffix(".xml") in _AUTHOR_PARTS:
            root = read_xml(package, name)
            for author in root if root is not None else ():
                found[author.get("id", "")] = author.get("name", "")
    return found
