"""Pictures and SmartArt diagrams inside Office files: type and size of a picture by its content, nodes of a diagram."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

from pipelines.parse.assemble import Image
from pipelines.parse.magic import binary_type
from pipelines.parse.office.ooxml import NAMESPACES, Element, qualified

_POINT, _LINK = qualified("dgm:pt"), qualified("dgm:cxn")
_PARAGRAPH, _RUN, _BREAK = qualified("a:p"), qualified("a:t"), qualified("a:br")
_DEEPEST = 50
"""Levels of a diagram; deeper ones run in a circle."""
_EMF = b"\x01\x00\x00\x00"
_WMF = (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00")
_HEAD = 1024
"""Bytes in which a picture tells what it is, an SVG behind its declaration and comments."""
_LARGEST_SIDE = 1 << 20
"""Pixels of a side; more is damage."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A text of a diagram, `level` deep from 1."""

    text: str
    level: int


def diagram_nodes(data: Element) -> list[DiagramNode]:
    """Return the texts of a diagram's data model, parents before their children, siblings in their order."""
    points = {point.get("modelId", ""): point for point in data.iter(_POINT)}
    below: dict[str, list[tuple[int, str]]] = {}
    children: set[str] = set()
    for link in data.iter(_LINK):
        if link.get("type", "parOf") == "parOf":
            child = link.get("destId", "")
            below.setdefault(link.get("srcId", ""), []).append((_order(link), child))
            children.add(child)
    nodes: list[DiagramNode] = []
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
    nodes: list[DiagramNode],
) -> None:
    if id in seen or id not in points or level > _DEEPEST:
        return
    seen.add(id)
    text = _text(points[id])
    if text:
        nodes.append(DiagramNode(text, max(1, level)))
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


def image_of(data: bytes, text: str = "") -> Image:
    """Return a picture of these bytes; `text` is the alternative text that somebody wrote for it."""
    if not data:
        return Image(description=text)
    media_type = media_type_of(data)
    width, height = _size(data, media_type)
    return Image(data, media_type, width, height, description=text)


def media_type_of(data: bytes) -> str:
    """Return the media type of a picture by its first bytes, "application/octet-stream" where they tell none."""
    # The signature stands at 40 (MS-EMF 2.3.4.2).
    if data.startswith(_EMF) and data.startswith(b" EMF", 40):
        return "image/emf"
    if data.startswith(_WMF):
        return "image/wmf"
    head = data[:_HEAD].lstrip()
    if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head:
        return "image/svg+xml"
    return binary_type(data[:_HEAD]) or "application/octet-stream"


def _size(data: bytes, media_type: str) -> tuple[int, int]:
    """Return width and height in pixels, 0 where the header does not tell; nothing is decoded."""
    if media_type == "image/emf":
        # The bounds stand at 8 (MS-EMF 2.3.4.2).
        left, top, right, bottom = struct.unpack_from("<4i", data, 8)
        return _sane(right - left), _sane(bottom - top)
    if not media_type.startswith("image/") or media_type in ("image/wmf", "image/svg+xml"):
        return 0, 0
    import warnings

    import PIL.Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)
            with PIL.Image.open(io.BytesIO(data)) as picture:
                return picture.size
    except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError):
        return 0, 0


def _sane(pixels: int) -> int:
    return pixels if 0 < pixels < _LARGEST_SIDE else 0
