"""What is written of XML elements that are data: fields, paragraphs, tables of records, a section for each thing."""

from __future__ import annotations

import re
from collections.abc import Set

from pipelines.parse.web.dom import text_of
from pipelines.parse.web.xml_data import XmlData
from pipelines.parse.web.xml_inline import INLINE, markup_in
from pipelines.parse.web.xml_names import Node, XmlNames, children_of, has_own_text, local_name
from pipelines.parse.web.xml_output import XmlOutput
from pipelines.parse.web.xml_targets import value_in_attributes

_PROSE = 80
"""Minimum characters of an unknown element that is a paragraph rather than a field: a line."""


_LEAST_DATA, _LINE_OF_DATA = 1000, 40
"""Minimum characters of base64 (RFC 4648) that is a picture or a key, as in JSON, and of its lines on average: they
have 64 or 76 (RFC 7468, RFC 2045) but for the last one."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]++={0,2}")


class XmlFields:
    """Writes elements that have no role. `with_blocks` are the elements that contain more than running text."""

    def __init__(self, page: XmlOutput, names: XmlNames, data: XmlData, with_blocks: Set[Node]) -> None:
        self._page = page
        self._names = names
        self._data = data
        self._with_blocks = with_blocks
        self._no_records: set[Node] = set()

    def records(self, element: Node) -> list[Node]:
        """Append a run of flat elements of one name that begins with `element` as a table; return them if it is one."""
        if element in self._no_records:
            return []
        table, run = self._data.records(element)
        if table is None:
            self._no_records.update(run)
            return []
        self._page.resume()
        self._page.append(table)
        return run

    def start(self, element: Node) -> bool:
        """Begin a field, a paragraph, one of several things, or a part of the document; return whether that is all."""
        page, data = self._page, self._data
        if not len(element):
            self._append_field(element)
            return True
        if element not in self._with_blocks and (has_own_text(element) or self._is_run(element)):
            self._begin_paragraph(element)
        elif self._names.is_data and page.now.sections and not page.now.item and self._is_one_of_several(element):
            title = data.record_title(element)
            page.begin_thing(element, title)
            label = title.partition(" ")[2]
            page.paragraph(data.attributes(element, beside="" if label.isdigit() else label))  # "number=5501" says more
        else:
            self._paragraph(data.field(element, value_in_attributes(element)))
            page.begin(element, page.add("div"))
        return False

    def _begin_paragraph(self, element: Node) -> None:
        """Begin a paragraph; a short one has the name of the element before it, and its attributes behind it."""
        page = self._page
        named = not self._in_text_item and len(text_of(element)) <= _PROSE
        attributes = self._data.attributes(element) if named else ""
        page.resume()
        page.label += f"{local_name(element)}: " if named else ""
        page.begin(element, page.add("p"), after=f" ({attributes})" if attributes else "")

    def _append_field(self, element: Node) -> None:
        text = text_of(element)
        if text and text == self._page.told:
            return
        if _is_binary(text):
            self._paragraph(f"{local_name(element)}: ({len(text)} characters of data)")
            return
        if (markup := markup_in(text)) is not None:
            self._page.resume()
            self._page.append(markup)
        elif self._in_text_item or len(text) > _PROSE:
            self._paragraph(self._data.value(element) or self._data.attributes(element))
        else:
            self._paragraph(self._data.field(element, self._data.value(element)))

    @property
    def _in_text_item(self) -> bool:
        """Whether the output is in an item or a cell of a text, whose elements are words rather than fields."""
        return self._page.now.item and not self._names.is_data

    def _paragraph(self, text: str) -> None:
        if text:
            self._page.resume()
            self._page.paragraph(text)

    def _is_run(self, element: Node) -> bool:
        """Whether the children of an element are a run of text, such as words that are emphasized."""
        roles = {self._names.role(child) for child in children_of(element)}
        return bool(text_of(element)) and roles <= INLINE and not roles <= {"hidden", "formula"}

    def _is_one_of_several(self, element: Node) -> bool:
        """Whether an element stands beside another one of its name, and has no title of its own."""
        beside = (element.getprevious(), element.getnext())
        repeated = any(one is not None and one.tag == element.tag for one in beside)
        return repeated and not any(self._names.role(child) == "title" for child in children_of(element))


def _is_binary(text: str) -> bool:
    """Whether a text is data in base64, on one line or several."""
    lines = text.split() if len(text) >= _LEAST_DATA else []
    return bool(lines) and len(text) >= _LINE_OF_DATA * len(lines) and all(map(_BASE64.fullmatch, lines))
