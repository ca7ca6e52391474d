"""Data of charts (ECMA-376 1, 21.2), texts of SmartArt diagrams, and media type and size of pictures."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

from pipelines.core.table import Cell
from pipelines.parse.assemble import Image
from pipelines.parse.magic import binary_type
from pipelines.parse.office.metafile import metafile_text
from pipelines.parse.office.ooxml import NAMESPACES, Element, local, qualified

_MOST_POINTS = 20_000
"""Maximum points of a series; Excel draws 32,000 in most charts, but a longer table is of little use."""
_KINDS = {
    "bar": "Bar chart", "bar3D": "Bar chart", "line": "Line chart", "line3D": "Line chart", "pie": "Pie chart",
    "pie3D": "Pie chart", "doughnut": "Doughnut chart", "area": "Area chart", "area3D": "Area chart",
    "scatter": "Scatter chart", "bubble": "Bubble chart", "radar": "Radar chart", "stock": "Stock chart",
    "surface": "Surface chart", "surface3D": "Surface chart", "ofPie": "Pie chart",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """A series of a chart: its values by category or x; `source` is the cell range of the values."""

    name: str
    categories: tuple[str, ...]
    values: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """The content of a chart part. `axes` are the titles of the category axis and the value axis, empty if missing."""

    kind: str
    title: str
    axes: tuple[str, str]
    series: tuple[ChartSeries, ...]

    @property
    def summary(self) -> str:
        """A description of the chart in one line."""
        names = ", ".join(series.name for series in self.series if series.name)
        series_by_axis = f"{names} by {self.axes[0]}" if names and self.axes[0] else names
        details = "; ".join(part for part in (series_by_axis, self.axes[1]) if part)
        return f"{self.kind}: {details}" if details else self.kind

    def cells(self) -> list[Cell]:
        """Return the data as a table: a row per category and a column per series.

        If the categories of the series differ, there is a row per point, with the series' name in the first column.
        """
        drawn = [series for series in self.series if series.values]
        if not drawn:
            return []
        shared = all(series.categories == drawn[0].categories for series in drawn)
        return _cells_by_category(drawn, self.axes[0]) if shared else _cells_by_point(drawn, self.axes)


def read_chart(root: Element) -> Chart | None:
    """Return the chart of a chart part, None if it has no plot area."""
    plot = root.find(".//c:plotArea", NAMESPACES)
    if plot is None:
        return None
    groups = [group for group in plot if local(group).endswith("Chart")]
    series = tuple(_series(item) for group in groups for item in group.iterfind("c:ser", NAMESPACES))
    kind = _KINDS.get(local(groups[0]).removesuffix("Chart"), "Chart") if groups else "Chart"
    title = _title_text(root.find(".//c:chart/c:title", NAMESPACES))
    axes = [axis for axis in plot if local(axis) in ("catAx", "dateAx", "valAx", "serAx")]
    names = [_title_text(axis.find("c:title", NAMESPACES)) for axis in axes[:2]]
    return Chart(kind, title, (names[0] if names else "", names[1] if len(names) > 1 else ""), series)


def _cells_by_category(series: list[ChartSeries], axis: str) -> list[Cell]:
    cells = [Cell(0, 0, axis, header=True)]
    cells += [Cell(0, column, item.name, header=True) for column, item in enumerate(series, 1)]
    rows = max(len(series[0].categories), *(len(item.values) for item in series))
    for row in range(rows):
        cells.append(Cell(row + 1, 0, _get(series[0].categories, row) or str(row + 1)))
        cells += [Cell(row + 1, column, _get(item.values, row)) for column, item in enumerate(series, 1)]
    return cells


def _cells_by_point(series: list[ChartSeries], axes: tuple[str, str]) -> list[Cell]:
    heads = ("Series", axes[0] or "x", axes[1] or "y")
    cells = [Cell(0, column, head, header=True) for column, head in enumerate(heads)]
    row = 0
    for item in series:
        for point in range(len(item.values)):
            row += 1
            texts = (item.name, _get(item.categories, point), item.values[point])
            cells += [Cell(row, column, text) for column, text in enumerate(texts)]
    return cells


def _get(texts: tuple[str, ...], index: int) -> str:
    return texts[index] if index < len(texts) else ""


def _series(element: Element) -> ChartSeries:
    categories = element.find("c:cat", NAMESPACES)
    categories = categories if categories is not None else element.find("c:xVal", NAMESPACES)
    values = element.find("c:val", NAMESPACES)
    values = values if values is not None else element.find("c:yVal", NAMESPACES)
    source = values.find(".//c:f", NAMESPACES) if values is not None else None
    return ChartSeries(
        " ".join(_points(element.find("c:tx", NAMESPACES))),
        _categories(categories),
        _points(values),
        (source.text or "") if source is not None else "",
    )


def _categories(element: Element | None) -> tuple[str, ...]:
    """Return the categories; those of several levels are joined by slashes, the outermost first."""
    levels = element.findall(".//c:lvl", NAMESPACES) if element is not None else []
    if not levels:
        return _points(element)
    columns = [_points(level) for level in reversed(levels)]
    rows = max(map(len, columns))
    filled = [_fill_down(column, rows) for column in columns]
    return tuple(" / ".join(column[row] for column in filled if column[row]) for row in range(rows))


def _fill_down(texts: tuple[str, ...], length: int) -> list[str]:
    """Return `length` texts, with gaps filled by the last text before: an outer category is only stored once."""
    filled, last = [], ""
    for index in range(length):
        last = _get(texts, index) or last
        filled.append(last)
    return filled


def _points(element: Element | None) -> tuple[str, ...]:
    if element is None:
        return ()
    points = {}
    for point in element.iter(qualified("c:pt")):
        at = point.get("idx", "")
        if at.isdigit() and int(at) < _MOST_POINTS:
            points[int(at)] = (point.findtext("c:v", "", NAMESPACES) or "").strip()
    if not points:
        literal = element.find("c:v", NAMESPACES)
        return ((literal.text or "").strip(),) if literal is not None else ()
    return tuple(points.get(index, "") for index in range(max(points) + 1))


def _title_text(title: Element | None) -> str:
    if title is None:
        return ""
    text = "".join(run.text or "" for run in title.iter(_RUN))
    return " ".join((text or " ".join(_points(title))).split())


_POINT, _LINK = qualified("dgm:pt"), qualified("dgm:cxn")
_PARAGRAPH, _RUN, _BREAK = qualified("a:p"), qualified("a:t"), qualified("a:br")
_MOST_LEVELS = 50
"""Maximum levels of a diagram; deeper ones are a cycle."""
_EMF = b"\x01\x00\x00\x00"
_WMF = (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00")
_HEAD_BYTES = 1024
"""Bytes from the start by which a picture's format is recognized; SVG may begin with a declaration and comments."""
_LARGEST_SIDE = 1 << 20
"""Maximum pixels of a side; a larger value is a damaged header."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A text of a diagram; the outermost `level` is 1."""

    text: str
    level: int


