"""SmartArt: the tree of texts that a diagram is drawn from (ECMA-376 1, 21.4)."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.parse.office.ooxml import NAMESPACES, Element, qualified

_POINT, _LINK = qualified("dgm:pt"), qualified("dgm:cxn")
_PARAGRAPH, _RUN, _BREAK = qualified("a:p"), qualified("a:t"), qualified("a:br")
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Node:
    """A text of a diagram, `level` deep from 1."""

    text: str
    level: int


def diagram_nodes(data: Element) -> list[Node]:
    """Return the texts of a diagram's data model, parents before their children, siblings in their order."""
    points = {point.get("modelId", ""): point for point in data.iter(_POINT)}
    below: dict[str, list[tuple[int, str]]] = {}
    children: set[str] = set()
    for link in data.iter(_LINK):
        if link.get("type", "parOf") == "parOf":
            child = link.get("destId", "")
            below.setdefault(link.get("srcId", ""), []).append((_order(link), child))
            children.add(child)
    nodes: list[Node] = []
    seen: set[str] = set()
    for id, point in points.items():
        if id not in children and point.get("type", "node") in ("doc", "node", "asst"):
            _collect(id, 0 if point.get("type") == "doc" else 1, points, below, seen, nodes)
    return nodes


def _collect(
    id: str,
    level: int,
    points: dict[str, Element],
    below: dict[str, list[tuple[int, str]]],
    seen: set[str],
    nodes: list[Node],
) -> None:
    if id in seen or id not in points or level > _DEEPEST:
        return
    seen.add(id)
    text = _text(points[id])
    if text:
        nodes.append(Node(text, max(1, level)))
    for _, child in sorted(below.get(id, [])):
        _collect(child, level + 1, points, below, seen, nodes)


def _text(point: Element) -> str:
    body = point.find("dgm:t", NAMESPACES)
    lines = []
    for paragraph in body.iter(_PARAGRAPH) if body is not None else ():
        lines.append("".join("\n" if part.tag == _BREAK else part.text or "" for part in paragraph.iter(_RUN, _BREAK)))
    return "\n".join(line for line in lines if line.strip()).strip()


def _order(link: Element) -> int:
    text = link.get("srcOrd", "0")
    return int(text) if text.isdigit() else 0
