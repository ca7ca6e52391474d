"""Pages of office documents, printed by LibreOffice in a separate process and cached while the server runs.

The cache key is the digest of the source file, so a changed document is printed again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Self

import anyio

from pipelines.core import codec
from pipelines.core.errors import NotFound
from pipelines.core.work.job import Job, JobLimits, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.parse.office.libreoffice import program
from pipelines.parse.office.printed import PRINTABLE, Printed, PrintedPlace, find_in_worker, print_in_worker
from pipelines.store.catalog import Entry
from serve.language import say
from serve.library import OpenBase
from serve.pictures import PagePictures
from serve.problems import RequestQueue
from serve.views import PrintedView

_CPU_S = 60.0
"""Maximum processor seconds of one document: the examples take 3 to 5, of which LibreOffice's start takes 3."""
_ALLOWED = JobLimits(cpu_s=_CPU_S + 10, stall_s=60, memory_mb=2048)
_KEPT_BYTES = 512 << 20
"""Maximum bytes of cached PDF files: those of some thousand documents."""
_KEPT_REASONS = 10_000
"""Maximum cached documents, including those that cannot be printed."""
_WAITING = 64
"""Maximum waiting requests: some minutes of work for documents that are not cached."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A printed document, or the reason why it could not be printed."""

    path: Path | None
    sizes: tuple[tuple[float, float], ...] = ()
    reason: str = ""

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size if self.path else 0


class PrintedPages:
    """Prints documents and locates passages on their pages; a context manager that leaves no files behind."""

    def __init__(self, pictures: PagePictures) -> None:
        self._pictures = pictures
        self._pool = WorkerPool(_ALLOWED, 1, "print")
        self._folder = TemporaryDirectory(prefix="strata-")
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._turns, self._lock = RequestQueue(1, _WAITING), Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close(cancel=True)
        self._folder.cleanup()

    def missing(self, base: OpenBase, entry: Entry) -> str:
        """Return why a document cannot be printed, empty if it seems possible; no file is read."""
        if entry.media_type not in PRINTABLE:
            return say("undrawn.format")
        if program() is None:
            return say("undrawn.converter")
        return self._pictures.sources.missing(base, entry)

    async def find(self, base: OpenBase, id: str, start: int, end: int, page: int) -> PrintedView:
        """Return the printed page of a passage, else that of a page of the document, else the first.

        Raises `NotFound`, with the reason, if the document cannot be printed, and `Busy`.
        """
        async with self._turns.turn():
            return await anyio.to_thread.run_sync(self._find, base, id, start, end, page)

    async def draw(self, base: OpenBase, id: str, number: int) -> bytes:
        """Return a printed page as PNG. Raises the errors of `find`."""
        async with self._turns.turn():
            return await anyio.to_thread.run_sync(self._draw, base, id, number)

    def _find(self, base: OpenBase, id: str, start: int, end: int, page: int) -> PrintedView:
        with base.knowledge.stores.embedded.snapshot():
            entry = base.entry(id)
            document = base.document(entry)
            path, sizes = self._printed(base, entry)
        passage = document.text[start:end] if document and 0 <= start < end else ""
        place = self._place(path, passage) if passage else PrintedPlace(0)
        # Each slide is one printed page, unless some are hidden; for sheets and texts this is unknown.
        same = document is not None and len(document.pages) == len(sizes)
        number = place.page or (page if same and 0 < page <= len(sizes) else 1)
        picture = f"documents/{id}/printed/{number}.png"
        return PrintedView(number, len(sizes), picture, place.boxes, bool(place.page))

    def _draw(self, base: OpenBase, id: str, number: int) -> bytes:
        entry = base.entry(id)
        path, sizes = self._printed(base, entry)
        if not 0 < number <= len(sizes):
            raise NotFound(f"the document has no printed page {number}", ids=(entry.uri,))
        return self._pictures.draw_file((entry.digest, number), path, "application/pdf", number, sizes[number - 1])

    def _place(self, path: Path, passage: str) -> PrintedPlace:
        def place(ended: JobResult) -> PrintedPlace:
            return codec.unpack(ended.result, PrintedPlace) if ended.result is not None else PrintedPlace(0)

        return self._pool.submit(Job(find_in_worker, (path, passage)), place).result()

    def _printed(self, base: OpenBase, entry: Entry) -> tuple[Path, tuple[tuple[float, float], ...]]:
        """Return the PDF of a document and the sizes of its pages. Raises `NotFound`."""
        if reason := self.missing(base, entry):
            raise NotFound(reason, ids=(entry.uri,))
        with self._lock:
            if entry.digest in self._kept:
                self._kept.move_to_end(entry.digest)
            else:
                self._kept[entry.digest] = self._print(base, entry)
                self._forget()
            kept = self._kept[entry.digest]
        if kept.path is None:
            raise NotFound(say("undrawn.printed", reason=kept.reason), ids=(entry.uri,))
        return kept.path, kept.sizes

    def _print(self, base: OpenBase, entry: Entry) -> _Kept:
        target = Path(self._folder.name) / f"{entry.digest}.pdf"

        def printed(ended: JobResult) -> _Kept:
            if ended.result is None:
                return _Kept(None, reason=ended.reason)
            done = codec.unpack(ended.result, Printed)
            target.write_bytes(done.pdf)
            return _Kept(target, done.sizes)

        with self._pictures.sources.path(base, entry) as path:
            job = Job(print_in_worker, (path, entry.media_type, entry.uri, _CPU_S))
            return self._pool.submit(job, printed).result()

    def _forget(self) -> None:
        """Evict the least recently used documents, except the last one."""
        size = sum(one.bytes for one in self._kept.values())
        while len(self._kept) > 1 and (size > _KEPT_BYTES or len(self._kept) > _KEPT_REASONS):
            _, oldest = self._kept.popitem(last=False)
            size -= oldest.bytes
            if oldest.path:
                oldest.path.unlink()
