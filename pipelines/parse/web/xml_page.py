"""A tree of XML elements as a page of HTML, which the walker of pages then reads: one pass, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Final

from lxml import etree

from pipelines.parse.web.dom import DEEPEST, text_of
from pipelines.parse.web.xml_data import XmlData
from pipelines.parse.web.xml_fields import XmlFields
from pipelines.parse.web.xml_inline import INLINE, XmlInline, between
from pipelines.parse.web.xml_names import (
    Node,
    XmlNames,
    attributes_of,
    children_of,
    has_own_text,
    local_name,
    name_of,
    names_for,
)
from pipelines.parse.web.xml_output import STRICT, XmlOutput, last_child
from pipelines.parse.web.xml_tables import PARTS, XmlTables, add_caption, table_of
from pipelines.parse.web.xml_targets import Targets
from pipelines.parse.web.xml_titles import TOP, name_of_data, printed_number, title_and_abstracts

_TAGS: Final = {
    "terms": "dl", "pair": "div", "term": "dt", "meaning": "dd", "code": "pre", "paragraph": "p",
    "joined": "p", "part": "div", "whole": "div", "figure": "figure",
}  # fmt: skip
_KINDS: Final = ("type", "style")
"""Attributes with the kind of a note (DITA, Mallard)."""
_NUMBERING: Final = ("list-type", "type", "rend", "numeration", "style")
"""Attributes with the kind of a list (JATS, TEI, DocBook)."""
_NUMBERED: Final = ("order", "number", "arabic", "alpha", "roman", "lower", "upper", "1", "a", "i")
"""How the kinds of numbered lists begin."""


class XmlPage:
    """Builds the page of a tree. Unknown elements are treated as data: names with values.

    `body` is the page, `title` that of the document, `keywords` the terms of its index.
    """

    def __init__(self, root: Node) -> None:
        self.keywords: list[str] = []
        self._names = names_for(root)
        targets = Targets(root, self._names)
        self._data = XmlData(self._names, targets)
        self._tables = XmlTables(self._names)
        self._page = XmlOutput()
        self._inline = XmlInline(self._page, self._names, self._data, targets)
        self._with_blocks = _elements_with_blocks(root, self._names)
        self._fields = XmlFields(self._page, self._names, self._data, self._with_blocks)
        self._done: set[Node] = set()
        self._fronts: list[Node] = []
        self._titled = False
        self._steps: dict[Node, int] = {}
        self._readers: Mapping[str, Callable[[Node], bool]] = {
            "front": self._start_front, "label": self._start_label, "picture": self._inline.picture,
            "item": self._start_item, "step": self._start_item, "title": self._start_title,
            "caption": self._start_title, "labelled": self._start_note, "section": self._start_section,
        }  # fmt: skip
        self._root = root
        self._walk(root)
        self.keywords = list(dict.fromkeys(self.keywords))
        self._page.leave_sections(self.title)
        fronts, self._fronts = self._fronts, []
        for front in fronts:
            for child in children_of(front):
                self._walk(child)
        self._page.finish()

    @property
    def title(self) -> str:
        """The first heading of a text, or the name of the whole in data."""
        heading = self.body.find(".//h1")
        named = name_of_data(self._root, self._names) if self._names.is_data else ""
        return named or (text_of(heading) if heading is not None else "")

    @property
    def metadata(self) -> dict[str, str]:
        """What the document says of itself: the code by which others refer to it, its revision and date."""
        found: dict[str, str] = {}
        for element in islice(self._root.iter(etree.Element), TOP):
            name = self._names.metadata.get(name_of(element), "")
            if name and (value := self._names.value(element)):
                found.setdefault(name, value)
        return found

    @property
    def body(self) -> Node:
        return self._page.body

    def _walk(self, root: Node) -> None:
        events = etree.iterwalk(root, events=("start", "end"))
        whole: Node | None = None
        for event, element in events:
            if event == "start":
                if self._start(element):
                    whole = element
                    events.skip_subtree()
                continue
            if element is not whole:
                self._page.end()
            if element is not root:
                self._page.tail(element.tail or "")
        self._page.flush()

    def _start(self, element: Node) -> bool:
        """Begin an element; return whether it has been read completely."""
        page = self._page
        if element in self._done:
            self._done.discard(element)
            return True
        role = self._tables.role(page.now.out, element) or self._names.role(element)
        if role == "inline" and element in self._with_blocks and page.now.out.tag not in STRICT:
            role = "part"  # a quotation of paragraphs
        if element is self._root and role in ("", "section"):
            page.paragraph("" if role else self._data.field(element, ""))
            page.begin_root(element, self.title or local_name(element) if self._names.is_data else "")
            return False
        if role == "hidden":
            self.keywords.append(": ".join(" ".join(str(text).split()) for text in element.itertext() if text.strip()))
            return True
        if page.now.between and _has_text_before(element):
            page.text(page.now.between)
        if page.now.out.tag in STRICT or self._is_running(element, role):
            return self._inline.start(element, role)
        if page.now.out.tag in PARTS:
            return self._start_in_table(element, role)
        return self._start_block(element, role)

    def _is_running(self, element: Node, role: str) -> bool:
        """Whether an element is part of a run of text in the current output."""
        within = self._page.now.out.tag == "p" or self._page.now.mixed
        if role in INLINE:
            return within or self._inline.is_text(element)
        return not role and within and element not in self._with_blocks

    # -- blocks

    def _start_block(self, element: Node, role: str) -> bool:
        page = self._page
        if role in ("", "section", "front") and (records := self._fields.records(element)):
            self._done.update(records[1:])
            return True
        if role in _TAGS:
            page.begin(element, page.add(_TAGS[role]), between=between(element, role))
            return False
        if role in ("ordered", "bullets"):
            kind = _numbering(element)
            tag = "ol" if role == "ordered" or kind else "ul"
            page.begin(element, page.add(tag, **{"class": kind}))
            return False
        if role == "table" and self._tables.is_table(element):
            page.begin(element, page.add("table"))
            return False
        return self._readers.get(role, self._fields.start)(element)

    def _start_label(self, element: Node) -> bool:
        """Keep a printed number or label for the text that follows."""
        self._page.label += f"{text_of(element)} "
        return True

    def _start_in_table(self, element: Node, role: str) -> bool:
        page = self._page
        if role == "column":
            return True
        if role in ("title", "caption"):
            add_caption(page.now.out, element)
            return True
        if self._tables.role(page.now.out, element):
            page.begin(element, self._tables.opened(page.now.out, element, role), item=role.endswith("cell"))
            return False
        beside = etree.Element("div")
        table_of(page.now.out).addprevious(beside)
        page.begin(element, beside)
        return False

    def _start_section(self, element: Node) -> bool:
        self._page.begin(element, self._page.add("section"), sections=1)
        return False

    def _start_title(self, element: Node) -> bool:
        """Begin the heading of a section or of data; the title of a figure is its caption, of a list a paragraph."""
        page, parent, role = self._page, element.getparent(), self._names.role(element)
        owner = self._names.role(parent) if parent is not None else ""
        if page.told and text_of(element) == page.told:
            return True
        tag = "p"
        if owner == "figure" or (role == "caption" and not owner):
            tag = "figcaption"
        elif owner in ("section", "front", "whole", "step", "") and page.now.sections and not page.now.item:
            tag = f"h{min(page.now.sections, DEEPEST)}"
            self._titled = True
            page.label += printed_number(parent) if text_of(element) else ""
        page.begin(element, page.add(tag), between=between(element, role))
        return False

    def _start_item(self, element: Node) -> bool:
        """Begin an item, in a list of its own where it stands in none; a step with a title is a section."""
        page, role = self._page, self._names.role(element)
        out = page.now.out
        number = self._steps[out] = self._steps.get(out, 0) + 1
        children = children_of(element)
        if role == "step" and children and self._names.role(children[0]) == "title":
            page.label += f"{number}. "
            page.begin(element, page.add("section"), sections=1)
            return False
        tag, name = "ol" if role == "step" else "ul", name_of(element)
        page.flush()
        if out.tag not in ("ol", "ul"):
            last = last_child(out)
            out = last if last is not None and _goes_on(last, tag, name) else page.add(tag, **{"class": name})
        item = etree.SubElement(out, "li")
        page.begin(element, item, item=True)
        self._done.update(self._inline.entry_of_map(element, item))
        return False

    def _start_note(self, element: Node) -> bool:
        """Begin a note or a warning; its kind, an attribute or its name, goes before its text."""
        kinds = (value for name, value in attributes_of(element) if name.lower() in _KINDS and value.isalpha())
        kind = next(kinds, name_of(element))
        page = self._page
        text = text_of(element)
        if text and not text.casefold().startswith(kind.casefold()):
            page.label += f"{kind.capitalize()}: "
        page.begin(element, page.add("div"))
        return False

    def _start_front(self, front: Node) -> bool:
        """Append title and abstracts of the front matter; the rest is appended at the end of the document."""
        if not self._page.now.sections or self._page.now.item or has_own_text(front) or front is self._root:
            return self._fields.start(front)
        titled = self._titled
        for element in title_and_abstracts(front, self._names):
            if not (titled and self._names.role(element) == "title"):
                self._walk(element)
                self._done.add(element)
        self._fronts.append(front)
        return True


def _elements_with_blocks(root: Node, names: XmlNames) -> set[Node]:
    """Return the elements that contain more than running text."""
    found: set[Node] = set()
    for _, element in etree.iterwalk(root, events=("end",)):
        parent = element.getparent()
        role = names.role(element) if isinstance(element.tag, str) else ""
        if parent is not None and (element in found or (role and role not in INLINE)):
            found.add(parent)
    return found


def _goes_on(last: Node, tag: str, name: str) -> bool:
    """Whether the list that was written last takes further items: those of elements called `name`."""
    return (last.tag, last.get("class")) == (tag, name) and not (last.tail or "").strip()


def _has_text_before(element: Node) -> bool:
    parent = element.getparent()
    return element.getprevious() is not None or bool(parent is not None and (parent.text or "").strip())


def _numbering(element: Node) -> str:
    """Return the kind of numbers of a list as DocBook names it ("loweralpha"; JATS: "alpha-lower"), '' without any."""
    kinds = (value.lower() for name, value in attributes_of(element) if name.lower() in _NUMBERING)
    return next(("".join(reversed(kind.split("-"))) for kind in kinds if kind.startswith(_NUMBERED)), "")
