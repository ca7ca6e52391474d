"""Parsing one file, in this process or in a worker; every error becomes a status with a reason."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, MissingExtra, StrataError, TooLarge, Unsupported
from pipelines.core.ids import INSIDE, digest
from pipelines.core.outcome import Status
from pipelines.core.work.job import Job, JobContext, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.lang.identify import detect_language
from pipelines.parse.decode import HOLE
from pipelines.parse.limits import Clock, OutOfTime, ParseTask, as_current, job_limits
from pipelines.parse.magic import EPUB, is_zipped_office
from pipelines.parse.office.package import salvaged
from pipelines.parse.parsed import NO_READINGS, Parsed, Readings
from pipelines.parse.pieces import clean
from pipelines.parse.reader import Reader
from pipelines.parse.registry import built_in_formats, detect, reader_for
from pipelines.parse.settings import ParseSettings

STAGE = "parse"
_LONGEST_REASON = 500
"""Maximum characters of a reason: error messages of libraries may take pages."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_STATUSES: dict[type[StrataError], Status] = {
    Encrypted: Status.ENCRYPTED,
    Unsupported: Status.UNSUPPORTED,
    MissingExtra: Status.UNSUPPORTED,
    TooLarge: Status.TOO_LARGE,
    Malformed: Status.MALFORMED,
}


def source_of(path: Path, uri: str, settings: ParseSettings | None = None) -> Source:
    """Return the source of a file: its media type by content, size and hash. Raises `OSError`."""
    data = path.read_bytes()
    return Source(uri, detect(path, uri.rsplit("/", 1)[-1], settings).media_type, len(data), digest(data))


def parse(
    path: Path,
    source: Source,
    settings: ParseSettings,
    *,
    known: Readings = NO_READINGS,
    checkpoint: Callable[[Parsed], None] | None = None,
    on_next_part: Callable[[], None] | None = None,
) -> Parsed:
    """Return the content of the file at `path`. Raises nothing: every error is a `Parsed` with status and reason.

    The media type is detected by content, whatever `source.media_type` is. A file with bytes but no text is EMPTY,
    never INDEXED. What is not read because of a limit (`Parsed.unread`) makes it PARTIAL. `known` has the OCR results
    of an earlier run (`Parsed.readings`). `checkpoint` is called with the document before its figures, if any, are read
    by OCR, in case this process does not survive that. `on_next_part` is called when a further part of a large file
    begins (`ParseTask`).
    """
    try:
        with as_current(ParseTask(Clock.started(settings.limits), known, checkpoint, on_next_part=on_next_part)):
            return _empty_without_text(_read(path, source, settings), source)
    except StrataError as error:
        return failed(error)
    except MemoryError:
        return Parsed(Status.TOO_LARGE, reason="out of memory", error="MemoryError")
    except RecursionError:
        return Parsed(Status.TOO_LARGE, reason="nested too deep", error="RecursionError")
    except Exception as error:
        hint = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        return Parsed(
            Status.FAILED, reason=_sentence(f"{type(error).__name__}: {error}{hint}"), error=type(error).__name__
        )


def failed(error: StrataError) -> Parsed:
    """Return the error as a result, with its status, message and hint."""
    status = next((status for kind, status in _STATUSES.items() if isinstance(error, kind)), Status.FAILED)
    reason = f"{error.message} ({error.hint})" if error.hint else error.message
    return Parsed(status, reason=_sentence(reason), error=type(error).__name__)


def _sentence(text: str) -> str:
    """Return text as one line: a library's message may contain anything, such as the bytes of a file name.

    Addresses of objects in memory are left out: the same file has the same reason in each run.
    """
    return " ".join(_ADDRESS.sub("", clean(text)).split())[:_LONGEST_REASON]


def _read(path: Path, source: Source, settings: ParseSettings) -> Parsed:
    if path.stat().st_size == 0:
        return Parsed(Status.EMPTY, reason="the file is empty")
    if source.uri.count(INSIDE) > settings.limits.depth:
        raise TooLarge(f"more than {settings.limits.depth} containers within one another", ids=(source.uri,))
    found = detect(path, source.name, settings)
    source = replace(source, media_type=found.media_type)
    reader = reader_for(found.media_type, settings)
    try:
        parsed = reader.read(path, source, settings)
    except OutOfTime as over:
        parsed = over.so_far()
    except Malformed as error:
        parsed = _salvaged(reader, path, source, settings, error)
    except (StrataError, MemoryError, RecursionError):
        raise
    except Exception as error:
        parsed = _second_opinion(path, source, settings, error)
    return _with_note(_with_holes(parsed, path) if found.is_text else parsed, found.note)


