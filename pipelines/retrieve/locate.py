"""Where in its document a quote stands: page, sheet, cells and boxes, as the parsed document knows them."""

from __future__ import annotations

from collections import OrderedDict

from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.errors import StoreError
from pipelines.core.provenance import Provenance, Span
from pipelines.resources import Stores
from pipelines.store.artifact import read_document

_KEPT = 64
"""Documents whose layout stays in memory."""


class Places:
    """Looks spans up in the parsed documents; a document is read when it is first cited."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._layouts: OrderedDict[str, BlockIndex | None] = OrderedDict()

    def of(self, chunk: Chunk, span: Span) -> Provenance:
        """Return where `span` stands; where the document's artifact is gone, where its chunk does."""
        layout = self._layout(chunk.document)
        return layout.provenance(span) if layout else chunk.provenance

    def _layout(self, document: str) -> BlockIndex | None:
        if document not in self._layouts:
            self._layouts[document] = self._read(document)
            while len(self._layouts) > _KEPT:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(document)
        return self._layouts[document]

    def _read(self, document: str) -> BlockIndex | None:
        entry = next((entry for entry in self._stores.catalog.entries() if entry.document == document), None)
        if entry is None or "parse" not in entry.artifacts:
            return None
        try:
            return BlockIndex(read_document(self._stores.artifacts, entry))
        except StoreError:
            return None
