"""HTML and XHTML."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import Format, Sample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import Element, parse_html
from pipelines.parse.web.looks import Looks
from pipelines.parse.web.meta import read_meta
from pipelines.parse.web.walk import Walker

HTML = "text/html"
XHTML = "application/xhtml+xml"
XML = "application/xml"
SVG = "image/svg+xml"

# What may stand before the first element; atomic, so that a thousand comments are read once.
_PROLOG = r"(?>\s+|<!--.*?-->|<\?[^>]*\?>)*+"
_BEFORE = re.compile(_PROLOG, re.DOTALL)
_HTML_START = re.compile(_PROLOG + r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HTML_TAG = re.compile(
    r"<(?:p|div|table|tr|td|ul|ol|li|dl|dt|dd|h[1-6]|b|i|em|strong|span|font|center|br|hr|img|a|pre|blockquote|section"
    r"|article|nav|header|footer|figure|form|meta|link|title|script|style)\b[^<>]*>",
    re.IGNORECASE,
)
_XHTML = re.compile(r"<html[^<>]+xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml|//DTD XHTML", re.IGNORECASE)
_DOCTYPE = r"(?>(?:<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*)?>)?)"
_XML_START = re.compile(_PROLOG + _DOCTYPE + _PROLOG + r"<([A-Za-z_][\w.:-]*)[\s/>]", re.DOTALL)


class HtmlReader:
    """Reads a page by its tree: what a browser shows, in its order."""

    formats = (
        Format(HTML, (".html", ".htm"), sniff=lambda sample: markup_type(sample) == HTML, also=(".xhtml",)),
        Format(XHTML, (".xhtml",), sniff=lambda sample: markup_type(sample) == XHTML, also=(".html", ".htm", ".xml")),
    )
    name = "html"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        root = parse_html(path.read_bytes(), uri=source.uri)
        return read_tree(root, source, settings, self.name)


def read_tree(root: Element, source: Source, settings: ParseSettings, engine: str) -> Parsed:
    """Return the document of a page; where all its text is navigation, that is its text."""
    for furniture in (True, False):
        builder = DocumentBuilder(source, settings, engine)
        read_meta(root, builder)
        looks = Looks(root)
        Walker(builder, furniture=furniture, looks=looks).walk(root)
        builder.promote(looks.headings(builder.last))
        if not builder.empty:
            break
    return builder.build()


def markup_type(sample: Sample) -> str:
    """Return which markup a text is: HTML, XHTML, XML or SVG; empty for none."""
    suffix, start = sample.suffix, sample.text.lstrip("\ufeff \t\r\n")
    if not start.startswith("<"):
        return ""
    if _HTML_START.match(start):
        return XHTML if _XHTML.search(start[:2000]) and start.startswith("<?xml") else HTML
    if suffix in (".md", ".markdown"):
        return ""
    root = _XML_START.match(start)
    begin = _BEFORE.match(start)
    tags = len(_HTML_TAG.findall(start, begin.end() if begin else 0))
    if start.startswith("<?xml") or (root and suffix not in (".html", ".htm") and (tags < 2 or suffix == ".xml")):
        return SVG if root and root.group(1).endswith("svg") else (XML if root else "")
    return HTML if tags >= 2 or (root and suffix in (".html", ".htm")) else ""
