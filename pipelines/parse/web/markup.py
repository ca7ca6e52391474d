"""HTML, XHTML, SVG, and any XML: prose by known element names (DocBook, JATS, TEI), data as names and values."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from lxml import etree

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import Element, is_hidden, parse_html, text_of
from pipelines.parse.web.flow import read_text
from pipelines.parse.web.inline import descriptions_of, labels_of
from pipelines.parse.web.visual_cues import join_labels, mark_headings
from pipelines.parse.web.walk import Walker
from pipelines.parse.web.xml_page import XmlPage

_NAMES = {
    name: ours
    for ours, names in {
        "author": "author article:author dc.creator dcterms.creator",
        "description": "description og:description dc.description",
        "keywords": "keywords",
        "subject": "subject dc.subject",
        "created": "date dc.date dcterms.created article:published_time",
        "modified": "last-modified dcterms.modified article:modified_time",
        "producer": "generator",
        "publisher": "publisher dc.publisher",
    }.items()
    for name in names.split()
}
HTML = "text/html"
XHTML = "application/xhtml+xml"
XML = "application/xml"
SVG = "image/svg+xml"

# What may precede the first element; atomic, so that a thousand comments are scanned only once.
_PROLOG = r"(?>\s+|<!--.*?-->|<\?[^>]*\?>)*+"
_BEFORE = re.compile(_PROLOG, re.DOTALL)
_HTML_START = re.compile(_PROLOG + r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HTML_TAG = re.compile(
    r"<(?:p|div|table|tr|td|ul|ol|li|dl|dt|dd|h[1-6]|b|i|em|strong|span|font|center|br|hr|img|a|pre|blockquote|section"
    r"|article|nav|header|footer|figure|form|meta|link|title|script|style)\b[^<>]*>",
    re.IGNORECASE,
)
_XHTML = re.compile(r"<html[^<>]+xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml|//DTD XHTML", re.IGNORECASE)
_ROOT = 2000
"""Characters that contain the document type and the root element."""
_DOCTYPE = r"(?>(?:<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*)?>)?)"
_XML_START = re.compile(_PROLOG + _DOCTYPE + _PROLOG + r"<([A-Za-z_][\w.:-]*)[\s/>]", re.DOTALL)


def read_meta(root: Element, builder: DocumentBuilder) -> None:
    """Set metadata: the title, known `meta` elements and the language."""
    builder.meta("title", page_title(root))
    for element in root.iter("meta"):
        name = (element.get("name") or element.get("property") or element.get("http-equiv") or "").lower()
        if name in _NAMES and _NAMES[name] not in builder.metadata:
            builder.meta(_NAMES[name], element.get("content") or "")
    builder.meta("language", root.get("lang") or "")


def page_title(root: Element) -> str:
    """Return the page's title without the site's name, if the rest is the first heading.

    A number before it is kept: "[MNT-2291] Palletizer 3 stops - Tracker" is called "[MNT-2291] Palletizer 3 stops".
    """
    title = next((text_of(element) for element in root.iter("title") if element.getparent().tag == "head"), "")
    headings = (" ".join(read_text(one)[0].split()) for one in root.iter("h1") if not is_hidden(one))
    heading = next(headings, "")
    before, found, _ = title.partition(heading) if heading else (title, "", "")
    if found and any(map(str.isdigit, before)):
        return before + found
    return heading if heading and heading.casefold() in title.casefold() else title


@lru_cache(maxsize=1)  # four formats check the same file in turn
def markup_type(sample: FileSample) -> str:
    """Return the media type of a text: HTML, XHTML, XML or SVG; empty for none."""
    suffix, start = sample.suffix, sample.text.lstrip("\ufeff \t\r\n")
    if not start.startswith("<"):
        return ""
    if _HTML_START.match(start):
        return XHTML if _XHTML.search(start[:_ROOT]) and start.startswith("<?xml") else HTML
    if suffix in (".md", ".markdown"):
        return ""
    root = _XML_START.match(start)
    if root and suffix != ".xml" and sample.whole and "/>" not in start and f"</{root.group(1)}" not in start:
        root = None  # a placeholder at the beginning of a text, such as "<NAME>_VERSION", which is never closed
    begin = _BEFORE.match(start)
    tags = len(_HTML_TAG.findall(start, begin.end() if begin else 0))
    declared = start.startswith("<?xml") or _has_namespace(start, root)
    if declared or (root and suffix not in (".html", ".htm") and (tags < 2 or suffix == ".xml")):
        return SVG if root and root.group(1).endswith("svg") else (XML if root else "")
    return HTML if tags >= 2 or (root and suffix in (".html", ".htm")) else ""


def root_name(sample: FileSample) -> str:
    """Return the name of the first element of a text, without its prefix; empty if it does not begin with one."""
    root = _XML_START.match(sample.text.lstrip("\ufeff \t\r\n"))
    return root.group(1).rpartition(":")[2] if root else ""


def _has_namespace(text: str, root: re.Match[str] | None) -> bool:
    """Whether the root element declares a namespace other than that of HTML."""
    tag = text[root.start(1) : root.start(1) + _ROOT].partition(">")[0] if root else ""
    return "xmlns" in tag and "1999/xhtml" not in tag


class HtmlReader:
    """Reads a page in the order of its tree: what a browser shows."""

    formats = (
        FileFormat(HTML, (".html", ".htm"), sniff=lambda sample: markup_type(sample) == HTML, also=(".xhtml",)),
        FileFormat(
            XHTML, (".xhtml",), sniff=lambda sample: markup_type(sample) == XHTML, also=(".html", ".htm", ".xml")
        ),
    )
    name = "html"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        root = parse_html(path.read_bytes(), uri=source.uri)
        return read_tree(root, source, settings, self.name)


def read_tree(root: Element, source: Source, settings: ParseSettings, engine: str) -> Parsed:
    """Return the document of a page; if all its text is navigation, then with that text."""
    join_labels(root)
    mark_headings(root)
    for furniture in (True, False):
        builder = DocumentBuilder(source, settings, engine)
        read_meta(root, builder)
        Walker(builder, furniture=furniture).walk(root)
        if not builder.empty:
            break
    return builder.build()


_SVG = "{http://www.w3.org/2000/svg}svg"
_XHTML_ROOT = "{http://www.w3.org/1999/xhtml}html"


class XmlReader:
    """Reads XML without external entities. Of a broken file, the readable part is returned as PARTIAL."""

    formats = (
        FileFormat(XML, (".xml",), sniff=lambda sample: markup_type(sample) == XML, also=(".xhtml", ".svg")),
        FileFormat(SVG, (".svg",), sniff=lambda sample: markup_type(sample) == SVG, also=(".xml",)),
    )
    name = "xml"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        data = path.read_bytes()
        root, fault = xml_tree(data, source.uri)
        if root.tag == _XHTML_ROOT:
            return read_tree(parse_html(data, uri=source.uri), source, settings, "html")
        builder = DocumentBuilder(source, settings, self.name)
        if root.tag == _SVG:
            _drawing(root, builder)
        else:
            page = XmlPage(root)
            builder.meta("title", page.title)
            for name, value in page.metadata.items():
                builder.meta(name, value)
            builder.meta("keywords", ", ".join(page.keywords))
            Walker(builder, titled=False, furniture=False).walk(page.body)
        if fault:
            builder.left_out(issue=fault)
        return builder.build()


def _drawing(root: etree._Element, builder: DocumentBuilder) -> None:
    descriptions = descriptions_of(root)
    builder.meta("title", descriptions[0] if descriptions else "")
    for text in (*descriptions, *labels_of(root)):
        builder.paragraph(text)


def xml_tree(data: bytes, uri: str) -> tuple[etree._Element, str]:
    """Return the root and an error message. Internal entities are resolved, external ones are not."""
    try:
        return _parse(data, uri), ""
    except etree.XMLSyntaxError as error:
        message = str(error.msg)
    if any(sign in message for sign in ("amplification", "Excessive depth", "huge", "entity reference loop")):
        raise TooLarge(f"expands or nests too far: {message}", ids=(uri,))
    try:
        # A wrong encoding declaration is the most frequent error; `decode` detects the encoding from the text.
        return _parse(decode(data).text.encode("utf-8", "replace"), uri, "utf-8"), ""
    except etree.XMLSyntaxError:
        pass
    root = etree.fromstring(data, _parser(recover=True))
    if root is None:
        raise Malformed(f"not readable as XML: {message}", ids=(uri,))
    return root, f"broken XML, read as far as it goes: {message}"


def _parse(data: bytes, uri: str, encoding: str | None = None) -> etree._Element:
    root = etree.fromstring(data, _parser(encoding=encoding))
    if root is None:
        raise Malformed("no element in the file", ids=(uri,))
    return root


def _parser(*, encoding: str | None = None, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding,
        recover=recover,
    )
