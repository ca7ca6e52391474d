"""Shapes of a slide with positions, also inside groups and inherited from the layout (ECMA-376 1, 19.3, 20.1.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines.parse.office.drawing import alternative_text
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, read_xml, related
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import plain_text
from pipelines.parse.office.shape_order import ShapeFrame, in_reading_order

_TRANSFORMS = ("p:spPr/a:xfrm", "p:xfrm", "p:grpSpPr/a:xfrm")
_READ = frozenset({"sp", "pic", "graphicFrame", "grpSp", "cxnSp"})
_BODIES = frozenset({"body", "obj", "subTitle", "tbl", "chart", "dgm", "media", "clipArt", "pic"})


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The placeholder of the layout that a shape fills: its type ("title", "body", "ftr", ...) and index."""

    type: str
    index: str

    @property
    def is_title(self) -> bool:
        return self.type in ("title", "ctrTitle")


@dataclass(slots=True)
class Shape:
    """A shape. `frame` is None if neither the shape nor its layout has a position. A group has `members`."""

    element: Element
    kind: str
    frame: ShapeFrame | None
    placeholder: Placeholder | None = None
    text: str = ""
    """The alternative text."""
    members: list[Shape] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CoordinateMap:
    """Converts the coordinates inside a group to fractions of the slide."""

    left: float
    top: float
    across: float
    down: float

    def frame(self, transform: Element | None) -> ShapeFrame | None:
        box = transform_box(transform, "off", "ext")
        if box is None:
            return None
        x, y, width, height = box
        left, top = self.left + x * self.across, self.top + y * self.down
        return ShapeFrame(left, top, left + width * self.across, top + height * self.down)

    def inside(self, transform: Element | None) -> CoordinateMap:
        """Return the mapping for the members of a group with this transform."""
        outer, inner = transform_box(transform, "off", "ext"), transform_box(transform, "chOff", "chExt")
        if outer is None or inner is None:
            return self
        (x, y, width, height), (inner_x, inner_y, inner_width, inner_height) = outer, inner
        across = width / inner_width if inner_width else 1.0
        down = height / inner_height if inner_height else 1.0
        left = self.left + (x - inner_x * across) * self.across
        top = self.top + (y - inner_y * down) * self.down
        return CoordinateMap(left, top, self.across * across, self.down * down)


def shapes_of(tree: Element, mapping: CoordinateMap) -> list[Shape]:
    """Return the visible shapes of a shape tree or group, in file order."""
    shapes = []
    for element in children(tree):
        kind = local(element)
        names = _names(element)
        if kind not in _READ or (names is not None and names.get("hidden") in ("1", "true")):
            continue
        transforms = (element.find(path, NAMESPACES) for path in _TRANSFORMS)
        transform = next((found for found in transforms if found is not None), None)
        shape = Shape(element, kind, mapping.frame(transform), _placeholder(element), alternative_text(names))
        if kind == "grpSp":
            shape.members = shapes_of(element, mapping.inside(transform))
        shapes.append(shape)
    return shapes


def ordered(shapes: list[Shape]) -> list[Shape]:
    """Return the shapes in reading order, groups flattened: titles first, shapes without a position last."""
    titles = [shape for shape in shapes if shape.placeholder is not None and shape.placeholder.is_title]
    placed = [shape for shape in shapes if shape not in titles and shape.frame is not None]
    loose = [shape for shape in shapes if shape not in titles and shape.frame is None]
    result: list[Shape] = []
    for shape in [*titles, *in_reading_order(placed, lambda shape: shape.frame or ShapeFrame()), *loose]:
        result += ordered(shape.members) if shape.kind == "grpSp" else [shape]
    return result


def transform_box(transform: Element | None, offset: str, extent: str) -> tuple[int, int, int, int] | None:
    """Return x, y, width and height of a transform, None if one is missing or not a number."""
    if transform is None:
        return None
    at, size = transform.find(f"a:{offset}", NAMESPACES), transform.find(f"a:{extent}", NAMESPACES)
    if at is None or size is None:
        return None
    try:
        return int(at.get("x", "")), int(at.get("y", "")), int(size.get("cx", "")), int(size.get("cy", ""))
    except ValueError:
        return None


