"""The words of a drawing in SVG: its labels, its title and its description."""

from __future__ import annotations

from lxml import etree

_SAID = ("title", "desc")
_LABELS = ("text", "foreignobject")


def told_of(root: etree._Element) -> list[str]:
    """Return the title and the description of the drawing itself."""
    return [text for child in root if _name(child) in _SAID and (text := _text(child))]


def labels_of(root: etree._Element) -> list[str]:
    """Return the labels in the order of the file, one that is made of several lines as one."""
    return [text for element in root.iter() if _name(element) in _LABELS and (text := _text(element))]


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _text(element: etree._Element) -> str:
    """Return all text below an element; spans that make lines are parted, those within a word are not."""
    parts = [text for text in element.itertext() if isinstance(text, str)]
    placed = any(child.get("y") or child.get("dy") for child in element if isinstance(child.tag, str))
    return " ".join((" " if placed else "").join(parts).split())
