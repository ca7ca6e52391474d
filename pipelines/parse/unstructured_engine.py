"""unstructured as an engine: selected by the settings for a media type, or used when one of our readers fails.

The only module that imports unstructured (the extra `unstructured`, 450 MB; every format of it has a reader here too).
It works offline: its telemetry is switched off (`pipelines.core.libraries`), and the language model that it would
download is replaced by a stub without weights (`spacy_stub`), which is added to the import path only here.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pipelines.core.document import BlockKind, ReferenceKind, Source
from pipelines.core.errors import Malformed, MissingExtra, Unsupported
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import ParseSettings

if TYPE_CHECKING:
    from unstructured.documents.elements import Element

_OOXML = "application/vnd.openxmlformats-officedocument."
_STUB = Path(__file__).parent / "spacy_stub"

# The module and function below unstructured.partition for each media type. PDF is left to better readers.
_PARTITIONS: Mapping[str, str] = MappingProxyType(
    {
        _OOXML + "wordprocessingml.document": "docx",
        _OOXML + "presentationml.presentation": "pptx",
        _OOXML + "spreadsheetml.sheet": "xlsx",
        "text/html": "html",
        "application/xhtml+xml": "html",
        "text/markdown": "md",
        "text/plain": "text",
        "text/csv": "csv",
        "text/tab-separated-values": "tsv",
        "application/xml": "xml",
        "message/rfc822": "email",
        "application/vnd.ms-outlook": "msg",
    }
)


class UnstructuredReader:
    """Reads the formats that unstructured supports in pure Python."""

    name = "unstructured"

    def reads(self, media_type: str) -> bool:
        """Whether there is a partitioner for this type."""
        return media_type in _PARTITIONS

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        if not self.reads(source.media_type):
            raise Unsupported(f"unstructured is not used for {source.media_type}", ids=(source.uri,))
        builder = DocumentBuilder(source, settings, self.name)
        partition = _partition(_PARTITIONS[source.media_type])
        try:
            elements = partition(filename=str(path), languages=[""])
        except (ValueError, KeyError, TypeError, OSError, UnicodeError) as error:
            raise Malformed(f"unstructured cannot read it: {error}", ids=(source.uri,)) from error
        for element in elements:
            _append(element, builder)
        return builder.build()


def _partition(name: str) -> Callable[..., Sequence[Element]]:
    os.environ.setdefault("UNSTRUCTURED_DISABLE_NOTICE", "1")
    if str(_STUB) not in sys.path:
        sys.path.append(str(_STUB))
        importlib.invalidate_caches()
    try:
        from unstructured import partition as partitions

        module = importlib.import_module(f"{partitions.__name__}.{name}")
    except ImportError as error:
        raise MissingExtra("unstructured", f"reading by unstructured ({error})") from error
    partition: Callable[..., Sequence[Element]] = getattr(module, f"partition_{name}")
    return partition


def _append(element: Element, builder: DocumentBuilder) -> None:
    """Append an element of unstructured as a piece."""
    meta = element.metadata
    place = Place(page=meta.page_number, label=meta.page_name or "")
    depth, text = (meta.category_depth or 0) + 1, element.text or ""
    match element.category:
        case "Title":
            added = builder.heading(text, depth, place)
        case "ListItem":
            added = builder.list_item(text, depth, place)
        case "Table":
            added = _append_table(meta.text_as_html or "", text, place, builder)
        case "Image":
            added = builder.figure(Image(ocr_text=text), place)
        case "CodeSnippet":
            added = builder.code(text, place)
        case "Formula":
            added = builder.formula(text, place)
        case "FigureCaption":
            added = builder.caption(text, place)
        case "Header" | "Footer":
            kind = BlockKind.PAGE_HEADER if element.category == "Header" else BlockKind.PAGE_FOOTER
            added = builder.furniture(kind, text, place) and False
        case _:
            added = builder.paragraph(text, place)
    if added:
        for target, shown in zip(meta.link_urls or (), meta.link_texts or (), strict=False):
            builder.reference(ReferenceKind.HYPERLINK, target or "", shown or "")


def _append_table(html: str, text: str, place: Place, builder: DocumentBuilder) -> bool:
    from pipelines.parse.web.dom import parse_html_text
    from pipelines.parse.web.flow import cells_of, read_cell, slots_of

    table = next(parse_html_text(html).iter("table"), None) if html else None
    if table is None:
        return builder.paragraph(text, place)
    slots = slots_of(table, builder.settings.limits.cells, builder.source.uri)
    return builder.table(cells_of(slots, lambda cell: read_cell(cell)[0]), place)
