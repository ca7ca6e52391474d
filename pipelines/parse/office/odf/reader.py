"""The readers of ODT, and of ODP: a page for each slide, its frames in reading order."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.columns import ShapeFrame, in_reading_order
from pipelines.parse.office.odf.document import OdfStyles, OpenDocument, body_of, formats_of, open_document, qualified
from pipelines.parse.office.odf.objects import Objects, plain_text
from pipelines.parse.office.odf.story import OdfStory
from pipelines.parse.office.ooxml import Element, local
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

_PAGE_FURNITURE = (("style:header", BlockKind.PAGE_HEADER), ("style:footer", BlockKind.PAGE_FOOTER))


class OdtReader:
    """Reads text documents; pages are told where the program that saved the file marked them."""

    formats = formats_of("text", ".odt")
    name = "odt"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            body = body_of(document, "text")
            if body is None:
                raise Malformed("content.xml has no text", ids=(source.uri,))
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            paged = next(body.iter(qualified("text:soft-page-break")), None) is not None
            styles = OdfStyles(document.styles, document.content)
            story = OdfStory(builder, styles, Objects(document.package, builder), Place(1 if paged else None))
            story.add(body)
            _furniture(document.styles if document.styles is not None else document.content, builder)
            for page in range(1, (story.place.page or 0) + 1):
                builder.page(Page(page))
        return builder.build()


def _furniture(styles: Element | None, builder: DocumentBuilder) -> None:
    told: set[str] = set()
    for name, kind in _PAGE_FURNITURE:
        for element in styles.iter(qualified(name)) if styles is not None else ():
            text = plain_text(element)
            if text not in told:
                told.add(text)
                builder.furniture(kind, text)


_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px|pc)?")
# Points of each unit of length (XSL-FO 1.1, 5.9.13): 72 an inch of 2.54 cm, .75 a pixel, 12 a pica.
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0, None: 1.0}
_CLASS = qualified("presentation:class")
_SHAPES = frozenset(
    {"frame", "custom-shape", "g", "rect", "ellipse", "path", "polygon", "polyline", "circle", "line", "connector"}
)
_FURNITURE = {"footer": BlockKind.PAGE_FOOTER, "date-time": BlockKind.PAGE_FOOTER, "page-number": BlockKind.PAGE_FOOTER,
              "header": BlockKind.PAGE_HEADER}  # fmt: skip
_USUAL_SIZE = (720.0, 540.0)
"""Points: a screen of 10 by 7.5 inches (4:3), as LibreOffice begins."""


class OdpReader:
    """Reads the slides with their tables, pictures, charts and notes."""

    formats = formats_of("presentation", ".odp")
    name = "odp"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            body = body_of(document, "presentation")
            if body is None:
                raise Malformed("content.xml has no slides", ids=(source.uri,))
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            styles, objects, size = (
                OdfStyles(document.styles, document.content),
                Objects(document.package, builder),
                _size(document),
            )
            for number, slide in enumerate(body.findall(qualified("draw:page")), 1):
                builder.page(Page(number, str(number), *size))
                _Slide(number, size, builder, styles, objects).write(slide)
        return builder.build()


class _Slide:
    """Appends one slide."""

    def __init__(
        self, number: int, size: tuple[float, float], builder: DocumentBuilder, styles: OdfStyles, objects: Objects
    ) -> None:
        self._number = number
        self._size = size
        self._builder = builder
        self._styles = styles
        self._objects = objects

    def write(self, slide: Element) -> None:
        shapes = [child for child in slide if local(child) in _SHAPES]
        titles = [shape for shape in shapes if shape.get(_CLASS) == "title"]
        others = [shape for shape in shapes if shape.get(_CLASS) != "title"]
        for shape in [*titles, *in_reading_order(others, self._frame)]:
            self._shape(shape)
        notes = slide.find(qualified("presentation:notes"))
        for frame in notes.iter(qualified("draw:frame")) if notes is not None else ():
            if frame.get(_CLASS) == "notes":
                self._builder.note(plain_text(frame), Place(self._number))

    def _shape(self, shape: Element) -> None:
        kind, place = shape.get(_CLASS, ""), Place(self._number, boxes=self._boxes(shape))
        if kind in _FURNITURE:
            self._builder.furniture(_FURNITURE[kind], plain_text(shape), place)
        elif kind == "title":
            self._builder.heading(" ".join(plain_text(shape).split()), 1, place)
        else:
            OdfStory(self._builder, self._styles, self._objects, place).shape(shape)

    def _frame(self, shape: Element) -> ShapeFrame:
        left, top, width, height = (
            _points(shape.get(qualified(f"svg:{name}"))) for name in ("x", "y", "width", "height")
        )
        across, down = self._size
        return ShapeFrame(left / across, top / down, (left + width) / across, (top + height) / down)

    def _boxes(self, shape: Element) -> tuple[Box, ...]:
        frame = self._frame(shape)
        left, top, right, bottom = (
            min(1.0, max(0.0, edge)) for edge in (frame.left, frame.top, frame.right, frame.bottom)
        )
        return (Box(self._number, left, top, right, bottom),) if left < right and top < bottom else ()


def _points(length: str | None) -> float:
    match = _LENGTH.fullmatch((length or "").strip())
    return float(match.group(1)) * _POINTS[match.group(2)] if match and match.group(1).count(".") < 2 else 0.0


def _size(document: OpenDocument) -> tuple[float, float]:
    """Return width and height of the slides in points, as the layout of the first master page says."""
    styles = document.styles if document.styles is not None else document.content
    master = next(styles.iter(qualified("style:master-page")), None)
    name = master.get(qualified("style:page-layout-name")) if master is not None else None
    for layout in styles.iter(qualified("style:page-layout")):
        properties = layout.find(qualified("style:page-layout-properties"))
        if layout.get(qualified("style:name")) == name and properties is not None:
            width, height = (_points(properties.get(qualified(f"fo:page-{side}"))) for side in ("width", "height"))
            return (width, height) if width > 0 and height > 0 else _USUAL_SIZE
    return _USUAL_SIZE
