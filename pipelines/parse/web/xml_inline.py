"""Running text of XML: emphasis, links, values with units, menu paths, references with the names of their targets."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from lxml import etree

from pipelines.parse.web.dom import parse_html_text, text_of
from pipelines.parse.web.xml_data import XmlData
from pipelines.parse.web.xml_names import (
    Node,
    XmlNames,
    attributes_of,
    children_of,
    has_own_text,
    local_name,
    name_of,
)
from pipelines.parse.web.xml_output import STRICT, XmlOutput
from pipelines.parse.web.xml_targets import Targets

_TAGS: Final = {"bold": "b", "italic": "i", "sub": "sub", "sup": "sup"}
INLINE: Final = frozenset({*_TAGS, "inline", "link", "break", "path", "keys", "footnote", "hidden", "formula"})
"""Roles of elements in a run of text."""
_BETWEEN: Final = {"path": " > ", "keys": "+"}
_BETWEEN_PARTS: Final = {"joined": " ", "title": " - "}
"""What is written between the parts of a menu path, keys that are pressed together, a command, a title (S1000D)."""
_ADDRESSES: Final = ("href", "url", "src", "fileref", "uri", "target", "infoentityident", "otherdoc")
_WITHIN: Final = ("linkend", "rid", "internalrefid", "refid")
_KEYS: Final = ("keyref", "conkeyref", "conref", "xref")
"""Attributes with the address of a link, with an id in the same document, and with a name in other documents."""
_MARKUP: Final = re.compile(r"</(?:p|b|i|a|ul|ol|li|td|div|span|em|strong)>|<br ?/?>")


def between(element: Node, role: str) -> str:
    """Return what is written between the parts of an element; a title with text of its own is no list of parts."""
    return _BETWEEN.get(role) or ("" if has_own_text(element) else _BETWEEN_PARTS.get(role, ""))


class XmlInline:
    """Writes running text."""

    def __init__(self, page: XmlOutput, names: XmlNames, data: XmlData, targets: Targets) -> None:
        self._page = page
        self._names = names
        self._data = data
        self._targets = targets

    def start(self, element: Node, role: str) -> bool:
        """Begin an element in running text; return whether it has been read completely."""
        page = self._page
        if role == "picture":
            return self.picture(element)
        if role == "formula":
            page.append(_html_of(element, apart=not page.now.mixed and page.now.out.tag not in {"p", *STRICT}))
            return True
        if role == "break" and not text_of(element):
            page.add("br")
            return True
        address = self._address(element) if role == "link" else ""
        if role == "footnote":
            page.text(" (")
        elif role and role not in INLINE and element.getprevious() is not None:
            page.text(" ")  # a block in running text, such as a paragraph of a footnote
        out = page.add("a", href=address) if address else page.add(_TAGS.get(role, "span"))
        if not len(element) and (text := self._generated(element, role)):
            page.fill(out, text)
            return True
        page.begin(element, out, between=between(element, role), after=")" if role == "footnote" else "")
        return False

    def picture(self, element: Node) -> bool:
        """Append a picture with its description, or the name of one that is kept elsewhere."""
        address = self._address(element)
        described = text_of(element) or element.get("alt") or element.get("title") or ""
        if "." not in address and address and not described:
            self._page.paragraph(f"{local_name(element)}: {address}")
        else:
            self._page.add("img", src=address, alt=described)
        return True

    def entry_of_map(self, element: Node, item: Node) -> list[Node]:
        """Write the link of an entry of a table of contents (DITA) into its item; return what has been read for it."""
        address = element.get("href")
        if not address or (text_of(element) and not children_of(element)):
            return []
        titles = [one for one in element.iter(etree.Element) if name_of(one) == "navtitle"][:1]
        link = etree.SubElement(item, "a", {"href": address})
        link.text = next(map(text_of, titles), "") or element.get("navtitle") or address
        return titles

    def is_text(self, element: Node) -> bool:
        """Whether an element outside of a run of text begins one: it has text or leads somewhere."""
        return bool(text_of(element)) or bool(self._address(element))

    def _generated(self, element: Node, role: str) -> str:
        """Return the text of an element that has none, or its value with the unit; empty if its text is all."""
        if (element.text or "").strip() and role == "link":
            return ""
        if value := self._data.value(element):
            return value
        values = {name.lower(): value for name, value in attributes_of(element)}
        within = [values[name] for name in (*_WITHIN, *_KEYS, "href") if name in values]
        label = next(filter(None, map(self._targets.label, within)), "")
        if role == "link" and not label:
            label = self._address(element).lstrip("#")
        return label or next((values[name] for name in _KEYS if name in values), "")

    def _address(self, element: Node) -> str:
        """Return where a link leads: the code of another document, an address, or "#" with an id."""
        codes = (self._names.code(one) for one in element.iter(etree.Element))
        if code := next(filter(None, codes), ""):
            return code
        values = {name.lower(): value for name, value in attributes_of(element)}
        if address := next((values[name] for name in _ADDRESSES if name in values), ""):
            return address
        if within := next((values[name] for name in _WITHIN if name in values), ""):
            return f"#{within}"
        return ""


def markup_in(text: str) -> Node | None:
    """Return the text of a feed or a tool that is markup of HTML as an element, None for other text."""
    if _MARKUP.search(text) is None:
        return None
    body: Node | None = parse_html_text(text).find("body")
    if body is not None:
        body.tag = "div"
    return body


def _html_of(formula: Node, *, apart: bool) -> Node:
    """Return a formula with the names that it has in HTML, without namespaces; `apart` from text as a block."""
    made = deepcopy(formula)
    made.tail = None
    if apart:
        made.set("display", "block")
    for element in made.iter(etree.Element):
        element.tag = local_name(element)
    return made