def _salvaged(reader: Reader, path: Path, source: Source, settings: ParseSettings, error: Malformed) -> Parsed:
    """Return what is left of a damaged Office file or book, as PARTIAL. Raises `error` if that is nothing."""
    zipped = is_zipped_office(source.media_type) or source.media_type == EPUB
    data = salvaged(path, source.uri, settings.limits) if zipped else b""
    if not data:
        raise error
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        intact = Path(folder) / "salvaged"
        intact.write_bytes(data)
        try:
            parsed = reader.read(intact, source, settings)
        except Malformed:
            raise error from None
    if parsed.document is None:
        raise error
    return parsed.in_part(f"damaged, and read as far as it goes: {error.message}")


def _second_opinion(path: Path, source: Source, settings: ParseSettings, error: Exception) -> Parsed:
    """Return the result of unstructured, which may read a file, with less structure, if our reader has a bug.

    Raises `error` if unstructured does not support the format or is not installed; then a note says how to install it.
    """
    from pipelines.parse.unstructured_engine import UnstructuredReader

    reader = UnstructuredReader()
    if not reader.reads(source.media_type):
        raise error
    try:
        parsed = reader.read(path, source, settings)
    except MissingExtra as missing:
        error.add_note(f"a second reader could be tried: {missing.hint}")
        raise error from missing
    return _with_note(parsed, _sentence(f"read by {reader.name}, because of {type(error).__name__}: {error}"))


def _with_holes(parsed: Parsed, path: Path) -> Parsed:
    """Return `parsed`, as PARTIAL if parts of the text file have been lost."""
    zeros = sum(len(hole) for hole in HOLE.findall(path.read_bytes()))
    return parsed.in_part(f"damaged: {zeros} bytes are zeros") if zeros and parsed.status.searchable else parsed


def _with_note(parsed: Parsed, note: str) -> Parsed:
    if not note or parsed.document is None:
        return parsed
    return replace(parsed, document=replace(parsed.document, notes=(note, *parsed.document.notes)))


def _empty_without_text(parsed: Parsed, source: Source) -> Parsed:
    """Return `parsed`, with the status EMPTY if it has no text."""
    if parsed.status.searchable and (parsed.document is None or not parsed.document.text.strip()):
        reason = f"no text in {source.size} bytes"
        return replace(parsed, status=Status.EMPTY, document=None, reason=parsed.reason or reason)
    return parsed


class ParserPool(WorkerPool):
    """Parses up to `workers` files at once, each in a process with the limits of `settings`."""

    def __init__(self, settings: ParseSettings, workers: int = 2) -> None:
        super().__init__(job_limits(settings.limits), workers, STAGE, preload)
        self._settings = settings

    def parse(self, path: Path, source: Source) -> Future[Parsed]:
        """Start parsing a file. The future's result is always a `Parsed`; it raises only if cancelled."""
        return self.submit(Job(parse_file, (path.absolute(), source, self._settings)), _parsed)


def preload() -> None:
    """Load what every file may need, before worker processes are forked."""
    built_in_formats()
    detect_language("In which language is this written?")


def parse_file(context: JobContext, path: Path, source: Source, settings: ParseSettings) -> bytes:
    """The job of a worker that parses a file."""
    context.begin(STAGE)
    parsed = parse(
        path,
        source,
        settings,
        checkpoint=lambda so_far: context.keep(codec.pack(so_far)),
        on_next_part=lambda: context.begin(STAGE),
    )
    return codec.pack(parsed)


def _parsed(ended: JobResult) -> Parsed:
    """Return the result; if the process ended without one, its last checkpoint, or else the reason."""
    if ended.result is not None:
        return codec.unpack(ended.result, Parsed)
    if ended.kept is not None:
        kept = codec.unpack(ended.kept, Parsed)
        return replace(kept, status=Status.PARTIAL, reason=f"{kept.reason} ({ended.reason})")
    return Parsed(ended.status, reason=ended.reason, error=ended.error)


@contextmanager
def temporary_file(data: bytes, source: Source, folder: Path) -> Iterator[Path]:
    """Yield the path of a file in `folder` with these bytes, and delete it afterwards."""
    # 16 characters hold every known suffix; file systems end a name at 255 bytes.
    path = folder / f"child{PurePosixPath(source.name).suffix[:16]}"
    path.write_bytes(data)
    try:
        yield path
    finally:
        path.unlink()
