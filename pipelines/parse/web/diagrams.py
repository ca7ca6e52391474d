"""Diagrams of diagrams.net (draw.io): the texts of shapes in reading order, and what is connected with what."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import MEBIBYTE
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text, text_of
from pipelines.parse.web.markup import root_name, xml_tree

_BROKEN = "a page of the diagram cannot be unpacked"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A shape or a connection: its text, its place on the page, and the shapes at the ends of a connection."""

    key: str
    text: str
    parent: str
    x: float
    y: float
    source: str
    target: str
    is_edge: bool


class DiagramReader:
    """Reads each page of a diagram as a section: texts from top to bottom, then connections as "from → to (label)"."""

    formats = (
        FileFormat(
            "application/vnd.jgraph.mxfile",
            (".drawio", ".dio"),
            sniff=lambda sample: root_name(sample) in ("mxfile", "mxGraphModel"),
            also=(".xml",),
        ),
    )
    name = "diagram"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        root, fault = xml_tree(path.read_bytes(), source.uri)
        builder = DocumentBuilder(source, settings, self.name)
        pages = [root] if root.tag == "mxGraphModel" else list(root.iter("diagram"))
        for page in pages:
            if len(pages) > 1 or page.get("name"):
                builder.heading(page.get("name") or "", 1)
            model, page_fault = _model(page, settings.limits.output_mb * MEBIBYTE, source.uri)
            _append(list(_cells(model)), builder)
            if page_fault:
                builder.left_out(issue=page_fault)
        if fault:
            builder.left_out(issue=fault)
        return builder.build()


def _model(page: etree._Element, limit: int, uri: str) -> tuple[etree._Element, str]:
    """Return the graph of a page and what is wrong with it; it may be packed: URL-encoded, deflated, in base64."""
    if page.tag == "mxGraphModel" or page.find("mxGraphModel") is not None or not (page.text or "").strip():
        return page, ""
    try:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        data = unpacker.decompress(base64.b64decode(page.text or ""), limit)
        if unpacker.unconsumed_tail:
            raise TooLarge("a diagram unpacks to more than the limit", ids=(uri,))
        return xml_tree(unquote(data.decode("utf-8", "replace")).encode(), uri)
    except (ValueError, zlib.error, etree.XMLSyntaxError, Malformed):
        return etree.Element("mxGraphModel"), _BROKEN


def _cells(model: etree._Element) -> Iterator[_Cell]:
    """Yield the cells with their places on the page: a shape in a group is placed relative to it."""
    places: dict[str, tuple[float, float]] = {}
    for element in model.iter("mxCell"):
        around = element.getparent()
        named = around if around is not None and around.tag in ("object", "UserObject") else element
        geometry = element.find("mxGeometry")
        left, top = places.get(element.get("parent", ""), (0.0, 0.0))
        key = named.get("id", "")
        relative = geometry is None or geometry.get("relative") == "1"
        places[key] = x, y = (left, top) if relative else (left + _number(geometry, "x"), top + _number(geometry, "y"))
        text = _text(named.get("label") or named.get("value") or "")
        ends = element.get("source", ""), element.get("target", "")
        yield _Cell(key, text, element.get("parent", ""), x, y, *ends, element.get("edge") == "1")


def _number(geometry: etree._Element | None, name: str) -> float:
    try:
        return float(geometry.get(name, "0")) if geometry is not None else 0.0
    except ValueError:
        return 0.0


def _text(value: str) -> str:
    """Return the text of a label, which may be HTML."""
    if "<" not in value and "&" not in value:
        return value
    root = parse_html_text(re.sub(r"(?i)<(?:br|/p|/div|/h\d|/li|/tr)\b", r" \g<0>", value))
    return text_of(root)


def _append(cells: list[_Cell], builder: DocumentBuilder) -> None:
    by_key = {cell.key: cell for cell in cells}
    edges = {cell.key for cell in cells if cell.is_edge}
    shapes = [cell for cell in cells if cell.text and not cell.is_edge and cell.parent not in edges]
    for cell in sorted(shapes, key=lambda one: (one.y, one.x)):
        builder.paragraph(cell.text)
    labels: dict[str, list[str]] = {}
    for cell in cells:
        if cell.text and (cell.is_edge or cell.parent in edges):
            labels.setdefault(cell.key if cell.is_edge else cell.parent, []).append(cell.text)
    for cell in cells:
        if cell.is_edge:
            ends = [by_key[end].text for end in (cell.source, cell.target) if end in by_key]
            label = ", ".join(labels.get(cell.key, []))
            connection = " → ".join(ends) if len(ends) == 2 and all(ends) else ""
            builder.list_item(f"{connection} ({label})" if connection and label else connection or label)
