"""What the routes and the tools work with."""

from __future__ import annotations

from dataclasses import dataclass

from serve import documents
from serve.asking import Asking
from serve.library import Library, OpenBase
from serve.pictures import PagePictures
from serve.settings import Limits
from serve.views import DocumentView


@dataclass(frozen=True, slots=True)
class Services:
    """A server's knowledge bases, what draws pages of them, and what answers questions."""

    library: Library
    pictures: PagePictures
    asking: Asking
    limits: Limits

    def base(self, name: str) -> OpenBase:
        """Return a knowledge base by its name. Raises `NotFound`."""
        return self.library.named(name)

    def document(self, base: OpenBase, id: str, limit: int) -> DocumentView:
        """Return a document with up to `limit` of each of its lists. Raises `NotFound`."""
        entry = base.entry(id)
        return documents.document_view(base, id, self.pictures.pages(base, id, entry, base.document(entry)), limit)
