"""EPUB 2 and 3: chapters in the order of the spine, with titles from the table of contents for untitled ones."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from lxml import etree

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.limits import check_archive
from pipelines.parse.magic import CONTAINER, EPUB, folder_of_book
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.archives import BROKEN_ZIP
from pipelines.parse.web.dom import HEADINGS, parse_html, text_of
from pipelines.parse.web.inline import Resolver
from pipelines.parse.web.walk import Walker

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
# Fonts may be obfuscated in any book; the encryption of anything else protects the text.
_SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The package of a book; `types`, `spine` and `contents` refer to members by their path in the archive."""

    metadata: dict[str, str]
    types: dict[str, str]
    spine: tuple[str, ...]
    contents: str


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """Return the package. Raises `KeyError` or `etree.XMLSyntaxError` if its file is missing or broken."""
    folder = folder_of_book(archive.namelist())
    container = _parse(archive, folder + CONTAINER)
    rootfile = next(container.iter("{*}rootfile"), None)
    if rootfile is None:
        raise KeyError("no package file is named")
    path = folder + rootfile.get("full-path", "")
    package = _parse(archive, path)
    items = {item.get("id", ""): item for item in package.iter("{*}item")}
    paths = {id: member_path(path, item.get("href", "")) for id, item in items.items()}
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
        text = text_of(element)
        if name in ("author", "subject") and name in found and text:
            found[name] = f"{found[name]}; {text}"
        elif name and text:
            found.setdefault(name, text)
    return found


def read_contents(archive: zipfile.ZipFile, manifest: Manifest) -> dict[str, str]:
    """Return the titles in the table of contents by chapter; empty if it is missing or unreadable."""
    try:
        root = _parse(archive, manifest.contents)
    except (KeyError, etree.XMLSyntaxError):
        return {}
    titles: dict[str, str] = {}
    for point in root.iter("{*}navPoint"):
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        if label is not None and content is not None:
            titles.setdefault(member_path(manifest.contents, content.get("src", "")), text_of(label))
    for link in root.iter("{http://www.w3.org/1999/xhtml}a"):
        titles.setdefault(member_path(manifest.contents, link.get("href", "")), text_of(link))
    return titles


def member_path(base: str, target: str) -> str:
    """Return the path of the member that `target`, a relative address in the member `base`, refers to."""
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


class EpubReader:
    """Reads the pages of a book as HTML, in order."""

    formats = (signed(EPUB, ".epub"),)
    name = "epub"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            with zipfile.ZipFile(path) as archive:
                check_archive(
                    [member.file_size for member in archive.infolist()],
                    path.stat().st_size,
                    source.uri,
                    settings.limits,
                )
                _refuse_protected(archive, source)
                _Book(archive, builder).append()
        except (*BROKEN_ZIP, KeyError, etree.XMLSyntaxError) as error:
            raise Malformed(f"not a readable EPUB: {error}", ids=(source.uri,)) from error
        return builder.build()


def _refuse_protected(archive: zipfile.ZipFile, source: Source) -> None:
    name = f"{folder_of_book(archive.namelist())}META-INF/encryption.xml"
    if name not in archive.namelist():
        return
    root = etree.fromstring(archive.read(name), etree.XMLParser(resolve_entities=False))
    methods = {method.get("Algorithm", "") for method in root.iter("{*}EncryptionMethod")}
    if any(not method.startswith(_SCRAMBLED_FONTS) for method in methods):
        raise Encrypted("the book is protected against copying", ids=(source.uri,))


class _Book:
    """An open book."""

    def __init__(self, archive: zipfile.ZipFile, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._builder = builder
        self._names = set(archive.namelist())
        self._manifest: Manifest = read_manifest(archive)
        self._titles = read_contents(archive, self._manifest)

    def append(self) -> None:
        """Append metadata and chapters. Raises `KeyError` if none of the chapters exists."""
        if self._names.isdisjoint(self._manifest.spine):
            raise KeyError("none of its chapters is there")
        for name, value in self._manifest.metadata.items():
            self._builder.meta(name, value)
        for address in self._manifest.spine:
            if address in self._names:
                self._chapter(address)
            else:
                self._builder.remark(f"the chapter {address} is missing")

    def _chapter(self, address: str) -> None:
        root = parse_html(self._archive.read(address), uri=self._builder.source.uri)
        title = self._titles.get(address, "")
        heading = next(root.iter(*HEADINGS), None)
        if title and heading is None:
            self._builder.heading(title, 1)
        place = Place(label=title or text_of(heading))
        Walker(self._builder, titled=False, furniture=False, place=place, resolve=self._resolver(address)).walk(root)

    def _resolver(self, address: str) -> Resolver:
        def resolve(target: str) -> tuple[str, bytes]:
            name = member_path(address, target)
            if name not in self._names:
                return "image/png", b""
            return self._manifest.types.get(name, "image/png"), self._archive.read(name)

        return resolve
