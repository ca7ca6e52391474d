"""XML of any vocabulary: prose by the names that documents use (DocBook, DITA, JATS, TEI), data as names and values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lxml import etree

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.core.outcome import Status
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.html import SVG, XML, markup_type, read_tree
from pipelines.parse.web.inline import labels_of, told_of
from pipelines.parse.web.xml_walk import XmlWalker

_SVG = "{http://www.w3.org/2000/svg}svg"
_XHTML = "{http://www.w3.org/1999/xhtml}html"


class XmlReader:
    """Reads XML without its external parts. A broken file gives what could be read of it, PARTIAL."""

    formats = (
        FileFormat(XML, (".xml",), sniff=lambda sample: markup_type(sample) == XML, also=(".xhtml", ".svg")),
        FileFormat(SVG, (".svg",), sniff=lambda sample: markup_type(sample) == SVG, also=(".xml",)),
    )
    name = "xml"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        data = path.read_bytes()
        root, fault = _tree(data, source.uri)
        if root.tag == _XHTML:
            from pipelines.parse.web.dom import parse_html

            return read_tree(parse_html(data, uri=source.uri), source, settings, "html")
        builder = DocumentBuilder(source, settings, self.name)
        if root.tag == _SVG:
            _drawing(root, builder)
        else:
            XmlWalker(builder).walk(root)
        parsed = builder.build()
        if fault and parsed.status.searchable:
            return replace(parsed, status=Status.PARTIAL, reason=fault)
        return parsed


def _drawing(root: etree._Element, builder: DocumentBuilder) -> None:
    told = told_of(root)
    builder.meta("title", told[0] if told else "")
    for text in (*told, *labels_of(root)):
        builder.paragraph(text)


def _tree(data: bytes, uri: str) -> tuple[etree._Element, str]:
    """Return the root, and what is wrong with the file. Entities of the file itself are resolved, others are not."""
    try:
        return _parse(data, uri), ""
    except etree.XMLSyntaxError as error:
        message = str(error.msg)
    if any(sign in message for sign in ("amplification", "Excessive depth", "huge", "entity reference loop")):
        raise TooLarge(f"expands or nests too far: {message}", ids=(uri,))
    try:
        # A wrong declaration is the commonest fault; the text decides what the bytes are.
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
