"""One file to what it holds, in this process or in another; whatever goes wrong is a status with its reason."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, MissingExtra, StrataError, TooLarge, Unsupported
from pipelines.core.ids import digest
from pipelines.core.outcome import Status
from pipelines.core.work.job import Job, JobContext, JobResult
from pipelines.core.work.pool import WorkerPool
from pipelines.lang.identify import detect_language
from pipelines.parse.limits import Clock, OutOfTime, ParseTask, allowance, containers, doing, keep_nothing, tell_nobody
from pipelines.parse.magic import is_zipped_office
from pipelines.parse.office.package import salvaged
from pipelines.parse.parsed import NO_READINGS, Parsed, Readings
from pipelines.parse.pieces import clean
from pipelines.parse.reader import Reader
from pipelines.parse.registry import built_in_formats, detect, reader_for
from pipelines.parse.settings import ParseSettings

STAGE = "parse"
_LONGEST_REASON = 500
"""Characters of a reason: what a library says may be pages of its own state."""
_STATUSES: dict[type[StrataError], Status] = {
    Encrypted: Status.ENCRYPTED,
    Unsupported: Status.UNSUPPORTED,
    MissingExtra: Status.UNSUPPORTED,
    TooLarge: Status.TOO_LARGE,
    Malformed: Status.MALFORMED,
}


def source_of(path: Path, uri: str, settings: ParseSettings | None = None) -> Source:
    """Return the source of a file: its type by content, its size and its hash. Raises `OSError`."""
    data = path.read_bytes()
    return Source(uri, detect(path, uri.rsplit("/", 1)[-1], settings).media_type, len(data), digest(data))


def parse(
    path: Path,
    source: Source,
    settings: ParseSettings,
    *,
    known: Readings = NO_READINGS,
    checkpoint: Callable[[Parsed], None] = keep_nothing,
    further: Callable[[], None] = tell_nobody,
) -> Parsed:
    """Return what the file at `path` holds. Raises nothing: every error is a `Parsed` with status and reason.

    The type is found by content, whatever `source.media_type` says. A file that is not empty and gives no text
    is EMPTY, never INDEXED. What a limit left unread makes it PARTIAL (`Parsed.unread`). `known` is what an earlier
    run read off its pictures (`Parsed.readings`). `checkpoint` is given the document without its figures read off
    before they are, in case that this process does not survive it; never, where there are none. `further` is called
    when a further part of a large file begins (`ParseTask`).
    """
    try:
        with doing(ParseTask(Clock.started(settings.limits), known, checkpoint, further=further)):
            return _checked(_read(path, source, settings), source)
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
    """Return the error as a result: its status, its sentence and what can be done."""
    status = next((status for kind, status in _STATUSES.items() if isinstance(error, kind)), Status.FAILED)
    reason = f"{error.message} ({error.hint})" if error.hint else error.message
    return Parsed(status, reason=_sentence(reason), error=type(error).__name__)


def _sentence(text: str) -> str:
    """What a library says may hold anything, the bytes of a file name among it."""
    return " ".join(clean(text).split())[:_LONGEST_REASON]


def _read(path: Path, source: Source, settings: ParseSettings) -> Parsed:
    if path.stat().st_size == 0:
        return Parsed(Status.EMPTY, reason="the file is empty")
    if containers(source.uri) > settings.limits.depth:
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
    return _noted(parsed, found.note)


def _salvaged(reader: Reader, path: Path, source: Source, settings: ParseSettings, error: Malformed) -> Parsed:
    """Return what can be read of a damaged Office file, PARTIAL. Raises `error` where it is nothing."""
    data = salvaged(path, source.uri, settings.limits) if is_zipped_office(source.media_type) else b""
    if not data:
        raise error
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        whole = Path(folder) / "salvaged"
        whole.write_bytes(data)
        try:
            parsed = reader.read(whole, source, settings)
        except Malformed:
            raise error from None
    reason = f"damaged, and read as far as it goes: {error.message}"
    if parsed.document is None:
        raise error
    return replace(parsed, status=Status.PARTIAL, reason=reason)


def _second_opinion(path: Path, source: Source, settings: ParseSettings, error: Exception) -> Parsed:
    """A fault of our reader need not cost the file: unstructured may read it, if with less structure.

    Raises `error` where it does not read such files, and where it is not installed, with a note how to install it.
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
    return _noted(parsed, _sentence(f"read by {reader.name}, because of {type(error).__name__}: {error}"))


def _noted(parsed: Parsed, note: str) -> Parsed:
    if not note or parsed.document is None:
        return parsed
    return replace(parsed, document=replace(parsed.document, notes=(note, *parsed.document.notes)))


def _checked(parsed: Parsed, source: Source) -> Parsed:
    if parsed.status.searchable and (parsed.document is None or not parsed.document.text.strip()):
        reason = f"no text in {source.size} bytes"
        return replace(parsed, status=Status.EMPTY, document=None, reason=parsed.reason or reason)
    return parsed


class ParserPool(WorkerPool):
    """Parses up to `workers` files at once, each in a process within the limits of `settings`."""

    def __init__(self, settings: ParseSettings, workers: int = 2) -> None:
        super().__init__(allowance(settings.limits), workers, STAGE, preload)
        self._settings = settings

    def parse(self, path: Path, source: Source) -> Future[Parsed]:
        """Begin to parse a file. The future's result is always a `Parsed`; it raises only when cancelled."""
        return self.submit(Job(parse_file, (path.absolute(), source, self._settings)), _parsed)


def preload() -> None:
    """Load what any file may need, before processes are forked for them."""
    built_in_formats()
    detect_language("In which language is this written?")


def parse_file(desk: JobContext, path: Path, source: Source, settings: ParseSettings) -> bytes:
    """The job that parses a file."""
    desk.begin(STAGE)
    parsed = parse(
        path,
        source,
        settings,
        checkpoint=lambda so_far: desk.keep(codec.pack(so_far)),
        further=lambda: desk.begin(STAGE),
    )
    return codec.pack(parsed)


def _parsed(ended: JobResult) -> Parsed:
    """Return the result, or else what was handed out before the process was lost, or else why there is nothing."""
    if ended.result is not None:
        return codec.unpack(ended.result, Parsed)
    if ended.kept is not None:
        kept = codec.unpack(ended.kept, Parsed)
        return replace(kept, status=Status.PARTIAL, reason=f"{kept.reason} ({ended.reason})")
    return Parsed(ended.status, reason=ended.reason, error=ended.error)


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
