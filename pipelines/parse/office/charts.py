"""Charts: the data that they draw, as a table (ECMA-376 1, 21.2)."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.table import Cell
from pipelines.parse.office.ooxml import NAMESPACES, Element, local, qualified

_RUN = qualified("a:t")
_MOST_POINTS = 20_000
"""Points of a series; Excel draws 32,000 in most charts, and a table of more rows is not read."""
_KINDS = {
    "bar": "Bar chart", "bar3D": "Bar chart", "line": "Line chart", "line3D": "Line chart", "pie": "Pie chart",
    "pie3D": "Pie chart", "doughnut": "Doughnut chart", "area": "Area chart", "area3D": "Area chart",
    "scatter": "Scatter chart", "bubble": "Bubble chart", "radar": "Radar chart", "stock": "Stock chart",
    "surface": "Surface chart", "surface3D": "Surface chart", "ofPie": "Pie chart",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one set of bars: its name, and the values by category or x; `source` is where they come from."""

    name: str
    categories: tuple[str, ...]
    values: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart part says. `axes` are the titles of the category and of the value axis, empty where it has none."""

    kind: str
    title: str
    axes: tuple[str, str]
    series: tuple[Series, ...]

    @property
    def summary(self) -> str:
        """One line that tells what is drawn."""
        names = ", ".join(series.name for series in self.series if series.name)
        drawn = f"{names} by {self.axes[0]}" if names and self.axes[0] else names
        told = "; ".join(part for part in (drawn, self.axes[1]) if part)
        return f"{self.kind}: {told}" if told else self.kind

    def cells(self) -> list[Cell]:
        """Return the data: a row a category and a column a series, or one below another where categories differ."""
        drawn = [series for series in self.series if series.values]
        if not drawn:
            return []
        shared = all(series.categories == drawn[0].categories for series in drawn)
        return _side_by_side(drawn, self.axes[0]) if shared else _one_below_another(drawn, self.axes)


def read_chart(root: Element) -> Chart | None:
    """Return the chart of a chart part, None where it draws nothing."""
    plot = root.find(".//c:plotArea", NAMESPACES)
    if plot is None:
        return None
    groups = [group for group in plot if local(group).endswith("Chart")]
    series = tuple(_series(item) for group in groups for item in group.iterfind("c:ser", NAMESPACES))
    kind = _KINDS.get(local(groups[0]).removesuffix("Chart"), "Chart") if groups else "Chart"
    title = _rich(root.find(".//c:chart/c:title", NAMESPACES))
    axes = [axis for axis in plot if local(axis) in ("catAx", "dateAx", "valAx", "serAx")]
    names = [_rich(axis.find("c:title", NAMESPACES)) for axis in axes[:2]]
    return Chart(kind, title, (names[0] if names else "", names[1] if len(names) > 1 else ""), series)


def _side_by_side(series: list[Series], axis: str) -> list[Cell]:
    cells = [Cell(0, 0, axis, header=True)]
    cells += [Cell(0, column, item.name, header=True) for column, item in enumerate(series, 1)]
    rows = max(len(series[0].categories), *(len(item.values) for item in series))
    for row in range(rows):
        cells.append(Cell(row + 1, 0, _at(series[0].categories, row) or str(row + 1)))
        cells += [Cell(row + 1, column, _at(item.values, row)) for column, item in enumerate(series, 1)]
    return cells


def _one_below_another(series: list[Series], axes: tuple[str, str]) -> list[Cell]:
    heads = ("Series", axes[0] or "x", axes[1] or "y")
    cells = [Cell(0, column, head, header=True) for column, head in enumerate(heads)]
    row = 0
    for item in series:
        for point in range(len(item.values)):
            row += 1
            texts = (item.name, _at(item.categories, point), item.values[point])
            cells += [Cell(row, column, text) for column, text in enumerate(texts)]
    return cells


def _at(texts: tuple[str, ...], place: int) -> str:
    return texts[place] if place < len(texts) else ""


def _series(element: Element) -> Series:
    categories = element.find("c:cat", NAMESPACES)
    categories = categories if categories is not None else element.find("c:xVal", NAMESPACES)
    values = element.find("c:val", NAMESPACES)
    values = values if values is not None else element.find("c:yVal", NAMESPACES)
    source = values.find(".//c:f", NAMESPACES) if values is not None else None
    return Series(
        " ".join(_points(element.find("c:tx", NAMESPACES))),
        _categories(categories),
        _points(values),
        (source.text or "") if source is not None else "",
    )


def _categories(element: Element | None) -> tuple[str, ...]:
    """Categories of several levels are written one behind the other, the outermost first."""
    levels = element.findall(".//c:lvl", NAMESPACES) if element is not None else []
    if not levels:
        return _points(element)
    columns = [_points(level) for level in reversed(levels)]
    rows = max(map(len, columns))
    filled = [_carried(column, rows) for column in columns]
    return tuple(" / ".join(column[row] for column in filled if column[row]) for row in range(rows))


def _carried(texts: tuple[str, ...], length: int) -> list[str]:
    """An outer category stands at its first place only."""
    carried, last = [], ""
    for place in range(length):
        last = _at(texts, place) or last
        carried.append(last)
    return carried


def _points(element: Element | None) -> tuple[str, ...]:
    if element is None:
        return ()
    points = {}
    for point in element.iter(qualified("c:pt")):
        at = point.get("idx", "")
        if at.isdigit() and int(at) < _MOST_POINTS:
            points[int(at)] = _value(point).strip()
    if not points:
        literal = element.find("c:v", NAMESPACES)
        return ((literal.text or "").strip(),) if literal is not None else ()
    return tuple(points.get(place, "") for place in range(max(points) + 1))


def _value(point: Element) -> str:
    found = point.find("c:v", NAMESPACES)
    return (found.text or "") if found is not None else ""


def _rich(title: Element | None) -> str:
    if title is None:
        return ""
    text = "".join(run.text or "" for run in title.iter(_RUN))
    return " ".join((text or " ".join(_points(title))).split())
