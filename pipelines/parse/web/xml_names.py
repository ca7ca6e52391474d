"""What the elements of XML are: titles, paragraphs, lists, tables by the names in `xml_names.toml`, otherwise data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from lxml import etree

Node: TypeAlias = etree._Element
"""An element; lxml has no public name for the type."""

_MOSTLY = 0.5
"""Minimum share of the characters of a text in elements that are known."""


@dataclass(frozen=True, slots=True)
class XmlNames:
    """Roles by element name, outside and inside of tables, and the templates of codes and values written as attributes.

    `ambiguous` names have a role of their own in some parents. In data, `title` and `task` are fields, so that
    `elements` has no more than the markup of HTML; `is_data` says so. `metadata` are the names that the values of some
    elements have in the document's metadata.
    """

    elements: Mapping[str, str]
    ambiguous: frozenset[str]
    cells: Mapping[str, str]
    codes: Mapping[str, str]
    values: Mapping[str, str]
    metadata: Mapping[str, str]
    is_data: bool

    def role(self, element: Node) -> str:
        """Return the role of an element, by its parents or its own name; empty for data."""
        name, parent = name_of(element), element.getparent()
        if parent is None or name not in self.ambiguous:
            return self.elements.get(name, "")
        within = f"{name_of(parent)}/{name}"
        grand = parent.getparent()
        further = f"{name_of(grand)}/{within}" if grand is not None else within
        return self.elements.get(further) or self.elements.get(within) or self.elements.get(name, "")

    def code(self, element: Node) -> str:
        """Return the code of a document that an element writes as attributes ("PUMP-A-29-10-00-00A-520A-A"), or ''."""
        return _filled(self.codes.get(name_of(element)), element)

    def value(self, element: Node) -> str:
        """Return a code, a date or another value that an element writes as attributes, or ''."""
        return self.code(element) or _filled(self.values.get(name_of(element)), element)


def names_for(root: Node) -> XmlNames:
    """Return the names in a tree: a text, told by its root or by the elements with most of its words, or data."""
    text, data, roots = _names()
    if name_of(root) in roots:
        return text
    characters = known = 0
    for element in root.iter(etree.Element):
        length = len((element.text or "").strip()) + sum(len((child.tail or "").strip()) for child in element)
        characters += length
        known += length if text.role(element) or name_of(element) in text.cells else 0
        characters += sum(len(value) for value in element.attrib.values() if " " in str(value).strip())
    return text if characters and known >= _MOSTLY * characters else data


@cache
def _names() -> tuple[XmlNames, XmlNames, frozenset[str]]:
    """Return the names in texts, those in data, and the roots that only texts have."""
    data = tomllib.loads(Path(__file__).with_name("xml_names.toml").read_text("utf-8"))
    elements = _by_name(data["elements"])
    rest = _by_name(data["cells"]), data["codes"], data["values"], data["metadata"]
    kept = {name: elements[name] for name in data["documents"]["markup"].split()}
    roots = frozenset(data["documents"]["roots"].split())
    text = XmlNames(elements, _ambiguous(elements), *rest, is_data=False)
    return text, XmlNames(kept, _ambiguous(kept), *rest, is_data=True), roots


def _ambiguous(elements: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.rpartition("/")[2] for name in elements if "/" in name)


def _filled(template: str | None, element: Node) -> str:
    if template is None:
        return ""
    try:
        return template.format_map({name.lower(): value for name, value in attributes_of(element)}).strip("-")
    except KeyError:
        return ""


def _by_name(roles: Mapping[str, str]) -> dict[str, str]:
    return {name: role for role, names in roles.items() for name in names.split()}


def name_of(element: Node) -> str:
    return local_name(element).lower()


def local_name(element: Node) -> str:
    """Return the name of an element without its namespace, as it is written."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attributes_of(element: Node) -> list[tuple[str, str]]:
    """Return the attributes with a value, by local name."""
    return [(str(name).rpartition("}")[2], str(value)) for name, value in element.attrib.items() if str(value).strip()]


def children_of(element: Node) -> list[Node]:
    return [child for child in element if isinstance(child.tag, str)]


def has_own_text(element: Node) -> bool:
    """Whether an element has text outside of its children."""
    return any(text and text.strip() for text in (element.text, *(child.tail for child in element)))
