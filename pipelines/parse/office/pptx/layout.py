"""What a slide takes from its layout and master: places and list styles of placeholders (ECMA-376 1, 19.3.1.36)."""

from __future__ import annotations

from pipelines.parse.office.ooxml import NAMESPACES, Element, read_xml, related
from pipelines.parse.office.order import Frame
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.shapes import Mapping, Placeholder, Shape, shapes_of

_BODIES = frozenset({"body", "obj", "subTitle", "tbl", "chart", "dgm", "media", "clipArt", "pic"})


class Layout:
    """The layout of a slide and the master behind it; without them nothing is inherited."""

    def __init__(self, package: Package, slide: str, mapping: Mapping) -> None:
        layouts = related(package, slide, "slideLayout")[:1]
        masters = related(package, layouts[0], "slideMaster")[:1] if layouts else []
        roots = [read_xml(package, part) for part in (*layouts, *masters)]
        self._levels = [_placeholders(root, mapping) for root in roots if root is not None]
        master = roots[1] if len(roots) > 1 else None
        self._body_style = master.find("p:txStyles/p:bodyStyle", NAMESPACES) if master is not None else None

    def frame(self, placeholder: Placeholder) -> Frame | None:
        """Return where a placeholder stands that does not say so itself."""
        return next((shape.frame for shape in self._like(placeholder) if shape.frame is not None), None)

    def styles(self, placeholder: Placeholder | None) -> list[Element]:
        """Return the list styles that a shape's paragraphs take over, the nearest first; a text box takes none."""
        if placeholder is None:
            return []
        styles = [shape.element.find("p:txBody/a:lstStyle", NAMESPACES) for shape in self._like(placeholder)]
        if placeholder.type in _BODIES:
            styles.append(self._body_style)
        return [style for style in styles if style is not None]

    def _like(self, placeholder: Placeholder) -> list[Shape]:
        """Return the shapes of the layout and the master that a placeholder stands for."""
        found = []
        for shapes in self._levels:
            match = _match(placeholder, shapes)
            if match is not None:
                found.append(match)
                placeholder = match.placeholder or placeholder
        return found


def _match(placeholder: Placeholder, shapes: list[Shape]) -> Shape | None:
    """By index first, then by type; a title is a title whatever its index."""
    for shape in shapes:
        other = shape.placeholder
        if other is not None and placeholder.index and other.index == placeholder.index:
            return shape
    kinds = _kin(placeholder.type)
    return next((shape for shape in shapes if shape.placeholder is not None and shape.placeholder.type in kinds), None)


def _kin(type: str) -> frozenset[str]:
    if type in ("title", "ctrTitle"):
        return frozenset({"title", "ctrTitle"})
    return frozenset({"body", "obj", "subTitle"}) if type in _BODIES else frozenset({type})


def _placeholders(root: Element, mapping: Mapping) -> list[Shape]:
    tree = root.find("p:cSld/p:spTree", NAMESPACES)
    return [shape for shape in shapes_of(tree, mapping) if shape.placeholder is not None] if tree is not None else []
