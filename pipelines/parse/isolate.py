"""Files parsed in processes of their own, within limits: a file that breaks its parser costs that file alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.outcome import Status
from pipelines.core.work.job import Job, JobContext, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.lang.identify import detect_language
from pipelines.parse.limits import allowance
from pipelines.parse.parse import parse
from pipelines.parse.parsed import NO_READINGS, Parsed, Readings
from pipelines.parse.registry import built_in_formats
from pipelines.parse.settings import ParseSettings

STAGE = "parse"


class ParserPool:
    """Parses up to `workers` files at once; a context manager that leaves no worker behind."""

    def __init__(self, settings: ParseSettings, workers: int = 2) -> None:
        self._settings = settings
        self._pool = WorkerPool(allowance(settings.limits), workers, STAGE, preload)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(cancel=error is not None)

    def submit(self, path: Path, source: Source) -> Future[Parsed]:
        """Begin to parse a file. The future's result is always a `Parsed`; it raises only when cancelled."""
        return self._pool.submit(Job(parse_file, (path.absolute(), source, self._settings)), _parsed)

    def submit_bytes(self, data: bytes, source: Source) -> Future[Parsed]:
        """Begin to parse a child: bytes that are no file of their own."""
        return self._pool.submit(Job(parse_bytes, (data, source, self._settings)), _parsed)

    def close(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted, or stop it with `cancel`; then end all processes. Twice is allowed."""
        self._pool.close(cancel=cancel)


def preload() -> None:
    """Load what any file may need, before processes are forked for them."""
    built_in_formats()
    detect_language("In which language is this written?")


def parse_file(desk: JobContext, path: Path, source: Source, settings: ParseSettings) -> bytes:
    """The job that parses a file."""
    desk.begin(STAGE)
    parsed = parse_within(
        path, source, settings, lambda so_far: desk.keep(codec.pack(so_far)), lambda: desk.begin(STAGE)
    )
    return codec.pack(parsed)


def parse_bytes(desk: JobContext, data: bytes, source: Source, settings: ParseSettings) -> bytes:
    """The job that parses bytes that are no file of their own."""
    with laid_out(data, source, desk.scratch) as path:
        return parse_file(desk, path, source, settings)


def parse_within(
    path: Path,
    source: Source,
    settings: ParseSettings,
    keep: Callable[[Parsed], None],
    further: Callable[[], None],
    known: Readings = NO_READINGS,
) -> Parsed:
    """Return what the file holds; what is good if not whole is given to `keep` before the slow rest is begun.

    `further` is called when a further part of a large file begins, whose processor seconds are counted from 0. `known`
    is what an earlier run has read off its pictures.
    """
    return parse(path, source, settings, known=known, checkpoint=keep, further=further)


@contextmanager
def laid_out(data: bytes, source: Source, folder: Path) -> Iterator[Path]:
    """Yield the path of a file in `folder` with these bytes, for as long as it is needed."""
    # 16 characters hold every known suffix; file systems end a name at 255 bytes.
    path = folder / f"child{PurePosixPath(source.name).suffix[:16]}"
    path.write_bytes(data)
    try:
        yield path
    finally:
        path.unlink()


def _parsed(ended: JobResult) -> Parsed:
    """Return the result, or else what was handed out before the process was lost, or else why there is nothing."""
    if ended.result is not None:
        return codec.unpack(ended.result, Parsed)
    if ended.kept is not None:
        kept = codec.unpack(ended.kept, Parsed)
        return replace(kept, status=Status.PARTIAL, reason=f"{kept.reason} ({ended.reason})")
    return Parsed(ended.status, reason=ended.reason, error=ended.error)
