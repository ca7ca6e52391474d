"""What a drawing shows: pictures, text boxes, charts, diagrams, in DrawingML and in the older VML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified

_EMBED, _LINK, _ID = qualified("r:embed"), qualified("r:link"), qualified("r:id")
_DATA = qualified("r:dm")
# What programs write as alternative text when nobody did.
_NO_TEXT = re.compile(
    r"(?:picture|image|grafik|bild|graphic|chart|diagram|diagramm|object|shape|textfeld|text box|group|image\d*"
    r"|img\W?\d*|screenshot|logo|图片|圖片|図)?[\s_\d.:-]*(?:\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?))?",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\S*\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|webp)", re.IGNORECASE)
_GENERATED = re.compile(r"(?:description automatically generated|automatisch generierte beschreibung|ai-generated"
                        r" content may be incorrect).*", re.IGNORECASE | re.DOTALL)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PictureItem:
    """A picture by its relationship; `text` is the alternative text that somebody wrote for it."""

    relationship: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class TextItem:
    """A text box: the element that holds its paragraphs (`w:txbxContent`)."""

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


@dataclass(frozen=True, slots=True)
class EmbeddedItem:
    """Another document inside this one, by its relationship."""

    relationship: str
    program: str = ""


Item = PictureItem | TextItem | WordArtItem | ChartItem | DiagramItem | EmbeddedItem


def drawn(element: Element, text: str = "") -> Iterator[Item]:
    """Yield what a `w:drawing`, `w:pict` or `w:object` shows, in the order of the file; each branch of it once."""
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
        yield DiagramItem(element.get(_DATA, ""))
    elif name == "OLEObject" and element.get("Type") == "Embed":
        yield EmbeddedItem(element.get(_ID, ""), element.get("ProgID", ""))
    elif name == "textpath" and element.get("string"):
        yield WordArtItem(element.get("string", ""))
    text = _alternative(element) or text
    for child in children(element):
        if local(child) != "spPr":  # a picture that fills a shape is decoration
            yield from drawn(child, text)


def _alternative(element: Element) -> str:
    """Return the alternative text of a drawing or of one picture of a group."""
    for path in ("wp:docPr", "pic:nvPicPr/pic:cNvPr", "wps:cNvPr"):
        found = element.find(path, NAMESPACES)
        if found is not None and (text := meaningful(found.get("descr") or found.get("title") or "")):
            return text
    return meaningful(element.get("alt", "")) if local(element) in ("shape", "rect") else ""


def meaningful(text: str) -> str:
    """Return an alternative text without what programs put there; empty where nothing is left."""
    text = _GENERATED.sub("", text).strip()
    return "" if _NO_TEXT.fullmatch(text) or _FILE_NAME.fullmatch(text) else text
