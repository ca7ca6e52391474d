"""What lies on a sheet above its cells: pictures, charts, text boxes, each anchored at a cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.parse.office.drawing import ChartItem, DiagramItem, PictureItem, WordArtItem, drawn, meaningful
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified, read_xml
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.text import plain_text

_ANCHORS = frozenset({"twoCellAnchor", "oneCellAnchor", "absoluteAnchor"})
_BODY = qualified("xdr:txBody")


@dataclass(frozen=True, slots=True)
class Floating:
    """Something on a sheet; `part` is its drawing, row and column those of its top left corner, from 0."""

    part: str
    row: int
    column: int
    item: ChartItem | DiagramItem | PictureItem | WordArtItem


def floating(package: Package, part: str) -> list[Floating]:
    """Return what a drawing part holds, from top to bottom."""
    root = read_xml(package, part)
    found = []
    for anchor in children(root) if root is not None else ():
        if local(anchor) in _ANCHORS:
            row, column = _corner(anchor, "row"), _corner(anchor, "col")
            found += [Floating(part, row, column, item) for item in _items(anchor)]
    return sorted(found, key=lambda item: (item.row, item.column))


def _items(anchor: Element) -> Iterator[ChartItem | DiagramItem | PictureItem | WordArtItem]:
    for child in children(anchor):
        name = local(child)
        if name == "grpSp":
            yield from _items(child)
        elif name == "sp":
            body = child.find(_BODY)
            text = plain_text(body) if body is not None else ""
            if text:
                yield WordArtItem(text)
        elif name in ("pic", "graphicFrame"):
            for item in drawn(child, _alternative(child)):
                if isinstance(item, ChartItem | DiagramItem | PictureItem):
                    yield item


def _alternative(element: Element) -> str:
    names = next((node for node in element.iter(qualified("xdr:cNvPr"))), None)
    return "" if names is None else meaningful(names.get("descr") or names.get("title") or "")


def _corner(anchor: Element, name: str) -> int:
    found = anchor.find(f"xdr:from/xdr:{name}", NAMESPACES)
    text = (found.text or "").strip() if found is not None else ""
    return int(text) if text.isdigit() else 0
