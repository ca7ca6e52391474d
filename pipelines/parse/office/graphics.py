"""Pictures, charts, diagrams and embedded files of a part, appended to a document."""

from __future__ import annotations

import posixpath

from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.office.charts import Chart, read_chart
from pipelines.parse.office.diagrams import diagram_nodes
from pipelines.parse.office.drawing import ChartItem, DiagramItem, EmbeddedItem, Item, PictureItem, WordArtItem
from pipelines.parse.office.media import image_of
from pipelines.parse.office.ooxml import Relationship, read_xml
from pipelines.parse.office.package import Package
from pipelines.parse.parsed import Child

_DOCUMENTS = (
    ".docx",
    ".docm",
    ".xlsx",
    ".xlsm",
    ".pptx",
    ".pptm",
    ".doc",
    ".xls",
    ".ppt",
    ".odt",
    ".ods",
    ".odp",
    ".pdf",
    ".htm",
    ".html",
    ".mht",
    ".rtf",
    ".txt",
)


class Graphics:
    """Appends what the drawings of one part show; `links` are that part's relationships."""

    def __init__(self, package: Package, links: dict[str, Relationship], builder: DocumentBuilder) -> None:
        self._package = package
        self._links = links
        self._builder = builder

    def add(self, item: Item, place: Place) -> None:
        """Append one item; text boxes are the business of who knows their paragraphs."""
        match item:
            case PictureItem(relationship, text):
                self.picture(relationship, text, place)
            case ChartItem(relationship, text):
                self.chart(relationship, text, place)
            case DiagramItem(relationship):
                self.diagram(relationship, place)
            case EmbeddedItem(relationship):
                self.embedded(relationship)
            case WordArtItem(text):
                self._builder.paragraph(text, place)

    def picture(self, relationship: str, text: str, place: Place) -> None:
        link = self._links.get(relationship)
        if link is None or link.external or link.target not in self._package:
            if relationship or text:
                self._builder.figure(Image(description=text), place)
            return
        self._builder.figure(image_of(self._package.find(link.target), text), place)

    def chart(self, relationship: str, text: str, place: Place) -> None:
        chart = self.read_chart(relationship)
        if chart is None:
            self._builder.figure(Image(description=text), place)
            return
        summary = f"{chart.summary}\n{text}".strip()
        self._builder.figure(Image(description=summary), place)
        self._builder.caption(chart.title, place)
        self._builder.table(chart.cells(), place, caption=chart.title)

    def read_chart(self, relationship: str) -> Chart | None:
        """Return a chart of the part, None where its data is missing or of a kind that is not known."""
        link = self._links.get(relationship)
        root = read_xml(self._package, link.target) if link is not None and not link.external else None
        return read_chart(root) if root is not None else None

    def diagram(self, relationship: str, place: Place) -> None:
        link = self._links.get(relationship)
        root = read_xml(self._package, link.target) if link is not None and not link.external else None
        if root is None:
            self._builder.remark("a diagram without data was left out")
            return
        for node in diagram_nodes(root):
            self._builder.list_item(node.text, node.level, place)

    def embedded(self, relationship: str) -> None:
        link = self._links.get(relationship)
        if link is None or link.external or not link.target.lower().endswith(_DOCUMENTS):
            return
        data = self._package.find(link.target)
        if data:
            self._builder.child(Child(posixpath.basename(link.target), data))
