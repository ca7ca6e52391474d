"""The reader of ODT."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.office.odf.document import body_of, open_document, qualified
from pipelines.parse.office.odf.inline import plain_text
from pipelines.parse.office.odf.objects import Objects
from pipelines.parse.office.odf.story import OdfStory
from pipelines.parse.office.odf.styles import OdfStyles
from pipelines.parse.office.ooxml import Element
from pipelines.parse.office.package import Package
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_FURNITURE = (("style:header", BlockKind.PAGE_HEADER), ("style:footer", BlockKind.PAGE_FOOTER))


class OdtReader:
    """Reads text documents; pages are told where the program that saved the file marked them."""

    formats = (signed("application/vnd.oasis.opendocument.text", ".odt"),)
    name = "odt"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with Package(path, source.uri, settings) as package:
            document = open_document(package)
            body = body_of(document, "text")
            if body is None:
                raise Malformed("content.xml has no text", ids=(source.uri,))
            builder = DocumentBuilder(source, settings, self.name, document.metadata)
            paged = next(body.iter(qualified("text:soft-page-break")), None) is not None
            styles = OdfStyles(document.styles, document.content)
            story = OdfStory(builder, styles, Objects(package, builder), Place(1 if paged else None))
            story.add(body)
            _furniture(document.styles, builder)
            for page in range(1, (story.place.page or 0) + 1):
                builder.page(Page(page))
        return builder.build()


def _furniture(styles: Element | None, builder: DocumentBuilder) -> None:
    told: set[str] = set()
    for name, kind in _FURNITURE:
        for element in styles.iter(qualified(name)) if styles is not None else ():
            text = plain_text(element)
            if text not in told:
                told.add(text)
                builder.furniture(kind, text)
