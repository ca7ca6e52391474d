"""What an EPUB's package file says: metadata, the order of the chapters, their titles (EPUB 3.3, section 5)."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from lxml import etree

_METADATA = {
    "title": "title",
    "creator": "author",
    "date": "created",
    "language": "language",
    "publisher": "publisher",
    "subject": "subject",
    "description": "description",
    "identifier": "identifier",
}


@dataclass(frozen=True, slots=True)
class Manifest:
    """Members by their path in the archive: media types, the chapters in reading order, where the contents stand."""

    metadata: dict[str, str]
    types: dict[str, str]
    spine: tuple[str, ...]
    contents: str


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """Raises `KeyError` or `etree.XMLSyntaxError` where the package file is missing or broken."""
    container = _parse(archive, "META-INF/container.xml")
    rootfile = next(container.iter("{*}rootfile"), None)
    if rootfile is None:
        raise KeyError("no package file is named")
    path = rootfile.get("full-path", "")
    package = _parse(archive, path)
    items = {item.get("id", ""): item for item in package.iter("{*}item")}
    paths = {id: resolved(path, item.get("href", "")) for id, item in items.items()}
    references = [reference.get("idref", "") for reference in package.iter("{*}itemref")]
    return Manifest(
        metadata=_metadata(package),
        types={paths[id]: item.get("media-type", "") for id, item in items.items()},
        spine=tuple(dict.fromkeys(paths[id] for id in references if id in paths)),
        contents=next((paths[id] for id, item in items.items() if _is_contents(item)), ""),
    )


def _is_contents(item: etree._Element) -> bool:
    return "nav" in (item.get("properties") or "").split() or item.get("media-type") == "application/x-dtbncx+xml"


def _metadata(package: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in package.iter("{http://purl.org/dc/elements/1.1/}*"):
        name = _METADATA.get(etree.QName(element).localname)
        text = _text(element)
        if name in ("author", "subject") and name in found and text:
            found[name] = f"{found[name]}; {text}"
        elif name and text:
            found.setdefault(name, text)
    return found


def read_contents(archive: zipfile.ZipFile, manifest: Manifest) -> dict[str, str]:
    """Return the title of each chapter that the table of contents names; empty where there is none to be read."""
    try:
        root = _parse(archive, manifest.contents)
    except (KeyError, etree.XMLSyntaxError):
        return {}
    titles: dict[str, str] = {}
    for point in root.iter("{*}navPoint"):
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        if label is not None and content is not None:
            titles.setdefault(resolved(manifest.contents, content.get("src", "")), _text(label))
    for link in root.iter("{http://www.w3.org/1999/xhtml}a"):
        titles.setdefault(resolved(manifest.contents, link.get("href", "")), _text(link))
    return titles


def _text(element: etree._Element) -> str:
    return " ".join("".join(text for text in element.itertext() if isinstance(text, str)).split())


def resolved(base: str, target: str) -> str:
    """Return the member that `target`, as written in the member `base`, means."""
    parts = list(PurePosixPath(base).parent.parts)
    for part in unquote(target.split("#", 1)[0]).split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _parse(archive: zipfile.ZipFile, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(archive.read(name), parser)
    if root is None:
        raise KeyError(f"{name} is empty")
    return root
