"""One slide: its shapes in reading order, appended to a document."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import BlockKind, ReferenceKind
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.columns import ShapeFrame
from pipelines.parse.office.drawing import (
    ChartItem,
    DiagramItem,
    EmbeddedItem,
    Graphics,
    PictureItem,
    drawn,
    meaningful,
)
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified, relationships
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import Paragraph, SlideLink, paragraphs, plain_text, table_cells
from pipelines.parse.office.pptx.shapes import Mapping, Shape, SlideLayout, ordered, shapes_of

_FURNITURE = {"ftr": BlockKind.PAGE_FOOTER, "dt": BlockKind.PAGE_FOOTER, "sldNum": BlockKind.PAGE_FOOTER,
              "hdr": BlockKind.PAGE_HEADER}  # fmt: skip
_TITLE_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of the slides in EMU."""

    width: int
    height: int


class SlideReader:
    """Appends one slide; `numbers` are the slides' numbers by part, for links between them."""

    def __init__(
        self,
        package: Package,
        part: str,
        builder: DocumentBuilder,
        number: int,
        size: Size,
        numbers: dict[str, int],
    ) -> None:
        self._builder = builder
        self._number = number
        self._numbers = numbers
        self._links = relationships(package, part)
        self._mapping = Mapping(0.0, 0.0, 1 / size.width, 1 / size.height)
        self._layout = SlideLayout(package, part, self._mapping)
        self._graphics = Graphics(package, self._links, builder)

    def read(self, slide: Element) -> None:
        tree = slide.find("p:cSld/p:spTree", NAMESPACES)
        if tree is None:
            return
        shapes = shapes_of(tree, self._mapping)
        for shape in shapes:
            if shape.frame is None and shape.placeholder is not None:
                shape.frame = self._layout.frame(shape.placeholder)
        for shape in ordered(shapes):
            self._shape(shape)

    def note(self, text: str) -> None:
        """Append what is said about the slide."""
        self._builder.note(text, Place(self._number))

    def _shape(self, shape: Shape) -> None:
        place = Place(self._number, boxes=self._boxes(shape.frame))
        if shape.kind == "graphicFrame":
            self._frame(shape, place)
            return
        if shape.kind == "pic":
            for item in drawn(shape.element, meaningful(shape.text)):
                self._graphics.add(item, place)
            return
        body = shape.element.find("p:txBody", NAMESPACES)
        if body is not None:
            self._text(shape, body, place)

    # -- text

    def _text(self, shape: Shape, body: Element, place: Place) -> None:
        holder = shape.placeholder
        if holder is not None and holder.type in _FURNITURE:
            self._builder.furniture(_FURNITURE[holder.type], plain_text(body), place)
            return
        lines = paragraphs(body, self._layout.styles(holder))
        if holder is not None and holder.is_title:
            self._title(list(lines), place)
            return
        for line in lines:
            self._paragraph(line, place)

    def _title(self, lines: list[Paragraph], place: Place) -> None:
        text = " ".join(" ".join(line.text for line in lines).split())
        if self._builder.heading(text, _TITLE_LEVEL, place):
            for line in lines:
                self._refer(line.links)

    def _paragraph(self, line: Paragraph, place: Place) -> None:
        if line.formula:
            self._builder.formula(line.text, place)
        elif line.bullet:
            self._builder.list_item(f"{line.marker} {line.text}".strip(), line.level, place)
        else:
            self._builder.paragraph(line.text, place)
        self._refer(line.links)

    def _refer(self, links: list[SlideLink]) -> None:
        for link in links:
            found = self._links.get(link.relationship)
            if found is None:
                continue
            if found.external:
                self._builder.reference(ReferenceKind.HYPERLINK, found.target, link.evidence)
            elif found.target in self._numbers:
                target = f"slide {self._numbers[found.target]}"
                self._builder.reference(ReferenceKind.CROSS_REFERENCE, target, link.evidence)

    # -- tables, charts, diagrams

    def _frame(self, shape: Shape, place: Place) -> None:
        table = shape.element.find("a:graphic/a:graphicData/a:tbl", NAMESPACES)
        if table is not None:
            cells, links = table_cells(table)
            if self._builder.table(cells, place):
                self._refer(links)
            return
        for item in drawn(shape.element, meaningful(shape.text)):
            if isinstance(item, ChartItem | DiagramItem | PictureItem | EmbeddedItem):
                self._graphics.add(item, place)
        for embedded in _embedded(shape.element):
            self._graphics.add(EmbeddedItem(embedded), place)

    def _boxes(self, frame: ShapeFrame | None) -> tuple[Box, ...]:
        if frame is None or frame.right <= frame.left or frame.bottom <= frame.top:
            return ()
        inside = [min(1.0, max(0.0, edge)) for edge in (frame.left, frame.top, frame.right, frame.bottom)]
        return (Box(self._number, *inside),)


def _embedded(element: Element) -> list[str]:
    """Return the relationships of the files embedded in a graphic frame."""
    found = []
    for child in children(element):
        if local(child) == "oleObj":
            found.append(child.get(qualified("r:id"), ""))
        else:
            found += _embedded(child)
    return found
