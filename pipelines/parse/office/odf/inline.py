"""What one paragraph of OpenDocument holds: text, links, notes, and what is anchored in it (OpenDocument 1.3, 6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.parse.office.odf.document import qualified
from pipelines.parse.office.ooxml import Element, local
from pipelines.parse.pieces import Pointer

_SPACE = re.compile(r"[ \t\r\n]+")
_CROSS = frozenset({"bookmark-ref", "reference-ref", "sequence-ref", "note-ref"})
_SKIPPED = frozenset(
    {
        "tracked-changes",
        "bookmark-start",
        "bookmark-end",
        "change",
        "change-start",
        "change-end",
        "ruby-text",
        "title",
        "desc",
    }
)
_DRAWINGS = frozenset(
    {"frame", "custom-shape", "g", "rect", "ellipse", "line", "path", "connector", "polygon", "object"}
)
_MOST_SPACES = 1_000
"""Blanks of one `text:s`; more are an attack."""


@dataclass(slots=True)
class OdfParagraph:
    """A paragraph's text and what hangs on it; `breaks` counts pages that begin in it."""

    text: str = ""
    links: list[Pointer] = field(default_factory=list)
    notes: list[Element] = field(default_factory=list)
    comments: list[Element] = field(default_factory=list)
    drawings: list[Element] = field(default_factory=list)
    breaks: int = 0


def read_paragraph(element: Element) -> OdfParagraph:
    """Return what a `text:p`, `text:h` or `text:span` holds; runs of white space are one space."""
    content = OdfParagraph()
    parts: list[str] = []
    _walk(element, parts, content)
    content.text = "".join(parts).strip(" ")
    return content


def plain_text(element: Element) -> str:
    """Return the text of all paragraphs below an element, one to a line, notes and comments left out."""
    tags = (qualified("text:p"), qualified("text:h"))
    lines = [read_paragraph(item).text for item in element.iter(*tags) if not _is_aside(item, element)]
    return "\n".join(line for line in lines if line)


def _is_aside(item: Element, top: Element) -> bool:
    parent = item.getparent()
    while parent is not None and parent is not top:
        if local(parent) in ("annotation", "note", "p"):
            return True
        parent = parent.getparent()
    return False


def _walk(element: Element, parts: list[str], content: OdfParagraph) -> None:
    _write(element.text, parts)
    for child in element:
        _child(child, parts, content)
        _write(child.tail, parts)


def _write(text: str | None, parts: list[str]) -> None:
    if not text:
        return
    text = _SPACE.sub(" ", text)
    parts.append(text.lstrip(" ") if not parts or parts[-1].endswith((" ", "\n", "\t")) else text)


def _child(child: Element, parts: list[str], content: OdfParagraph) -> None:
    name = local(child)
    if name in _SKIPPED or not name:
        return
    if name in _SIGNS:
        parts.append(_SIGNS[name](child))
    elif name == "soft-page-break":
        content.breaks += 1
    elif name == "note":
        content.notes.append(child)
    elif name == "annotation":
        content.comments.append(child)
    elif name in _DRAWINGS:
        content.drawings.append(child)
    else:
        start = len(parts)
        _walk(child, parts, content)
        _link(child, name, "".join(parts[start:]).strip(), content)


def _link(child: Element, name: str, evidence: str, content: OdfParagraph) -> None:
    if name == "a":
        target = child.get(qualified("xlink:href"), "")
        if target.startswith("#"):
            content.links.append(Pointer(ReferenceKind.CROSS_REFERENCE, evidence, evidence))
        elif target:
            content.links.append(Pointer(ReferenceKind.HYPERLINK, target, evidence))
    elif name in _CROSS and evidence:
        content.links.append(Pointer(ReferenceKind.CROSS_REFERENCE, evidence, evidence))


def _spaces(element: Element) -> str:
    count = element.get(qualified("text:c"), "1")
    return " " * min(int(count), _MOST_SPACES) if count.isdigit() else " "


_SIGNS: dict[str, Callable[[Element], str]] = {
    "s": _spaces,
    "tab": lambda element: "\t",
    "line-break": lambda element: "\n",
}
