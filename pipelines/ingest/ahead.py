"""Parsing begun before it is asked for, of files that are opened here: what a worker reads is what was found."""

from __future__ import annotations

import os
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import LeadsOut
from pipelines.core.outcome import Status
from pipelines.ingest.opening import as_path, has_descriptor_paths, open_file
from pipelines.parse.isolate import ParserPool
from pipelines.parse.parsed import Parsed


class ParseAhead:
    """A parser pool that hands out what `begin` has already put to work.

    `within` is the real path in which files must lie when they are opened, None where links may lead out of it.
    """

    def __init__(self, pool: ParserPool, within: Path | None = None) -> None:
        self._pool = pool
        self._within = within
        self._begun: dict[str, Future[Parsed]] = {}

    def begin(self, path: Path, source: Source) -> None:
        """Start parsing a file that will be asked for soon."""
        self._begun[source.document_id] = self._submit(path, source)

    def submit(self, path: Path, source: Source) -> Future[Parsed]:
        """Return the parse of a file, begun or new. A file that cannot be opened is a result too."""
        begun = self._begun.pop(source.document_id, None)
        return begun if begun is not None else self._submit(path, source)

    def submit_bytes(self, data: bytes, source: Source) -> Future[Parsed]:
        """Return the parse of a part of a container."""
        return self._pool.submit_bytes(data, source)

    def _submit(self, path: Path, source: Source) -> Future[Parsed]:
        with ExitStack() as opened:
            try:
                descriptor = open_file(path, self._within)
            except LeadsOut as error:
                return _ended(Parsed(Status.SKIPPED, reason=error.message))
            except OSError as error:
                return _ended(Parsed(Status.FAILED, reason=f"cannot be read: {error.strerror}"))
            opened.callback(os.close, descriptor)
            shown = opened.enter_context(as_path(descriptor, path.suffix)) if has_descriptor_paths() else path
            future = self._pool.submit(shown, source)
            kept = opened.pop_all()
        future.add_done_callback(lambda _: kept.close())
        return future


def _ended(parsed: Parsed) -> Future[Parsed]:
    future: Future[Parsed] = Future()
    future.set_result(parsed)
    return future
