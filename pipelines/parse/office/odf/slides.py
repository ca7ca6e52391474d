"""The reader of ODP and ODG: a page per slide, its shapes in reading order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.arrangements import OOXML_ARROWS, TextShape, append_arranged
from pipelines.parse.office.odf.document import OdfStyles, OpenDocument, formats_of, open_document, qualified
from pipelines.parse.office.odf.objects import SHAPES, Objects, plain_text, read_paragraph
from pipelines.parse.office.odf.story import OdfStory
from pipelines.parse.office.ooxml import Element, built, local
from pipelines.parse.office.shape_order import ShapeFrame, in_reading_order
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

_LENGTH = re.compile(r"(-?[\d.]+)(cm|mm|in|pt|px|pc)?")
# Points per unit of length (XSL-FO 1.1, 5.9.13): 72 per inch of 2.54 cm, 0.75 per pixel, 12 per pica.
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0, None: 1.0}
_CLASS = qualified("presentation:class")
_CLASS_KINDS = {
    "footer": BlockKind.PAGE_FOOTER,
    "date-time": BlockKind.PAGE_FOOTER,
    "page-number": BlockKind.PAGE_FOOTER,
    "header": BlockKind.PAGE_HEADER,
}
_OBJECTS = tuple(qualified(name) for name in ("table:table", "draw:object", "draw:image", "draw:frame"))
"""What a shape has beside text, or in place of it."""
_TEXT_BOX = "mso-spt202"
"""A text box of other programs, as LibreOffice writes it."""
_ARROWS = {f"ooxml-{name}" for name in OOXML_ARROWS} | {
    "chevron", "pentagon-right", "right-arrow", "down-arrow", "notched-right-arrow", "striped-right-arrow",
    "right-arrow-callout", "down-arrow-callout",
}  # fmt: skip
"""Shapes that point to the next step, as LibreOffice names them."""
_TITLE_LEVEL = 1
_DEFAULT_SIZE = (720.0, 540.0)
"""Points: a slide of 10 by 7.5 inches (4:3), the default of LibreOffice."""


class OdpReader:
    """Reads slides with tables, pictures, charts and notes, and the pages of drawings."""

    formats = (*formats_of("presentation", ".odp"), *formats_of("graphics", ".odg"))
    name = "odp"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with open_document(path, source, settings) as document:
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            styles, size = OdfStyles(document.styles, document.content), _size(document)
            objects = Objects(document.package, builder)
            for number, slide in enumerate(document.body.findall(qualified("draw:page")), 1):
                builder.page(Page(number, str(number), *size))
                _Slide(number, size, builder, styles, objects).write(slide)
            return built(builder, document.package)


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
        shapes = [child for child in slide if local(child) in SHAPES]
        titles = [shape for shape in shapes if shape.get(_CLASS) == "title"]
        others = [shape for shape in shapes if shape.get(_CLASS) != "title"]
        in_order = [*titles, *in_reading_order(others, self._frame)]
        append_arranged([self._text_shape(shape) for shape in in_order], self._builder, self)
        notes = slide.find(qualified("presentation:notes"))
        for frame in notes.iter(qualified("draw:frame")) if notes is not None else ():
            if frame.get(_CLASS) == "notes":
                self._builder.note(plain_text(frame), Place(self._number))

    def _text_shape(self, shape: Element) -> TextShape[Element]:
        kind = shape.get(_CLASS, "")
        is_apart = kind in _CLASS_KINDS or kind == "title" or next(shape.iterdescendants(*_OBJECTS), None) is not None
        lines = [] if is_apart else plain_text(shape).splitlines()
        geometry = shape.find(qualified("draw:enhanced-geometry"))
        drawn = geometry.get(qualified("draw:type"), "") if geometry is not None else ""
        is_list = next(shape.iter(qualified("text:list")), None) is not None
        framed = bool(drawn) and drawn != _TEXT_BOX and not is_list
        return TextShape(shape, self._frame(shape), tuple(lines), framed, drawn in _ARROWS)

    def append_links(self, item: Element) -> None:
        for paragraph in item.iter(qualified("text:p")):
            self._builder.references(read_paragraph(paragraph).links)

    def place(self, items: Sequence[Element]) -> Place:
        return Place(self._number, boxes=tuple(box for shape in items for box in self._boxes(shape)))

    def append(self, item: Element) -> None:
        shape, kind, place = item, item.get(_CLASS, ""), self.place([item])
        if kind in _CLASS_KINDS:
            self._builder.furniture(_CLASS_KINDS[kind], plain_text(shape), place)
        elif kind == "title":
            self._builder.heading(" ".join(plain_text(shape).split()), _TITLE_LEVEL, place)
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
    """Return width and height of the slides in points from the layout of the first master page."""
    styles = document.styles
    master = next(styles.iter(qualified("style:master-page")), None)
    name = master.get(qualified("style:page-layout-name")) if master is not None else None
    for layout in styles.iter(qualified("style:page-layout")):
        properties = layout.find(qualified("style:page-layout-properties"))
        if layout.get(qualified("style:name")) == name and properties is not None:
            width, height = (_points(properties.get(qualified(f"fo:page-{side}"))) for side in ("width", "height"))
            return (width, height) if width > 0 and height > 0 else _DEFAULT_SIZE
    return _DEFAULT_SIZE
