"""What the OOXML formats share: names, relationships, Strict brought to Transitional, safe XML (ECMA-376 1, 2)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.office.package import Package

Element = etree._Element

_SCHEMAS = "http://schemas.openxmlformats.org/"
NAMESPACES = {
    "w": _SCHEMAS + "wordprocessingml/2006/main",
    "m": _SCHEMAS + "officeDocument/2006/math",
    "r": _SCHEMAS + "officeDocument/2006/relationships",
    "a": _SCHEMAS + "drawingml/2006/main",
    "c": _SCHEMAS + "drawingml/2006/chart",
    "dgm": _SCHEMAS + "drawingml/2006/diagram",
    "pic": _SCHEMAS + "drawingml/2006/picture",
    "wp": _SCHEMAS + "drawingml/2006/wordprocessingDrawing",
    "xdr": _SCHEMAS + "drawingml/2006/spreadsheetDrawing",
    "p": _SCHEMAS + "presentationml/2006/main",
    "x": _SCHEMAS + "spreadsheetml/2006/main",
    "mc": _SCHEMAS + "markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "wpc": "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
    "dsp": "http://schemas.microsoft.com/office/drawing/2008/diagram",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "cp": _SCHEMAS + "package/2006/metadata/core-properties",
    "rel": _SCHEMAS + "package/2006/relationships",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"
# Extensions whose elements are read here; of others the alternative is.
_UNDERSTOOD = frozenset(
    {"wps", "wpg", "wpc", "wp14", "w14", "w15", "a14", "a16", "p14", "p15", "x14", "x14ac", "x15", "m"}
)
_EXTERNAL_ENTITY = re.compile(rb"<!ENTITY\s+([\w.:-]{1,200})\s+(?:SYSTEM|PUBLIC)[^>]{0,2000}>")
_PROLOGUE = 1 << 16
"""Bytes of a part in which entities are declared, if they are."""
_CHUNK = 1 << 20
"""Bytes that are handed to the parser at once."""
_SAME = "title subject description keywords category created modified revision language version".split()
_NAMES = {name: name for name in _SAME} | {
    "creator": "author",
    "lastModifiedBy": "modified_by",
    "contentStatus": "status",
}
_EXTENDED = {"Company": "company", "Manager": "manager", "Application": "application"}


def qualified(name: str) -> str:
    """Return "w:p" as lxml writes it, "{namespace}p"."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def local(element: Element) -> str:
    """Return an element's name without its namespace, empty for a comment or a processing instruction."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def value(element: Element | None, path: str, attribute: str = "w:val") -> str | None:
    """Return the attribute of the element at `path` below `element`, None where either is missing."""
    if element is None:
        return None
    found = element.find(path, NAMESPACES)
    return None if found is None else found.get(qualified(attribute) if ":" in attribute else attribute)


def is_on(element: Element | None, path: str) -> bool:
    """Whether the on-off property at `path` is there and not switched off (ECMA-376 1, 17.17.4)."""
    if element is None or (found := element.find(path, NAMESPACES)) is None:
        return False
    return found.get(qualified("w:val"), "true") not in ("0", "false", "off", "none")


def transitional(data: bytes) -> bytes:
    """Return the XML with the namespaces of Strict OOXML replaced by those of Transitional."""
    return _STRICT.sub(_TRANSITIONAL, data)


def _prepared(data: bytes) -> bytes:
    """An entity that stands for something outside the file stands for nothing; the words around it are kept."""
    if b"<!ENTITY" in data[:_PROLOGUE]:
        data = _EXTERNAL_ENTITY.sub(rb'<!ENTITY \1 "">', data[:_PROLOGUE]) + data[_PROLOGUE:]
    return transitional(data)


def parse_xml(data: bytes, uri: str, name: str = "") -> Element:
    """Return the root of an XML part; nothing outside it is ever loaded.

    Raises `Malformed` where it is not well-formed, `TooLarge` where it is nested beyond reason.
    """
    try:
        root = etree.fromstring(_prepared(data), _parser())
    except etree.XMLSyntaxError as error:
        raise _xml_error(error, uri, name) from error
    for extra in [node for node in root.iter(etree.Comment, etree.ProcessingInstruction) if node is not root]:
        _drop(extra)
    return root


def stream_children(data: bytes, parents: frozenset[str], uri: str, name: str = "") -> Iterator[Element]:
    """Yield the children of the elements called `parents` one by one, each whole, and forget it after.

    Memory stays that of the largest child. Raises as `parse_xml` does.
    """
    parser = etree.XMLPullParser(
        ("end",),
        resolve_entities="internal",  # type: ignore[arg-type]
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    data = _prepared(data)
    try:
        for start in range(0, len(data), _CHUNK):
            parser.feed(data[start : start + _CHUNK])
            yield from _finished(parser, parents)
        parser.close()
        yield from _finished(parser, parents)
    except etree.XMLSyntaxError as error:
        raise _xml_error(error, uri, name) from error


def _finished(parser: etree.XMLPullParser, parents: frozenset[str]) -> Iterator[Element]:
    for _, element in parser.read_events():
        if not isinstance(element, etree._Element):
            continue
        parent = element.getparent()
        if parent is None or parent.tag not in parents:
            continue
        yield element
        element.clear()
        while (before := element.getprevious()) is not None:
            parent.remove(before)


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities="internal", no_network=True, load_dtd=False)  # type: ignore[arg-type]


def _xml_error(error: etree.XMLSyntaxError, uri: str, name: str) -> Malformed | TooLarge:
    reason = f"{name or 'the XML'} cannot be read: {error.msg}"
    beyond = any(word in str(error.msg).lower() for word in ("depth", "amplification", "limit exceeded", "too long"))
    return TooLarge(reason, ids=(uri,)) if beyond else Malformed(reason, ids=(uri,))


def _drop(node: Element) -> None:
    """Take a comment out and keep the text behind it."""
    parent = node.getparent()
    if parent is None:
        return
    before = node.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (node.tail or "")
    else:
        parent.text = (parent.text or "") + (node.tail or "")
    parent.remove(node)


def chosen(alternate: Element) -> Element | None:
    """Return the branch of an `mc:AlternateContent` that a reader of today shows (ECMA-376 3, 9.3)."""
    fallback = alternate.find("mc:Fallback", NAMESPACES)
    for choice in alternate.findall("mc:Choice", NAMESPACES):
        if set((choice.get("Requires") or "").split()) <= _UNDERSTOOD:
            return choice
    return fallback if fallback is not None else alternate.find("mc:Choice", NAMESPACES)


def children(element: Element) -> Iterator[Element]:
    """Yield the child elements, those of the chosen branch in place of an alternate content."""
    for child in element:
        if child.tag == _ALTERNATE:
            branch = chosen(child)
            if branch is not None:
                yield from children(branch)
        elif isinstance(child.tag, str):
            yield child


_ALTERNATE = qualified("mc:AlternateContent")


@dataclass(frozen=True, slots=True)
class Relationship:
    """What a part points at: `target` is the name of another part, or a URL where it is `external`.

    `kind` is the last step of the relationship's type ("image", "hyperlink").
    """

    kind: str
    target: str
    external: bool


def relationships(package: Package, part: str) -> dict[str, Relationship]:
    """Return the relationships of a part by their id, of the package itself for ""; none where they are broken."""
    folder, name = posixpath.split(part)
    data = package.find(posixpath.join(folder, "_rels", f"{name}.rels"))
    if not data:
        return {}
    try:
        root = parse_xml(data, package.uri)
    except (Malformed, TooLarge):
        return {}
    found = {}
    for element in root.iter(qualified("rel:Relationship")):
        target, external = element.get("Target") or "", element.get("TargetMode") == "External"
        kind = (element.get("Type") or "").rpartition("/")[2]
        found[element.get("Id") or ""] = Relationship(kind, target if external else _resolve(folder, target), external)
    return found


def related(package: Package, part: str, kind: str) -> list[str]:
    """Return the parts that `part` points at by relationships of one kind and that are there."""
    targets = [link.target for link in relationships(package, part).values() if link.kind == kind and not link.external]
    return [target for target in targets if target in package]


def main_part(package: Package, usual: str) -> str:
    """Return the name of the part with the document itself. Raises `Malformed` where there is none."""
    for name in [*related(package, "", "officeDocument"), usual]:
        if name in package:
            return name
    raise Malformed(f"the part {usual} is missing", ids=(package.uri,))


def read_xml(package: Package, part: str) -> Element | None:
    """Return the root of an accessory part, None where it is missing or broken: the document is read without it."""
    data = package.find(part)
    try:
        return parse_xml(data, package.uri, part) if data else None
    except (Malformed, TooLarge):
        return None


def _resolve(folder: str, target: str) -> str:
    target = unquote(target.replace("\\", "/"))
    joined = target if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined).lstrip("/")


def core_properties(package: Package) -> dict[str, str]:
    """Return the core properties under the names of `Document.metadata`, and the company and program from the rest."""
    found: dict[str, str] = {}
    for kind, names in (
        ("core-properties", _NAMES),
        ("extended-properties", _EXTENDED),
        ("extendedProperties", _EXTENDED),
    ):
        for part in related(package, "", kind)[:1]:
            root = read_xml(package, part)
            for element in root if root is not None else ():
                name, text = names.get(local(element), ""), (element.text or "").strip()
                if name and text:
                    found[name] = text
    return found
