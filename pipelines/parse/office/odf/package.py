"""The parts of an OpenDocument file (OpenDocument 1.3, part 2)."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.errors import Encrypted
from pipelines.parse.office.odf.names import qualified
from pipelines.parse.office.ooxml import Element, local, parse_xml, read_xml
from pipelines.parse.office.package import Package

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
