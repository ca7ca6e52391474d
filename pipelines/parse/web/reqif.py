"""Requirements in the interchange format ReqIF (OMG, version 1.2): chapters, requirements with their ids, relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lxml import etree

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import DEEPEST, text_of
from pipelines.parse.web.markup import root_name, xml_tree
from pipelines.parse.web.walk import Walker
from pipelines.parse.web.xml_names import Node, children_of, local_name

_CHAPTER, _TEXT, _NAME, _ID = "ReqIF.ChapterName", "ReqIF.Text", "ReqIF.Name", "ReqIF.ForeignID"
"""Names of attributes that tools agree on (ReqIF Implementation Guide, prostep ivip, 4.4)."""
_PREFIX: Final = "ReqIF."
_LABEL = 80
"""Maximum characters of a requirement's text that name it in a relation: a line."""


@dataclass(frozen=True, slots=True)
class _Object:
    """A requirement or chapter: its values in words by attribute name, and those that are XHTML."""

    words: Mapping[str, str]
    pages: Mapping[str, Node]

    @property
    def label(self) -> str:
        words = self.words
        return next((words[name] for name in (_ID, _CHAPTER, _NAME) if words.get(name)), words.get(_TEXT, "")[:_LABEL])


class ReqifReader:
    """Reads the specifications in their order, then requirements that are in none, and relations."""

    formats = (
        FileFormat(
            "application/reqif+xml",
            (".reqif",),
            sniff=lambda sample: root_name(sample) == "REQ-IF",
            also=(".xml",),
        ),
    )
    name = "reqif"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        root, fault = xml_tree(path.read_bytes(), source.uri)
        builder = DocumentBuilder(source, settings, self.name)
        for header in root.iter("{*}REQ-IF-HEADER"):
            builder.meta("title", next((text_of(title) for title in header.iter("{*}TITLE")), ""))
        Walker(builder, titled=False, furniture=False).walk(_page(root))
        if fault:
            builder.left_out(issue=fault)
        return builder.build()


def _page(root: Node) -> Node:
    """Return the requirements as a page of HTML."""
    body = etree.Element("body")
    names = {
        key: one.get("LONG-NAME") or _content(one) for one in root.iter(etree.Element) if (key := one.get("IDENTIFIER"))
    }
    objects = {one.get("IDENTIFIER", ""): _object(one, names) for one in root.iter("{*}SPEC-OBJECT")}
    left = dict(objects)
    for specification in root.iter("{*}SPECIFICATION"):
        _append(_object(specification, names), specification.get("LONG-NAME") or "", 1, body)
        for key, level in _hierarchy(specification):
            if key in objects:
                _append(objects[key], "", level, body)
                left.pop(key, None)
    for one in left.values():
        _append(one, "", DEEPEST, body)
    for comment in root.iterfind("{*}THE-HEADER/{*}REQ-IF-HEADER/{*}COMMENT"):
        etree.SubElement(body, "p").text = text_of(comment)
    relations = etree.SubElement(body, "ul")
    for relation in root.iter("{*}SPEC-RELATION"):
        kind = names.get(_reference(relation, "TYPE")) or ""
        keys = filter(None, (_reference(relation, end) for end in ("SOURCE", "TARGET")))
        ends = [objects[key].label if key in objects else key for key in keys]  # one may be in another file
        etree.SubElement(relations, "li").text = " → ".join(ends) + (f" ({kind})" if kind else "")
    return body


def _content(element: Node) -> str:
    """Return the text of a value of an enumeration."""
    return next((one.get("OTHER-CONTENT") or "" for one in element.iter("{*}EMBEDDED-VALUE")), "")


def _reference(element: Node, name: str) -> str:
    """Return the id in a child such as `<TYPE><SPEC-RELATION-TYPE-REF>id</...></TYPE>`."""
    child = element.find(f"{{*}}{name}")
    return text_of(child) if child is not None else ""


def _hierarchy(specification: Node) -> Iterator[tuple[str, int]]:
    """Yield the ids of the objects in a specification, in order, with their levels; iterative."""
    stack = [(one, 2) for one in reversed(_below(specification))]
    while stack:
        place, level = stack.pop()
        yield _reference(place, "OBJECT"), level
        stack += [(one, level + 1) for one in reversed(_below(place))]


def _below(place: Node) -> list[Node]:
    return place.findall("{*}CHILDREN/{*}SPEC-HIERARCHY")


def _object(element: Node, names: Mapping[str, str]) -> _Object:
    words: dict[str, str] = {}
    pages: dict[str, Node] = {}
    for value in element.findall("{*}VALUES/*"):
        name = names.get(_reference(value, "DEFINITION")) or local_name(value)
        page = value.find("{*}THE-VALUE")
        chosen = [names.get(text_of(one)) or "" for one in value.findall("{*}VALUES/{*}ENUM-VALUE-REF")]
        text = text_of(page) if page is not None else value.get("THE-VALUE") or ", ".join(filter(None, chosen))
        if text:
            words[name] = f"{words[name]}; {text}" if name in words else text
        if page is not None:
            pages[name] = page
    return _Object(words, pages)


def _append(one: _Object, title: str, level: int, body: Node) -> None:
    """Append an object: a heading, or its text with its id and name before it; then its other attributes."""
    words = one.words
    heading = title or words.get(_CHAPTER, "")
    if heading:
        etree.SubElement(body, f"h{min(level, DEEPEST)}").text = heading
    told = {_CHAPTER} | {name for name, value in words.items() if value == heading}
    text = next((name for name in (_TEXT, _NAME) if name in words and name not in told), "")
    if text:
        before = [words[name] for name in (_ID, _NAME) if name in words and name not in (text, *told)]
        told |= {_ID, _NAME, text}
        label = f"{' '.join(before)}: " if before else ""
        parts = _html(one.pages[text]) if text in one.pages else []
        first = parts[0] if parts else etree.Element("p")
        first.text = label + (first.text or "" if parts else words[text])
        body.extend(parts or [first])
    for name, value in words.items():
        if name not in told:
            etree.SubElement(body, "p").text = f"{name.removeprefix(_PREFIX)}: {value}"


def _html(value: Node) -> list[Node]:
    """Return the content of a value in XHTML, without namespaces, as blocks."""
    made = deepcopy(value)
    if (made.text or "").strip() or not len(made):
        made.tag, made.tail = "div", None
    for element in made.iter(etree.Element):
        element.tag = local_name(element)
    return [made] if made.tag == "div" else children_of(made)
