"""What an HTML page tells about itself: title, author, dates, language."""

from __future__ import annotations

from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.web.dom import Element, is_silent, text_of

_NAMES = {
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "description": "description",
    "og:description": "description",
    "dc.description": "description",
    "keywords": "keywords",
    "dc.subject": "subject",
    "subject": "subject",
    "date": "created",
    "dc.date": "created",
    "dcterms.created": "created",
    "article:published_time": "created",
    "last-modified": "modified",
    "dcterms.modified": "modified",
    "article:modified_time": "modified",
    "generator": "producer",
    "publisher": "publisher",
    "dc.publisher": "publisher",
}


def read_meta(root: Element, builder: DocumentBuilder) -> None:
    """Keep the title, the `meta` elements that we know and the page's language."""
    builder.meta("title", page_title(root))
    for element in root.iter("meta"):
        name = (element.get("name") or element.get("property") or element.get("http-equiv") or "").lower()
        if name in _NAMES and _NAMES[name] not in builder.metadata:
            builder.meta(_NAMES[name], element.get("content") or "")
    builder.meta("language", root.get("lang") or "")


def page_title(root: Element) -> str:
    """Return the page's title; where it is the heading and the site's name, the heading."""
    title = next((text_of(element) for element in root.iter("title") if element.getparent().tag == "head"), "")
    heading = next((_heading_text(element) for element in root.iter("h1") if not is_silent(element)), "")
    return heading if heading and heading.casefold() in title.casefold() else title


def _heading_text(heading: Element) -> str:
    from pipelines.parse.web.flow import read_text

    return " ".join(read_text(heading)[0].split())