def _non_visual(element: Element) -> Element | None:
    return next((child for child in element if local(child).startswith("nv")), None)


def _placeholder(element: Element) -> Placeholder | None:
    properties = _non_visual(element)
    found = properties.find("p:nvPr/p:ph", NAMESPACES) if properties is not None else None
    return None if found is None else Placeholder(found.get("type", "obj"), found.get("idx", ""))


def _names(element: Element) -> Element | None:
    properties = _non_visual(element)
    return properties.find("p:cNvPr", NAMESPACES) if properties is not None else None


def _own_texts(root: Element) -> Iterator[str]:
    """Yield the texts of shapes that are no placeholders; those of placeholders are prompts, which slides replace."""
    for shape in root.iterfind("p:cSld/p:spTree//p:sp", NAMESPACES):
        body = shape.find("p:txBody", NAMESPACES)
        if body is not None and shape.find("p:nvSpPr/p:nvPr/p:ph", NAMESPACES) is None:
            yield plain_text(body)


class SlideLayout:
    """The layout of a slide and its master, from which placeholders inherit positions and list styles."""

    def __init__(self, package: Package, slide: str, mapping: CoordinateMap) -> None:
        layouts = related(package, slide, "slideLayout")[:1]
        masters = related(package, layouts[0], "slideMaster")[:1] if layouts else []
        roots = [read_xml(package, part) for part in (*layouts, *masters)]
        self._levels = [_placeholders(root, mapping) for root in roots if root is not None]
        self.texts = [text for root in roots if root is not None for text in _own_texts(root)]
        """What the layout and the master themselves say on each slide, such as the number of a document."""
        master = roots[1] if len(roots) > 1 else None
        self._body_style = master.find("p:txStyles/p:bodyStyle", NAMESPACES) if master is not None else None

    def frame(self, placeholder: Placeholder) -> ShapeFrame | None:
        """Return the inherited position of a placeholder, None if there is none."""
        return next((shape.frame for shape in self._layout_shapes(placeholder) if shape.frame is not None), None)

    def styles(self, placeholder: Placeholder | None) -> list[Element]:
        """Return the list styles that a shape's paragraphs inherit, the nearest first; a text box inherits none."""
        if placeholder is None:
            return []
        styles = [shape.element.find("p:txBody/a:lstStyle", NAMESPACES) for shape in self._layout_shapes(placeholder)]
        if placeholder.type in _BODIES:
            styles.append(self._body_style)
        return [style for style in styles if style is not None]

    def _layout_shapes(self, placeholder: Placeholder) -> list[Shape]:
        """Return the shapes of the layout and the master that a placeholder inherits from."""
        found = []
        for shapes in self._levels:
            match = _match(placeholder, shapes)
            if match is not None:
                found.append(match)
                placeholder = match.placeholder or placeholder
        return found


def _match(placeholder: Placeholder, shapes: list[Shape]) -> Shape | None:
    """Return the shape with the placeholder's index, else the first one of a matching type, None if there is none."""
    for shape in shapes:
        other = shape.placeholder
        if other is not None and placeholder.index and other.index == placeholder.index:
            return shape
    kinds = _matching_types(placeholder.type)
    return next((shape for shape in shapes if shape.placeholder is not None and shape.placeholder.type in kinds), None)


def _matching_types(type: str) -> frozenset[str]:
    if type in ("title", "ctrTitle"):
        return frozenset({"title", "ctrTitle"})
    return frozenset({"body", "obj", "subTitle"}) if type in _BODIES else frozenset({type})


def _placeholders(root: Element, mapping: CoordinateMap) -> list[Shape]:
    tree = root.find("p:cSld/p:spTree", NAMESPACES)
    return [shape for shape in shapes_of(tree, mapping) if shape.placeholder is not None] if tree is not None else []
