"""Elements of XML that are data: fields with their values and units, and runs of similar elements as tables of HTML."""

from __future__ import annotations

from typing import Final

from lxml import etree

from pipelines.parse.web.dom import text_of
from pipelines.parse.web.xml_names import Node, XmlNames, attributes_of, children_of, has_own_text, local_name
from pipelines.parse.web.xml_targets import Targets, is_unit, is_value, own_label, value_of

_TECHNICAL: Final = frozenset("space schemalocation nonamespaceschemalocation nsmap".split())
_MARKUP: Final = _TECHNICAL | frozenset("id class style lang version role".split())
"""Attributes of data that say nothing of it, and further ones of a text."""
_NUMBERS: Final = ("number", "no", "nr", "num", "code", "key")
"""Attributes that tell a record from others of its name, the best first."""
_LONGEST_FIELD = 200
"""Maximum characters of a field in a table; longer values are text."""


class XmlData:
    """Shows elements as data; ids that refer to something in the document are replaced by its name."""

    def __init__(self, names: XmlNames, targets: Targets) -> None:
        self._names = names
        self._targets = targets
        self._technical = _TECHNICAL if names.is_data else _MARKUP

    def value(self, element: Node) -> str:
        """Return the value of a leaf: what its attributes write, its text with the unit, or what it refers to."""
        if written := self._names.value(element):
            return written
        if value := value_of(element):
            return self._targets.shown(element, local_name(element), value)
        pairs = attributes_of(element)
        named = self._targets.shown(element, *pairs[0]) if len(pairs) == 1 else ""
        return named if pairs and named != pairs[0][1] else ""

    def attributes(self, element: Node, *, beside: str = "") -> str:
        """Return the attributes as "name=value, name=value", without technical ones and what is shown `beside` them."""
        shown = [(name, self._targets.shown(element, name, value)) for name, value in attributes_of(element)]
        if beside:
            shown = [(name, text) for name, text in shown if not (is_unit(name, text) or _is_shown(name, text, beside))]
        return ", ".join(f"{name}={text}" for name, text in shown if name.lower() not in self._technical)

    def field(self, element: Node, value: str) -> str:
        """Return an element with its value as "name: value (attributes)", or '' if there is nothing to show."""
        attributes = "" if self._names.value(element) else self.attributes(element, beside=value)
        shown = f"{value} ({attributes})" if value and attributes else value or attributes
        return f"{local_name(element)}: {shown}" if shown else ""

    def records(self, element: Node) -> tuple[Node | None, list[Node]]:
        """Return the run of flat elements of one name that begins with `element`, and its table if it is one.

        Flat elements have attributes and leaves only. A table needs two rows and two columns, half of its cells filled.
        """
        run: list[Node] = []
        rows: list[dict[str, str]] = []
        one: Node | None = element
        while one is not None and one.tag == element.tag and (fields := self._fields(one)):
            run.append(one)
            rows.append(fields)
            one = one.getnext()
        columns = list(dict.fromkeys(key for row in rows for key in row))
        if len(rows) < 2 or len(columns) < 2 or 2 * sum(map(len, rows)) < len(columns) * len(rows):
            return None, run
        return _table(local_name(element), columns, rows), run

    def _fields(self, element: Node) -> dict[str, str]:
        """Return the attributes and leaves of a flat element; nothing for any other, or if a value is prose."""
        if len(element) and has_own_text(element):
            return {}
        fields = {name: self._targets.shown(element, name, value) for name, value in attributes_of(element)}
        for child in children_of(element):
            if len(child) or local_name(child) in fields:
                return {}
            fields[local_name(child)] = self._cell(child)
        if not len(element) and (text := text_of(element)):
            fields[local_name(element)] = text
        return {} if any(len(value) > _LONGEST_FIELD for value in fields.values()) else fields

    def _cell(self, leaf: Node) -> str:
        """Return a leaf as a cell: its value with the other attributes, or the attributes without their names."""
        value = self.value(leaf)
        if not value:
            return ", ".join(value for _, value in attributes_of(leaf))
        attributes = "" if self._names.value(leaf) else self.attributes(leaf, beside=value)
        return f"{value} ({attributes})" if attributes else value

    def record_title(self, element: Node) -> str:
        """Return the heading of one of several similar elements that are no rows: "PRODUCT BV-25"."""
        label = own_label(element, self._names) or _number_of(element)
        if not label:
            leaves = (one for one in element.iter(etree.Element) if not len(one) and one is not element)
            label = next((value for leaf in leaves if (value := self.value(leaf))), "")
        return f"{local_name(element)} {label}" if len(label) <= _LONGEST_FIELD else local_name(element)


def _number_of(element: Node) -> str:
    """Return the attribute that numbers a record among others, or ''."""
    values = {name.lower(): value for name, value in attributes_of(element)}
    return next((values[name] for name in _NUMBERS if name in values), "")


def _is_shown(name: str, text: str, value: str) -> bool:
    """Whether an attribute is what the value shows."""
    return text == value or (is_value(name) and value.startswith(text))


def _table(caption: str, columns: list[str], rows: list[dict[str, str]]) -> Node:
    """Return records as a table of HTML."""
    table = etree.Element("table")
    etree.SubElement(table, "caption").text = caption
    head = etree.SubElement(table, "tr")
    for column in columns:
        etree.SubElement(head, "th").text = column
    for row in rows:
        line = etree.SubElement(table, "tr")
        for column in columns:
            etree.SubElement(line, "td").text = row.get(column, "")
    return table
