"""The parts of an OpenDocument file (OpenDocument 1.3, part 2)."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.errors import Encrypted
from pipelines.parse.office.ooxml import Element, local, parse_xml, read_xml
from pipelines.parse.office.package import Package

_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMESPACES = {
    "office": _ODF + "office:1.0",
    "text": _ODF + "text:1.0",
    "table": _ODF + "table:1.0",
    "draw": _ODF + "drawing:1.0",
    "style": _ODF + "style:1.0",
    "svg": _ODF + "svg-compatible:1.0",
    "fo": _ODF + "xsl-fo-compatible:1.0",
    "presentation": _ODF + "presentation:1.0",
    "chart": _ODF + "chart:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
    "math": "http://www.w3.org/1998/Math/MathML",
}
_MANIFEST = "META-INF/manifest.xml"
_NAMES = {
    "title": "title",
    "initial-creator": "author",
    "creator": "modified_by",
    "subject": "subject",
    "description": "description",
    "keyword": "keywords",
    "creation-date": "created",
    "date": "modified",
    "language": "language",
    "generator": "application",
}


def qualified(name: str) -> str:
    """Return "text:p" as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """An OpenDocument file: its content, its styles (None where it has none) and what is told about it."""

    package: Package
    content: Element
    styles: Element | None
    metadata: dict[str, str]


def open_document(package: Package) -> OpenDocument:
    """Return the file in `package`. Raises `Encrypted` behind a password, `Malformed` where the content is missing."""
    manifest = package.find(_MANIFEST)
    if b"encryption-data" in manifest:
        raise Encrypted("the document is protected by a password", ids=(package.uri,))
    content = parse_xml(package.read("content.xml"), package.uri, "content.xml")
    return OpenDocument(package, content, read_xml(package, "styles.xml"), _metadata(read_xml(package, "meta.xml")))


def body_of(document: OpenDocument, kind: str) -> Element | None:
    """Return the body: `kind` is text, spreadsheet or presentation."""
    return next(document.content.iter(qualified(f"office:{kind}")), None)


def _metadata(root: Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in root.iter() if root is not None else ():
        name, text = _NAMES.get(local(element), ""), (element.text or "").strip()
        if name and text:
            found[name] = f"{found[name]}, {text}" if name == "keywords" and name in found else text
    found.setdefault("author", found.get("modified_by", ""))
    return found
