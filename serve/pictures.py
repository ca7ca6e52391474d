"""Pages as pictures, drawn in a process of their own: a file that breaks its reader costs its picture alone."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from pipelines.core.document import Document, Page
from pipelines.core.errors import NotFound
from pipelines.core.work.job import Job, JobContext, JobLimits, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.parse.page_picture import draw_page, drawable
from pipelines.store.catalog import Entry
from serve.library import OpenBase
from serve.settings import Limits
from serve.sources import SourceFiles
from serve.views import PageView

DPI = 110
"""Dots an inch of a page: A4 is 910 pixels wide, which is read without effort."""
LONGEST_SIDE = 2400
"""Pixels: a drawing of A0 at 110 dots an inch would have 5,150."""
_ALLOWED = JobLimits(cpu_s=30, stall_s=30, memory_mb=2048)
_KEPT_BYTES = 64 << 20
"""Bytes of pictures that stay in memory: some 300 pages."""


class PagePictures:
    """Draws pages; a context manager that leaves no process behind."""

    def __init__(self, limits: Limits) -> None:
        self.sources = SourceFiles(limits.source_mb)
        self._pool = WorkerPool(_ALLOWED, 1, "draw")
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.close(cancel=True)

    def pages(self, base: OpenBase, id: str, entry: Entry, document: Document | None) -> list[PageView]:
        """Return the pages of a document; those that can be drawn name their picture, relative to the API's root."""
        if document is None:
            return []
        reason = "" if drawable(entry.media_type) else "pages of this format are not drawn"
        reason = reason or self.sources.missing(base, entry)
        return [_page_view(page, base, id, reason) for page in _pages(document)]

    def draw(self, base: OpenBase, id: str, number: int) -> bytes:
        """Return a page as PNG. Raises `NotFound`, with the reason, where it cannot be drawn."""
        entry = base.entry(id)  # first: what was drawn for somebody is not everybody's to see
        if (picture := self._known((id, number))) is not None:
            return picture
        page = self._page(base, entry, number)
        passwords = base.settings.parse.passwords_for(entry.uri)
        with self.sources.path(base, entry) as path:
            return self.draw_file((id, number), path, entry.media_type, number, (page.width, page.height), passwords)

    def draw_file(
        self,
        key: tuple[str, int],
        path: Path,
        media_type: str,
        number: int,
        size: tuple[float, float],
        passwords: tuple[str, ...] = (),
    ) -> bytes:
        """Return a page of a file as PNG, and keep it under `key`; `size` is that of the page, in points, or zeros.

        Raises `NotFound` where it cannot be drawn.
        """
        if (known := self._known(key)) is not None:
            return known
        dpi = min(DPI, LONGEST_SIDE * 72 / longest) if (longest := max(size)) else DPI
        job = Job(draw_in_worker, (path, media_type, number, passwords, dpi))
        picture = self._pool.submit(job, _picture).result()
        if not picture:
            raise NotFound("the page cannot be drawn")
        self._keep(key, picture)
        return picture

    def _known(self, key: tuple[str, int]) -> bytes | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _page(self, base: OpenBase, entry: Entry, number: int) -> Page:
        document = base.document(entry)
        found = [page for page in _pages(document) if page.number == number] if document else []
        if not found:
            raise NotFound(f"the document has no page {number}", ids=(entry.uri,))
        if not drawable(entry.media_type):
            raise NotFound("pages of this format are not drawn", ids=(entry.uri,))
        return found[0]

    def _keep(self, key: tuple[str, int], picture: bytes) -> None:
        with self._lock:
            self._size += len(picture) - len(self._kept.pop(key, b""))
            self._kept[key] = picture
            while self._size > _KEPT_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest)


def draw_in_worker(
    job: JobContext, path: Path, media_type: str, number: int, passwords: tuple[str, ...], dpi: float
) -> bytes:
    """The job that draws a page."""
    job.begin("draw")
    return draw_page(path, media_type, number, passwords, dpi)


def _picture(ended: JobResult) -> bytes:
    return ended.result or b""


def _pages(document: Document) -> tuple[Page, ...]:
    """The pages of a document; a picture without any is one page."""
    if document.pages or not drawable(document.source.media_type):
        return document.pages
    return (Page(1),)


def _page_view(page: Page, base: OpenBase, id: str, reason: str) -> PageView:
    picture = "" if reason else f"documents/{id}/pages/{page.number}.png"
    return PageView(page.number, page.label, page.issue, page.text_source, page.width, page.height, picture, reason)
