"""What stands on a page, and where a passage of a document is."""

from __future__ import annotations

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Document
from pipelines.core.errors import NotFound
from pipelines.core.provenance import Provenance, Span
from serve.documents import chunks_of
from serve.library import OpenBase
from serve.pictures import PagePictures
from serve.views import BlockView, PageContent


def page_content(base: OpenBase, pictures: PagePictures, id: str, number: int) -> PageContent:
    """Return a page with its blocks and the chunks that touch it. Raises `NotFound`, `ArtifactUnreadable`."""
    entry = base.entry(id)
    document = base.document(entry)
    page = next((page for page in pictures.pages(base, id, entry, document) if page.number == number), None)
    if document is None or page is None:
        raise NotFound(f"the document has no page {number}", ids=(entry.uri,))
    return PageContent(page, _blocks(document, number), tuple(chunks_of(base, id, number)))


def locate(document: Document | None, start: int, end: int) -> Provenance | None:
    """Return page, cells and boxes of a passage; None where the document has no such characters."""
    if document is None or not 0 <= start < end <= len(document.text):
        return None
    return BlockIndex(document).provenance(Span(start, end))


def _blocks(document: Document, number: int) -> tuple[BlockView, ...]:
    found = []
    for block in document.blocks:
        boxes = tuple(box for box in block.provenance.boxes if box.page == number)
        if boxes or block.provenance.page == number:
            found.append(BlockView(block.kind.value, block.text, boxes))
    return tuple(found)
