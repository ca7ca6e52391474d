"""A document as its page shows it: one page of it with boxes, or a part of its chunks where it has no pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.provenance import Box
from serve import documents
from serve.content import locate, page_content
from serve.library import OpenBase
from serve.services import Services
from serve.views import AtomView, ChunkView, DocumentView, FigureView, PageContent, PageView, Part, TableView, part

CHUNKS = 20
"""Chunks of a document without pages that are shown at once."""
LISTED = 60
"""Lines of each list; the API has the rest."""


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """What is shown of a document, with all its `pages` to choose from.

    `boxes` are those of the quote on the page shown, `start` and `end` its place.
    """

    id: str
    document: DocumentView
    pages: Sequence[PageView]
    shown: PageContent | None
    chunks: Part[ChunkView]
    tables: Part[TableView]
    figures: Part[FigureView]
    atoms: Part[AtomView]
    boxes: tuple[Box, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def numbers(self) -> list[int]:
        """The numbers of the pages."""
        return [page.number for page in self.pages]


def document_page(
    services: Services,
    base: OpenBase,
    id: str,
    page: int | None,
    quote: tuple[int | None, int | None],
    offset: int,
) -> DocumentPage:
    """Return what is shown of a document: `page`, else the page of the quote, else the first. Raises `NotFound`."""
    entry = base.entry(id)
    document = base.document(entry)
    start, end = quote[0] or 0, quote[1] or 0
    place = locate(document, start, end)
    pages = services.pictures.pages(base, id, entry, document)
    number = page or (place.page if place else None) or 1
    shown = page_content(base, services.pictures, id, number) if pages else None
    every = documents.chunks_of(base, id)
    chunks = part(every, _offset(every, start, end, offset), CHUNKS)
    if shown:
        chunks = part(shown.chunks, 0, len(shown.chunks))
    boxes = place.boxes if place and shown else ()
    return DocumentPage(
        id,
        services.document(base, id, services.limits.results),
        pages,
        shown,
        chunks,
        part(documents.tables_of(base, id), 0, LISTED),
        part(documents.figures_of(base, id), 0, LISTED),
        part(documents.atoms_of(base, id), 0, LISTED),
        tuple(box for box in boxes if shown and box.page == shown.page.number),
        start,
        end,
    )


def _offset(chunks: list[ChunkView], start: int, end: int, offset: int) -> int:
    """Where the chunks begin that are shown: at the one with the quote, if there is one."""
    if end <= start:
        return offset
    return next((place for place, chunk in enumerate(chunks) if chunk.start <= start < chunk.end), offset)
