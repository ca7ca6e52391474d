"""Images of pages, drawn in a separate process, so that a file that crashes its reader affects only its own image.

They are drawn from the source file of a document, if it still exists and is unchanged since the ingest.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Self

from pipelines.core.document import Document, Page, Source
from pipelines.core.errors import LeadsOut, NotFound, StrataError
from pipelines.core.ids import INSIDE, path_of
from pipelines.core.work.job import Job, JobContext, JobLimits, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.scan import as_path, has_descriptor_paths, open_file, within
from pipelines.parse.image import draw_page, drawable
from pipelines.parse.magic import XPS
from pipelines.parse.parse import temporary_file
from pipelines.store.catalog import Entry
from serve.language import say
from serve.library import OpenBase
from serve.settings import RequestLimits
from serve.views import PageView

if TYPE_CHECKING:
    from pipelines.parse.pdf.mupdf import PdfFile

_MEBIBYTE = 1 << 20
_Stamp = tuple[int, int, int, int, int]
"""Device, inode, size and time stamps of a file: while they are the same, its bytes are unchanged."""


class SourceFiles:
    """Opens source files. The digest of a file is computed once, until its stamp changes."""

    def __init__(self, largest_mb: int) -> None:
        self._largest_mb = largest_mb
        self._known: dict[_Stamp, str] = {}
        self._lock = Lock()

    def missing(self, base: OpenBase, entry: Entry) -> str:
        """Return why there is no source to draw from, empty if there seems to be one; no file is read."""
        if INSIDE in entry.uri:
            return ""
        if base.folder is None:
            return say("undrawn.folder")
        if not (base.folder / path_of(entry.uri)).is_file():
            return say("undrawn.gone")
        return ""

    @contextmanager
    def path(self, base: OpenBase, entry: Entry) -> Iterator[Path]:
        """Yield a path to the ingested bytes, readable by a process of this user.

        Raises `NotFound`, with the reason, if they are not available.
        """
        if INSIDE in entry.uri:
            with self._part(base, entry) as path:
                yield path
            return
        if reason := self.missing(base, entry):
            raise NotFound(reason, ids=(entry.uri,))
        assert base.folder is not None  # checked by `missing`  # noqa: S101
        with self._opened(base.folder / path_of(entry.uri), base, entry) as path:
            yield path

    @contextmanager
    def _part(self, base: OpenBase, entry: Entry) -> Iterator[Path]:
        """Yield a path to a member of a container, whose bytes the ingest has stored."""
        data = base.knowledge.stores.artifacts.get("member", entry.digest)
        if data is None:
            raise NotFound(say("undrawn.member"), ids=(entry.uri,))
        with TemporaryDirectory(prefix="strata-") as scratch:
            source = Source(entry.uri, entry.media_type, entry.size, entry.digest)
            with temporary_file(data, source, Path(scratch)) as path:
                yield path

    @contextmanager
    def _opened(self, path: Path, base: OpenBase, entry: Entry) -> Iterator[Path]:
        assert base.folder is not None  # noqa: S101
        try:
            descriptor = open_file(path, within(base.folder, base.settings.ingest))
        except LeadsOut as error:
            raise NotFound(f"the file is {error.message}", ids=(entry.uri,)) from error
        except (OSError, ValueError) as error:
            raise NotFound(say("undrawn.unreadable"), ids=(entry.uri,)) from error
        try:
            self._check(descriptor, entry)
            if not has_descriptor_paths():
                yield path
                return
            with as_path(descriptor, path.suffix) as link:
                yield link
        finally:
            os.close(descriptor)

    def _check(self, descriptor: int, entry: Entry) -> None:
        """Raise `NotFound` if the bytes differ from those that were ingested."""
        state = os.fstat(descriptor)
        if state.st_size > self._largest_mb * _MEBIBYTE:
            reason = say("undrawn.large", limit=self._largest_mb)
            raise NotFound(reason, ids=(entry.uri,))
        stamp = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        with self._lock:
            known = self._known.get(stamp)
        if known is None:
            known = _digest(descriptor)
            with self._lock:
                self._known[stamp] = known
        if known != entry.digest:
            raise NotFound(say("undrawn.changed"), ids=(entry.uri,))


def _digest(descriptor: int) -> str:
    with open(os.dup(descriptor), "rb") as file:
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
    return found


DPI = 110
"""Resolution in dots per inch: A4 is 910 pixels wide, which is easy to read."""
LONGEST_SIDE = 2400
"""Maximum pixels of a side: an A0 drawing at 110 dpi would have 5,150."""
_ALLOWED = JobLimits(cpu_s=30, stall_s=30, memory_mb=2048)
_KEPT_BYTES = 64 << 20
"""Maximum bytes of cached images: about 300 pages."""


class PagePictures:
    """Draws pages; a context manager that leaves no process behind."""

    def __init__(self, limits: RequestLimits) -> None:
        self.sources = SourceFiles(limits.source_mb)
        self._pool = WorkerPool(_ALLOWED, 1, "draw")
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close(cancel=True)

    def pages(self, base: OpenBase, id: str, entry: Entry, document: Document | None) -> list[PageView]:
        """Return the pages of a document; those that can be drawn have the path of their image, relative to the API."""
        if document is None:
            return []
        reason = "" if drawable(entry.media_type) else say("undrawn.format")
        reason = reason or self.sources.missing(base, entry)
        return [_page_view(page, base, id, reason) for page in _pages(document)]

    def draw(self, base: OpenBase, id: str, number: int) -> bytes:
        """Return a page as PNG. Raises `NotFound`, with the reason, if it cannot be drawn."""
        entry = base.entry(id)  # first, because a cached image may not be visible to this caller
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
        """Return a page of a file as PNG, cached under `key`; `size` is the page size in points, or zeros.

        Raises `NotFound` if it cannot be drawn.
        """
        if (known := self._known(key)) is not None:
            return known
        dpi = min(DPI, LONGEST_SIDE * 72 / longest) if (longest := max(size)) else DPI
        job = Job(draw_in_worker, (path, media_type, number, passwords, dpi, key[0]))
        picture = self._pool.submit(job, _picture).result()
        if not picture:
            raise NotFound(say("undrawn.page"))
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
            raise NotFound(say("undrawn.format"), ids=(entry.uri,))
        return found[0]

    def _keep(self, key: tuple[str, int], picture: bytes) -> None:
        with self._lock:
            self._size += len(picture) - len(self._kept.pop(key, b""))
            self._kept[key] = picture
            while self._size > _KEPT_BYTES:
                _, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest)


def draw_in_worker(
    job: JobContext, path: Path, media_type: str, number: int, passwords: tuple[str, ...], dpi: float, name: str
) -> bytes:
    """Draw a page of the file called `name`; the job of the worker."""
    job.begin("draw")
    if media_type == XPS:
        return _draw_converted(path, number, dpi, name)
    return draw_page(path, media_type, number, passwords, dpi)


_CONVERTED: dict[str, PdfFile] = {}
"""The last XPS file that this worker drew, by its name: to draw any page of it, all are converted to PDF."""


def _draw_converted(path: Path, number: int, dpi: float, name: str) -> bytes:
    """Return a page as PNG, empty if it cannot be drawn."""
    from pipelines.parse.pdf.mupdf import PdfFile

    try:
        if name not in _CONVERTED:
            while _CONVERTED:
                with _CONVERTED.popitem()[1]:
                    pass  # closes it
            _CONVERTED[name] = PdfFile(path)
        return _CONVERTED[name].render(number, max(1, int(dpi)))
    except (StrataError, RuntimeError, ValueError, IndexError):
        return b""


def _picture(ended: JobResult) -> bytes:
    return ended.result or b""


def _pages(document: Document) -> tuple[Page, ...]:
    """Return the pages of a document; an image counts as one page."""
    if document.pages or not drawable(document.source.media_type):
        return document.pages
    return (Page(1),)


def _page_view(page: Page, base: OpenBase, id: str, reason: str) -> PageView:
    picture = "" if reason else f"documents/{id}/pages/{page.number}.png"
    return PageView(page.number, page.label, page.issue, page.text_source, page.width, page.height, picture, reason)
