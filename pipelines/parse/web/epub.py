"""EPUB 2 and 3: the chapters in the order of the spine, titles from the table of contents where a chapter has none."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lxml import etree

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.limits import check_archive
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import HEADINGS, Element, parse_html
from pipelines.parse.web.images import Resolver
from pipelines.parse.web.package import Manifest, read_contents, read_manifest, resolved
from pipelines.parse.web.walk import Walker
from pipelines.parse.web.zip import BROKEN_ZIP

# Fonts may be scrambled in any book; only what is not a font is kept from the reader.
_SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


class EpubReader:
    """Reads a book's pages as HTML, one after the other."""

    formats = (signed("application/epub+zip", ".epub"),)
    name = "epub"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            with zipfile.ZipFile(path) as archive:
                check_archive(archive.infolist(), path.stat().st_size, source.uri, settings.limits)
                _refuse_protected(archive, source)
                _Book(archive, builder).append()
        except (*BROKEN_ZIP, KeyError, etree.XMLSyntaxError) as error:
            raise Malformed(f"not a readable EPUB: {error}", ids=(source.uri,)) from error
        return builder.build()


def _refuse_protected(archive: zipfile.ZipFile, source: Source) -> None:
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    root = etree.fromstring(archive.read("META-INF/encryption.xml"), etree.XMLParser(resolve_entities=False))
    methods = {method.get("Algorithm", "") for method in root.iter("{*}EncryptionMethod")}
    if any(not method.startswith(_SCRAMBLED_FONTS) for method in methods):
        raise Encrypted("the book is protected against copying", ids=(source.uri,))


class _Book:
    """One open book."""

    def __init__(self, archive: zipfile.ZipFile, builder: DocumentBuilder) -> None:
        self._archive = archive
        self._builder = builder
        self._names = set(archive.namelist())
        self._manifest: Manifest = read_manifest(archive)
        self._titles = read_contents(archive, self._manifest)

    def append(self) -> None:
        """Raises `KeyError` where none of the chapters is there."""
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
        if title and not _begins_with_heading(root):
            self._builder.heading(title, 1)
        place = Place(label=title or _first_heading(root))
        Walker(self._builder, titled=False, furniture=False, place=place, resolve=self._resolver(address)).walk(root)

    def _resolver(self, address: str) -> Resolver:
        def resolve(target: str) -> tuple[str, bytes]:
            name = resolved(address, target)
            if name not in self._names:
                return "image/png", b""
            return self._manifest.types.get(name, "image/png"), self._archive.read(name)

        return resolve


def _begins_with_heading(root: Element) -> bool:
    return next(root.iter(*HEADINGS), None) is not None


def _first_heading(root: Element) -> str:
    heading = next(root.iter(*HEADINGS), None)
    return " ".join("".join(heading.itertext()).split()) if heading is not None else ""
