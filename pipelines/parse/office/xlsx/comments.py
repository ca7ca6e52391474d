"""Comments on cells: notes of old and threads of today."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.parse.office.ooxml import NAMESPACES, Element, local, qualified, read_xml, related
from pipelines.parse.office.package import Package
from pipelines.parse.office.xlsx.workbook import rich_text

_STAND_IN = "[Threaded comment]"


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
