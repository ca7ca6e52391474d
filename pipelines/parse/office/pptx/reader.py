"""The reader of PPTX: the slides in order, the shapes of each in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipelines.core.document import BlockKind, Page, ReferenceKind, Source
from pipelines.core.errors import Malformed
from pipelines.core.provenance import Box
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.arrangements import OOXML_ARROWS, TextShape, append_arranged
from pipelines.parse.office.drawing import Graphics, drawing_items
from pipelines.parse.office.embedded import append_embedded
from pipelines.parse.office.ooxml import (
    NAMESPACES,
    Element,
    built,
    core_properties,
    main_part,
    parse_xml,
    qualified,
    read_xml,
    relationships,
)
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.notes import slide_comments, speaker_notes
from pipelines.parse.office.pptx.paragraph import Paragraph, SlideLink, paragraphs, plain_text, table_cells
from pipelines.parse.office.pptx.shapes import CoordinateMap, Shape, SlideLayout, ordered, shapes_of
from pipelines.parse.office.shape_order import ShapeFrame
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_EMU_PER_POINT = 12700
"""914,400 EMU per inch (ECMA-376 1, 20.1.10.16)."""
_DEFAULT_SIZE = (9144000, 6858000)
"""EMU: 10 by 7.5 inches (ECMA-376 1, 19.2.1.39, screen4x3)."""


class PptxReader:
    """Reads slides with tables, charts, diagrams, pictures, speaker's notes and comments."""

    formats = (signed("application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"),)
    name = "pptx"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            builder = DocumentBuilder(source, settings, self.name, core_properties(package))
            _read(package, builder)
            append_embedded(package, builder)
            return built(builder, package)


def _read(package: Package, builder: DocumentBuilder) -> None:
    presentation = main_part(package, "ppt/presentation.xml")
    root = parse_xml(package.read(presentation), package.uri, presentation)
    size = _size(root)
    links = relationships(package, presentation)
    shown = [links.get(item.get(qualified("r:id"), "")) for item in root.iterfind("p:sldIdLst/p:sldId", NAMESPACES)]
    parts = [link.target for link in shown if link is not None and not link.external]
    numbers = {part: number for number, part in enumerate(parts, 1)}
    for number, part in enumerate(parts, 1):
        slide = read_xml(package, part)
        issue = "" if slide is not None else "the slide is missing or broken"
        label = str(number)
        if slide is not None and slide.get("show") in ("0", "false"):
            builder.remark(f"slide {number} is hidden in the presentation")
            label = f"{number} (hidden)"
        builder.page(Page(number, label, size[0] / _EMU_PER_POINT, size[1] / _EMU_PER_POINT, issue=issue))
        if slide is not None:
            SlideReader(package, part, builder, number, size, numbers).read(slide)
            for text in (*speaker_notes(package, part), *slide_comments(package, part)):
                builder.note(text, Place(number))
    if parts and all(part not in package for part in parts):
        raise Malformed("all slides are missing", ids=(package.uri,))


def _size(presentation: Element) -> tuple[int, int]:
    """Return width and height of the slides in EMU."""
    found = presentation.find("p:sldSz", NAMESPACES)
    if found is None:
        return _DEFAULT_SIZE
    width, height = found.get("cx", ""), found.get("cy", "")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        return _DEFAULT_SIZE
    return int(width), int(height)


_FURNITURE = {"ftr": BlockKind.PAGE_FOOTER, "dt": BlockKind.PAGE_FOOTER, "sldNum": BlockKind.PAGE_FOOTER,
              "hdr": BlockKind.PAGE_HEADER}  # fmt: skip
_TITLE_LEVEL = 1


class SlideReader:
    """Appends one slide; `numbers` maps parts to slide numbers, for links between slides."""

    def __init__(
        self,
        package: Package,
        part: str,
        builder: DocumentBuilder,
        number: int,
        size: tuple[int, int],
        numbers: dict[str, int],
    ) -> None:
        self._builder = builder
        self._number = number
        self._numbers = numbers
        self._links = relationships(package, part)
        self._mapping = CoordinateMap(0.0, 0.0, 1 / size[0], 1 / size[1])
        self._layout = SlideLayout(package, part, self._mapping)
        self._graphics = Graphics(package, self._links, builder)

    def read(self, slide: Element) -> None:
        tree = slide.find("p:cSld/p:spTree", NAMESPACES)
        if tree is None:
            return
        for text in self._layout.texts:
            self._builder.furniture(BlockKind.PAGE_HEADER, text, Place(self._number), new_words=1)
        shapes = shapes_of(tree, self._mapping)
        for shape in shapes:
            if shape.frame is None and shape.placeholder is not None:
                shape.frame = self._layout.frame(shape.placeholder)
        append_arranged([self._text_shape(shape) for shape in ordered(shapes)], self._builder, self)

    def _text_shape(self, shape: Shape) -> TextShape[Shape]:
        holder, frame = shape.placeholder, shape.frame or ShapeFrame()
        is_apart = holder is not None and (holder.is_title or holder.type in _FURNITURE)
        lines = [] if is_apart else list(self._lines(shape))
        lines = lines if not any(line.formula for line in lines) else []
        geometry = shape.element.find("p:spPr/a:prstGeom", NAMESPACES)
        arrow = geometry is not None and geometry.get("prst", "") in OOXML_ARROWS
        drawn = holder is None and shape.element.find("p:nvSpPr/p:cNvSpPr[@txBox='1']", NAMESPACES) is None
        framed = drawn and not any(line.bullet for line in lines)
        return TextShape(shape, frame, tuple(line.text for line in lines), framed, arrow)

    def _lines(self, shape: Shape) -> Iterator[Paragraph]:
        body = shape.element.find("p:txBody", NAMESPACES)
        return paragraphs(body, self._layout.styles(shape.placeholder)) if body is not None else iter(())

    def append(self, item: Shape) -> None:
        shape, place = item, self.place([item])
        if shape.kind == "graphicFrame":
            self._frame(shape, place)
            return
        if shape.kind == "pic":
            self._draw(shape, place)
            return
        body = shape.element.find("p:txBody", NAMESPACES)
        if body is not None:
            self._text(shape, body, place)

    def append_links(self, item: Shape) -> None:
        for line in self._lines(item):
            self._add_links(line.links)

    def place(self, items: Sequence[Shape]) -> Place:
        return Place(self._number, boxes=tuple(box for shape in items for box in self._boxes(shape.frame)))

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
                self._add_links(line.links)

    def _paragraph(self, line: Paragraph, place: Place) -> None:
        if line.formula:
            self._builder.formula(line.text, place)
        elif line.bullet:
            self._builder.list_item(f"{line.marker} {line.text}".strip(), line.level, place)
        else:
            self._builder.paragraph(line.text, place)
        self._add_links(line.links)

    def _add_links(self, links: list[SlideLink]) -> None:
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
                self._add_links(links)
            return
        self._draw(shape, place)

    def _draw(self, shape: Shape, place: Place) -> None:
        for item in drawing_items(shape.element, shape.text):
            self._graphics.add(item, place)

    def _boxes(self, frame: ShapeFrame | None) -> tuple[Box, ...]:
        if frame is None:
            return ()
        left, top, right, bottom = (
            min(1.0, max(0.0, edge)) for edge in (frame.left, frame.top, frame.right, frame.bottom)
        )
        return (Box(self._number, left, top, right, bottom),) if left < right and top < bottom else ()
