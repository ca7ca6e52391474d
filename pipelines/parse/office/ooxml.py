"""Functions shared by the OOXML formats: safe XML parsing, names, relationships, metadata (ECMA-376 1, 2).

Files in the Strict variant are read as Transitional ones.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.package import Package
from pipelines.parse.parsed import Parsed

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
# Namespaces of extensions that are read; for any other one, the fallback is read.
_SUPPORTED = frozenset(
    {"wps", "wpg", "wpc", "wp14", "w14", "w15", "a14", "a16", "p14", "p15", "x14", "x14ac", "x15", "m"}
)
_EXTERNAL_ENTITY = re.compile(rb"<!ENTITY\s+([\w.:-]{1,200})\s+(?:SYSTEM|PUBLIC)[^>]{0,2000}>")
_PROLOG_BYTES = 1 << 16
"""Bytes at the start of a part that are searched for entity declarations."""
_CHUNK_BYTES = 1 << 20
"""Bytes passed to the parser at once."""
_SAME = "title subject description keywords category created modified language version".split()
_NAMES = {name: name for name in _SAME} | {
    "creator": "author",
    "lastModifiedBy": "modified_by",
    "contentStatus": "status",
    "revision": "saves",  # the number of saves in most programs (ECMA-376 2, 11.1), not the revision that readers know
}
_EXTENDED = {"Company": "company", "Manager": "manager", "Application": "application"}


def qualified(name: str) -> str:
    """Return a name such as "w:p" in the notation of lxml, "{namespace}p"."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def local(element: Element) -> str:
    """Return an element's name without namespace, empty for a comment or a processing instruction."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def value(element: Element | None, path: str, attribute: str = "w:val") -> str | None:
    """Return an attribute of the element at `path` below `element`, None if either is missing."""
    if element is None:
        return None
    found = element.find(path, NAMESPACES)
    return None if found is None else found.get(qualified(attribute) if ":" in attribute else attribute)


def is_on(element: Element | None, path: str) -> bool:
    """Whether the on-off property at `path` is present and not off (ECMA-376 1, 17.17.4)."""
    if element is None or (found := element.find(path, NAMESPACES)) is None:
        return False
    return found.get(qualified("w:val"), "true") not in ("0", "false", "off", "none")


def transitional(data: bytes) -> bytes:
    """Return the XML with the namespaces of Strict OOXML replaced by those of Transitional OOXML."""
    return _STRICT.sub(_TRANSITIONAL, data)


def _prepared(data: bytes) -> bytes:
    """Return the XML with Transitional namespaces, and with external entities declared as empty texts."""
    if b"<!ENTITY" in data[:_PROLOG_BYTES]:
        data = _EXTERNAL_ENTITY.sub(rb'<!ENTITY \1 "">', data[:_PROLOG_BYTES]) + data[_PROLOG_BYTES:]
    return transitional(data)


def parse_xml(data: bytes, uri: str, name: str = "") -> Element:
    """Return the root of an XML part; external resources are never loaded.

    Raises `Malformed` if it is not well-formed, `TooLarge` if it exceeds the parser's limits of depth or size.
    """
    parser = etree.XMLParser(resolve_entities="internal", no_network=True, load_dtd=False)  # type: ignore[arg-type]
    try:
        root = etree.fromstring(_prepared(data), parser)
    except etree.XMLSyntaxError as error:
        raise _parse_error(error, uri, name) from error
    for extra in [node for node in root.iter(etree.Comment, etree.ProcessingInstruction) if node is not root]:
        _remove_node(extra)
    return root


def stream_children(data: bytes, parents: frozenset[str], uri: str, name: str = "") -> Iterator[Element]:
    """Yield the children of the elements named in `parents`, each complete; it is cleared after it was processed.

    Memory use is that of the largest child. Raises the same errors as `parse_xml`.
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
        for start in range(0, len(data), _CHUNK_BYTES):
            parser.feed(data[start : start + _CHUNK_BYTES])
            yield from _completed_children(parser, parents)
        parser.close()
        yield from _completed_children(parser, parents)
    except etree.XMLSyntaxError as error:
        raise _parse_error(error, uri, name) from error


def _completed_children(parser: etree.XMLPullParser, parents: frozenset[str]) -> Iterator[Element]:
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


def _parse_error(error: etree.XMLSyntaxError, uri: str, name: str) -> Malformed | TooLarge:
    reason = f"{name or 'the XML'} cannot be read: {error.msg}"
    beyond = any(word in str(error.msg).lower() for word in ("depth", "amplification", "limit exceeded", "too long"))
    return TooLarge(reason, ids=(uri,)) if beyond else Malformed(reason, ids=(uri,))


def _remove_node(node: Element) -> None:
    """Remove a comment and keep the text after it."""
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
    """Return the first branch of an `mc:AlternateContent` that is supported, else the fallback (ECMA-376 3, 9.3)."""
    fallback = alternate.find("mc:Fallback", NAMESPACES)
    for choice in alternate.findall("mc:Choice", NAMESPACES):
        if set((choice.get("Requires") or "").split()) <= _SUPPORTED:
            return choice
    return fallback if fallback is not None else alternate.find("mc:Choice", NAMESPACES)


def children(element: Element) -> Iterator[Element]:
    """Yield the child elements; `mc:AlternateContent` is replaced by the children of its chosen branch."""
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
    """A link from one part to another: `target` is a part's name, or a URL if it is `external`.

    `kind` is the last segment of the relationship's type ("image", "hyperlink").
    """

    kind: str
    target: str
    external: bool


def relationships(package: Package, part: str) -> dict[str, Relationship]:
    """Return the relationships of a part by id, or of the package for the part ""; none if they cannot be parsed."""
    folder, name = posixpath.split(part)
    root = read_xml(package, posixpath.join(folder, "_rels", f"{name}.rels"))
    if root is None:
        return {}
    found = {}
    for element in root.iter(qualified("rel:Relationship")):
        target, external = element.get("Target") or "", element.get("TargetMode") == "External"
        kind = (element.get("Type") or "").rpartition("/")[2]
        found[element.get("Id") or ""] = Relationship(kind, target if external else _resolve(folder, target), external)
    return found


def related(package: Package, part: str, kind: str) -> list[str]:
    """Return the existing parts that `part` links to by relationships of a kind."""
    targets = [link.target for link in relationships(package, part).values() if link.kind == kind and not link.external]
    return [target for target in targets if target in package]


def main_part(package: Package, usual: str) -> str:
    """Return the name of the main part. Raises `Malformed` if there is none."""
    for name in [*related(package, "", "officeDocument"), usual]:
        if name in package:
            return name
    raise Malformed(f"the part {usual} is missing", ids=(package.uri,))


def read_xml(package: Package, part: str) -> Element | None:
    """Return the root of an optional part, None if it is missing or not well-formed, and so is damaged."""
    data = package.find(part)
    try:
        return parse_xml(data, package.uri, part) if data else None
    except (Malformed, TooLarge):
        package.damaged.append(part)
        return None


def built(builder: DocumentBuilder, package: Package) -> Parsed:
    """Return the document, with its damaged parts reported.

    Raises `Malformed` if the others have no text, so that these parts are read as far as they go.
    """
    builder.left_out(issue=package.damage)
    parsed = builder.build()
    if parsed.document is None and package.damage:
        raise Malformed(package.damage, ids=(package.uri,))
    return parsed


def _resolve(folder: str, target: str) -> str:
    target = unquote(target.replace("\\", "/"))
    joined = target if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined).lstrip("/")


def core_properties(package: Package) -> dict[str, str]:
    """Return the core and extended properties under the names of `Document.metadata`."""
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
