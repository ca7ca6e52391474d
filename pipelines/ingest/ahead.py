"""Parsing begun before it is asked for."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.isolate import ParserPool
from pipelines.parse.parsed import Parsed


class ParseAhead:
    """A parser pool that hands out what `begin` has already put to work."""

    def __init__(self, pool: ParserPool) -> None:
        self._pool = pool
        self._begun: dict[str, Future[Parsed]] = {}

    def begin(self, path: Path, source: Source) -> None:
        """Start parsing a file that will be asked for soon."""
        self._begun[source.document_id] = self._pool.submit(path, source)

    def submit(self, path: Path, source: Source) -> Future[Parsed]:
        """Return the parse of a file, begun or new."""
        begun = self._begun.pop(source.document_id, None)
        return begun if begun is not None else self._pool.submit(path, source)

    def submit_bytes(self, data: bytes, source: Source) -> Future[Parsed]:
        """Return the parse of a part of a container."""
        return self._pool.submit_bytes(data, source)
