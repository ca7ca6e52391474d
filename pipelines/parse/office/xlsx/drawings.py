"""What lies on a sheet above its cells, each anchored at one: pictures, charts, text boxes, comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.parse.office.drawing import ChartItem, DiagramItem, PictureItem, WordArtItem, drawn, meaningful
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, local, qualified, read_xml, related
from pipelines.parse.office.package import Package
from pipelines.parse.office.pptx.paragraph import plain_text
from pipelines.parse.office.xlsx.workbook import rich_text

_ANCHORS = frozenset({"twoCellAnchor", "oneCellAnchor", "absoluteAnchor"})
_BODY = qualified("xdr:txBody")
_STAND_IN = "[Threaded comment]"


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


@dataclass(frozen=True, slots=True)
class CellComment:
    """What somebody wrote on a cell."""

    cell: str
    author: str
    text: str

    def render(self) -> str:
        head = ", ".join(part for part in (self.author, self.cell) if part)
        return f"[{head}] {self.text}"


def cell_comments(package: Package, sheet: str) -> list[CellComment]:
    """Return the comments of a sheet; of a thread its own texts, not the notice that stands in for it."""
    found = []
    for part in related(package, sheet, "threadedComment"):
        root = read_xml(package, part)
        people = _people(package)
        for comment in root if root is not None else ():
            text = next((child.text or "" for child in comment if local(child) == "text"), "")
            found.append(CellComment(comment.get("ref", ""), people.get(comment.get("personId", ""), ""), text.strip()))
    for part in related(package, sheet, "comments"):
        root = read_xml(package, part)
        found += [note for note in _notes(root) if not note.text.startswith(_STAND_IN)] if root is not None else []
    return [comment for comment in found if comment.text]


def _notes(root: Element) -> list[CellComment]:
    authors = [author.text or "" for author in root.iterfind("x:authors/x:author", NAMESPACES)]
    notes = []
    for comment in root.iter(qualified("x:comment")):
        number = comment.get("authorId", "")
        author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
        body = comment.find("x:text", NAMESPACES)
        text = rich_text(body).strip() if body is not None else ""
        author = author if not author.startswith("tc=") else ""
        notes.append(CellComment(comment.get("ref", ""), author, text.removeprefix(f"{author}:").strip()))
    return notes


def _people(package: Package) -> dict[str, str]:
    people = {}
    for name in package.names():
        if name.startswith("xl/persons/") and name.endswith(".xml"):
            root = read_xml(package, name)
            for person in root if root is not None else ():
                people[person.get("id", "")] = person.get("displayName", "")
    return people
