"""Content of drawings in DrawingML and VML: pictures, text boxes, charts and diagrams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.charts import Chart, diagram_nodes, image_of, read_chart
from pipelines.parse.office.ooxml import NAMESPACES, Element, Relationship, children, local, qualified, read_xml
from pipelines.parse.office.package import Package

_EMBED, _LINK, _ID = qualified("r:embed"), qualified("r:link"), qualified("r:id")
_DIAGRAM_DATA = qualified("r:dm")
# Alternative texts that programs insert by default.
_DEFAULT_TEXT = re.compile(
    r"(?:picture|image|grafik|bild|graphic|chart|diagram|diagramm|object|shape|textfeld|text box|group|image\d*"
    r"|img\W?\d*|screenshot|logo|图片|圖片|図)?[\s_\d.:-]*(?:\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?))?",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp)", re.IGNORECASE)
_GENERATED = re.compile(r"(?:description automatically generated|automatisch generierte beschreibung|ai-generated"
                        r" content may be incorrect).*", re.IGNORECASE | re.DOTALL)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PictureItem:
    """A picture by its relationship; `text` is its alternative text."""

    relationship: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class TextItem:
    """A text box: the element with its paragraphs (`w:txbxContent`)."""

    content: Element


@dataclass(frozen=True, slots=True)
class WordArtItem:
    """Text drawn as a shape."""

    text: str


@dataclass(frozen=True, slots=True)
class ChartItem:
    relationship: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DiagramItem:
    """A SmartArt diagram by the relationship of its data."""

    relationship: str


Item = PictureItem | TextItem | WordArtItem | ChartItem | DiagramItem


def drawing_items(element: Element, text: str = "") -> Iterator[Item]:
    """Yield the items in a `w:drawing`, `w:pict` or `w:object` in file order, once for alternative representations.

    `text` is the alternative text of an enclosing element.
    """
    name = local(element)
    if name == "txbxContent":
        yield TextItem(element)
        return
    if name in ("blip", "imagedata"):
        relationship = element.get(_EMBED) or element.get(_ID) or element.get(_LINK) or ""
        yield PictureItem(relationship, text or meaningful(element.get(qualified("o:title"), "")))
        return
    if name == "chart":
        yield ChartItem(element.get(_ID, ""), text)
    elif name == "relIds":
        yield DiagramItem(element.get(_DIAGRAM_DATA, ""))
    elif name == "textpath" and element.get("string"):
        yield WordArtItem(element.get("string", ""))
    text = _alternative(element) or text
    for child in children(element):
        if local(child) != "spPr":  # a picture used as fill of a shape is decoration
            yield from drawing_items(child, text)


def _alternative(element: Element) -> str:
    """Return the alternative text of a drawing, or of a picture in a group."""
    for path in ("wp:docPr", "pic:nvPicPr/pic:cNvPr", "wps:cNvPr"):
        found = element.find(path, NAMESPACES)
        if text := alternative_text(found):
            return text
    return meaningful(element.get("alt", "")) if local(element) in ("shape", "rect") else ""


def alternative_text(properties: Element | None) -> str:
    """Return the alternative text in the non-visual properties of a drawing (`cNvPr`, `docPr`), empty if none."""
    return "" if properties is None else meaningful(properties.get("descr") or properties.get("title") or "")


def meaningful(text: str) -> str:
    """Return an alternative text without generated sentences; empty for a default text or a file name."""
    text = _GENERATED.sub("", text).strip()
    return "" if _DEFAULT_TEXT.fullmatch(text) or _FILE_NAME.fullmatch(text) else text


class Graphics:
    """Appends the content of the drawings of one part; `links` are the relationships of the part."""

    def __init__(self, package: Package, links: dict[str, Relationship], builder: DocumentBuilder) -> None:
        self._package = package
        self._links = links
        self._builder = builder

    def add(self, item: Item, place: Place) -> None:
        """Append one item; text boxes are ignored, since the caller reads their paragraphs."""
        match item:
            case PictureItem(relationship, text):
                self._picture(relationship, text, place)
            case ChartItem(relationship, text):
                self._chart(relationship, text, place)
            case DiagramItem(relationship):
                self._diagram(relationship, place)
            case WordArtItem(text):
                self._builder.paragraph(text, place)

    def _picture(self, relationship: str, text: str, place: Place) -> None:
        link = self._links.get(relationship)
        if link is None or link.external or link.target not in self._package:
            if relationship or text:
                self._builder.figure(Image(description=text), place)
            return
        self._builder.figure(image_of(self._package.find(link.target), text), place)

    def _chart(self, relationship: str, text: str, place: Place) -> None:
        chart = self.read_chart(relationship)
        if chart is None:
            self._builder.figure(Image(description=text), place)
            return
        summary = f"{chart.summary}\n{text}".strip()
        self._builder.figure(Image(description=summary), place)
        self._builder.caption(chart.title, place)
        self._builder.table(chart.cells(), place, caption=chart.title)

    def read_chart(self, relationship: str) -> Chart | None:
        """Return a chart of the part, None if its data is missing or of an unknown kind."""
        root = self._root(relationship)
        return read_chart(root) if root is not None else None

    def _root(self, relationship: str) -> Element | None:
        link = self._links.get(relationship)
        return read_xml(self._package, link.target) if link is not None and not link.external else None

    def _diagram(self, relationship: str, place: Place) -> None:
        root = self._root(relationship)
        if root is None:
            self._builder.remark("a diagram without data was left out")
            return
        for node in diagram_nodes(root):
            self._builder.list_item(node.text, node.level, place)
