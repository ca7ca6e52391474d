"""HTML and XHTML."""

from __future__ import annotations

from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import Element, parse_html
from pipelines.parse.web.looks import Looks
from pipelines.parse.web.meta import read_meta
from pipelines.parse.web.walk import Walker


class HtmlReader:
    """Reads a page by its tree: what a browser shows, in its order."""

    name = "html"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        root = parse_html(path.read_bytes(), uri=source.uri)
        return read_tree(root, source, settings, self.name)


def read_tree(root: Element, source: Source, settings: ParseSettings, engine: str) -> Parsed:
    """Return the document of a page; where all its text is navigation, that is its text."""
    for furniture in (True, False):
        builder = DocumentBuilder(source, settings, engine)
        read_meta(root, builder)
        looks = Looks(root)
        Walker(builder, furniture=furniture, looks=looks).walk(root)
        builder.promote(looks.headings(builder.last))
        if not builder.empty:
            break
    return builder.build()
