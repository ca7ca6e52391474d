"""Names of the things in XML, and references to them by id: `<xref linkend="fig-3"/>` is shown as "Pump, exploded"."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from lxml import etree

from pipelines.lang.quantities import CURRENCY_CODES
from pipelines.parse.web.dom import text_of
from pipelines.parse.web.xml_names import Node, XmlNames, attributes_of, children_of, name_of

_VALUES: Final = ("value", "the-value", "text")
"""Attributes with the text of an element that has no other."""
_LABELS: Final = ("xreflabel", "long-name", "longname", "displayname", "name", "label", "title", "text")
"""Attributes and children with the name of a thing, the best first."""
_DEFINING: Final = ("id", "identifier")
_REFERRING: Final = ("id", "ref", "linkend")
"""Attributes that define an id, and how those end that refer to one."""
_SHOWN: Final = 200
"""Maximum characters of a name that is shown in place of an id; longer ones are texts."""
_MOST_STEPS = 1000
"""Maximum steps of a procedure whose numbers are counted for references to them."""
_UNIT = re.compile(r"(?:\w*[^m])?units?|uom|currency(?:id|code)?|\w*unitofmeasure", re.IGNORECASE)
"""Attributes with the unit of a value (S1000D, UBL, units of measure in general), unlike "community"."""
_CURRENCIES: Final = frozenset(CURRENCY_CODES.split("|"))
"""Values that are a unit whatever their attribute is called."""


class Targets:
    """The things in a document that have an id."""

    def __init__(self, root: Node, names: XmlNames) -> None:
        self._names = names
        self._found: dict[str, Node | None] = {}
        """The element of each id; None if several different ones have it."""
        self._labels: dict[str, str] = {}
        for element in root.iter(etree.Element):
            for attribute, value in attributes_of(element):
                if attribute.lower() in _DEFINING or (attribute.lower().endswith("id") and _is_text(element)):
                    self._add(value, element)

    def _add(self, key: str, element: Node) -> None:
        other = self._found.setdefault(key, element)
        if other is not None and other is not element and not (other.tag == element.tag and _has_language(element)):
            self._found[key] = None

    def label(self, key: str) -> str:
        """Return the name of the thing with this id, or '': "#topic/fig" and "#fig" refer to "fig"."""
        key = key if key in self._found else key.rpartition("#")[2].rpartition("/")[2]
        if key not in self._labels:
            element = self._found.get(key)
            text = own_label(element, self._names) if element is not None else ""
            self._labels[key] = text if len(text) <= _SHOWN else ""
        return self._labels[key]

    def shown(self, element: Node, name: str, value: str) -> str:
        """Return a value as it is shown, the text of an element or attribute `name`: of a reference, what it names."""
        refers = name.lower().endswith(_REFERRING) and not self._defines(element, value)
        return (self.label(value) if refers else "") or value

    def _defines(self, element: Node, value: str) -> bool:
        return self._found.get(value) is element or (_is_text(element) and _has_language(element))


def own_label(element: Node, names: XmlNames) -> str:
    """Return the name of a thing: its title, an attribute or child with a name, its number as a step, or its text."""
    children = children_of(element)
    title = next((one for one in children if names.role(one) in ("title", "caption", "term")), None)
    if title is not None:
        return text_of(title)
    values = {name.lower(): value for name, value in attributes_of(element)}
    leaves = {name_of(child): child for child in reversed(children) if not len(child)}
    for wanted in _LABELS:
        if found := values.get(wanted) or (value_of(leaves[wanted]) if wanted in leaves else ""):
            return found
    if names.role(element) == "step":
        before = sum(1 for _ in islice(element.itersiblings(element.tag, preceding=True), _MOST_STEPS))
        return str(before + 1) if before < _MOST_STEPS else ""
    return value_of(element) if not children else ""


def value_of(element: Node) -> str:
    """Return the text of a leaf with its unit ("24 N.m"), or the attribute that has its value; '' if it has none."""
    pairs = attributes_of(element)
    text = text_of(element) or value_in_attributes(element)
    unit = next((value for name, value in pairs if is_unit(name, value)), "")
    return f"{text} {unit}".strip() if text else ""


def value_in_attributes(element: Node) -> str:
    """Return the attribute that is the text of an element, or ''."""
    return next((value for name, value in attributes_of(element) if is_value(name)), "")


def is_unit(attribute: str, value: str) -> bool:
    """Whether an attribute is the unit of its value, by name (`unit`, `quantityUnitOfMeasure`, `uom`) or as "EUR"."""
    return _UNIT.fullmatch(attribute) is not None or value in _CURRENCIES


def is_value(attribute: str) -> bool:
    """Whether an attribute is the text of its element."""
    return attribute.lower() in _VALUES


def _is_text(element: Node) -> bool:
    """Whether an element only defines a text for an id, in a table of texts."""
    return not len(element) and bool(value_of(element))


def _has_language(element: Node) -> bool:
    """Whether an element is in a part of the document in a language of its own."""
    return any("lang" in name.lower() for one in (element, *element.iterancestors()) for name, _ in attributes_of(one))
