"""What inline elements add to running text, and the whole text of an element that is read at one go."""

from __future__ import annotations

from lxml import etree

from pipelines.core.document import ReferenceKind
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.web.dom import BLOCKS, Element, is_silent
from pipelines.parse.web.inline import CONTROLS, Anchor, Inline, control_text, source_of
from pipelines.parse.web.mathml import math_text

_NOT_FOLLOWED = ("javascript:", "data:", "cid:", "tel:", "about:")


def open_inline(element: Element, inline: Inline, *, verbatim: bool = False) -> bool:
    """Add what begins with `element`; whether that was all of it, so that nothing inside is to be read."""
    tag = element.tag
    if tag == "br":
        inline.line_break()
    elif tag == "script" and element.get("type", "").startswith("math/"):
        inline.text(f" {element.text or ''} ")
        return True
    elif tag in CONTROLS and element.get("hidden") is None:
        inline.text(f" {control_text(element)} ")
        return True
    elif is_silent(element):
        return True
    elif tag in ("frame", "iframe"):
        inline.link(element.get("src", ""), element.get("title") or element.get("name") or "")
        return True
    elif tag == "math":
        inline.text(f" {math_text(element)} ")
        return True
    elif tag == "img":
        inline.link(_file_of(element), element.get("alt") or "")
    elif tag == "a" and element.get("href"):
        inline.open_link(element.get("href", "").strip())
    inline.text(element.text, verbatim=verbatim)
    return False


def _file_of(image: Element) -> str:
    """The picture's file is a document of its own where it lies beside the page."""
    address = source_of(image)
    return "" if address.startswith("data:") else address


def close_inline(element: Element, inline: Inline) -> None:
    if element.tag == "a" and element.get("href"):
        inline.close_link()


def read_text(root: Element) -> tuple[str, list[Anchor]]:
    """Return the text of an element, a line for each block in it, and its links; not recursive."""
    inline = Inline()
    events = etree.iterwalk(root, events=("start", "end", "comment"))
    skipped: Element | None = None
    for event, element in events:
        if event == "start":
            if element.tag in BLOCKS and element is not root:
                inline.line_break()
            if open_inline(element, inline):
                skipped = element
                events.skip_subtree()
        elif event == "end":
            if element is not skipped:
                close_inline(element, inline)
            if element.tag in BLOCKS and element is not root:
                inline.text(" ") if element.tag in ("td", "th") else inline.line_break()
        if event != "start" and element is not root:
            inline.text(element.tail)
    return inline.take(), inline.take_links()


def read_cell(cell: Element) -> tuple[str, list[Anchor]]:
    """Return the text and the links of a table's cell, in one line where there is a table inside it."""
    text, links = read_text(cell)
    nested = any(True for _ in cell.iterdescendants("table"))
    return (" ".join(text.split()) if nested else text), links


def refer(builder: DocumentBuilder, links: list[Anchor]) -> None:
    """Hand on links as references of the piece appended last: within the page, or to somewhere else."""
    for link in links:
        if link.target.lower().startswith(_NOT_FOLLOWED) or link.target in ("", "#", "#top"):
            continue
        within = link.target.startswith("#")
        kind = ReferenceKind.CROSS_REFERENCE if within else ReferenceKind.HYPERLINK
        builder.reference(kind, link.target, link.text)


def caption_of(table: Element) -> str:
    """Return the caption of a table, in one line."""
    caption = next(table.iterchildren("caption"), None)
    return " ".join(read_text(caption)[0].split()) if caption is not None else ""
