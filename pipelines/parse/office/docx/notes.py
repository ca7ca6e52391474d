"""Footnotes, endnotes and comments: texts in parts of their own, named by a number (ECMA-376 1, 17.11, 17.13.4)."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.parse.office.ooxml import Element, qualified, read_xml, related
from pipelines.parse.office.package import Package

_ID, _TYPE = qualified("w:id"), qualified("w:type")
_AUTHOR, _INITIALS, _DATE = qualified("w:author"), qualified("w:initials"), qualified("w:date")


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reviewer wrote; `element` holds its paragraphs."""

    author: str
    date: str
    element: Element

    def render(self, text: str, about: str) -> str:
        """Return the comment as one text: who, when, about which words, and what."""
        told = {"author": self.author, "time": self.date, "on": about and f"“{about}”"}
        head = ", ".join(f"{name}: {value}" for name, value in told.items() if value)
        return f"[{head}] {text}" if head else text


def notes(package: Package, document: str, kind: str) -> tuple[str, dict[str, Element]]:
    """Return the part with the "footnotes" or "endnotes" of a document; its notes by id, without the rules between."""
    for part in related(package, document, kind):
        root = read_xml(package, part)
        if root is not None:
            return part, {
                note.get(_ID, ""): note for note in root if note.get(_TYPE, "normal") == "normal" and note.get(_ID)
            }
    return "", {}


def comments(package: Package, document: str) -> tuple[str, dict[str, Comment]]:
    """Return the part of the comments of a document and the comments by id, in their order."""
    for part in related(package, document, "comments"):
        root = read_xml(package, part)
        if root is not None:
            return part, {item.get(_ID, ""): _comment(item) for item in root.iter(qualified("w:comment"))}
    return "", {}


def _comment(element: Element) -> Comment:
    author, initials = element.get(_AUTHOR, "").strip(), element.get(_INITIALS, "").strip()
    name = f"{author} ({initials})" if author and initials and initials != author else author or initials
    return Comment(name, element.get(_DATE, ""), element)
