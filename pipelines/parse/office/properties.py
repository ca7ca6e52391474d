"""The properties of an OOXML file: who wrote it, when, about what (ECMA-376 2, 11)."""

from __future__ import annotations

from pipelines.parse.office.ooxml import local, read_xml, related
from pipelines.parse.office.package import Package

_NAMES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "description": "description",
    "keywords": "keywords",
    "category": "category",
    "lastModifiedBy": "modified_by",
    "created": "created",
    "modified": "modified",
    "revision": "revision",
    "language": "language",
    "version": "version",
    "contentStatus": "status",
}
_EXTENDED = {"Company": "company", "Manager": "manager", "Application": "application"}


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
