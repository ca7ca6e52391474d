"""Pictures, charts, equations and embedded documents of OpenDocument."""

from __future__ import annotations

import posixpath

from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.drawing import meaningful
from pipelines.parse.office.media import image_of
from pipelines.parse.office.odf.inline import plain_text
from pipelines.parse.office.odf.names import qualified
from pipelines.parse.office.odf.tables import read_table
from pipelines.parse.office.ooxml import Element, local, read_xml
from pipelines.parse.office.package import Package

_HREF = qualified("xlink:href")


class Objects:
    """Appends what frames hold besides text."""

    def __init__(self, package: Package, builder: DocumentBuilder) -> None:
        self._package = package
        self._builder = builder
        self._most = builder.settings.limits.cells

    def add(self, frame: Element, place: Place, *, with_data: bool = True) -> None:
        """Append the first picture or object of a frame; the others are the same in other formats.

        `with_data` says whether a chart's data is wanted as a table.
        """
        text = meaningful(_text_of(frame, "desc") or _text_of(frame, "title"))
        for child in frame:
            href = child.get(_HREF, "")
            if local(child) in ("table", "text-box"):
                return
            if local(child) == "object" and self._object(child, href, text, place, with_data):
                return
            if local(child) == "image":
                self._picture(href, text, place)
                return

    def _picture(self, href: str, text: str, place: Place) -> None:
        data = self._package.find(posixpath.normpath(href)) if href and "://" not in href else b""
        if data or text:
            self._builder.figure(image_of(data, text), place)

    def _object(self, element: Element, href: str, text: str, place: Place, with_data: bool) -> bool:
        """Append an embedded object; whether it was one that is understood."""
        root = (
            element
            if len(element)
            else read_xml(self._package, posixpath.join(posixpath.normpath(href), "content.xml"))
        )
        if root is None:
            return False
        formula = next(root.iter(qualified("math:math")), None)
        if formula is not None:
            return self._formula(formula, place)
        chart = next(root.iter(qualified("chart:chart")), None)
        if chart is None:
            return False
        self._chart(chart, text, place, with_data)
        return True

    def _formula(self, formula: Element, place: Place) -> bool:
        written = next((node for node in formula.iter(qualified("math:annotation"))), None)
        text = (written.text or "") if written is not None else " ".join("".join(map(str, formula.itertext())).split())
        return self._builder.formula(text, place)

    def _chart(self, chart: Element, text: str, place: Place, with_data: bool) -> None:
        title = _title(chart)
        kind = chart.get(qualified("chart:class"), "").rpartition(":")[2].capitalize()
        self._builder.figure(Image(description=f"{kind} chart {text}".strip()), place)
        self._builder.caption(title, place)
        data = chart.find(qualified("table:table")) if with_data else None
        if data is not None:
            self._builder.table(
                read_table(data, lambda cell: (plain_text(cell), False), self._most), place, caption=title
            )


def _title(chart: Element) -> str:
    found = chart.find(qualified("chart:title"))
    return plain_text(found) if found is not None else ""


def _text_of(frame: Element, name: str) -> str:
    return frame.findtext(qualified(f"svg:{name}")) or ""
