"""The page that is written while a tree of XML is walked: open elements, text, labels that wait for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lxml import etree

from pipelines.parse.web.xml_names import Node, has_own_text

STRICT: Final = frozenset("h1 h2 h3 h4 h5 h6 pre caption figcaption span b i sub sup a code".split())
"""Elements of HTML that contain no blocks."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where the output goes on.

    - `out`: the element of HTML that is written to.
    - `mixed`: whether the element of XML that is open has text beside its children.
    - `between`: what is written between its children; `after`: what is written after its end.
    - `sections`: the open sections; `item`: whether the output is in a list item or a cell.
    """

    out: Node
    mixed: bool = False
    between: str = ""
    after: str = ""
    sections: int = 0
    item: bool = False


class XmlOutput:
    """Writes the page. `now` is the current context, `label` what precedes the next text (the kind of a note)."""

    def __init__(self) -> None:
        self.body: Node = etree.Element("body")
        self.now = Context(self.body, sections=1)  # the document is a section
        self.label = ""
        self._open: list[Context] = []
        self._texts: list[str] = []

    def begin(self, element: Node, out: Node, *, between: str = "", after: str = "", sections: int = 0,
              item: bool = False) -> None:  # fmt: skip
        """Let what is written go into `out` until `end`, beginning with the text of `element`."""
        self.flush()
        now, mixed = self.now, has_own_text(element)
        self._open.append(now)
        self.now = Context(out, mixed, "" if mixed else between, after, now.sections + sections, now.item or item)
        self.text(element.text)

    def fill(self, out: Node, text: str) -> None:
        """Write a text into an element that was added."""
        out.text, self.label = self.label + text, ""

    def end(self) -> None:
        """Go on where the element that was begun last stands."""
        self.flush()
        after, self.now = self.now.after, self._open.pop()
        self.text(after)

    def finish(self) -> None:
        """Write a label that no text followed."""
        if self.label:
            self.fill(self.add("p"), "")

    def leave_sections(self) -> None:
        """Write what follows outside of all sections."""
        self.now = replace(self.now, sections=0)

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

    def flush(self) -> None:
        """Append the collected text; texts are joined first, because each addition copies what is there."""
        text, out = "".join(self._texts), self.now.out
        self._texts.clear()
        if text and len(out):
            out[-1].tail = (out[-1].tail or "") + text
        elif text:
            out.text = (out.text or "") + text