def diagram_nodes(data: Element) -> list[DiagramNode]:
    """Return the texts of a diagram's data model, parents before children, siblings in order."""
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
            _collect_nodes(id, 0 if point.get("type") == "doc" else 1, points, below, seen, nodes)
    return nodes


def _collect_nodes(
    id: str,
    level: int,
    points: dict[str, Element],
    below: dict[str, list[tuple[int, str]]],
    seen: set[str],
    nodes: list[DiagramNode],
) -> None:
    if id in seen or id not in points or level > _MOST_LEVELS:
        return
    seen.add(id)
    text = _text(points[id])
    if text:
        nodes.append(DiagramNode(text, max(1, level)))
    for _, child in sorted(below.get(id, [])):
        _collect_nodes(child, level + 1, points, below, seen, nodes)


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
    """Return the picture with its media type and size; `text` is its alternative text."""
    if not data:
        return Image(description=text)
    media_type = media_type_of(data)
    width, height = _size(data, media_type)
    written = metafile_text(data) if media_type == "image/emf" else ""
    return Image(data, media_type, width, height, ocr_text=written, description=text)


def media_type_of(data: bytes) -> str:
    """Return the media type of a picture by its first bytes, "application/octet-stream" if it is unknown."""
    # The signature is at offset 40 (MS-EMF 2.3.4.2).
    if data.startswith(_EMF) and data.startswith(b" EMF", 40):
        return "image/emf"
    if data.startswith(_WMF):
        return "image/wmf"
    head = data[:_HEAD_BYTES].lstrip()
    if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head:
        return "image/svg+xml"
    return binary_type(data[:_HEAD_BYTES]) or "application/octet-stream"


def _size(data: bytes, media_type: str) -> tuple[int, int]:
    """Return width and height in pixels from the header, 0 if they are unknown."""
    if media_type == "image/emf":
        # The bounds are at offset 8 (MS-EMF 2.3.4.2).
        left, top, right, bottom = struct.unpack_from("<4i", data, 8)
        return _valid_pixels(right - left), _valid_pixels(bottom - top)
    if not media_type.startswith("image/") or media_type in ("image/wmf", "image/svg+xml"):
        return 0, 0
    import warnings

    import PIL.Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)
            with PIL.Image.open(io.BytesIO(data)) as picture:
                return picture.size
    except (OSError, ValueError, SyntaxError, ArithmeticError, PIL.Image.DecompressionBombError):
        return 0, 0


def _valid_pixels(pixels: int) -> int:
    return pixels if 0 < pixels < _LARGEST_SIDE else 0
