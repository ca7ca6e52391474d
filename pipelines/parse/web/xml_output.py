"""The page that is written while a tree of XML is walked: open elements, text, labels that wait for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lxml import etree

from pipelines.parse.web.dom import DEEPEST
from pipelines.parse.web.xml_names import Node, has_own_text

STRICT: Final = frozenset("h1 h2 h3 h4 h5 h6 pre caption figcaption span b i sub sup a code".split())
"""Elements of HTML that contain no blocks."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where the output goes on.

    - `out`: the element of HTML that is written to.
    - `mixed`: whether the element of XML that is open has text beside its children.
    - `between`: what is written between its children; `after`: what is written behind the last of them.
    - `sections`: the open sections; `title`: the heading of the innermost one in data.
    - `item`: whether the output is in a list item or a cell.
    """

    out: Node
    mixed: bool = False
    between: str = ""
    after: str = ""
    sections: int = 0
    title: str = ""
    item: bool = False


class XmlOutput:
    """Writes the page.

    `now` is the current context, `label` what precedes the next text (the kind of a note), `told` the title once the
    text has ended: fields that repeat it say nothing.
    """

    def __init__(self) -> None:
        self.body: Node = etree.Element("body")
        self.now = Context(self.body, sections=1)  # the document is a section
        self.label = ""
        self.told = ""
        self._level = 0
        self._open: list[Context] = []
        self._texts: list[str] = []

    def begin(self, element: Node, out: Node, *, between: str = "", after: str = "", sections: int = 0,
              item: bool = False) -> None:  # fmt: skip
        """Let what is written go into `out` until `end`, beginning with the text of `element`."""
        self.flush()
        now, mixed = self.now, has_own_text(element)
        self._open.append(now)
        self.now = Context(out, mixed, between, after, now.sections + sections, now.title, now.item or item)
        self.text(element.text)

    def begin_root(self, element: Node, title: str) -> None:
        """Begin the document, with its title if it is data."""
        self.begin(element, self.body)
        self.now = replace(self.now, title=title)

    def begin_thing(self, element: Node, title: str) -> None:
        """Begin a section for one of several things in data, with its heading."""
        level = self.now.sections + 1
        self._heading(level, title)
        self.begin(element, self.add("section"), sections=1)
        self.now = replace(self.now, title=title)

    def resume(self) -> None:
        """Repeat the heading of the current section in data if sections in it have ended: what follows is its own."""
        if self._level > self.now.sections and self.now.title and not self.now.item:
            self._heading(self.now.sections, self.now.title)

    def _heading(self, level: int, title: str) -> None:
        self.add(f"h{min(level, DEEPEST)}").text = title
        self._level = level

    def fill(self, out: Node, text: str) -> None:
        """Write a text into an element that was added."""
        out.text, self.label = self.label + text, ""

    def end(self) -> None:
        """Go on where the element that was begun last stands."""
        self.text(self.now.after)
        self.flush()
        self.now = self._open.pop()

    def finish(self) -> None:
        """Write a label that no text followed."""
        if self.label:
            self.fill(self.add("p"), "")

    def leave_sections(self, title: str) -> None:
        """Write what follows outside of all sections: what the document, of this title, says of itself."""
        self.now = replace(self.now, sections=0)
        self.told = title

    def add(self, tag: str, **attributes: str) -> Node:
        """Append an empty element."""
        self.flush()
        return etree.SubElement(self.now.out, tag, attributes)

    def append(self, made: Node) -> None:
        self.flush()
        self.now.out.append(made)

    def paragraph(self, text: str) -> None:
        """Append a paragraph, with the label that waits for a text."""
        if text:
            self.fill(self.add("p"), text)

    def text(self, text: str | None) -> None:
        if text and self.label and text.strip():
            text, self.label = self.label + text.lstrip(), ""
        if text:
            self._texts.append(text)

    def tail(self, text: str) -> None:
        """Add the text behind an element, which may be a part of its own ("Ctrl" + "C")."""
        between = self.now.between
        self.text(between + text.strip() if between and text.strip() else text)

    def flush(self) -> None:
        """Append the collected text; texts are joined first, because each addition copies what is there."""
        text, out = "".join(self._texts), self.now.out
        self._texts.clear()
        last = last_child(out) if text else None
        if last is not None:
            last.tail = (last.tail or "") + text
        elif text:
            out.text = (out.text or "") + text


def last_child(element: Node) -> Node | None:
    """Return the last child; unlike `len`, which counts, this takes the same time for any number."""
    return next(element.iterchildren(reversed=True), None)
